package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/plan"
)

const (
	other   = "auth/jwt/rotation.md"
	refused = driftEntry + " has unsaved changes: save it first"
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
	curate := func(b plan.Batch) func(*testing.T, *Workspace) (*plan.Report, error) {
		return func(t *testing.T, w *Workspace) (*plan.Report, error) { return w.Curate(t.Context(), w.View(), b) }
	}
	decide := func(f func(*Workspace, BatchRequest) (*plan.Report, error)) func(*testing.T, *Workspace) (*plan.Report, error) {
		return func(t *testing.T, w *Workspace) (*plan.Report, error) { return f(w, BatchRequest{Batch: 1}) }
	}
	approve := decide(func(w *Workspace, r BatchRequest) (*plan.Report, error) { return w.Approve(t.Context(), w.View(), r) })
	reject := decide(func(w *Workspace, r BatchRequest) (*plan.Report, error) { return w.Reject(t.Context(), w.View(), r) })
	undo := decide(func(w *Workspace, r BatchRequest) (*plan.Report, error) { return w.Undo(t.Context(), w.View(), r) })
	risky := update(driftEntry)
	risky[0].Impact = "high"
	for name, c := range map[string]struct {
		before plan.Batch // done before the edit
		do     func(*testing.T, *Workspace) (*plan.Report, error)
		want   string
	}{
		"curate": {do: curate(plan.Batch{Ops: update(driftEntry, other)}), want: "failed conflict: " + refused + "\nsuccess"},
		"atomic": {do: curate(plan.Batch{Ops: update(driftEntry, other), Atomic: true}), want: "failed conflict: " + refused + "\nfailed atomic: not done: another operation of the batch failed"},
		"dry":    {do: curate(plan.Batch{Ops: update(driftEntry), DryRun: true}), want: "failed conflict: " + refused},
		"held":   {do: curate(plan.Batch{Ops: update(driftEntry), Hold: plan.HoldAll}), want: "pending"},
		"mentions": {
			do:   curate(plan.Batch{Ops: []plan.Op{{Type: plan.OpMove, Path: other, To: "auth/jwt/turns.md", Reason: "test"}}}),
			want: "failed conflict: " + refused,
		},
		"archive": {
			do: func(t *testing.T, w *Workspace) (*plan.Report, error) {
				return w.Archive(t.Context(), w.View(), ArchiveRequest{Paths: []string{driftEntry}})
			},
			want: "failed conflict: " + refused,
		},
		"approve":     {before: plan.Batch{Ops: update(driftEntry), Hold: plan.HoldAll}, do: approve, want: "failed conflict: " + refused},
		"reject held": {before: plan.Batch{Ops: update(driftEntry), Hold: plan.HoldAll}, do: reject, want: "success"},
		"reject done": {before: plan.Batch{Ops: risky}, do: reject, want: "error: " + refused},
		"undo":        {before: plan.Batch{Ops: update(driftEntry)}, do: undo, want: "error: " + refused},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, files, Options{})
			if len(c.before.Ops) > 0 {
				if _, err := w.Curate(t.Context(), w.View(), c.before); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(w.Root(), filepath.FromSlash(tokensPath))
			saved, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w.Overlay(tokensPath, string(saved)+"More.\n")
			if got := outcome(c.do(t, w)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if now, err := os.ReadFile(file); string(now) != string(saved) {
				t.Errorf("written all the same: %s, %v", now, err)
			}
			if strings.HasPrefix(c.want, "pending") || name == "reject held" {
				return
			}
			w.Overlay(tokensPath, "\ufeff"+string(saved)) // as it is on disk
			if got := outcome(c.do(t, w)); strings.Contains(got, "unsaved") {
				t.Errorf("once it is saved: %s", got)
			}
		})
	}
}

// TestSavedThisMoment: a buffer that was saved and whose file was not read yet is no
// unsaved change.
func TestSavedThisMoment(t *testing.T) {
	w := open(t, files, Options{})
	text := tokensText + "More.\n"
	w.Overlay(tokensPath, text)
	write(t, w.Root(), tokensPath, text)
	if got := outcome(w.Curate(t.Context(), w.View(), plan.Batch{Ops: update(driftEntry)})); got != "success" {
		t.Error(got)
	}
}
