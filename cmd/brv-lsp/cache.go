package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/git"
)

// showCache reports the size of the cache and the part of it that belongs to the folder, or clears the cache.
func showCache(_ context.Context, f *flags, o *struct{ Clear bool }, _ env) (answer, error) {
	root, err := f.folder()
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return answer{}, err
	}
	dir := cacheDir()
	if dir == "" {
		return answer{json: map[string]any{"folder": ""}, text: "There is no usable cache folder.\n"}, nil
	}
	if o.Clear {
		removed, err := cachefile.Clear(dir)
		return answer{json: map[string]any{"folder": dir, "removed": removed}, text: textf("Removed %s in %s.\n", megabytes(removed), dir)}, err
	}
	shared := git.Shared(root)
	total, sizes := cachefile.Sizes(dir, root, cmp.Or(shared, root))
	with := "this folder"
	if common, inside, ok := strings.Cut(shared, "\x00"); ok {
		if with = "all working trees of " + common; inside != "" {
			with = inside + " in " + with
		}
	}
	var text strings.Builder
	sayf(&text, "%s: %s of at most %s; the least recently used files are removed first\n", dir, megabytes(total), megabytes(cachefile.MaxAll))
	for _, s := range sizes {
		of := with
		if s.Kind == "paths" {
			of = "this folder"
		}
		sayf(&text, "  %-10s %9s  %s\n", s.Kind, megabytes(s.Bytes), of)
	}
	text.WriteString("`brv-lsp cache --clear` clears the cache of all folders.\n")
	told := map[string]any{"folder": dir, "bytes": total, "limit": cachefile.MaxAll, "shared": with, "files": sizes}
	return answer{json: told, text: text.String()}, nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
