package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

const (
	other   = "auth/jwt/rotation.md"
	refused = workspacetest.TokensEntry + " has unsaved changes: save it first"
)

func update(paths ...string) (ops []plan.Op) {
	for _, p := range paths {
		ops = append(ops, plan.Op{Type: plan.OpUpdate, Path: p, Summary: "New.", Reason: "test"})
	}
	return ops
}

// outcome is what became of a change: the status, code and message of each operation, or
// the error.
func outcome(r *plan.Report, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	for _, a := range r.Results {
		line := string(a.Status)
		if a.Status == plan.StatusFailed {
			line += " " + string(a.Code) + ": " + a.Message
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// TestUnsavedTextIsNotOverwritten: a change of an entry that is open with unsaved changes
// is refused, whichever command wants it, and what it does not touch is done.
func TestUnsavedTextIsNotOverwritten(t *testing.T) {
	curate := func(b plan.Batch) func(*testing.T, *workspace.Workspace) (*plan.Report, error) {
		return func(t *testing.T, w *workspace.Workspace) (*plan.Report, error) {
			return curation.Curate(t.Context(), w, b)
		}
	}
	decide := func(f func(*workspace.Workspace, curation.BatchRequest) (*plan.Report, error)) func(*testing.T,
		*workspace.Workspace) (*plan.Report, error) {
		return func(t *testing.T, w *workspace.Workspace) (*plan.Report, error) {
			return f(w, curation.BatchRequest{Batch: 1})
		}
	}
	approve := decide(func(w *workspace.Workspace, r curation.BatchRequest) (*plan.Report, error) {
		return curation.Approve(t.Context(), w, r)
	})
	reject := decide(func(w *workspace.Workspace, r curation.BatchRequest) (*plan.Report, error) {
		return curation.Reject(t.Context(), w, r)
	})
	undo := decide(func(w *workspace.Workspace, r curation.BatchRequest) (*plan.Report, error) {
		return curation.Undo(t.Context(), w, r)
	})
	risky := update(workspacetest.TokensEntry)
	risky[0].Impact = "high"
	for name, c := range map[string]struct {
		before plan.Batch // done before the edit
		do     func(*testing.T, *workspace.Workspace) (*plan.Report, error)
		want   string
	}{
		"curate": {do: curate(plan.Batch{Ops: update(workspacetest.TokensEntry, other)}), want: "failed conflict: " + refused +
			"\nsuccess"},
		"atomic": {do: curate(plan.Batch{Ops: update(workspacetest.TokensEntry, other), Atomic: true}), want: "failed conflict: " +
			refused + "\nfailed atomic: not done because another operation of the batch failed"},
		"dry":  {do: curate(plan.Batch{Ops: update(workspacetest.TokensEntry), DryRun: true}), want: "failed conflict: " + refused},
		"held": {do: curate(plan.Batch{Ops: update(workspacetest.TokensEntry), Hold: plan.HoldAll}), want: "pending"},
		"mentions": {
			do:   curate(plan.Batch{Ops: []plan.Op{{Type: plan.OpMove, Path: other, To: "auth/jwt/turns.md", Reason: "test"}}}),
			want: "failed conflict: " + refused,
		},
		"archive": {
			do: func(t *testing.T, w *workspace.Workspace) (*plan.Report, error) {
				return curation.Archive(t.Context(), w, curation.ArchiveRequest{Paths: []string{workspacetest.TokensEntry}})
			},
			want: "failed conflict: " + refused,
		},
		"approve": {before: plan.Batch{Ops: update(workspacetest.TokensEntry), Hold: plan.HoldAll}, do: approve,
			want: "failed conflict: " + refused},
		"reject held": {before: plan.Batch{Ops: update(workspacetest.TokensEntry), Hold: plan.HoldAll}, do: reject, want: "success"},
		"reject done": {before: plan.Batch{Ops: risky}, do: reject, want: "error: " + refused},
		"undo":        {before: plan.Batch{Ops: update(workspacetest.TokensEntry)}, do: undo, want: "error: " + refused},
	} {
		t.Run(name, func(t *testing.T) {
			w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
			if len(c.before.Ops) > 0 {
				if _, err := curation.Curate(t.Context(), w, c.before); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(w.Root(), filepath.FromSlash(workspacetest.TokensPath))
			saved, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w.Overlay(workspacetest.TokensPath, string(saved)+"More.\n")
			if got := outcome(c.do(t, w)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if now, err := os.ReadFile(file); string(now) != string(saved) {
				t.Errorf("written all the same: %s, %v", now, err)
			}
			if strings.HasPrefix(c.want, "pending") || name == "reject held" {
				return
			}
			w.Overlay(workspacetest.TokensPath, "\ufeff"+string(saved)) // as it is on disk
			if got := outcome(c.do(t, w)); strings.Contains(got, "unsaved") {
				t.Errorf("once it is saved: %s", got)
			}
		})
	}
}

// TestSavedThisMoment: a buffer that was saved and whose file was not read yet is no
// unsaved change.
func TestSavedThisMoment(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	text := workspacetest.TokensText + "More.\n"
	w.Overlay(workspacetest.TokensPath, text)
	workspacetest.Write(t, w.Root(), workspacetest.TokensPath, text)
	if got := outcome(curation.Curate(t.Context(), w, plan.Batch{Ops: update(workspacetest.TokensEntry)})); got != "success" {
		t.Error(got)
	}
}
