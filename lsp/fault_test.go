package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// fault is a message that no client should send, and the code of its answer: 0 for
// none. The answer has the message's id where that can be read.
type fault struct {
	body string
	code int
}

// ask is a well-formed call with bad contents.
func ask(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"f","method":%q,"params":%s}`, method, params)
}

// tell is a well-formed notification with bad contents.
func tell(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// Bodies that hold no message of the protocol.
var badMessages = []fault{
	{``, -32700},
	{` `, -32700},
	{`{`, -32700},
	{`{"jsonrpc":"2.0"`, -32700},
	{`nonsense`, -32700},
	{`{"jsonrpc":"2.0","id":1,"method":"x"}}`, -32700},
	{`{"jsonrpc":"2.0","id":1,"method":"x"}{"jsonrpc":"2.0","id":2,"method":"x"}`, -32700},
	{`{'jsonrpc':'2.0','id':1,'method':'x'}`, -32700},
	{`{"jsonrpc":"2.0","id":1,"method":"x",}`, -32700},
	{`{"jsonrpc":"2.0","id":1,"method":"x"/* why */}`, -32700},
	{`{"jsonrpc":"2.0","id":NaN,"method":"x"}`, -32700},
	{"\x00\x01\x02", -32700},
	{"\xff\xfe{\x00}\x00", -32700},          // UTF-16
	{"Content-Length: 2\r\n\r\n{}", -32700}, // framed twice
	{`"a string"`, -32700},
	{`42`, -32700},
	{`null`, -32700},
	{`[]`, -32600},
	{`[1,2]`, -32600},
	{`[` + ask("x", "{}") + `]`, -32600}, // LSP has no batches
	{`[` + strings.Repeat(ask("x", "{}")+`,`, 99_999) + ask("x", "{}") + `]`, -32600},
	{strings.Repeat(`[`, 10_000) + strings.Repeat(`]`, 10_000), -32600},
	{ask("textDocument/hover", strings.Repeat(`[`, 10_000)+strings.Repeat(`]`, 10_000)), -32600},
	{ask("textDocument/hover", strings.Repeat(`{"a":`, 1_000_000)+`1`+strings.Repeat(`}`, 1_000_000)), -32600},
	{tell("textDocument/didChange", strings.Repeat(`[`, 1_000_000)), -32600},
	{`{}`, -32600},
	{`{"jsonrpc":"1.0","id":1,"method":"x"}`, -32600},
	{`{"id":1,"method":"x"}`, -32600},
	{`{"jsonrpc":2.0,"id":1,"method":"x"}`, -32600},
	{`{"JSONRPC":"2.0","ID":1,"METHOD":"x"}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":null}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":{}}`, -32600},
	{`{"jsonrpc":"2.0","id":1.5,"method":"x"}`, -32600},
	{`{"jsonrpc":"2.0","id":true,"method":"x"}`, -32600},
	{`{"jsonrpc":"2.0","id":{},"method":"x"}`, -32600},
	{`{"jsonrpc":"2.0","id":[1],"method":"x"}`, -32600},
	{`{"jsonrpc":"2.0","id":99999999999999999999,"method":"x"}`, -32600},
	{`{"jsonrpc":"2.0","id":1}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":"x","result":1}`, 0},              // both a request and a response
	{`{"jsonrpc":"2.0","id":12345,"result":null}`, 0},                    // a response to nothing
	{`{"jsonrpc":"2.0","id":12345,"error":{"code":1,"message":"m"}}`, 0}, //
	{`{"jsonrpc":"2.0","id":12345,"result":1,"error":{}}`, 0},            //
	{`{"jsonrpc":"2.0","id":12345,"result":1,"error":{"code":"x"}}`, 0},  //
	{`{"jsonrpc":"2.0","id":"x","result":{}}`, 0},                        //
	{`{"jsonrpc":"2.0","id":null,"result":{}}`, 0},                       //
	{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, 0},
}

// Notifications that mean nothing, and are not answered.
var badNotifications = []fault{
	{`{"jsonrpc":"2.0","method":"no/such"}`, 0},
	{`{"jsonrpc":"2.0","id":null,"method":"no/such"}`, 0},
	{`{"jsonrpc":"2.0","method":""}`, 0},
	{tell(strings.Repeat("long/", 200_000), `{}`), 0},
	{tell("$/foo", `{}`), 0},
	{`{"jsonrpc":"2.0","method":"\ud800\u0000"}`, 0},
	{`{"jsonrpc":"2.0","method":"initialized"}`, 0},
	{tell("initialized", `null`), 0},
	{tell("initialized", `[]`), 0},
	{tell("initialized", `7`), 0},
	{tell("$/setTrace", `{"value":"loud"}`), 0},
	{tell("$/setTrace", `{"value":7}`), 0},
	{tell("$/setTrace", `[]`), 0},
	{`{"jsonrpc":"2.0","method":"$/cancelRequest"}`, 0},
	{tell("$/cancelRequest", `{"id":{"id":1}}`), 0},
	{tell("$/cancelRequest", `{"id":1e400}`), 0},
	{tell("$/cancelRequest", `[[[]]]`), 0},
	{tell("$/progress", `{"token":[],"value":{}}`), 0},
	{tell("window/workDoneProgress/cancel", `{"token":"none"}`), 0},
	{tell("window/workDoneProgress/cancel", `{"token":{}}`), 0},
	{tell("window/workDoneProgress/cancel", `{}`), 0},
	{`{"jsonrpc":"2.0","method":"textDocument/didOpen"}`, 0},
	{tell("textDocument/didOpen", `[]`), 0},
	{tell("textDocument/didOpen", `{"textDocument":7}`), 0},
	{tell("textDocument/didOpen", `{"textDocument":{"uri":7}}`), 0},
	{tell("textDocument/didOpen", `{"textDocument":{"uri":"::::","text":"x","version":"one"}}`), 0},
	{tell("textDocument/didOpen", `{"textDocument":{"uri":"file:///%zz","languageId":"x","text":"x","version":1}}`), 0},
	{tell("textDocument/didOpen", `{"textDocument":{"uri":"file:///a%00b","languageId":"x","text":"x","version":1}}`), 0},
	{tell(
		"textDocument/didOpen", `{"textDocument":{"uri":"file:///x","languageId":"x","text":"\ud800 \udc00","version":99999999999}}`), 0},
	{tell(
		"textDocument/didOpen",
		"{\"textDocument\":{\"uri\":\"file:///x\",\"languageId\":\"x\",\"text\":\"\xff\xfe\",\"version\":1}}"), 0},
	{`{"jsonrpc":"2.0","method":"textDocument/didChange"}`, 0},
	{tell("textDocument/didChange", `{"textDocument":{"uri":"file:///never/opened"},"contentChanges":[{"text":"x"}]}`), 0},
	{tell("textDocument/didChange", `{"textDocument":null,"contentChanges":7}`), 0},
	{tell("textDocument/didClose", `{"textDocument":{"uri":"file:///never/opened"}}`), 0},
	{tell("textDocument/didSave", `{"textDocument":{"uri":"file:///etc/passwd"}}`), 0},
	{tell("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"","type":9}]}`), 0},
	{tell("workspace/didChangeWatchedFiles", `{"changes":{"uri":""}}`), 0},
	{tell("workspace/didChangeWorkspaceFolders", `{"event":{}}`), 0},
	{tell("workspace/didChangeWorkspaceFolders",
		`{"event":{"removed":[{"uri":"file:///nowhere","name":"x"}],"added":[{"uri":"http://x/y","name":"x"}]}}`), 0},
	{tell("workspace/didChangeConfiguration", `{"settings":null}`), 0},
	{tell("workspace/didChangeConfiguration", `{"settings":[[]]}`), 0},
	{tell("textDocument/hover", `{}`), 0}, // a request's name
	{tell("initialize", `{}`), 0},
	{tell("shutdown", `{}`), 0},
}

// Calls whose method or parameters are wrong.
var badCalls = []fault{
	{ask("no/such", `{}`), -32601},
	{`{"jsonrpc":"2.0","id":"f","method":"no/such"}`, -32601},
	{`{"jsonrpc":"2.0","id":-9,"method":"no/such"}`, -32601},
	{`{"jsonrpc":"2.0","id":"","method":"no/such"}`, -32601},
	{`{"jsonrpc":"2.0","id":"\u0000\ud83d\ude00","method":"no/such"}`, -32601},
	{`{"jsonrpc":"2.0","id":"` + strings.Repeat("long", 250_000) + `","method":"no/such"}`, -32601},
	{ask("", `{}`), -32601},
	{ask(strings.Repeat("long/", 200_000), `{}`), -32601},
	{ask("TextDocument/Hover", `{}`), -32601},
	{ask("$/alsoUnknown", `null`), -32601},
	{ask("$/cancelRequest", `{"id":1}`), -32601},
	{ask("exit", `{}`), -32601},
	{ask("textDocument/didOpen", `{}`), -32601}, // a notification's name
	{ask("textDocument/signatureHelp", `{}`), -32601},
	{ask("initialize", `{}`), -32600}, // for a second time
	{`{"jsonrpc":"2.0","id":"f","method":"textDocument/hover"}`, -32602},
	{ask("textDocument/hover", `null`), -32602},
	{ask("textDocument/hover", `[]`), -32602},
	{ask("textDocument/hover", `7`), -32602},
	{ask("textDocument/hover", `{}`), -32602},
	{ask("textDocument/hover", `{"textDocument":7}`), -32602},
	{ask("textDocument/hover", `{"textDocument":{"uri":7},"position":{"line":0,"character":0}}`), -32602},
	{ask("textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":{"line":-1,"character":0}}`), -32602},
	{ask("textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":{"line":1e400,"character":0}}`), -32602},
	{ask("textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":{"line":1.5,"character":0}}`), -32602},
	{ask("textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":{"line":99999999999,"character":0}}`), -32602},
	{ask("textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":"here"}`), -32602},
	{ask("textDocument/hover", `{"textdocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}`), -32602},
	{ask("textDocument/definition", `[]`), -32602},
	{ask("textDocument/references", `{}`), -32602},
	{ask("textDocument/completion", `"x"`), -32602},
	{ask("textDocument/documentLink", `{"textDocument":{}}`), -32602},
	{ask("textDocument/codeAction", `{"range":7}`), -32602},
	{ask("textDocument/diagnostic", `[]`), -32602},
	{ask("textDocument/codeLens", `true`), -32602},
	{ask("workspace/textDocumentContent", `{"uri":"file:///etc/passwd"}`), -32602},
	{ask("workspace/executeCommand", `{}`), -32602},
	{ask("workspace/executeCommand", `{"command":"rm -rf"}`), -32602},
	{ask("workspace/executeCommand", `{"command":7}`), -32602},
	{ask("workspace/executeCommand", `{"command":"brv.curateSelection"}`), -32602},
	{ask("workspace/executeCommand", `{"command":"brv.curateSelection","arguments":[7]}`), -32602},
	{ask("workspace/executeCommand", `{"command":"brv.query","arguments":[7]}`), -32602},
	{ask("workspace/executeCommand", `{"command":"brv.query","arguments":{"text":"x"}}`), -32602},
	{ask("brv/query", `[]`), -32602},
	{ask("brv/query", `{"text":7}`), -32602},
	{ask("brv/context", `7`), -32602},
}

// Messages that come too early or too late.
var (
	tooEarly = []fault{
		{ask("textDocument/hover", `{}`), -32002},
		{ask("no/such", `{}`), -32002},
		{ask("shutdown", `null`), -32002},
		{tell("initialized", `{}`), 0},
		{tell("textDocument/didOpen", `{}`), 0},
		{tell("$/cancelRequest", `{"id":1}`), 0},
		{ask("initialize", `[]`), -32602},
		{ask("initialize", `{"capabilities":7}`), -32602},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, 0},
	}
	tooLate = []fault{
		{ask("textDocument/hover", `{}`), -32600},
		{ask("no/such", `{}`), -32600},
		{ask("shutdown", `null`), -32600},
		{ask("initialize", `{}`), -32600},
		{tell("textDocument/didOpen", `{}`), 0},
		{`{`, -32700},
	}
)

// faulty sends faults one by one and checks the answers; alive is called after each.
func faulty(t *testing.T, e *lsptest.Editor, faults []fault, alive func()) {
	t.Helper()
	for _, f := range faults {
		before := len(e.Received("error"))
		if err := e.SendBody([]byte(f.body)); err != nil {
			t.Fatal(err)
		}
		shown := f.body[:min(len(f.body), 200)]
		if f.code != 0 { // work answers beside the read loop
			if _, err := e.WaitFor(t.Context(), "error", func(m []lsptest.Message) bool { return len(m) > before }); err != nil {
				t.Fatalf("%s: %v", shown, err)
			}
		}
		alive()
		answers := e.Received("error")[before:]
		if len(answers) != min(1, -f.code) {
			t.Errorf("%s: %d answers, want the code %d", shown, len(answers), f.code)
			continue
		}
		for _, a := range answers {
			var message struct{ ID any }
			var got lsptest.ResponseError
			var id any
			_ = json.Unmarshal([]byte(f.body), &message) // a body without an id wants none back
			if err := errors.Join(json.Unmarshal(a.Params, &got), json.Unmarshal(a.ID, &id)); err != nil || got.Code != f.code ||
				got.Message == "" {
				t.Errorf("%s: got %s, want the code %d (%v)", shown, a.Params, f.code, err)
			}
			readable := f.code != -32700 && f.code != -32600
			if id != message.ID && (readable || id != nil) {
				t.Errorf("%s: answered as %s", shown, a.ID)
			}
		}
	}
}

func TestFaultsLeaveTheSessionAlive(t *testing.T) {
	root := project(t)
	e, ctx := start(t, lsp.Options{})
	faulty(t, e, tooEarly, func() {})
	if _, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}}); err != nil {
		t.Fatal(err)
	}
	file := open(t, e, root, tokens)
	at := find(t, e, file, "@auth")
	hovers := 0
	hover := func() {
		t.Helper()
		h, err := e.Hover(t.Context(), file, at)
		if err != nil || h == nil || !strings.Contains(h.Contents.Value, "Other") {
			t.Fatalf("the session is dead: %v, %v", h, err)
		}
		hovers++
	}
	faulty(t, e, badMessages, hover)
	faulty(t, e, badNotifications, hover)
	faulty(t, e, badCalls, hover)
	if err := e.Call(t.Context(), "shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	faulty(t, e, tooLate, func() {})
	if err := e.Notify("exit", nil); err != nil {
		t.Fatal(err)
	}
	if exit, err := e.ExitCode(t.Context()); exit != 0 || err != nil {
		t.Errorf("exit code %d, %v", exit, err)
	}
	t.Logf("%d faults, %d hovers", len(tooEarly)+len(badMessages)+len(badNotifications)+len(badCalls)+len(tooLate), hovers)
}

// atStart is an empty range.
const atStart = `"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}`

// requests are those about a place, with parameters that lack nothing.
var requests = map[string]string{
	"textDocument/hover":         `{"textDocument":{"uri":"%s"},"position":{"line":0,"character":0}}`,
	"textDocument/definition":    `{"textDocument":{"uri":"%s"},"position":{"line":0,"character":0}}`,
	"textDocument/references":    `{"textDocument":{"uri":"%s"},"position":{"line":0,"character":0},"context":{}}`,
	"textDocument/completion":    `{"textDocument":{"uri":"%s"},"position":{"line":0,"character":0}}`,
	"textDocument/prepareRename": `{"textDocument":{"uri":"%s"},"position":{"line":0,"character":0}}`,
	"textDocument/rename": `{"textDocument":{"uri":"%s"},"position":{"line":0,"character":0},` +
		`"newName":"other"}`,
	"textDocument/codeAction":           `{"textDocument":{"uri":"%s"},` + atStart + `,"context":{}}`,
	"textDocument/inlayHint":            `{"textDocument":{"uri":"%s"},` + atStart + `}`,
	"textDocument/semanticTokens/range": `{"textDocument":{"uri":"%s"},` + atStart + `}`,
	"textDocument/semanticTokens/full":  `{"textDocument":{"uri":"%s"}}`,
	"textDocument/documentLink":         `{"textDocument":{"uri":"%s"}}`,
	"textDocument/documentSymbol":       `{"textDocument":{"uri":"%s"}}`,
	"textDocument/foldingRange":         `{"textDocument":{"uri":"%s"}}`,
	"textDocument/codeLens":             `{"textDocument":{"uri":"%s"}}`,
	"textDocument/diagnostic":           `{"textDocument":{"uri":"%s"}}`,
	"workspace/symbol":                  `{"query":""}`,
	"workspace/willRenameFiles":         `{"files":[{"oldUri":"%s","newUri":"%[1]s"}]}`,
	"workspace/willDeleteFiles":         `{"files":[{"uri":"%s"}]}`,
}

// Whatever a request's parameters lack, or have null, of what the protocol requires, is refused by its
// key; the same request without the fault is answered. Lists and switches need not be there.
func TestParametersThatLackAKeyAreRefused(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	u, cases := lsptest.URI(open(t, e, root, tokens)), 0
	calls, _ := lsp.Methods()
	for _, method := range calls {
		if requests[method] == "" && strings.HasPrefix(method, "textDocument/") {
			t.Errorf("%s is not in the table `requests` of fault_test.go", method)
		}
	}
	for method, form := range requests {
		whole := form
		if strings.Contains(form, "%s") {
			whole = fmt.Sprintf(form, u)
		}
		if err := e.Call(ctx, method, json.RawMessage(whole), nil); err != nil && code(err) == -32602 {
			t.Errorf("%s %s: %v", method, whole, err)
		}
		for key, faulty := range lacking(t, whole) {
			cases++
			err := e.Call(ctx, method, json.RawMessage(faulty), nil)
			if err == nil || code(err) != -32602 || !strings.Contains(err.Error(), "`"+key+"`") {
				t.Errorf("%s %s: %v, want %s missing", method, faulty, err, key)
			}
		}
	}
	t.Logf("%d cases", cases)
}

// lacking are the JSON objects that lack one key of an object, wherever it is, or have null there, by
// key; lists are not left out.
func lacking(t *testing.T, whole string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var all any
		if err := json.Unmarshal([]byte(whole), &all); err != nil {
			t.Fatal(err)
		}
		var walk func(key string, v any)
		try := func(key string) {
			raw, err := json.Marshal(all)
			if err != nil {
				t.Fatal(err)
			}
			yield(key, string(raw))
		}
		walk = func(key string, v any) {
			switch v := v.(type) {
			case []any:
				for i := range v {
					walk(fmt.Sprintf("%s[%d]", key, i), v[i])
				}
			case map[string]any:
				for name, member := range v {
					at := strings.TrimPrefix(key+"."+name, ".")
					if _, list := member.([]any); !list {
						delete(v, name)
						try(at)
						v[name] = nil
						try(at)
						v[name] = member
					}
					walk(at, member)
				}
			}
		}
		walk("", all)
	}
}

// What a client sends to be resolved is an item of ours, or refused.
func TestItemsThatCannotBeOursAreRefused(t *testing.T) {
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{project(t)}})
	for _, c := range []struct{ method, item string }{
		{"completionItem/resolve", `{}`},
		{"completionItem/resolve", `{"label":"x","data":7}`},
		{"completionItem/resolve", `{"label":"x","data":{}}`},
		{"codeAction/resolve", `{}`},
		{"codeAction/resolve", `{"title":"x","data":{"id":"y"}}`},
	} {
		if err := e.Call(ctx, c.method, json.RawMessage(c.item), nil); err == nil || code(err) != -32602 {
			t.Errorf("%s %s: %v", c.method, c.item, err)
		}
	}
}

// Two calls of one id under way are both answered, and a cancellation means the later.
func TestIDsThatAreUsedTwice(t *testing.T) {
	release := make(chan struct{})
	o := withBlocking(withEcho(lsp.Options{}), release)
	e, ctx := session(t, o, lsptest.Session{})
	call := `{"jsonrpc":"2.0","id":"twin","method":"test/wait"}`
	for _, body := range []string{call, call, tell("$/cancelRequest", `{"id":"twin"}`)} {
		if err := e.SendBody([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := e.WaitFor(ctx, "error", func(m []lsptest.Message) bool { return len(m) == 1 }); err != nil ||
		!strings.Contains(string(got[0].Params), "-32800") || !strings.Contains(string(got[0].Params), `"cancelled"`) {
		t.Errorf("%v, %v", got, err)
	}
	close(release)
	if got, err := e.WaitFor(ctx, "result", func(m []lsptest.Message) bool { return len(m) == 1 }); err != nil ||
		string(got[0].ID) != `"twin"` {
		t.Errorf("%v, %v", got, err)
	}
	alive(t, e, ctx)
}
