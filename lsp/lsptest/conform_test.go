package lsptest

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// Each answer breaks the agreement in one way, named by part of what is said about it.
func TestViolationsAreSeen(t *testing.T) {
	const uri = `"file:///w/a.md"`
	const here = `{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}`
	const there = `{"start":{"line":0,"character":0},"end":{"line":0,"character":9}}`
	for _, test := range []struct{ method, result, want string }{
		{"textDocument/hover", `{"contents":{"kind":"markdown","value":"x"}}`, "markdown"},
		{"textDocument/hover", `{"contents":{"kind":"plaintext","value":"x"},"range":` + there + `}`, "is not in"},
		{"textDocument/hover", `{"contents":{"kind":"plaintext","value":"x"},"range":` + here + `}`, ""},
		{"textDocument/hover", `{"contents":"x","range":{"start":{"line":0,"character":1},"end":{"line":0,"character":0}}}`,
			"ends before"},
		{"textDocument/hover", `{"contents":"x","range":{"start":{"line":1,"character":0},"end":{"line":1,"character":1}}}`,
			"is not in"}, // half a character
		{"textDocument/definition", `[{"targetUri":` + uri + `,"targetRange":` + here + `,"targetSelectionRange":` + here + `}]`,
			"LocationLink"},
		{"textDocument/references", `[{"uri":` + uri + `,"range":` + here + `},{"uri":` + uri + `,"range":` + there + `}]`, "is not in"},
		{"textDocument/completion", `{"items":[{"label":"x","insertTextFormat":2}]}`, "snippet"},
		{"textDocument/completion", `[{"label":"x","textEdit":{"newText":"","insert":` + here + `,"replace":` + here + `}}]`,
			"InsertReplaceEdit"},
		{"textDocument/codeAction", `[{"title":"x","edit":{}}]`, "literal"},
		{"textDocument/codeAction", `[{"title":"x","command":"y"}]`, ""},
		{"textDocument/rename", `{"documentChanges":[]}`, "documentChanges"},
		{"textDocument/rename", `{"changes":{` + uri + `:[{"range":` + there + `,"newText":""}]}}`, "is not in"},
		{"textDocument/rename", `{"changes":{` + uri + `:[{"range":` + here + `,"newText":""},{"range":` + here + `,"newText":""}]}}`,
			"overlap"},
		{"textDocument/rename", `{"documentChanges":[{"kind":"delete","uri":` + uri + `}]}`, "resource operation"},
		{"textDocument/rename", `{"documentChanges":[{"textDocument":{"uri":` + uri + `,"version":7},"edits":[]}]}`, "version"},
		{"textDocument/rename", `{"documentChanges":[{"textDocument":{"uri":` + uri + `,"version":1},"edits":[{"range":` + here +
			`,"newText":"","annotationId":"a"}]}]}`, "not described"},
		{"textDocument/documentSymbol", `[{"name":"x","kind":30,"range":` + here + `,"selectionRange":` + here + `}]`, "symbol kind"},
		{"textDocument/documentSymbol", `[{"name":"x","kind":3,"range":` + here + `,"selectionRange":` + there + `}]`,
			"outside of range"},
		{"textDocument/selectionRange", `[{"range":` + there + `,"parent":{"range":` + here + `}}]`, "parent"},
		{"textDocument/foldingRange", `[{"startLine":0,"endLine":9}]`, "is not in"},
		{"textDocument/semanticTokens/full", `{"data":[0,0,5,0,0]}`, "is not in"},
		{"textDocument/semanticTokens/full", `{"data":[0,0,1,3,0]}`, "token 0"},
		{"textDocument/diagnostic", `{"items":[{"range":` + here + `,"message":""}]}`, "without words"},
	} {
		e := newEditor(nowhere{io.Discard})
		e.docs["/w/a.md"] = &buffer{text: "ab\n😀\n", version: 1}
		e.announced, e.offered = map[string]any{}, map[string]any{}
		e.encoding = "utf-16"
		params := json.RawMessage(`{"textDocument":{"uri":` + uri + `}}`)
		e.checkAnswer(asked{method: test.method, params: params, docs: e.snapshotLocked()}, json.RawMessage(test.result))
		got := strings.Join(e.Violations(), "; ")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s %s: %q, want %q", test.method, test.result, got, test.want)
		}
	}
	e := newEditor(nowhere{io.Discard})
	e.record(Message{Method: "workspace/applyEdit"})
	e.announced = map[string]any{}
	e.record(Message{Method: "workspace/applyEdit"})
	e.record(Message{Method: "client/registerCapability", Params: json.RawMessage(`{"registrations":[{"method":"textDocument/hover"}]}`)})
	if got := e.Violations(); len(got) != 3 {
		t.Errorf("%q", got)
	}
}
