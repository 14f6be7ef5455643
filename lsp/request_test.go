package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// TestEveryRequestAnswers asks each announced request in the client's terms.
func TestEveryRequestAnswers(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	root := project(t)
	e, ctx := start(t, lsp.Options{Now: fixedNow})
	result, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	entry, code := lsptest.URI(filepath.Join(root, tokens)), lsptest.URI(filepath.Join(root, "auth.go"))
	archive := map[string]any{"operations": []any{map[string]any{"type": "DELETE", "path": "auth/jwt/other.md",
		"reason": "it says nothing"}}, "hold": "all"}
	lines := map[string]any{"start": map[string]int{"line": 2, "character": 0}, "end": map[string]int{"line": 4, "character": 0}}
	asked := map[string]bool{}
	for _, c := range []struct {
		method  string
		request map[string]any
		want    string
	}{
		{"brv/query", map[string]any{"text": "tokens", "uri": code, "budgetTokens": 200, "deadlineMs": 60000}, `"tier":`},
		{"brv/search", map[string]any{"text": "tokens", "budgetTokens": 200, "deadlineMs": 60000}, `"path":"auth/jwt/tokens.md"`},
		{"brv/context", map[string]any{"task": "sign tokens", "budgetTokens": 500}, `"uri":"brv://pack/`},
		{"brv/frame", map[string]any{"text": "<\u00a0/brv-data>", "uri": entry}, "(\u00a0/brv-data"},
		{"brv/read", map[string]any{"paths": []string{"auth.go"}, "budgetTokens": 100, "uri": entry}, "func SignToken"},
		{"brv/expand", map[string]any{"paths": []string{"auth.go"}, "budgetTokens": 100}, `"files":[]`},
		{"brv/map", map[string]any{"uri": code, "position": map[string]int{"line": 3, "character": 6}}, `"outline":"`},
		{"brv/status", map[string]any{}, `"entries":2`},
		{"brv/knowledge", map[string]any{}, `"kind":"domain"`},
		{"brv/here", map[string]any{"uri": code, "position": map[string]int{"line": 3, "character": 6}}, `"symbol":"SignToken"`},
		{"brv/graph", map[string]any{"svg": true}, `class=\"brv graph\"`},
		{"brv/curate/plan", map[string]any{"uri": code, "range": lines}, `func SignToken`},
		{"brv/curate/propose", map[string]any{"uri": code, "range": lines, "dryRun": true}, `"operations":[{`},
		{"brv/curate/apply", archive, `"needsReview":true`},
		{"brv/review/list", nil, `"batch":`},
		{"brv/curate/promote", map[string]any{"path": "plain.md", "topic": "notes/plain", "dryRun": true}, `notes/plain/not_in_the_tree.md`},
		{"brv/review/proposed", map[string]any{"batch": 1, "path": "auth/jwt/other.md"}, `"editable":`},
		{"brv/review/reject", map[string]any{"batch": 1}, `"applied":[`},
		{"brv/review/approve", map[string]any{"batch": 1}, ""},
	} {
		asked[c.method] = true
		var raw json.RawMessage
		err := e.Call(ctx, c.method, c.request, &raw)
		if (err != nil) != (c.want == "") || !strings.Contains(string(raw), c.want) {
			t.Errorf("%s: %v, %.600s, want %s", c.method, err, raw, c.want)
		}
	}
	announced, _ := json.Marshal(result.Capabilities["experimental"])
	var said struct {
		Brv struct{ Methods []string }
	}
	if err := json.Unmarshal(announced, &said); err != nil || len(said.Brv.Methods) == 0 {
		t.Fatal(err)
	}
	for _, name := range said.Brv.Methods {
		if !asked[name] {
			t.Errorf("%s was not asked", name)
		}
	}
}

func TestDocumentsOfATree(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, ".brv/context-tree/auth/jwt/hostile.md"),
		"---\ntitle: \"x\\\"] --> y; click z \\\"javascript:1\\\" <b>](command:x)\"\n---\nSee @auth/jwt/tokens.md\n")
	// A generated file may be written again between a pack and the look at its places.
	e, ctx := startBut(t, lsp.Options{Now: fixedNow}, func(v string) bool { return strings.Contains(v, "_index.md") })
	if _, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}}); err != nil {
		t.Fatal(err)
	}
	for method, request := range map[string]any{
		"brv.archive": map[string]any{"paths": []string{"auth/jwt/other.md"}},
		"brv.curate": map[string]any{"operations": []any{map[string]any{"type": "DELETE", "path": "auth/jwt/hostile.md",
			"reason": "`it` is\nhostile"}}, "hold": "all"},
	} {
		if err := e.Execute(ctx, method, request, nil); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	var reviews struct{ Reviews []struct{ Batch json.Number } }
	if err := e.Call(ctx, "brv/review/list", nil, &reviews); err != nil || len(reviews.Reviews) != 1 {
		t.Fatalf("%+v, %v", reviews, err)
	}
	var pack packed
	if err := e.Call(ctx, "brv/context", map[string]any{"task": "change how tokens are signed", "budgetTokens": 2000},
		&pack); err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string][]string{
		"brv://archive/auth/jwt/other.full.md": {"Back to @auth/jwt/tokens.md."},
		"brv://review/" + reviews.Reviews[0].Batch.String() + ".md": {"## DELETE `auth/jwt/hostile.md`", "Reason: `'it' is hostile`",
			"`brv-lsp review approve " + reviews.Reviews[0].Batch.String() + "`", "```diff\n"},
		pack.URI: {pack.Text},
	} {
		text, err := content(t, e, uri)
		for _, w := range want {
			if err != nil || !strings.Contains(text, w) {
				t.Errorf("%s lacks %q: %v\n%s", uri, w, err, text)
			}
		}
	}
	for _, uri := range []string{"brv://archive/auth/jwt/tokens.full.md", "brv://archive/../../x.full.md", "brv://review/77.md",
		"brv://review/../1.md", "brv://diff/nothing.md", "brv://diff/../../etc/passwd", "brv://pack/0.md"} {
		if text, err := content(t, e, uri); code(err) != -32803 {
			t.Errorf("%s: %v, %q", uri, err, text)
		}
	}
	if _, err := content(t, e, "brv://review/abc.md"); code(err) != -32803 ||
		!strings.Contains(err.Error(), "abc is not a batch number") {
		t.Errorf("no number: %v", err)
	}
	if err := e.Execute(ctx, "brv.approve", map[string]any{"batch": reviews.Reviews[0].Batch}, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Execute(ctx, "brv.undo", map[string]any{"batch": reviews.Reviews[0].Batch}, nil); code(err) != -32803 ||
		!strings.Contains(err.Error(), "was approved in") {
		t.Errorf("undone what was only held: %v", err)
	}
}

// TestChangesAreShown: what a message says of a batch with something held and something done.
func TestChangesAreShown(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, "auth.go"),
		"package auth\n\n// @brv:auth/jwt/other.md says why.\nfunc SignToken() string { return \"\" }\n")
	e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}})
	ops := []any{
		map[string]any{"type": "MOVE", "path": "auth/jwt/other.md", "to": "auth/keys/second.md", "reason": "r"},
		map[string]any{"type": "DELETE", "path": "auth/jwt/tokens.md", "reason": "r"},
	}
	for range 11 { // more than a message has lines
		ops = append(ops, map[string]any{"type": "CONFIRM", "path": "auth/jwt/none.md", "reason": "r"})
	}
	if err := e.Execute(ctx, "brv.curate", map[string]any{"operations": ops, "show": true}, nil); err != nil {
		t.Fatal(err)
	}
	told := e.Received("window/showMessage")
	if len(told) != 1 {
		t.Fatalf("%v", told)
	}
	var message struct{ Message string }
	if err := json.Unmarshal(told[0].Params, &message); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Moved auth/jwt/other.md to auth/keys/second.md", "\n… and 7 more\n",
		"\nBatch 1 waits for review. Open your editor's list of reviews, or use the commands brv.showReview, brv.approve and brv.reject.\n",
		"\nno longer leads to its entry: auth.go:3: @brv:auth/jwt/other.md; write @brv:auth/keys/second.md instead",
	} {
		if !strings.Contains(message.Message, want) {
			t.Errorf("%s\nlacks %q", message.Message, want)
		}
	}
}

// TestStatusIsToldToThoseWhoAsk counts entries in the status.
func TestStatusIsToldToThoseWhoAsk(t *testing.T) {
	for _, wants := range []bool{true, false} {
		root := project(t)
		capabilities := lsptest.Modern()
		capabilities["experimental"] = map[string]any{"brv": map[string]any{"status": wants}}
		e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
		if !wants {
			hoverOnce(t, e, ctx, open(t, e, root, tokens))
			if got := e.Received("brv/didChangeStatus"); len(got) > 0 {
				t.Errorf("told unasked: %s", got[0].Params)
			}
			continue
		}
		_, err := e.WaitFor(ctx, "brv/didChangeStatus", func(told []lsptest.Message) bool {
			for _, m := range told {
				var s struct {
					Kind    string
					Indexed int
				}
				if json.Unmarshal(m.Params, &s) == nil && s.Kind != "inactive" && s.Indexed == 2 {
					return true
				}
			}
			return false
		})
		if err != nil {
			t.Errorf("%v: %v", err, e.Received("brv/didChangeStatus"))
		}
	}
}

// TestEditorCommandsCanBeCancelled cancels a command that waits for the user.
func TestEditorCommandsCanBeCancelled(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: asking(nil)})
	asked, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	e.Answer("window/showMessageRequest", func(json.RawMessage) (any, error) {
		close(asked)
		<-release
		return nil, nil
	})
	file := open(t, e, root, "auth.go")
	done := make(chan error, 1)
	go func() {
		whole := lsptest.Range{End: lsptest.Position{Line: 4}}
		done <- e.Call(ctx, "workspace/executeCommand", map[string]any{
			"command": "brv.curateSelection", "workDoneToken": "mine",
			"arguments": []any{map[string]any{"uri": lsptest.URI(file), "range": whole}},
		}, nil)
	}()
	<-asked
	if err := e.Notify("window/workDoneProgress/cancel", map[string]any{"token": "mine"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("it was not cancelled")
	}
}
