package consult

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

const overrides = "# Testing\n\n## Override a dependency\nIn tests a dependency is replaced by another one.\n"

// An edit of an open document is found at once, and what it says is gone with the buffer.
func TestUnsavedDocumentIsFound(t *testing.T) {
	files := maps.Clone(workspacetest.Files)
	files["docs/testing.md"] = overrides
	w := workspacetest.Open(t, files, workspace.Options{})
	first := func(text string) Source {
		t.Helper()
		r, err := Search(t.Context(), w.View(), QueryRequest{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if r.OutOfDomain || len(r.Hits) == 0 {
			return Source{}
		}
		return r.Hits[0]
	}
	if s := first("override a dependency in tests"); s.FilePath != "docs/testing.md" || s.Line != 4 || s.Last != 4 {
		t.Errorf("on disk: %+v", s)
	}
	w.Overlay("docs/testing.md", overrides+"\n## Sourdough starters\nFeed a sourdough starter with rye.\n")
	s := first("sourdough starters fed with rye")
	if s.Heading != "Sourdough starters" || Passage(t.Context(), w.View(), s) == "" {
		t.Errorf("unsaved: %+v", s)
	}
	w.Overlay("docs/fresh.md", "# Fresh\n\n## Marmalade\nMarmalade is cooked from bitter oranges.\n")
	if s := first("marmalade of bitter oranges"); s.FilePath != "docs/fresh.md" {
		t.Errorf("a new file: %+v", s)
	}
	w.Overlay("docs/testing.md", overrides)
	if s := first("sourdough starters fed with rye"); s.Heading == "Sourdough starters" {
		t.Errorf("what is no longer there: %+v", s)
	}
}

// At the deadline an answer is made from the documents that are read already, and else says that it lacks them.
func TestAnswersAtTheDeadlineKnowDocuments(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{"docs/testing.md": overrides}, workspace.Options{})
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	q := retrieval.Query{Text: "override a dependency in tests", Now: w.View().Now()}
	late := &limits.Deadline{Request: t.Context(), Prompt: over}
	if _, err := answerNow(late, w.View(), q); err != nil || !slices.ContainsFunc(late.Degraded,
		func(s string) bool { return strings.HasPrefix(s, limits.Documents) }) {
		t.Errorf("%v: degraded %q", err, late.Degraded)
	}
	if _, err := Query(t.Context(), w.View(), QueryRequest{Text: q.Text}); err != nil {
		t.Fatal(err)
	}
	late = &limits.Deadline{Request: t.Context(), Prompt: over}
	a, err := answerNow(late, w.View(), q)
	if err != nil || len(a.Hits) == 0 || strings.Contains(strings.Join(late.Degraded, " "), limits.Documents) {
		t.Errorf("%v: %+v, degraded %q", err, a, late.Degraded)
	}
}

// With a tree whose entries are late, what the documents say is told; and so it is where there is no tree.
func TestAnswersAtTheDeadlineTellSections(t *testing.T) {
	for _, files := range []map[string]string{{}, maps.Clone(workspacetest.Files)} {
		files["docs/testing.md"] = overrides
		w := workspacetest.Open(t, files, workspace.Options{})
		v := w.View()
		if set, err := v.Documents(t.Context()); err != nil {
			t.Fatal(err)
		} else if _, err := workspace.SearchDocuments(t.Context(), v, set, ""); err != nil {
			t.Fatal(err)
		}
		over, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		late := &limits.Deadline{Request: t.Context(), Prompt: over}
		a, err := answerNow(late, v, retrieval.Query{Text: "override a dependency in tests", Now: v.Now()})
		if err != nil || len(a.Hits) == 0 || !strings.Contains(a.Text, "replaced by another one") ||
			strings.Contains(strings.Join(late.Degraded, " "), limits.Documents) {
			t.Errorf("%v: %+v, degraded %q", err, a, late.Degraded)
		}
	}
}

// Topics are proposed from the folders of the code, and none where there are none worth it.
func TestInitProposesTheFoldersOfTheCode(t *testing.T) {
	files := map[string]string{"docs/x.go": "package x\n", "go.mod": "module x\n"}
	for _, p := range []string{"src/auth/", "src/store/", "src/auth/test/", "vendor/dep/"} {
		for _, name := range []string{"a", "b", "c"} {
			files[p+name+".go"] = "package p\n"
		}
	}
	files["src/store/d.go"] = "package p\n"
	r, err := workspacetest.Open(t, files, workspace.Options{}).Init(t.Context(), workspace.InitRequest{})
	if err != nil || strings.Join(r.Topics, " ") != "src/store src/auth" {
		t.Errorf("%q, %v", r.Topics, err)
	}
	if r, err = workspacetest.Open(t, map[string]string{"main.go": "package main\n"}, workspace.Options{}).Init(t.Context(),
		workspace.InitRequest{}); err != nil ||
		len(r.Topics) > 0 {
		t.Errorf("%q, %v", r.Topics, err)
	}
}

// TestSearchOfDocuments: which sections come first for questions to repositories without a tree.
func TestSearchOfDocuments(t *testing.T) {
	goldentest.Archives(t, "testdata/documents/*.txtar", func(archive []txtar.File) string {
		files, questions := map[string]string{}, ""
		for _, f := range archive {
			if f.Name == "questions" {
				questions = string(f.Data)
				continue
			}
			files[f.Name] = string(f.Data)
		}
		w := workspacetest.Open(t, files, workspace.Options{})
		var b strings.Builder
		for q := range strings.Lines(questions) {
			r, err := Search(t.Context(), w.View(), QueryRequest{Text: strings.TrimSpace(q)})
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(q)
			for _, s := range r.Hits {
				fmt.Fprintf(&b, "  %s:%d %s\n", s.FilePath, s.Line, s.Heading)
			}
			if r.OutOfDomain {
				b.WriteString("  refused\n")
			}
		}
		pages, rules, decisions := found(t.Context(), w.View()).Count()
		fmt.Fprintf(&b, "%d pages, %d rules, %d decisions\n", pages, rules, decisions)
		return b.String()
	})
}
