package workspace_test

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
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// anyModel is a model that is not asked.
type anyModel struct{ llm.Model }

func untrustedFiles() map[string]string {
	return map[string]string{
		"auth.go": "package auth\n\nfunc SignToken() {}\n",
		workspace.TreeDir + "/" + workspacetest.TokensEntry: "---\ntitle: Tokens\n---\nTokens are signed by `SignToken` in `auth.go`.\n",
	}
}

// everything asks what reads code, history and entries, and so would use them.
func everything(t *testing.T, w *workspace.Workspace) *diagnosis.CheckReport {
	t.Helper()
	ctx := t.Context()
	r, err := diagnosis.Check(ctx, w.View(), diagnosis.CheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := contextpack.Pack(ctx, w.View(), contextpack.PackRequest{Task: "how are tokens signed", BudgetTokens: 1000}); err != nil {
		t.Fatal(err)
	}
	if _, err := consult.Query(ctx, w.View(), consult.QueryRequest{Text: "signing of tokens"}); err != nil {
		t.Fatal(err)
	}
	if _, err := drift.Of(ctx, w.View(), workspacetest.TokensEntry); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUntrustedFolderRunsNoGit asks everything about a folder whose tree was written to,
// so that uses and generated files would be written.
func TestUntrustedFolderRunsNoGit(t *testing.T) {
	first := workspacetest.Drifted(t, workspace.Options{})
	op := plan.Op{Type: plan.OpAdd, Path: "notes/rounds", Title: "Signing of tokens", Reason: "a test",
		Content: format.Content{Snippets: []string{"Tokens are signed."}}}
	if _, err := curation.Curate(t.Context(), first, plan.Batch{Ops: []plan.Op{op}}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for _, untrusted := range []string{"nobody said so", ""} {
		if err := os.WriteFile(filepath.Join(first.Root(), workspace.TreeDir, workspacetest.TokensEntry),
			[]byte(workspacetest.DriftText+"\nBy hand"+untrusted+".\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		runs, before := workspacetest.GitRuns(t), filesIn(t, first.Root())
		w, err := workspace.Open(t.Context(), first.Root(), workspace.Options{Untrusted: untrusted, Trusted: untrusted == "",
			CodeScan: true})
		if err != nil {
			t.Fatal(err)
		}
		r := everything(t, w)
		w.ReadHistory(t.Context()) // as after a change of HEAD
		s, err := upkeep.Status(t.Context(), w.View(), upkeep.StatusRequest{})
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		ran, wrote := workspacetest.GitRuns(t) > runs, filesIn(t, first.Root()) != before
		if trusted := untrusted == ""; ran != trusted || wrote != trusted || s.Trusted != trusted {
			t.Errorf("trusted %v: git ran: %v, something was written: %v, status %v", trusted, ran, wrote, s.Trusted)
		}
		if (r.Note == "") != (untrusted == "") || s.Untrusted != untrusted || !strings.HasSuffix(r.Note, untrusted) {
			t.Errorf("check says %q, status %q", r.Note, s.Untrusted)
		}
	}
}

func TestTrustIsGivenAndTakenWhileOpen(t *testing.T) {
	told := make(chan workspace.Change, 100)
	w := workspacetest.Drifted(t, workspace.Options{Untrusted: "not yet", Changed: func(c workspace.Change) { told <- c }})
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
		w := workspacetest.Open(t, untrustedFiles(), workspace.Options{Untrusted: reason})
		provider.UseModel(w, provider.ModelState{Provider: "given"}, anyModel{}, nil)
		if given := provider.Model(w) != nil; given != (reason == "") {
			t.Errorf("untrusted %q: a model is given: %v", reason, given)
		}
	}
}

func TestNoCodeIsRead(t *testing.T) {
	w := workspacetest.Open(t, untrustedFiles(), workspace.Options{NoCode: true, CodeScan: true})
	r, err := diagnosis.Check(t.Context(), w.View(), diagnosis.CheckRequest{})
	if err != nil || !strings.Contains(r.Note, "brv.code.scan") || len(w.View().Code().Chunks()) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, f := range r.Findings {
		if f.Code == "stale" {
			t.Errorf("%+v", f)
		}
	}
	p, err := contextpack.Pack(t.Context(), w.View(), contextpack.PackRequest{Task: "how are tokens signed", BudgetTokens: 1000})
	if err != nil || len(p.Items) == 0 || !strings.Contains(strings.Join(p.Degraded, "\n"), "brv.code.scan") {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := codemap.Map(t.Context(), w.View(), codemap.MapRequest{}); !errors.Is(err, workspace.ErrNoCode) {
		t.Errorf("map: %v", err)
	}
	w.DiskChanged(nil)
	w.Overlay("auth.go", "package auth\n")
	if _, err := contextpack.Pack(context.Background(), w.View(), contextpack.PackRequest{Task: "how are tokens signed",
		BudgetTokens: 1000, Path: "auth.go"}); err != nil {
		t.Error(err)
	}
}

func TestWhichCodeIsRead(t *testing.T) {
	files := map[string]string{"a.go": "package a", "gen/b.go": "package gen", "c.py": "x = 1"}
	for _, c := range []struct {
		o    workspace.Options
		want string
	}{
		{workspace.Options{}, "a.go c.py gen/b.go"},
		{workspace.Options{Exclude: []string{"gen/**"}}, "a.go c.py"},
		{workspace.Options{Include: []string{"**/*.go"}}, "a.go gen/b.go"},
	} {
		w := workspacetest.Open(t, files, c.o)
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
