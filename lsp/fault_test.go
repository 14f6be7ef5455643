package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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
	{"\xef\xbb\xbf" + ask("x", "{}"), -32700}, // a byte order mark
	{"\xff\xfe{\x00}\x00", -32700},            // UTF-16
	{"Content-Length: 2\r\n\r\n{}", -32700},   // framed twice
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
	{tell("textDocument/didOpen", `{"textDocument":{"uri":"file:///x","languageId":"x","text":"\ud800 \udc00","version":99999999999}}`), 0},
	{tell("textDocument/didOpen", "{\"textDocument\":{\"uri\":\"file:///x\",\"languageId\":\"x\",\"text\":\"\xff\xfe\",\"version\":1}}"), 0},
	{`{"jsonrpc":"2.0","method":"textDocument/didChange"}`, 0},
	{tell("textDocument/didChange", `{"textDocument":{"uri":"file:///never/opened"},"contentChanges":[{"text":"x"}]}`), 0},
	{tell("textDocument/didChange", `{"textDocument":null,"contentChanges":7}`), 0},
	{tell("textDocument/didClose", `{"textDocument":{"uri":"file:///never/opened"}}`), 0},
	{tell("textDocument/didSave", `{"textDocument":{"uri":"file:///etc/passwd"}}`), 0},
	{tell("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"","type":9}]}`), 0},
	{tell("workspace/didChangeWatchedFiles", `{"changes":{"uri":""}}`), 0},
	{tell("workspace/didChangeWorkspaceFolders", `{"event":{}}`), 0},
	{tell("workspace/didChangeWorkspaceFolders", `{"event":{"removed":[{"uri":"file:///nowhere","name":"x"}],"added":[{"uri":"http://x/y","name":"x"}]}}`), 0},
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
			if err := errors.Join(json.Unmarshal(a.Params, &got), json.Unmarshal(a.ID, &id)); err != nil || got.Code != f.code || got.Message == "" {
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
	if got, err := e.WaitFor(ctx, "error", func(m []lsptest.Message) bool { return len(m) == 1 }); err != nil || !strings.Contains(string(got[0].Params), "-32800") {
		t.Errorf("%v, %v", got, err)
	}
	close(release)
	if got, err := e.WaitFor(ctx, "result", func(m []lsptest.Message) bool { return len(m) == 1 }); err != nil || string(got[0].ID) != `"twin"` {
		t.Errorf("%v, %v", got, err)
	}
	alive(t, e, ctx)
}

// Headers after which nobody knows where the next message begins.
var brokenHeaders = map[string]string{
	"no length":           "Content-Type: x\r\n\r\n",
	"empty block":         "\r\n",
	"negative":            "Content-Length: -5\r\n\r\n",
	"no number":           "Content-Length: many\r\n\r\n",
	"hexadecimal":         "Content-Length: 0x10\r\n\r\n",
	"fraction":            "Content-Length: 2.0\r\n\r\n{}",
	"empty":               "Content-Length:\r\n\r\n{}",
	"overflow":            "Content-Length: 99999999999999999999\r\n\r\n",
	"twice, different":    "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
	"no colon":            "Content-Length 2\r\n\r\n{}",
	"endless line":        strings.Repeat("x", 8<<10) + "\r\n\r\n",
	"endless value":       "Content-Length: " + strings.Repeat("1", 1<<20),
	"endless block":       strings.Repeat("X: y\r\n", 40) + "\r\n",
	"NUL":                 "\x00\x00\x00\x00\r\n\r\n",
	"HTTP":                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"body as a header":    `{"jsonrpc":"2.0","id":1,"method":"shutdown"}` + "\r\n\r\n",
	"length of an hour":   "Content-Length: 9223372036854775807\r\n\r\n{}",
	"ends in the block":   "Content-Length: 10\r\n",
	"ends in the body":    "Content-Length: 10\r\n\r\n{",
	"ends in a huge body": "Content-Length: 1073741824\r\n\r\n{",
}

func TestBrokenHeadersEndTheSession(t *testing.T) {
	for name, raw := range brokenHeaders {
		t.Run(name, func(t *testing.T) {
			e, ctx := session(t, lsp.Options{}, lsptest.Session{})
			done := make(chan error, 1)
			go func() { done <- e.SendRaw([]byte(raw)) }() // the server may stop reading half-way
			if strings.HasPrefix(name, "ends in") || strings.HasPrefix(name, "length of") {
				<-done
				e.Close()
			}
			if got, err := e.ExitCode(ctx); got != 1 || err != nil {
				t.Errorf("exit code %d, %v", got, err)
			}
		})
	}
	t.Logf("%d headers", len(brokenHeaders))
}

func TestUnusualHeadersAreRead(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	body := `{"jsonrpc":"2.0","method":"$/none"}`
	for _, header := range []string{
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: %d\r\n\r\n",
		"Content-Type: application/vscode-jsonrpc; charset=\"UTF-8\"\r\nContent-Length: %d\r\n\r\n",
		"content-length:%d\r\n\r\n",
		"CONTENT-LENGTH:   %d  \r\nX-Other:\r\n\r\n",
		"Content-Length: %d\n\n",
		"Content-Length: 000%d\r\n\r\n",
		"Content-Length: %[1]d\r\nContent-Length: %[1]d\r\n\r\n",
	} {
		if err := e.SendRaw(fmt.Appendf(nil, header+"%[2]s", len(body), body)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
	}
}

func TestForeignCharsetIsRefused(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
	for n, charset := range []string{"utf-16", "latin1", `"ISO-8859-1"; x=y`, ";"} {
		frame := "Content-Length: 4\r\nContent-Type: application/vscode-jsonrpc; charset=" + charset + "\r\n\r\n{\x00}\x00"
		if err := e.SendRaw([]byte(frame)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
		if got := e.Received("error"); len(got) != n+1 || !strings.Contains(string(got[n].Params), "utf-8") {
			t.Errorf("%s: answers %v", charset, got)
		}
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
	for _, length := range []int64{63 << 20, 1 << 30, 1 << 40} {
		e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{})
		alive(t, e, ctx)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		// A pipe without a buffer: once the byte of the body is taken, the header was read.
		if err := e.SendRaw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n{", length)); err != nil {
			t.Fatal(err)
		}
		e.Close()
		runtime.ReadMemStats(&after)
		grown := after.TotalAlloc - before.TotalAlloc
		if grown > 1<<20 {
			t.Errorf("a header of %d bytes made the server allocate %d", length, grown)
		}
		t.Logf("length %d: %d bytes allocated, closed after %v", length, grown, time.Since(begin))
	}
}

func TestLargeMessageIsRead(t *testing.T) {
	root := t.TempDir()
	e, ctx := session(t, lsp.WithText(lsp.Options{}), lsptest.Session{Folders: []string{root}})
	text := strings.Repeat("line of a large file\n", 200_000) // 4 MB
	file := filepath.Join(root, "large.txt")
	if err := e.Open(file, "plaintext", text); err != nil {
		t.Fatal(err)
	}
	var got struct{ Text string }
	if err := e.Call(ctx, "test/text", map[string]string{"uri": lsptest.URI(file)}, &got); err != nil || got.Text != text {
		t.Errorf("%d bytes arrived, %v", len(got.Text), err)
	}
}
