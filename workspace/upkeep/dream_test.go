package upkeep

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// curatedThrice is a tree with an entry that was changed three times: a dream may run. The tree
// has other entries too, each given by its path and its text.
func curatedThrice(t *testing.T, o workspace.Options, others ...string) *workspace.Workspace {
	t.Helper()
	files := map[string]string{workspace.TreeDir + "/" + workspacetest.TokensEntry: "---\ntitle: Tokens\n---\nx\n"}
	for other := range slices.Chunk(others, 2) {
		files[workspace.TreeDir+"/"+other[0]+".md"] = "---\ntitle: " + path.Base(other[0]) + "\n---\n" + other[1]
	}
	w := workspacetest.Open(t, files, o)
	for i := range 3 {
		op := plan.Op{Type: plan.OpAdd, Path: "net/other", Title: fmt.Sprint("Other ", i), Summary: "s", Reason: "r"}
		if _, err := curation.Curate(t.Context(), w, plan.Batch{Ops: []plan.Op{op}}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestDreamWaitsForWorkUnderWay(t *testing.T) {
	w := curatedThrice(t, workspace.Options{})
	dreamt := func() string {
		r, err := Dream(t.Context(), w, DreamRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Skipped != nil {
			return r.Skipped.Reason
		}
		return string(r.Outcome)
	}
	w.Overlay(workspace.TreeDir+"/"+workspacetest.TokensEntry, "unsaved")
	if got := dreamt(); got != "The tree is in use ("+workspacetest.TokensEntry+" has unsaved changes)" {
		t.Error(got)
	}
	w.Overlay(workspace.TreeDir+"/"+workspacetest.TokensEntry, "---\ntitle: Tokens\n---\nx\n")
	w.Overlay("main.go", "package main")
	done := w.Working("a proposal is being drafted")
	if got := dreamt(); got != "The tree is in use (a proposal is being drafted)" {
		t.Error(got)
	}
	done()
	done = w.Working("the tree is being changed")
	if got := dreamt(); got != "The tree is in use (the tree is being changed)" {
		t.Error(got)
	}
	done()
	if got := dreamt(); got != "completed" {
		t.Error(got)
	}
	if got := dreamt(); got != "The last dream was 0.0 hours ago (at least 12 hours must pass)" {
		t.Error(got)
	}
}

func TestUnaskedDreamsNeedTrust(t *testing.T) {
	w := curatedThrice(t, workspace.Options{Untrusted: "nobody said so"})
	if r, err := Dream(t.Context(), w, DreamRequest{Trigger: DreamIdle}); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := Dream(t.Context(), w, DreamRequest{}); err != nil || r.Trigger != DreamAsked {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestModelOfADream(t *testing.T) {
	for _, c := range []struct {
		provider, untrusted string
		req                 DreamRequest
		asks                bool
	}{
		{"openai", "", DreamRequest{}, true},
		{"openai", "", DreamRequest{NoModel: true}, false},
		{"openai", "", DreamRequest{Trigger: DreamIdle}, true},
		{"openai", "no", DreamRequest{}, false},
		{"editor", "", DreamRequest{}, true},
		{"editor", "", DreamRequest{Trigger: DreamIdle}, false},
	} {
		w := workspacetest.Open(t, nil, workspace.Options{Untrusted: c.untrusted})
		provider.UseModel(w, provider.ModelState{Provider: c.provider}, llmtest.New(t), nil)
		if got := dreamModel(w, c.req) != nil; got != c.asks {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestClosedWorkspaceDoesNotDream(t *testing.T) {
	w := curatedThrice(t, workspace.Options{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Dream(t.Context(), w, DreamRequest{}); err == nil {
		t.Error("it dreams")
	}
}

// A tree that is kept apart from its code names files that are nowhere: none of them is gone.
func TestDreamWithoutCode(t *testing.T) {
	entry := "---\ntitle: Tokens\ncreatedAt: '2026-01-01T00:00:00Z'\nupdatedAt: '2026-01-01T00:00:00Z'\n---\n## Raw " +
		"Concept\n**Files:**\n- src/token.go\n"
	for _, code := range []bool{false, true} {
		files := map[string]string{workspace.TreeDir + "/" + workspacetest.TokensEntry: entry}
		if code {
			files["src/other.go"] = "package src\n"
		}
		w := workspacetest.Open(t, files, workspace.Options{})
		r, err := Dream(t.Context(), w, DreamRequest{Force: true, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(r.Steps, func(s dream.Step) bool { return s.Action == dream.TemporalUpdate }); got != code {
			t.Errorf("code %v: %+v", code, r.Steps)
		}
	}
}

// TestStatusTellsOfDreams: the newest one, what of it waits, and whether one would run now.
func TestStatusTellsOfDreams(t *testing.T) {
	const rules = "## Narrative\n### Rules\n- A failed call of `fetchInvoice` is tried three times with backoff\n- The breaker " +
		"`invoiceBreaker` opens after ten failures\n- Timeouts of `LedgerClient` are two seconds\n"
	w := curatedThrice(t, workspace.Options{}, "net/calls/retries", rules, "net/calls/retrying", rules)
	status := func() *DreamStatus {
		r, err := Status(t.Context(), w.View(), StatusRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Dreams
	}
	if s := status(); *s != (DreamStatus{Line: "none yet; a dream is due"}) {
		t.Errorf("%+v", s)
	}
	d, err := Dream(t.Context(), w, DreamRequest{})
	if err != nil || d.Skipped != nil {
		t.Fatal(d, err)
	}
	if s := status(); s.Last == nil || s.Last.ID != d.ID || s.Last.Outcome != dream.Completed ||
		s.Last.Summary.Consolidated != 1 || s.Skipped == nil || s.Skipped.Gate != "time" {
		t.Errorf("%+v", s)
	}
	want := fmt.Sprintf(
		"%s completed, %s: 1 merged or linked, 0 new, 0 to archive; 1 operation of it waits for a review; no dream is due: "+
			"The last dream was 0.0 hours ago (at least 12 hours must pass)", d.ID, d.Started.Local().Format(time.DateTime))
	if got := status().Line; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := UndoDream(t.Context(), w, struct{}{}); err != nil {
		t.Fatal(err)
	}
	if s := status(); s.Last.Outcome != dream.Undone || strings.Contains(s.Line, "review") || s.Skipped == nil || s.Skipped.Gate != "activity" {
		t.Errorf("%+v", s)
	}
}
