package lsp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// TestLongAnswers: what a large tree answers is bounded, says so, and comes in parts to a
// client that asks for parts.
func TestLongAnswers(t *testing.T) {
	const entries = 230
	root := project(t)
	for i := range entries {
		writeFile(t, filepath.Join(root, fmt.Sprintf(".brv/context-tree/many/topic/zebra%03d.md", i)), "See @auth/jwt/tokens.md.\n")
	}
	e, ctx := session(t, lsp.Unhurried(lsp.Options{Now: fixedNow}), lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, tokens)
	if err := e.Replace(file, "---\ntitle: Tokens\n---\nSee @zebra\n"); err != nil {
		t.Fatal(err)
	}
	document := map[string]any{"uri": lsptest.URI(file)}
	var list struct {
		IsIncomplete bool
		Items        []json.RawMessage
	}
	err := e.Call(ctx, "textDocument/completion", map[string]any{"textDocument": document,
		"position": lsptest.Position{Line: 3, Character: len("See @zebra")}}, &list)
	if err != nil || len(list.Items) != 100 || !list.IsIncomplete {
		t.Errorf("%d completions, incomplete %v, %v", len(list.Items), list.IsIncomplete, err)
	}
	var symbols []json.RawMessage
	if err := e.Call(ctx, "workspace/symbol", map[string]any{"query": "zebra"}, &symbols); err != nil || len(symbols) != 200 {
		t.Errorf("%d symbols, %v", len(symbols), err)
	}

	ask := map[string]any{
		"textDocument": document, "position": lsptest.Position{Line: 1, Character: 8},
		"context": map[string]any{"includeDeclaration": false},
	}
	var whole, rest []lsptest.Location
	if err := e.Call(ctx, "textDocument/references", ask, &whole); err != nil || len(whole) != entries+1 {
		t.Fatalf("%d references, %v", len(whole), err) // that of other.md, too
	}
	ask["partialResultToken"] = "parts"
	if err := e.Call(ctx, "textDocument/references", ask, &rest); err != nil || len(rest) > 0 {
		t.Errorf("%d references beside the parts, %v", len(rest), err)
	}
	var sizes []int
	var parts []lsptest.Location
	for _, m := range e.Received("$/progress") {
		var p struct {
			Token any
			Value json.RawMessage
		}
		var part []lsptest.Location
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		if p.Token != "parts" {
			continue
		}
		if err := json.Unmarshal(p.Value, &part); err != nil {
			t.Fatal(err)
		}
		sizes, parts = append(sizes, len(part)), append(parts, part...)
	}
	if fmt.Sprint(sizes) != "[100 100 31]" || fmt.Sprint(parts) != fmt.Sprint(whole) {
		t.Errorf("parts of %v references, in all %d", sizes, len(parts))
	}
}
