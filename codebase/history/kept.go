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
	fileVersion = "2"       // changes with the form, and with what is read of a commit: terms, cleaning, limits
	maxFile     = 128 << 20 // bytes; 40,000 commits take about 8 MB
)

// Kept is the history of a folder that was kept in a cache; nil if there is none, or no cache.
func Kept(cache, folder string) *History {
	if cache == "" {
		return nil
	}
	blocks, err := cachefile.Of(cache, fileKind, folder).Read(fileVersion, maxFile)
	if err != nil || len(blocks) != 1 {
		return nil
	}
	h := &History{}
	if codec.Decode(blocks[0], h.describe) != nil {
		return nil
	}
	return h
}

// Keep writes the history of a folder to a cache, if there is one that may be written to.
func (h *History) Keep(cache, folder string) error {
	if cache == "" {
		return nil
	}
	err := cachefile.Of(cache, fileKind, folder).Write(fileVersion, cachefile.Block{codec.Append(nil, h.describe)})
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
