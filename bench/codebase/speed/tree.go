package main

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

// source is a folder that trees are made of.
type source struct {
	dir     string
	files   []string // source files, whole folders after each other
	configs map[string]string
}

// readSources finds the source files of folders.
func readSources(ctx context.Context, dirs []string) ([]source, error) {
	var out []source
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
		s := source{dir: dir, configs: found.Configs}
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
func (s *source) shuffle() {
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

// build makes a tree of n files and returns their size in bytes. Each source has its
// share by its number of files, in a numbered folder of its own. Where n is more than
// all sources have, they come again under other numbers, with a comment more in each
// file so that no two are the same.
func build(sources []source, n int, root string) (int64, error) {
	total := 0
	for _, s := range sources {
		total += len(s.files)
	}
	var size int64
	for round, left, folder := 0, n, 0; left > 0; round++ {
		want, rest := min(left, total), total
		for _, s := range sources {
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
func (s *source) copy(top string, n, round int) (size int64, err error) {
	for _, p := range s.files[:n] {
		text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(p)))
		if err != nil {
			return 0, err
		}
		if round > 0 {
			text = append(text, comment(p, fmt.Sprintf("copy %d", round))...)
		}
		size += int64(len(text))
		if err := write(filepath.Join(top, filepath.FromSlash(p)), text); err != nil {
			return 0, err
		}
	}
	for p, text := range s.configs {
		name := filepath.Join(top, filepath.FromSlash(p))
		if _, err := os.Stat(name); err == nil {
			continue // it is a source file too
		}
		if err := write(name, []byte(text)); err != nil {
			return 0, err
		}
	}
	return size, nil
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// comment is a comment on a line of its own, for the end of a file.
func comment(p, text string) string {
	switch syntax.LanguageOf(p) {
	case syntax.Python, syntax.Bash, syntax.HCL:
		return "\n# " + text + "\n"
	case syntax.Lua, syntax.SQL:
		return "\n-- " + text + "\n"
	}
	return "\n// " + text + "\n"
}

// definition is a function of a new name, for the end of a file; "" for languages in
// which a function cannot stand there.
func definition(p string, number int) string {
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
