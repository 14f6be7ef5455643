package export_test

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sanitize/sanitizetest"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/export"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestMain(m *testing.M) { os.Exit(workspacetest.Main(m)) }

// TestAlwaysLoadedIsShort has far more rules than fit, in words that a tokenizer is bad at.
func TestAlwaysLoadedIsShort(t *testing.T) {
	files := map[string]string{"src/a.go": "package src\n"}
	for i := range 300 {
		about := ""
		if i%3 == 0 {
			about = "## Raw Concept\n**Files:**\n- src/a.go\n\n"
		}
		maturity := "validated"
		if i == 299 {
			maturity = "core"
		}
		files[fmt.Sprintf(".brv/context-tree/a/b%d/e%03d.md", i%7, i)] = fmt.Sprintf(
			"---\ntitle: Rule é世界 %d\nmaturity: %s\n---\n%s## Narrative\n### Rules\n- 規則 %d: ünïcode `x_%d` stays\n", i,
			maturity, about, i, i)
	}
	w := workspacetest.Open(t, files, workspace.Options{})
	r, err := export.Plan(t.Context(), w.View(), export.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Write(w.View().Files(), r); err != nil {
		t.Fatal(err)
	}
	text, err := w.View().Files().ReadFile("AGENTS.md", 1<<20)
	n := tokens.Count(string(text))
	if err != nil || n > export.MaxAlways+20 || r.Tokens > export.MaxAlways || r.Tokens < export.MaxAlways/2 {
		t.Errorf("%d tokens, the block %d, %v", n, r.Tokens, err)
	}
	if !strings.Contains(string(text), "Rule é世界 299") {
		t.Error("the core rule is not told")
	}
	for host, want := range map[string]bool{"claude-code": true, "codex": true, "cursor": true, "gemini": false} {
		if export.Loaded(w.View(), host) != want {
			t.Errorf("%s: the block is found: %v", host, !want)
		}
	}
	if err := w.View().Files().WriteFile("CLAUDE.md", []byte("My own.\n")); err != nil {
		t.Fatal(err)
	}
	if export.Loaded(w.View(), "claude-code") || !export.Loaded(w.View(), "codex") {
		t.Error("a CLAUDE.md that includes nothing loads the block")
	}
}

// TestRulesNameTheFilesOfTheirEntries has files, folders and paths that patterns would read otherwise.
func TestRulesNameTheFilesOfTheirEntries(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{
		"src/a.go": "package src\n", "src/b/c.go": "package b\n", "app/[id]/{x}.ts": "export const x = 1\n",
		".brv/context-tree/a/b/c.md": "---\ntitle: C\nconfirmed: 2026-11-20\n---\n## Raw Concept\n**Files:**\n- src/a.go\n" +
			"- src/b/\n- app/[id]/{x}.ts\n\n## Narrative\n### Rules\n- Mind it.\n",
	}, workspace.Options{})
	r, err := export.Plan(t.Context(), w.View(), export.Request{For: []string{"copilot"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Write(w.View().Files(), r); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Files, func(f export.File) bool { return strings.HasPrefix(f.Path, ".github") })
	text, err := w.View().Files().ReadFile(r.Files[i].Path, 1<<20)
	if err != nil || !strings.Contains(string(text), `applyTo: "src/a.go,src/b/**,app/?id?/?x?.ts"`) {
		t.Errorf("%v:\n%s", err, text)
	}
}

// TestNoRuleFileHoldsATag: nothing in the files that agents load by themselves reads as a tag of a frame.
func TestNoRuleFileHoldsATag(t *testing.T) {
	w := workspacetest.Open(t, sanitizetest.Project(), workspace.Options{})
	r, err := export.Plan(t.Context(), w.View(), export.Request{For: export.Hosts()})
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Write(w.View().Files(), r); err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, f := range r.Files {
		text, err := w.View().Files().ReadFile(f.Path, 1<<20)
		if found := sanitizetest.Tags(string(text)); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %q", f.Path, err, found)
		}
		folders[path.Dir(f.Path)] = true
	}
	if len(folders) != 1+len(export.Hosts()) {
		t.Errorf("not all that can be written is: %v", folders)
	}
}
