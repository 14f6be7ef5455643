package codebase

import (
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/lru"
)

// shownCache keeps what a task makes of the files that were asked for last: a pack that
// is made again when the cursor moved asks for the same ones.
type shownCache struct {
	files *lru.Cache[string, *shownFile] // by path
}

// shownFiles is how many files that are: a pack looks at some hundred.
const shownFiles = 128

// shownFile is a file as a task sees it.
type shownFile struct {
	ranked []RankedSymbol

	mu       sync.Mutex
	of       []RankedSymbol // what the excerpts were made of: maybe fewer; guarded by mu
	text     string         // guarded by mu
	excerpts []Excerpt      // guarded by mu
}

func newShownCache() *shownCache {
	return &shownCache{lru.New[string, *shownFile](shownFiles)}
}

// symbols returns the ranked symbols of a file; make makes them, nil if that fails.
func (s *shownCache) symbols(path string, make func() []RankedSymbol) []RankedSymbol {
	if f, ok := s.files.Get(path); ok {
		return f.ranked
	}
	ranked := make()
	if ranked != nil {
		s.files.Add(path, &shownFile{ranked: ranked}, 1)
	}
	return ranked
}

// cut returns the excerpts of a file's symbols, which stay as they are; make makes them.
func (s *shownCache) cut(path string, ranked []RankedSymbol, text string, make func() []Excerpt) []Excerpt {
	f, ok := s.files.Get(path)
	if !ok {
		return make()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.text != text || !slices.Equal(f.of, ranked) {
		f.of, f.text, f.excerpts = ranked, text, make()
	}
	return f.excerpts
}
