package main

import (
	"context"
	"fmt"
	"path"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/bench/sources"
	"github.com/brv-lsp/brv-lsp/codebase"
)

// How often each of what an editor does is measured.
const (
	moves      = 100
	keystrokes = 60
	unsaved    = 10
	walks      = 20
)

// editor maps the tree with what the first scan kept, and measures what an editor that
// has one file open asks for: the ranking after the cursor moved, the map after a
// keystroke and with a new file that is not saved, and a walk that finds no change.
func editor(ctx context.Context, j job, s *size) error {
	var start process.Spent
	m, closed, err := scanned(ctx, j, &start)
	if err != nil {
		return err
	}
	defer closed()
	open := m.Chunks()[len(m.Chunks())/2].Path
	text, err := m.Read(open)
	if err != nil {
		return err
	}
	q := codebase.Query{Task: "read the configuration file and report errors with their line", File: open}
	if len(j.Queries) > 0 {
		q.Task = j.Queries[0]
	}
	m.Rank(q)
	for i := range moves {
		q.Offset = i * len(text) / moves
		s.Moved.took(func() error { m.Rank(q); return nil })
	}
	lay := func(into *kind, texts map[string]string) error {
		return into.tookWithChildren(func() error {
			_, err := m.With(ctx, texts)
			return err
		})
	}
	if _, err := m.With(ctx, map[string]string{open: text + sources.Comment(open, "loads the language")}); err != nil {
		return err
	}
	for i := range keystrokes {
		if err := lay(&s.Key, map[string]string{open: text + sources.Comment(open, fmt.Sprint("key ", i))}); err != nil {
			return err
		}
	}
	for i := range unsaved {
		fresh := fmt.Sprintf("unsaved%d_%s", i, path.Base(open))
		if err := lay(&s.New, map[string]string{path.Join(path.Dir(open), fresh): text + sources.Comment(open, fresh)}); err != nil {
			return err
		}
	}
	for range walks {
		if err := s.Walk.took(func() error {
			next, err := m.Update(ctx, []string{"."})
			if err == nil && next != m {
				err = fmt.Errorf("%s: changed while it was measured", j.Root)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
