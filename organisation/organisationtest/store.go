// Package organisationtest tests what a store of an organisation's knowledge must do, whatever it is made of.
package organisationtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

// Documents are so many documents of a repository, whose texts differ with the version.
func Documents(repository string, n, version int) []organisation.Document {
	var out []organisation.Document
	for i := range n {
		out = append(out, organisation.Document{Repository: repository, Path: fmt.Sprintf("domain/topic/entry_%d.md", i),
			Text: fmt.Sprintf("# Entry %d of %s\n\nIt says alpha and word%d, in version%d.\n", i, repository, i, version)})
	}
	return out
}

// Manifest is of documents.
func Manifest(repository string, number int64, docs []organisation.Document) *organisation.Manifest {
	m := &organisation.Manifest{Repository: repository, Commit: "0123abc", Number: number, Pushed: time.Unix(number, 0).UTC(),
		Entries: map[string]string{}}
	for _, d := range docs {
		_, l := retrieval.Analysed(d.Entry())
		m.Lengths.Add(l, 1)
		m.Entries[d.Path] = organisation.Digest(d.Text)
	}
	return m
}

// Run tests an empty store.
func Run(t *testing.T, s organisation.Store) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	manifest := func(repository string) *organisation.Manifest {
		all, err := s.Manifests(ctx, nil)
		must(err)
		return all[repository]
	}
	paths := func(word string, of ...string) []string {
		docs, partial, err := s.Find(ctx, of, []retrieval.Term{{Text: word, Weight: 1}}, 50)
		if must(err); partial {
			t.Error("only a part answers")
		}
		var out []string
		for _, d := range docs {
			out = append(out, d.Repository+"/"+d.Path)
		}
		slices.Sort(out)
		return out
	}
	for i, name := range []string{"a/one", "a/two"} {
		docs := Documents(name, 3+i, 1)
		must(s.Write(ctx, name, docs, nil))
		must(s.Write(ctx, name, docs, nil)) // its answer may have been lost
		must(s.Commit(ctx, Manifest(name, 1, docs), nil))
		if err := s.Commit(ctx, Manifest(name, 1, docs), nil); !errors.Is(err, organisation.ErrConflict) {
			t.Errorf("a second first manifest: %v", err)
		}
		there, err := s.Texts(ctx, name)
		if must(err); len(there) != 3+i || there[docs[0].ID()].Entries != 1 {
			t.Errorf("%v", there)
		}
		if m := manifest(name); m == nil || m.Number != 1 || len(m.Entries) != 3+i || m.Lengths.Entries != 3+i {
			t.Errorf("%+v", m)
		}
	}
	if got := paths("alpha", "a/one"); len(got) != 3 {
		t.Errorf("what is not asked for is found: %v", got)
	}
	if got := paths("word1", "a/one", "a/two", "a/none"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	n, err := s.Count(ctx, []string{"a/two"}, [][]string{{"alpha"}, {"word1", "word2"}, {"word9"}})
	if must(err); !slices.Equal(n, []int{4, 2, 0}) {
		t.Errorf("%v", n)
	}
	// An old manifest is not replaced twice.
	before, next := manifest("a/one"), Documents("a/one", 2, 2)
	must(s.Write(ctx, "a/one", next, nil))
	must(s.Commit(ctx, Manifest("a/one", 2, next), before))
	if err := s.Commit(ctx, Manifest("a/one", 3, next), before); !errors.Is(err, organisation.ErrConflict) {
		t.Errorf("a manifest of before: %v", err)
	}
	all, err := s.Manifests(ctx, map[string]*organisation.Manifest{"a/one": before})
	if must(err); all["a/one"].Number != 2 {
		t.Errorf("%+v", all["a/one"])
	}
	again, err := s.Manifests(ctx, all)
	if must(err); again["a/one"] != all["a/one"] || again["a/two"] != all["a/two"] {
		t.Error("a manifest that did not change is another one")
	}
	there, err := s.Texts(ctx, "a/one")
	must(err)
	for _, d := range next {
		delete(there, d.ID())
	}
	must(s.Write(ctx, "a/one", nil, slices.Sorted(maps.Keys(there))))
	must(s.Write(ctx, "a/one", nil, slices.Sorted(maps.Keys(there))))
	if there, err = s.Texts(ctx, "a/one"); err != nil || len(there) != 2 {
		t.Errorf("%v, %v", there, err)
	}
	if got := paths("version1", "a/one"); len(got) > 0 {
		t.Errorf("what is gone is found: %v", got)
	}
	if got := paths("version2", "a/one"); len(got) != 2 {
		t.Errorf("%v", got)
	}
}
