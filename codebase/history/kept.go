package history

import (
	"errors"
	"io/fs"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
)

// A history is kept in the user's cache: reading that of a large repository takes seconds.
const (
	fileKind    = "history"
	fileVersion = "1"       // of the file; the stored form has one too
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
	h, _ := Decode(blocks[0])
	return h
}

// Keep writes the history of a folder to a cache, if there is one that may be written to.
func (h *History) Keep(cache, folder string) error {
	if cache == "" {
		return nil
	}
	err := cachefile.Of(cache, fileKind, folder).Write(fileVersion, cachefile.Block{h.Append(nil)})
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
