package history

import (
	"errors"
	"io/fs"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// A history is kept in the user's cache: reading that of a large repository takes seconds.
const (
	fileKind    = "history"
	fileVersion = "2"       // changes with the format, and with the processing of a commit: terms, cleaning, limits
	maxFile     = 128 << 20 // bytes; 40,000 commits take about 8 MB
	worthKeep   = 64        // commits that are new: reading so many takes as long as starting git, some 10 ms
)

// Kept is the history of a repository, or a folder, that was kept in a cache; nil if there is none, or no cache. Working trees
// share one file: where they are at different commits, each reads what it lacks.
func Kept(cache, shared string) *History {
	if cache == "" {
		return nil
	}
	blocks, err := cachefile.Of(cache, fileKind, shared).Read(fileVersion, maxFile)
	if err != nil || len(blocks) != 1 {
		return nil
	}
	h := &History{}
	if codec.Decode(blocks[0], h.describe) != nil {
		return nil
	}
	return h
}

// Keep writes the history to a cache, if there is one that may be written to and enough of it is new.
func (h *History) Keep(cache, shared string) error {
	if cache == "" || h.known > 0 && h.Len()-h.known < worthKeep {
		return nil
	}
	err := cachefile.Of(cache, fileKind, shared).Write(fileVersion, cachefile.Block{codec.Append(nil, h.describe)})
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
