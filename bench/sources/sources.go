// Package sources makes folders of a given number of real source files, for measures of
// how costs grow.
package sources

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Source is a folder that others are made of.
type Source struct {
	dir     string
	files   []string // source files, whole folders after each other
	configs map[string]string
}

// Read finds the source files of folders.
func Read(ctx context.Context, dirs []string) ([]Source, error) {
	var out []Source
	for _, dir := range dirs {
		root, err := jail.Open(dir)
		if err != nil {
			return nil, err
		}
		found, err := discover.Walk(ctx, root, discover.Options{Config: imports.IsConfig})
		if err = errors.Join(err, root.Close()); err != nil {
			return nil, err
		}
		if len(found.Files) == 0 {
			return nil, fmt.Errorf("%s: no source files", dir)
		}
		s := Source{dir: dir, configs: found.Configs}
		for _, f := range found.Files {
			s.files = append(s.files, f.Path)
		}
		s.shuffle()
		out = append(out, s)
	}
	return out, nil
}

// shuffle puts folders into an order that has nothing to do with their names, the same
// each time: a part of the list is a sample, and what files of a folder have to do with
// each other stays.
func (s *Source) shuffle() {
	key := func(p string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(path.Dir(p)))
		return h.Sum64()
	}
	slices.SortStableFunc(s.files, func(a, b string) int {
		if x, y := key(a), key(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
}

// Build makes a tree of n files and returns their size in bytes. Each source has its
// share by its number of files, in a numbered folder of its own. Where n is more than
// all sources have, they come again under other numbers, with a comment more in each
// file so that no two are the same.
func Build(from []Source, n int, root string) (int64, error) {
	total := 0
	for _, s := range from {
		total += len(s.files)
	}
	var size int64
	for round, left, folder := 0, n, 0; left > 0; round++ {
		want, rest := min(left, total), total
		for _, s := range from {
			folder++
			share := (want*len(s.files) + rest - 1) / rest // of what is left, so that the sum is exact
			want, rest = want-share, rest-len(s.files)
			left -= share
			top := filepath.Join(root, fmt.Sprintf("%02d-%s", folder, filepath.Base(s.dir)))
			added, err := s.copy(top, share, round)
			if err != nil {
				return 0, err
			}
			size += added
		}
	}
	return size, nil
}

// copy writes the first n files of a source, with what says how their imports resolve.
func (s *Source) copy(top string, n, round int) (size int64, err error) {
	for _, p := range s.files[:n] {
		text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(p)))
		if err != nil {
			return 0, err
		}
		if round > 0 {
			text = append(text, Comment(p, fmt.Sprintf("copy %d", round))...)
		}
		size += int64(len(text))
		if err := Write(filepath.Join(top, filepath.FromSlash(p)), text); err != nil {
			return 0, err
		}
	}
	for p, text := range s.configs {
		name := filepath.Join(top, filepath.FromSlash(p))
		if _, err := os.Stat(name); err == nil {
			continue // it is a source file too
		}
		if err := Write(name, []byte(text)); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// Write writes a file and the folders above it.
func Write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// Comment is a comment on a line of its own, for the end of a file.
func Comment(p, text string) string {
	switch syntax.LanguageOf(p) {
	case syntax.Python, syntax.Bash, syntax.HCL:
		return "\n# " + text + "\n"
	case syntax.Lua, syntax.SQL:
		return "\n-- " + text + "\n"
	}
	return "\n// " + text + "\n"
}

// Definition is a function of a new name, for the end of a file; "" for languages in
// which a function cannot stand there.
func Definition(p string, number int) string {
	name := fmt.Sprintf("measuredSpeed%d", number)
	switch syntax.LanguageOf(p) {
	case syntax.Go:
		return "\nfunc " + name + "() {}\n"
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		return "\nfunction " + name + "() {}\n"
	case syntax.Python:
		return "\ndef " + name + "():\n    pass\n"
	case syntax.Rust:
		return "\nfn " + name + "() {}\n"
	}
	return ""
}
