package workspace_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// treeInParts is a folder with a tree of three parts.
func treeInParts(t *testing.T) string {
	root := t.TempDir()
	for i := range 6000 {
		workspacetest.Write(t, root, fmt.Sprintf(".brv/context-tree/d%d/e%d.md", i%6, i),
			fmt.Sprintf("---\ntitle: Entry %d\n---\nSee @d%d/e%d.md.\n", i, (i+1)%6, i+1))
	}
	return root
}

// reader holds up the reading of a tree before each of its parts.
type reader struct {
	at, next chan struct{}
	options  workspace.Options
	changed  chan workspace.Change
}

func slowly() *reader {
	r := &reader{at: make(chan struct{}), next: make(chan struct{}), changed: make(chan workspace.Change, 9)}
	r.options = workspace.Options{
		NoCode: true, Patience: time.Nanosecond, Changed: func(c workspace.Change) { r.changed <- c },
		Reading: func() { r.at <- struct{}{}; <-r.next },
	}
	return r
}

func TestLargeTreesAnswerWhileTheyAreRead(t *testing.T) {
	root := treeInParts(t)
	r := slowly()
	w, err := workspace.Open(t.Context(), root, r.options)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	<-r.at
	if v := w.View(); !v.Reading() || v.Tree().Len() != 0 || !w.HasTree() {
		t.Fatalf("reading %v, %d entries, tree %v", v.Reading(), v.Tree().Len(), w.HasTree())
	}
	file := workspace.TreeDir + "/d5/e5999.md"
	w.Overlay(file, "---\ntitle: Changed\n---\nSee @d0/e0.md, @d1/e1 and @d1/none.md.\n")
	v := w.Around(file)
	for _, p := range []string{"d5/e5999.md", "d0/e0.md", "d1/e1.md"} {
		if _, ok := v.Tree().Entry(p); !ok {
			t.Errorf("%s is not looked up", p)
		}
	}
	relations := v.Tree().Relations("d5/e5999.md")
	if len(relations) != 3 || workspace.Unmet(v, relations[0])+workspace.Unmet(v, relations[1]) != "" || workspace.Unmet(v, relations[2]) == relations[2].Problem() {
		t.Errorf("relations %+v", relations)
	}
	missing, _ := v.Partial()
	q, err := consult.Query(t.Context(), v, consult.QueryRequest{Text: "entry 7"})
	if err != nil || !slices.Contains(q.Degraded, missing) {
		t.Errorf("query: %+v, %v", q, err)
	}
	if _, err := curation.Log(t.Context(), w, curation.LogRequest{}); err != workspace.ErrReading {
		t.Errorf("log: %v", err)
	}
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.WaitTree(short); err != context.Canceled {
		t.Errorf("waiting: %v", err)
	}
	for _, n := range []int{1000, 5000} { // what is there before the next part
		r.next <- struct{}{}
		<-r.at
		if got := w.View().Tree().Len(); got != n && got != n+1 { // the buffer may be beyond it
			t.Errorf("%d entries, want %d", got, n)
		}
	}
	r.next <- struct{}{}
	if err := w.WaitTree(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := w.View(); v.Reading() || v.Tree().Len() != 6000 {
		t.Errorf("at last: reading %v, %d entries", v.Reading(), v.Tree().Len())
	}
	if e, _ := w.View().Tree().Entry("d5/e5999.md"); e.Title != "Changed" {
		t.Errorf("the buffer is %q", e.Title)
	}
	if c := <-r.changed; !c.Tree {
		t.Errorf("told %+v", c)
	}
	if _, err := curation.Log(t.Context(), w, curation.LogRequest{}); err != nil {
		t.Errorf("log: %v", err)
	}
	whole, err := workspace.Open(t.Context(), root, workspace.Options{NoCode: true})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	w.Drop(file)
	if got, want := w.View().Tree().Fingerprint(), whole.View().Tree().Fingerprint(); got != want {
		t.Error("the tree that was read in parts is another one")
	}
	for _, e := range whole.View().Tree().Entries() {
		if a, b := w.View().Tree().Backlinks(e.Path), whole.View().Tree().Backlinks(e.Path); len(a) != len(b) ||
			len(w.View().Tree().Problems(e.Path)) != len(whole.View().Tree().Problems(e.Path)) {
			t.Fatalf("%s: %v, %v", e.Path, a, b)
		}
	}
}

// Close, and the end of the context that Open was given, end the reading.
func TestReadingEndsWithTheWorkspace(t *testing.T) {
	root := treeInParts(t)
	r := slowly()
	w, err := workspace.Open(t.Context(), root, r.options)
	if err != nil {
		t.Fatal(err)
	}
	<-r.at
	closed := make(chan error)
	go func() { closed <- w.Close() }()
	<-w.Life().Done()
	r.next <- struct{}{}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := workspace.Options{NoCode: true, Patience: time.Hour, Reading: cancel}
	if w, err := workspace.Open(ctx, root, o); err == nil {
		w.Close()
		t.Error("opened although it was cancelled")
	}
}

// A small tree is waited for, however long it takes.
func TestSmallTreesAreWaitedFor(t *testing.T) {
	root := t.TempDir()
	workspacetest.Write(t, root, ".brv/context-tree/a/b.md", "x\n")
	o := workspace.Options{NoCode: true, Patience: time.Second}
	o.Reading = func() { // longer than the patience
		longer, done := context.WithTimeout(t.Context(), o.Patience+o.Patience/4)
		defer done()
		<-longer.Done()
	}
	w, err := workspace.Open(t.Context(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.View().Reading() || w.View().Tree().Len() != 1 {
		t.Errorf("reading %v, %d entries", w.View().Reading(), w.View().Tree().Len())
	}
}

// TestAFolderOpensWithoutWhatIsNotAskedFor: without the tree, or without where imports lead, the code has the same names.
func TestAFolderOpensWithoutWhatIsNotAskedFor(t *testing.T) {
	files := map[string]string{"a.go": "package a\n\nfunc SignToken() {}\n", "b.go": "package a\n", ".brv/context-tree/a/b/c.md": "# C\n"}
	for name, o := range map[string]workspace.Options{"no tree": {NoTree: true, CodeScan: true}, "no graph": {NoGraph: true}} {
		w := workspacetest.Open(t, files, o)
		if err := w.WaitCode(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w.HasTree() == o.NoTree {
			t.Errorf("%s: has a tree: %t", name, w.HasTree())
		}
		if code := w.View().Code(); len(code.Chunks()) != 2 || syntax.Available && len(code.Lookup("SignToken")) != 1 {
			t.Errorf("%s: %d files, %v", name, len(code.Chunks()), code.Lookup("SignToken"))
		}
	}
}
