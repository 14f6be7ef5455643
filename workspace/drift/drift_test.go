package drift

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// What another person confirmed or changed reaches a clone by git: it counts from its commit, for
// drift and for signals. That a relation was rewritten says nothing of the code.
func TestWhatOthersDoToAnEntryCountsFromItsCommit(t *testing.T) {
	const text = "---\ntitle: Access tokens\nrelated: [auth/jwt/keys.md]\ncreatedAt: '2026-01-31T00:00:00.000Z'\n---\n## Raw " +
		"Concept\n**Files:**\n- src/sign.go\n\n## Facts\n- one\n"
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	renamed := strings.Replace(text, "keys.md", "key_set.md", 1)
	confirmed := format.Parse(workspacetest.TokensEntry, renamed)
	for name, c := range map[string]struct {
		text       string
		comparison bool
		since      string
	}{
		"nothing":    {text, true, "2026-02-02"},
		"a relation": {renamed, true, "2026-02-02"},
		"a fact":     {renamed + "- two\n", false, "2026-05-01"},
		"confirmed": {markdown.ApplyEdits(renamed, []markdown.Edit{confirmed.Confirm(time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC))}),
			false, "2026-05-01"},
	} {
		dir := workspacetest.Drifted(t, workspace.Options{}).Root()
		workspacetest.GitAt(t, dir, "2026-02-02T00:00:00Z", "checkout", "-q", "-b", "other", "HEAD~")
		workspacetest.Write(t, dir, ".brv/context-tree/"+workspacetest.TokensEntry, text)
		workspacetest.GitAt(t, dir, "2026-02-02T00:00:00Z", "commit", "-q", "-a", "-m", "entry")
		workspacetest.GitAt(t, dir, "2026-04-01T00:00:00Z", "cherry-pick", "main")
		workspacetest.Write(t, dir, ".brv/context-tree/"+workspacetest.TokensEntry, c.text)
		workspacetest.GitAt(t, dir, "2026-05-01T00:00:00Z", "commit", "-q", "-a", "--allow-empty", "-m", "theirs")
		w, err := workspace.Open(t.Context(), dir, workspace.Options{Trusted: true, Now: func() time.Time { return now }})
		if err == nil {
			t.Cleanup(func() { w.Close() })
			err = w.WaitCode(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		w.ReadHistory(t.Context())
		found, err := Of(t.Context(), w.View(), workspacetest.TokensEntry)
		if err != nil || len(found) > 0 != c.comparison {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		if _, at := w.View().Tree().Counted(workspacetest.TokensEntry); at.Format(time.DateOnly) != c.since {
			t.Errorf("%s: counts from %v, want %s", name, at, c.since)
		}
	}
}

func kinds(found []link.Drift) map[string]link.DriftKind {
	out := map[string]link.DriftKind{}
	for _, d := range found {
		out[d.Path] = d.Kind
	}
	return out
}

func TestDriftIsFoundAndKept(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{})
	ctx := context.Background()
	if found, known := Soon(ctx, w.View(), workspacetest.TokensEntry); known {
		t.Errorf("known before the code was read: %v", found)
	}
	if err := w.WaitCode(ctx); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(ctx)
	found, err := Of(ctx, w.View(), workspacetest.TokensEntry)
	if got := kinds(found); err != nil || len(got) != 2 || got["src/sign.go"] != link.Changed || got["src/gone.go"] != link.Vanished {
		t.Fatalf("%v, %v", found, err)
	}
	again, known := Soon(ctx, w.View(), workspacetest.TokensEntry)
	if !known || len(again) != len(found) || &again[0] != &found[0] {
		t.Error("it was not kept")
	}
	w.Overlay(workspace.TreeDir+"/"+workspacetest.TokensEntry, strings.Replace(workspacetest.DriftText, "- src/gone.go\n", "", 1))
	found, err = Of(ctx, w.View(), workspacetest.TokensEntry)
	if got := kinds(found); err != nil || len(got) != 1 || got["src/sign.go"] != link.Changed {
		t.Errorf("after an edit of the entry: %v, %v", found, err)
	}
	if found, err := Of(ctx, w.View(), "no/such/entry.md"); found != nil || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// What the map leaves out is there.
func TestWhatIsExcludedIsNotGone(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{Exclude: []string{"src/**"}})
	spaced := "d/t/spaced.md"
	workspacetest.Write(t, w.Root(), "src/sp ace.go", "package src\n")
	w.Overlay(
		workspace.TreeDir+"/"+spaced,
		"---\nupdatedAt: 2026-03-01T00:00:00Z\n---\n# S\n## Raw Concept\n**Files:**\n- src/sp ace.go\n- src/same.go\n\n## "+
			"Narrative\n`SignToken` signs.\n")
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(t.Context())
	for entry, want := range map[string]int{workspacetest.TokensEntry: 1, spaced: 0} { // src/gone.go
		if found, err := Of(t.Context(), w.View(), entry); err != nil || len(found) != want {
			t.Errorf("%s: %+v, %v", entry, found, err)
		}
	}
}

// Whoever could not wait is told when it is there.
func TestWhatWasNotWaitedForIsTold(t *testing.T) {
	told := make(chan workspace.Change, 100)
	w := workspacetest.Drifted(t, workspace.Options{Changed: func(c workspace.Change) { told <- c }})
	if err := w.WaitCode(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(context.Background())
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, known := Soon(over, w.View(), workspacetest.TokensEntry); known {
		t.Fatal("git answered before it was asked")
	}
	for c := range told {
		if c.Drift {
			break
		}
	}
	if _, known := Soon(context.Background(), w.View(), workspacetest.TokensEntry); !known {
		t.Error("told, and not known")
	}
}
