package workspace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/tree"
)

// curatedThrice is a tree with an entry that was changed three times: a dream may run.
func curatedThrice(t *testing.T, o Options) *Workspace {
	t.Helper()
	w := open(t, map[string]string{treeDir + "/" + oneEntry: "---\ntitle: Tokens\n---\nx\n"}, o)
	for i := range 3 {
		op := tree.Op{Type: tree.OpAdd, Path: "net/other", Title: fmt.Sprint("Other ", i), Summary: "s", Reason: "r"}
		if _, err := w.Curate(t.Context(), w.View(), tree.Batch{Ops: []tree.Op{op}}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestDreamWaitsForWorkUnderWay(t *testing.T) {
	w := curatedThrice(t, Options{})
	dreamt := func() string {
		r, err := w.Dream(t.Context(), w.View(), DreamRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Skipped != nil {
			return r.Skipped.Reason
		}
		return string(r.Outcome)
	}
	w.Overlay(treeDir+"/"+oneEntry, "unsaved")
	if got := dreamt(); got != "Queue not empty ("+oneEntry+" has unsaved changes)" {
		t.Error(got)
	}
	w.Overlay(treeDir+"/"+oneEntry, "---\ntitle: Tokens\n---\nx\n")
	w.Overlay("main.go", "package main")
	w.drafting.Add(1)
	if got := dreamt(); got != "Queue not empty (a proposal is being drafted)" {
		t.Error(got)
	}
	w.drafting.Add(-1)
	w.changing.Add(1)
	if got := dreamt(); got != "Queue not empty (the tree is being changed)" {
		t.Error(got)
	}
	w.changing.Add(-1)
	if got := dreamt(); got != "completed" {
		t.Error(got)
	}
	if got := dreamt(); got != "Too recent (0.0h < 12h)" {
		t.Error(got)
	}
}

func TestUnaskedDreamsNeedTrust(t *testing.T) {
	w := curatedThrice(t, Options{Untrusted: "nobody said so"})
	if r, err := w.Dream(t.Context(), w.View(), DreamRequest{Trigger: DreamIdle}); err == nil || !strings.Contains(err.Error(), "not trusted") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.Dream(t.Context(), w.View(), DreamRequest{}); err != nil || r.Trigger != DreamAsked {
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
		{providerEditor, "", DreamRequest{}, true},
		{providerEditor, "", DreamRequest{Trigger: DreamIdle}, false},
	} {
		w := open(t, nil, Options{Untrusted: c.untrusted})
		w.UseModel(ModelState{Provider: c.provider}, llmtest.New(t), nil)
		if got := w.dreamModel(c.req) != nil; got != c.asks {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestClosedWorkspaceDoesNotDream(t *testing.T) {
	w := curatedThrice(t, Options{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Dream(t.Context(), w.View(), DreamRequest{}); err == nil {
		t.Error("it dreams")
	}
}

// A tree that is kept apart from its code names files that are nowhere: none of them is gone.
func TestDreamWithoutCode(t *testing.T) {
	entry := "---\ntitle: Tokens\ncreatedAt: '2026-01-01T00:00:00Z'\nupdatedAt: '2026-01-01T00:00:00Z'\n---\n## Raw Concept\n**Files:**\n- src/token.go\n"
	for _, code := range []bool{false, true} {
		files := map[string]string{treeDir + "/" + oneEntry: entry}
		if code {
			files["src/other.go"] = "package src\n"
		}
		w := open(t, files, Options{})
		r, err := w.Dream(t.Context(), w.View(), DreamRequest{Force: true, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(r.Steps, func(s dream.Step) bool { return s.Action == dream.TemporalUpdate }); got != code {
			t.Errorf("code %v: %+v", code, r.Steps)
		}
	}
}
