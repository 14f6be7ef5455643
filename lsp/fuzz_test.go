package lsp_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// FuzzParams sends any JSON as the parameters of any method: the server answers
// or ignores it, and lives on.
func FuzzParams(f *testing.F) {
	calls, notes := lsp.Methods()
	methods := slices.DeleteFunc(slices.Concat(calls, notes, []string{"$/cancelRequest"}),
		func(name string) bool { return name == "shutdown" })
	root := f.TempDir()
	writeFile(f, root+"/"+tokens, "---\ntitle: T\n---\n@auth/jwt/tokens.md\n")
	e := lsptest.Start(withEcho(lsp.Options{}))
	f.Cleanup(e.Close)
	if _, err := e.Initialize(f.Context(), lsptest.Session{Folders: []string{root}}); err != nil {
		f.Fatal(err)
	}
	here := `"textDocument":{"uri":"` + lsptest.URI(root+"/"+tokens) + `","version":2,"text":"x"}`
	for i := range methods {
		f.Add(
			i,
			`{`+here+
				`,"position":{"line":3,"character":4},"range":{"start":{"line":3,"character":0},"end":{"line":3,"character":9}},"context":{}}`)
		f.Add(i, `{`+here+`,"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"y"}]}`)
		f.Add(
			i,
			`{"task":"x","budgetTokens":9,"uri":"file:///x","position":{"line":1e99,"character":-1},"visible":{"start":{}},"openFiles":["",null],"edits":[{"ageMs":-1e300}],"references":[{"uri":"%"}]}`)
		f.Add(
			i,
			`{`+here+
				`,"positions":[{"line":3,"character":2},{"line":9,"character":9}],"newName":"a/b/c.md","query":"t","files":[{"oldUri":"`+lsptest.URI(root+"/"+tokens)+`","newUri":"file:///x","uri":""}]}`)
		f.Add(i, `{`+here+`,"item":{"name":"T","kind":1,"uri":"`+lsptest.URI(root+"/"+tokens)+
			`","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"selectionRange":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"data":{}},"previousResultId":"1","previousResultIds":[],"options":{"tabSize":2,"insertSpaces":true},"settings":{"brv":[]}}`)
		f.Add(i, `{"uri":"brv://diff/%00?%zz","data":{"uri":"`+lsptest.URI(root+"/"+tokens)+`"}}`)
		f.Add(
			i,
			`{"command":"brv.query","arguments":[{"text":"x","uri":7}],"id":1,"data":{"uri":"file:///x"},"event":{"added":[{"uri":""}]}}`)
	}
	f.Fuzz(func(t *testing.T, i int, params string) {
		method := methods[uint(i)%uint(len(methods))]
		var command struct{ Command string }
		if !json.Valid([]byte(params)) || json.Unmarshal([]byte(params), &command) == nil && command.Command == "brv.init" {
			t.Skip() // not JSON is refused before it is dispatched; the tree is not to be made in a fuzz run
		}
		if err := e.Notify(method, json.RawMessage(params)); err != nil {
			t.Fatal(err)
		}
		if _, answered, err := e.Begin(method, json.RawMessage(params)); err != nil {
			t.Fatal(err)
		} else if err := answered.Wait(t.Context(), nil); err != nil && code(err) == -32603 {
			t.Fatalf("%s %s: %v", method, params, err)
		}
		var got string
		if err := e.Call(t.Context(), "test/echo", nil, &got); err != nil || got != "here" {
			t.Fatalf("%s %s: the session is dead: %v", method, params, err)
		}
	})
}
