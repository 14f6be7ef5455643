package drafting

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestDraft(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{}) // the code was not read yet
	text := workspacetest.Files["src/sign.go"]
	d, err := Draft(t.Context(), w.View(), DraftRequest{Path: "src/sign.go", Start: strings.Index(text, "//"), End: len(text)})
	if err != nil {
		t.Fatal(err)
	}
	entry, ok := w.View().EntryPath(d.Path)
	if !ok || !strings.Contains(d.Text, "- src/sign.go:3-4") || !strings.Contains(d.Text, "keywords: [SignToken]") {
		t.Errorf("draft at %s:\n%s", d.Path, d.Text)
	}
	if ps := w.View().Tree().With(entry, d.Text).Problems(entry); len(ps) > 0 {
		t.Errorf("the draft has problems: %v", ps)
	}
	for _, bad := range []DraftRequest{{Path: "gone.go", End: 1}, {Path: "src/sign.go"}, {Path: "src/sign.go", Start: -1, End: 3},
		{Path: "src/sign.go", Start: 5, End: 3}, {Path: "../x", End: 1}} {
		if _, err := Draft(t.Context(), w.View(), bad); err == nil {
			t.Errorf("%+v was drafted", bad)
		}
	}
}

// A topic that is a link, put there by whoever made the project, leads no draft out of it.
func TestDraftGoesThroughNoLink(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	text := workspacetest.Files["src/sign.go"]
	req := DraftRequest{Path: "src/sign.go", Start: strings.Index(text, "//"), End: len(text)}
	d, err := Draft(t.Context(), w.View(), req)
	if err != nil {
		t.Fatal(err)
	}
	topic := filepath.Join(w.Root(), filepath.Dir(filepath.FromSlash(d.Path)))
	if err := errors.Join(os.RemoveAll(topic), os.MkdirAll(filepath.Dir(topic), 0o755), os.Symlink(t.TempDir(), topic)); err != nil {
		t.Skip(err)
	}
	if d, err := Draft(t.Context(), w.View(), req); err == nil || !strings.Contains(err.Error(), "links are not followed") {
		t.Errorf("%+v, %v", d, err)
	}
}

// What somebody says of a selection is the entry; the code is referred to, and the topics are offered.
func TestDraftOfAStatement(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	text := workspacetest.Files["src/sign.go"]
	req := DraftRequest{Path: "src/sign.go", Start: strings.Index(text, "//"), End: len(text),
		Statement: "Keys of our partners are rotated by hand on every first Monday, never by the job. See @auth/jwt/x.md"}
	d, err := Draft(t.Context(), w.View(), req)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"title: Keys of our partners are rotated by hand on every first…", "- src/sign.go:3-4", "- Keys of our partners",
		"It is about `SignToken`.", `\@auth/jwt/x.md.`, "never by the job. See @auth/jwt/x.md\n"} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("%q is not in\n%s", want, d.Text)
		}
	}
	if strings.Contains(d.Text, "func SignToken") || len(d.Topics) == 0 || d.Topics[0].Topic != "auth/jwt" {
		t.Errorf("topics %+v of\n%s", d.Topics, d.Text)
	}
	req.Topic = "ops/partners"
	if d, err = Draft(t.Context(), w.View(), req); err != nil || !strings.Contains(d.Path, "/ops/partners/") {
		t.Errorf("%+v, %v", d, err)
	}
	entry, _ := w.View().EntryPath(d.Path)
	if ps := w.View().Tree().With(entry, d.Text).Problems(entry); len(ps) > 0 {
		t.Errorf("the draft has problems: %v", ps)
	}
	w.Overlay(d.Path, d.Text) // the draft is open, and not saved
	if again, err := Draft(t.Context(), w.View(), req); err != nil || again.Path != d.Path {
		t.Errorf("said again: %+v, %v, want it at %s", again, err, d.Path)
	}
	if d, err = Draft(t.Context(), w.View(), DraftRequest{Statement: "Nobody is woken for staging"}); err != nil ||
		strings.Contains(d.Text, "Files") || len(d.Topics) == 0 {
		t.Errorf("without a selection: %+v, %v", d, err)
	}
	for _, bad := range []DraftRequest{{Topic: "one"}, {Topic: "../x"}, {Statement: strings.Repeat("x", MaxStatement+1)}} {
		bad.Path, bad.Start, bad.End = req.Path, req.Start, req.End
		if _, err := Draft(t.Context(), w.View(), bad); err == nil {
			t.Errorf("%+v was drafted", bad)
		}
	}
}
