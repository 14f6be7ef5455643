package codebase

import (
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/lru"
)

// shownCache keeps a task's results for the files that were requested last, since a pack that is made again after
// a move of the cursor requests the same files.
type shownCache struct {
	files *lru.Cache[string, *shownFile] // by path
}

// shownFiles is the size of that cache; a pack requests some hundred files.
const shownFiles = 128

// shownFile holds the results of a task for one file.
type shownFile struct {
	ranked []RankedSymbol

	mu       sync.Mutex
	of       []RankedSymbol // the symbols of the excerpts, perhaps not all; guarded by mu
	text     string         // guarded by mu
	excerpts []Excerpt      // guarded by mu
}

func newShownCache() *shownCache {
	return &shownCache{lru.New[string, *shownFile](shownFiles)}
}

// symbols returns the ranked symbols of a file. make computes them, or returns nil if that fails.
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

// cut returns the excerpts of a file's symbols. make computes them. The caller must not change them.
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
