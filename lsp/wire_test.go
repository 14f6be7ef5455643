package lsp_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// Messages that are answered with an error, without an id where the message's own
// cannot be read, and after which the session goes on.
var badMessages = []struct {
	body string
	code int // 0: no answer
}{
	{``, -32700},
	{` `, -32700},
	{`{`, -32700},
	{`{"jsonrpc":"2.0"`, -32700},
	{`nonsense`, -32700},
	{`{"jsonrpc":"2.0","id":1,"method":"test/echo"}}`, -32700},
	{"\x00\x01\x02", -32700},
	{`"a string"`, -32700},
	{`42`, -32700},
	{`null`, -32700},
	{`[]`, -32600},
	{`[1,2]`, -32600},
	{`[{"jsonrpc":"2.0","id":1,"method":"test/echo"}]`, -32600}, // LSP has no batches
	{`{}`, -32600},
	{`{"jsonrpc":"1.0","id":1,"method":"test/echo"}`, -32600},
	{`{"id":1,"method":"test/echo"}`, -32600},
	{`{"jsonrpc":2.0,"id":1,"method":"test/echo"}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":null}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":{}}`, -32600},
	{`{"jsonrpc":"2.0","id":1.5,"method":"test/echo"}`, -32600},
	{`{"jsonrpc":"2.0","id":true,"method":"test/echo"}`, -32600},
	{`{"jsonrpc":"2.0","id":{},"method":"test/echo"}`, -32600},
	{`{"jsonrpc":"2.0","id":[1],"method":"test/echo"}`, -32600},
	{`{"jsonrpc":"2.0","id":99999999999999999999,"method":"test/echo"}`, -32600},
	{`{"jsonrpc":"2.0","id":1}`, -32600},
	{`{"jsonrpc":"2.0","id":1,"method":"x","result":1}`, 0},              // both a request and a response
	{`{"jsonrpc":"2.0","id":12345,"result":null}`, 0},                    // a response to nothing
	{`{"jsonrpc":"2.0","id":12345,"error":{"code":1,"message":"m"}}`, 0}, //
	{`{"jsonrpc":"2.0","id":12345,"result":1,"error":{}}`, 0},            //
	{`{"jsonrpc":"2.0","id":"x","result":{}}`, 0},                        //
	{`{"jsonrpc":"2.0","id":null,"result":{}}`, 0},                       //
}

// Notifications that mean nothing, and are not answered.
var badNotifications = []string{
	`{"jsonrpc":"2.0","method":"no/such"}`,
	`{"jsonrpc":"2.0","method":"$/foo","params":{}}`,
	`{"jsonrpc":"2.0","method":""}`,
	`{"jsonrpc":"2.0","method":"initialized"}`,
	`{"jsonrpc":"2.0","method":"initialized","params":null}`,
	`{"jsonrpc":"2.0","method":"initialized","params":[]}`,
	`{"jsonrpc":"2.0","method":"initialized","params":7}`,
	`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"verbose"}}`,
	`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":7}}`,
	`{"jsonrpc":"2.0","method":"$/cancelRequest"}`,
	`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":"none"}}`,
	`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen"}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[]}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":7}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":7}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"::::","text":"x","version":"one"}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didChange"}`,
	`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///never/opened"},"contentChanges":[{"text":"x"}]}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":null,"contentChanges":7}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///never/opened"}}}`,
	`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///etc/passwd"}}}`,
	`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"","type":9}]}}`,
	`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":{}}}`,
	`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":null}}`,
	`{"jsonrpc":"2.0","method":"textDocument/hover","params":{}}`, // a request's name
}

// Calls whose parameters or method are wrong, and what they are answered.
var badCalls = []struct {
	method, params string
	code           int
}{
	{"no/such", `{}`, -32601},
	{"no/such", ``, -32601},
	{"$/alsoUnknown", `null`, -32601},
	{"textDocument/didOpen", `{}`, -32601}, // a notification's name
	{"textDocument/rename", `{}`, -32601},
	{"textDocument/hover", ``, -32602},
	{"textDocument/hover", `null`, -32602},
	{"textDocument/hover", `[]`, -32602},
	{"textDocument/hover", `7`, -32602},
	{"textDocument/hover", `{}`, -32602},
	{"textDocument/hover", `{"textDocument":7}`, -32602},
	{"textDocument/hover", `{"textDocument":{"uri":7},"position":{"line":0,"character":0}}`, -32602},
	{"textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":{"line":-1,"character":0}}`, -32602},
	{"textDocument/hover", `{"textDocument":{"uri":"file:///a"},"position":"here"}`, -32602},
	{"textDocument/definition", `[]`, -32602},
	{"textDocument/references", `{}`, -32602},
	{"textDocument/completion", `"x"`, -32602},
	{"textDocument/documentLink", `{"textDocument":{}}`, -32602},
	{"textDocument/codeAction", `{"range":7}`, -32602},
	{"textDocument/diagnostic", `[]`, -32602},
	{"workspace/executeCommand", `{}`, -32602},
	{"workspace/executeCommand", `{"command":"rm -rf"}`, -32602},
	{"workspace/executeCommand", `{"command":"brv.curateSelection"}`, -32602},
	{"workspace/executeCommand", `{"command":"brv.curateSelection","arguments":[7]}`, -32602},
	{"workspace/executeCommand", `{"command":"brv.query","arguments":[7]}`, -32602},
	{"workspace/executeCommand", `{"command":"brv.query","arguments":[{"text":"x"}]}`, -32803}, // no folder is open
	{"brv/query", `[]`, -32602},
	{"brv/context", `7`, -32602},
}

func TestBadMessagesLeaveTheSessionAlive(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	for _, m := range badMessages {
		before := len(e.Received("error"))
		if err := e.SendBody([]byte(m.body)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
		answers := e.Received("error")[before:]
		if m.code == 0 && len(answers) > 0 || m.code != 0 && len(answers) != 1 {
			t.Errorf("%q: %d answers", m.body, len(answers))
			continue
		}
		var got lsptest.ResponseError
		if m.code != 0 && (json.Unmarshal(answers[0].Params, &got) != nil || got.Code != m.code) {
			t.Errorf("%q: got %v, want %d", m.body, got, m.code)
		}
	}
}

func TestBadNotificationsLeaveTheSessionAlive(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	for _, body := range badNotifications {
		if err := e.SendBody([]byte(body)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
		if answers := e.Received("error"); len(answers) > 0 {
			t.Fatalf("%s: was answered: %s", body, answers[0].Params)
		}
	}
}

func TestBadCallsAreAnswered(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	for _, c := range badCalls {
		var params any
		if c.params != "" {
			params = json.RawMessage(c.params)
		}
		if err := e.Call(ctx, c.method, params, nil); code(err) != c.code {
			t.Errorf("%s %s: got %v, want %d", c.method, c.params, err, c.code)
		}
	}
	alive(t, e, ctx)
}

// Headers after which nobody knows where the next message begins.
var brokenHeaders = map[string]string{
	"no length":         "Content-Type: x\r\n\r\n",
	"empty block":       "\r\n",
	"negative":          "Content-Length: -5\r\n\r\n",
	"no number":         "Content-Length: many\r\n\r\n",
	"overflow":          "Content-Length: 99999999999999999999\r\n\r\n",
	"twice, different":  "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
	"no colon":          "Content-Length 2\r\n\r\n{}",
	"endless line":      strings.Repeat("x", 8<<10) + "\r\n\r\n",
	"endless block":     strings.Repeat("X: y\r\n", 40) + "\r\n",
	"body as a header":  `{"jsonrpc":"2.0","id":1,"method":"shutdown"}` + "\r\n\r\n",
	"ends in the block": "Content-Length: 10\r\n",
	"ends in the body":  "Content-Length: 10\r\n\r\n{",
}

func TestBrokenHeadersEndTheSession(t *testing.T) {
	for name, raw := range brokenHeaders {
		t.Run(name, func(t *testing.T) {
			e, ctx := session(t, lsp.Options{}, lsptest.Session{})
			done := make(chan error, 1)
			go func() { done <- e.SendRaw([]byte(raw)) }() // the server may stop reading half-way
			if strings.HasPrefix(name, "ends in") {
				<-done
				e.Close()
			}
			if got, err := e.ExitCode(ctx); got != 1 || err != nil {
				t.Errorf("exit code %d, %v", got, err)
			}
		})
	}
}

func TestUnusualHeadersAreRead(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	body := `{"jsonrpc":"2.0","method":"$/none"}`
	for _, header := range []string{
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"content-length:%d\r\n\r\n",
		"CONTENT-LENGTH:   %d  \r\nX-Other:\r\n\r\n",
		"Content-Length: %d\n\n",
		"Content-Length: %[1]d\r\nContent-Length: %[1]d\r\n\r\n",
	} {
		if err := e.SendRaw(fmt.Appendf(nil, header+"%[2]s", len(body), body)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
	}
}

func TestOversizedMessageIsSkipped(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	const size = 64<<20 + 1
	if err := e.SendRaw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", size)); err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 1<<20)
	for sent := 0; sent < size; sent += len(part) {
		if err := e.SendRaw(part[:min(len(part), size-sent)]); err != nil {
			t.Fatal(err)
		}
	}
	alive(t, e, ctx)
	if got := e.Received("error"); len(got) != 1 || !strings.Contains(string(got[0].Params), "-32600") {
		t.Errorf("answers: %v", got)
	}
}

func TestAnnouncedLengthAllocatesNothing(t *testing.T) {
	for _, length := range []int64{63 << 20, 1 << 40} {
		e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
		alive(t, e, ctx)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := e.SendRaw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n{", length)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
			t.Errorf("a header of %d bytes made the server allocate %d", length, grown)
		}
		e.Close()
	}
}

func TestLargeMessageIsRead(t *testing.T) {
	root := t.TempDir()
	e, ctx := session(t, lsp.WithText(lsp.Options{}), lsptest.Session{Folders: []string{root}})
	text := strings.Repeat("line of a large file\n", 200_000) // 4 MB
	if err := e.Open(root+"/large.txt", "plaintext", text); err != nil {
		t.Fatal(err)
	}
	var got struct{ Text string }
	if err := e.Call(ctx, "test/text", map[string]string{"uri": lsptest.URI(root + "/large.txt")}, &got); err != nil || got.Text != text {
		t.Errorf("%d bytes arrived, %v", len(got.Text), err)
	}
}

// FuzzParams sends any JSON as the parameters of any method: the server answers
// or ignores it, and lives on.
func FuzzParams(f *testing.F) {
	methods := []string{
		"initialized", "$/setTrace", "$/cancelRequest", "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
		"textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders", "window/workDoneProgress/cancel",
		"textDocument/hover", "textDocument/definition", "textDocument/references", "textDocument/documentLink", "textDocument/completion",
		"textDocument/codeAction", "codeAction/resolve", "textDocument/diagnostic", "workspace/executeCommand", "brv/query", "brv/context",
		"textDocument/codeLens", "codeLens/resolve", "workspace/textDocumentContent",
	}
	root := f.TempDir()
	writeFile(f, root+"/"+tokens, "---\ntitle: T\n---\n@auth/jwt/tokens.md\n")
	e := lsptest.Start(withEcho(lsp.Options{}))
	f.Cleanup(e.Close)
	if _, err := e.Initialize(f.Context(), lsptest.Session{Folders: []string{root}}); err != nil {
		f.Fatal(err)
	}
	here := `"textDocument":{"uri":"` + lsptest.URI(root+"/"+tokens) + `","version":2,"text":"x"}`
	for i := range methods {
		f.Add(i, `{`+here+`,"position":{"line":3,"character":4},"range":{"start":{"line":3,"character":0},"end":{"line":3,"character":9}},"context":{}}`)
		f.Add(i, `{`+here+`,"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"y"}]}`)
		f.Add(i, `{"task":"x","budgetTokens":9,"uri":"file:///x","position":{"line":1e99,"character":-1},"visible":{"start":{}},"openFiles":["",null],"edits":[{"ageMs":-1e300}],"references":[{"uri":"%"}]}`)
		f.Add(i, `{"uri":"brv://diff/%00?%zz","data":{"uri":"`+lsptest.URI(root+"/"+tokens)+`"}}`)
		f.Add(i, `{"command":"brv.query","arguments":[{"text":"x","uri":7}],"id":1,"data":{"uri":"file:///x"},"event":{"added":[{"uri":""}]}}`)
	}
	f.Fuzz(func(t *testing.T, i int, params string) {
		if !json.Valid([]byte(params)) || strings.Contains(params, "brv.init") {
			t.Skip()
		}
		method := methods[uint(i)%uint(len(methods))]
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
