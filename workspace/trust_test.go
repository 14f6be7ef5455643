package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// anyModel is a model that is not asked.
type anyModel struct{ llm.Model }

func untrustedFiles() map[string]string {
	return map[string]string{
		"auth.go":                  "package auth\n\nfunc SignToken() {}\n",
		TreeDir + "/" + driftEntry: "---\ntitle: Tokens\n---\nTokens are signed by `SignToken` in `auth.go`.\n",
	}
}

// everything asks what reads code, history and entries, and so would use them.
func everything(t *testing.T, w *Workspace) *CheckReport {
	t.Helper()
	ctx := t.Context()
	r, err := w.Check(ctx, w.View(), CheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Pack(ctx, w.View(), PackRequest{Task: "how are tokens signed", BudgetTokens: 1000}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Query(ctx, w.View(), QueryRequest{Text: "signing of tokens"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Drift(ctx, w.View(), driftEntry); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUntrustedFolderRunsNoGit asks everything about a folder whose tree was written to,
// so that uses and generated files would be written.
func TestUntrustedFolderRunsNoGit(t *testing.T) {
	first := drifted(t, Options{})
	op := plan.Op{Type: plan.OpAdd, Path: "notes/rounds", Title: "Signing of tokens", Reason: "a test", Content: format.Content{Snippets: []string{"Tokens are signed."}}}
	if _, err := first.Curate(t.Context(), first.View(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for _, untrusted := range []string{"nobody said so", ""} {
		if err := os.WriteFile(filepath.Join(first.Root(), TreeDir, driftEntry), []byte(driftText+"\nBy hand"+untrusted+".\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		runs, before := gitRuns(t), filesIn(t, first.Root())
		w, err := Open(t.Context(), first.Root(), Options{Untrusted: untrusted, Trusted: untrusted == "", CodeScan: true})
		if err != nil {
			t.Fatal(err)
		}
		r := everything(t, w)
		w.ReadHistory(t.Context()) // as after a change of HEAD
		s, err := w.Status(t.Context(), w.View(), StatusRequest{})
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		ran, wrote := gitRuns(t) > runs, filesIn(t, first.Root()) != before
		if trusted := untrusted == ""; ran != trusted || wrote != trusted || s.Trusted != trusted {
			t.Errorf("trusted %v: git ran: %v, something was written: %v, status %v", trusted, ran, wrote, s.Trusted)
		}
		if (r.Note == "") != (untrusted == "") || s.Untrusted != untrusted || !strings.HasSuffix(r.Note, untrusted) {
			t.Errorf("check says %q, status %q", r.Note, s.Untrusted)
		}
	}
}

func TestTrustIsGivenAndTakenWhileOpen(t *testing.T) {
	told := make(chan Change, 100)
	w := drifted(t, Options{Untrusted: "not yet", Changed: func(c Change) { told <- c }})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	has := func(want bool) {
		t.Helper()
		for (w.View().Code().History() != nil) != want {
			select {
			case <-told:
			case <-t.Context().Done():
				t.Fatalf("the history is there: %v", !want)
			}
		}
	}
	has(false)
	w.SetTrusted(true, "")
	has(true)
	w.SetTrusted(false, "no more")
	has(false)
	if _, why := w.Trusted(); why != "no more" {
		t.Error(why)
	}
	if _, ok := w.Past().(*history.Past); ok {
		t.Error("the past is still known")
	}
}

func TestUntrustedFolderAsksNoModel(t *testing.T) {
	for _, reason := range []string{"no", ""} {
		w := open(t, untrustedFiles(), Options{Untrusted: reason})
		w.SetModel(anyModel{})
		if given := w.Model() != nil; given != (reason == "") {
			t.Errorf("untrusted %q: a model is given: %v", reason, given)
		}
	}
}

func TestNoCodeIsRead(t *testing.T) {
	w := open(t, untrustedFiles(), Options{NoCode: true, CodeScan: true})
	r, err := w.Check(t.Context(), w.View(), CheckRequest{})
	if err != nil || !strings.Contains(r.Note, "brv.code.scan") || len(w.View().Code().Chunks()) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, f := range r.Findings {
		if f.Code == "stale" {
			t.Errorf("%+v", f)
		}
	}
	p, err := w.Pack(t.Context(), w.View(), PackRequest{Task: "how are tokens signed", BudgetTokens: 1000})
	if err != nil || len(p.Items) == 0 || !strings.Contains(strings.Join(p.Degraded, "\n"), "brv.code.scan") {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := w.Map(t.Context(), w.View(), MapRequest{}); !errors.Is(err, ErrNoCode) {
		t.Errorf("map: %v", err)
	}
	w.DiskChanged(nil)
	w.Overlay("auth.go", "package auth\n")
	if _, err := w.Pack(context.Background(), w.View(), PackRequest{Task: "how are tokens signed", BudgetTokens: 1000, Path: "auth.go"}); err != nil {
		t.Error(err)
	}
}

func TestWhichCodeIsRead(t *testing.T) {
	files := map[string]string{"a.go": "package a", "gen/b.go": "package gen", "c.py": "x = 1"}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "a.go c.py gen/b.go"},
		{Options{Exclude: []string{"gen/**"}}, "a.go c.py"},
		{Options{Include: []string{"**/*.go"}}, "a.go gen/b.go"},
	} {
		w := open(t, files, c.o)
		if err := w.WaitCode(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, chunk := range w.View().Code().Chunks() {
			got = append(got, chunk.Path)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %v", c.o, got)
		}
	}
}

// listing is every file of a folder with its size and time.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			all.WriteString(p + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
