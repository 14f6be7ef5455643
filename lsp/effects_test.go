package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// TestSettingsHaveEffect: what is hovered and hinted is what the settings want.
func TestSettingsHaveEffect(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	const title = "Key rotation"
	for name, c := range map[string]struct {
		options string
		code    bool // a hover over code
		entry   bool // a hover over an entry
		titles  bool
	}{
		"as they come":         {`{}`, true, true, true},
		"hover.code":           {`{"hover": {"code": false}}`, false, true, true},
		"hover.exclude":        {`{"hover": {"exclude": ["go"]}}`, false, true, true},
		"hover.exclude others": {`{"hover": {"exclude": ["markdown", "rust"]}}`, true, false, true},
		"inlayHints.titles":    {`{"inlayHints": {"titles": false}}`, true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t)
			writeFile(t, filepath.Join(root, tokens),
				"---\ntitle: Tokens\nimportance: 90\nupdatedAt: '2025-10-31T12:00:00.000Z'\n---\nSee @auth/jwt/other.md and "+
					"`SignToken` in `auth.go`.\n")
			var options map[string]any
			if err := json.Unmarshal([]byte(c.options), &options); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(root, other), "---\ntitle: Key rotation\n---\nBack to @auth/jwt/tokens.md.\n")
			e, ctx := configured(t, lsp.Unhurried(lsp.Options{Now: fixedNow}), root, options, nil)
			if err := e.Execute(ctx, "brv.pack", map[string]any{"task": "anything", "budgetTokens": 1000}, nil); err != nil {
				t.Fatal(err) // waits for the code
			}
			entry, code := filepath.Join(root, tokens), filepath.Join(root, "auth.go")
			for file, language := range map[string]string{entry: "markdown", code: "go"} {
				text, err := os.ReadFile(file)
				if err := errors.Join(err, e.Open(file, language, string(text))); err != nil {
					t.Fatal(err)
				}
			}
			for file, want := range map[string]bool{entry: c.entry, code: c.code} {
				part := map[string]string{entry: "auth/jwt", code: "SignToken"}[file]
				if h, err := e.Hover(ctx, file, find(t, e, file, part)); err != nil || (h != nil) != want {
					t.Errorf("hover over %s: %v, %v", filepath.Base(file), h, err)
				}
			}
			var hints []struct{ Label string }
			everything := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(entry)},
				"range": lsptest.Range{End: lsptest.Position{Line: 6}}}
			if err := e.Call(ctx, "textDocument/inlayHint", everything, &hints); err != nil {
				t.Fatal(err)
			}
			all := fmt.Sprint(hints)
			if strings.Contains(all, title) != c.titles {
				t.Errorf("hints %s", all)
			}
		})
	}
}

// TestHeadingsOfMarkdownLinks are left to an editor that completes them itself, those of
// other relations are not.
func TestHeadingsOfMarkdownLinks(t *testing.T) {
	for _, c := range []struct {
		builtin    bool
		text, want string
	}{
		{false, "[x](other.md#", "[Rules]"},
		{true, "[x](other.md#", "[]"},
		{true, "@auth/jwt/other.md#", "[Rules]"},
		{true, "[[auth/jwt/other#", "[Rules]"},
	} {
		root := project(t)
		writeFile(t, filepath.Join(root, other), "---\ntitle: Other\n---\n## Rules\nOne.\n")
		e, ctx := configured(t, lsp.Options{}, root, map[string]any{"builtinMarkdown": c.builtin}, nil)
		file := open(t, e, root, tokens)
		if err := e.Replace(file, c.text); err != nil {
			t.Fatal(err)
		}
		items, err := e.Complete(ctx, file, len(c.text))
		labels := []string{}
		for _, i := range items {
			labels = append(labels, i.Label)
		}
		if got := fmt.Sprint(labels); err != nil || got != c.want {
			t.Errorf("%s, the editor's own %v: %s, %v", c.text, c.builtin, got, err)
		}
	}
}

// TestStaleIsDimmed where the client can show that: what an entry names and is not there
// is tagged.
func TestStaleIsDimmed(t *testing.T) {
	for _, can := range []bool{true, false} {
		root := listing(t)
		if err := os.Remove(filepath.Join(root, "main.go")); err != nil {
			t.Fatal(err)
		}
		capabilities := reviewing()
		if can {
			capabilities["textDocument"].(map[string]any)["diagnostic"] = map[string]any{"tagSupport": map[string]any{"valueSet": []int{1}}}
		}
		e, ctx := session(t, lsp.Unhurried(lsp.Options{Now: fixedNow}), lsptest.Session{Folders: []string{root},
			Capabilities: capabilities})
		file := open(t, e, root, tokens)
		argument := map[string]string{"uri": lsptest.URI(file)}
		if err := e.Execute(ctx, "brv.reviewEntry", argument, nil); err != nil { // waits until it is known
			t.Fatal(err)
		}
		var report struct {
			Items []struct {
				Code string
				Tags []int
			}
		}
		if err := e.Call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": argument}, &report); err != nil {
			t.Fatal(err)
		}
		want := "[{stale []}]"
		if can {
			want = "[{stale [1]}]"
		}
		if got := fmt.Sprint(report.Items); got != want {
			t.Errorf("shows tags %v: %s, want %s", can, got, want)
		}
	}
}

// TestShownDocumentsAreRefreshed: when the tree changes, the client is asked to look again
// at the documents of ours that it shows, and finds them changed.
func TestShownDocumentsAreRefreshed(t *testing.T) {
	root := project(t)
	capabilities := reviewing()
	capabilities["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{"dynamicRegistration": true}
	e, ctx := session(t, lsp.Unhurried(lsp.Options{Now: fixedNow}), lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	if err := e.Execute(ctx, "brv.archive", map[string]any{"paths": []string{"auth/jwt/other.md"}}, nil); err != nil {
		t.Fatal(err)
	}
	const shown = "brv://archive/auth/jwt/other.full.md"
	before, err := content(t, e, shown)
	if err != nil || strings.Contains(before, "Renamed") {
		t.Fatal(before, err)
	}
	file := filepath.Join(root, ".brv/context-tree/_archived/auth/jwt/other.full.md")
	writeFile(t, file, "---\ntitle: Renamed\n---\nBack to @auth/jwt/tokens.md.\n")
	if err := e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(file),
		"type": 2}}}); err != nil {
		t.Fatal(err)
	}
	for seen := 0; ; { // the first may be due to the code, which is read meanwhile
		messages, err := e.WaitFor(ctx, "workspace/textDocumentContent/refresh", func(m []lsptest.Message) bool { return len(m) > seen })
		if err != nil {
			t.Fatal(err)
		}
		for ; seen < len(messages); seen++ {
			if got := string(messages[seen].Params); got != `{"uri":"`+shown+`"}` {
				t.Fatalf("asked to look at %s", got)
			}
		}
		if after, err := content(t, e, shown); err != nil || strings.Contains(after, "Renamed") {
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
}
