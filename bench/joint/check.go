package main

import (
	"errors"
	"fmt"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"maps"
	"slices"
)

// check reports all that an archive names and its commit does not have, and what is wrong
// with its entries.
func (s set) check(o *ours) error {
	var errs []error
	for _, t := range s.Tasks {
		for _, err := range t.check(o) {
			errs = append(errs, fmt.Errorf("task %s: %w", t.ID, err))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.Tree)) {
		e, ok := o.tree.Entry(p)
		if !ok {
			errs = append(errs, fmt.Errorf("tree/%s: not read as an entry", p))
			continue
		}
		for _, problem := range o.tree.Problems(p) {
			if problem.Code != format.CodeOrphan {
				errs = append(errs, fmt.Errorf("tree/%s: %s", p, problem.Message))
			}
		}
		for _, f := range e.Files {
			if !o.code.Exists(f.Path) {
				errs = append(errs, fmt.Errorf("tree/%s: %s, listed under Files, does not exist at %.10s", p, f.Path, s.Commit))
			}
		}
	}
	return errors.Join(errs...)
}

func (t task) check(o *ours) (errs []error) {
	for _, p := range append(slices.Clip(t.Need), t.Open) {
		if _, ok := o.code.Chunk(p); !ok && p != "" {
			errs = append(errs, fmt.Errorf("%s: not a source file of the map", p))
		}
	}
	for _, p := range t.Know {
		if _, ok := o.tree.Entry(p); !ok {
			errs = append(errs, fmt.Errorf("%s: no such entry", p))
		}
	}
	if _, err := o.offset(t); err != nil {
		errs = append(errs, err)
	}
	return errs
}
