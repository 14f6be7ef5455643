package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// lateSave finds a late save by its name, with its text.
func (s *Store) lateSave(name string) (txn.Saved, error) {
	saved, _, err := s.journal.Saved()
	for _, t := range saved {
		if _, ok := cutDir(t.Path); ok && t.Name == name {
			return t, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("%q: no such late save; `brv-lsp saved` lists them", name)
	}
	return txn.Saved{}, err
}

// TakeSaved gives an entry the text that was written into it too late. That is a batch like others, which can
// be undone.
func (s *Store) TakeSaved(ctx context.Context, name, author string) (*plan.Report, error) {
	t, err := s.lateSave(name)
	if err != nil {
		return nil, err
	}
	at, _ := cutDir(t.Path)
	header, kept, err := s.journal.Commit(ctx, func(int) (any, []txn.Change, error) {
		next := map[string]string{at: string(t.Data)}
		if err := errors.Join(s.inputs(false).CheckSaved(next), s.saving.ready(s.Snapshot(), []string{at})); err != nil {
			return nil, nil, err
		}
		c := txn.Change{Path: t.Path, After: &txn.Image{Data: t.Data}}
		switch now, err := s.root.ReadFile(t.Path, format.MaxFileSize); {
		case err == nil:
			c.Before = &txn.Image{Data: now}
		case !errors.Is(err, fs.ErrNotExist):
			return nil, nil, err
		}
		if err := takeable(at, c); err != nil {
			return nil, nil, err
		}
		reason := fmt.Sprintf("what another program saved as change %d replaced the file", t.ID)
		return meta{Action: actApply, Author: plan.ClearText(author), Reason: reason}, []txn.Change{c}, nil
	})
	if err != nil {
		return nil, err
	}
	report := &plan.Report{Batch: header.ID, Results: []plan.Result{}, Files: changedFiles(header), Kept: inTreePaths(kept)}
	if len(report.Kept) == 0 {
		err = s.journal.Forget(name)
	}
	return report, errors.Join(err, s.show(ctx, header))
}

// takeable says why a late text cannot take an entry's place: it is no text for an entry, or one of the two
// is in conflict.
func takeable(at string, c txn.Change) error {
	if n := len(c.After.Data); n > format.MaxFileSize {
		return plan.Failed(plan.FailInvalid, "%s would have %d bytes, the limit is %d", at, n, format.MaxFileSize)
	}
	for _, image := range []*txn.Image{c.Before, c.After} {
		if image == nil {
			continue
		}
		if err := format.Parse(at, string(image.Data)).Unmerged(); err != nil && image == c.After {
			return fmt.Errorf("what was saved: %w", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// DropSaved removes a text that was written too late, for good.
func (s *Store) DropSaved(name string) error {
	if _, err := s.lateSave(name); err != nil {
		return err
	}
	if err := s.journal.Forget(name); err != nil {
		return err
	}
	s.LateSaves()
	return nil
}
