package mcp

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/mcp/mcptest"
)

// FuzzRequests sends each request to a server that goes on through all of them, in both eras:
// each has one answer with its id, with a code if it is an error, and what comes next is
// answered too. The seeds are every method with every kind of text.
func FuzzRequests(f *testing.F) {
	for _, c := range mcptest.Calls {
		for _, class := range mcptest.Classes {
			method, params := c.With(class)
			f.Add(false, method, []byte(params))
			f.Add(true, method, []byte(params))
		}
	}
	for _, params := range []string{
		`null`, `[]`, `{}`, `7`, `"x"`, strings.Repeat("[", 900) + strings.Repeat("]", 900),
		strings.Repeat(`{"_meta":`, 1_001) + "1" + strings.Repeat("}", 1_001),
		`{"_meta":null}`, `{"_meta":{"progressToken":{}}}`, `{"cursor":"garbage"}`,
	} {
		for _, c := range mcptest.Calls {
			f.Add(false, c.Method, []byte(params))
			f.Add(true, c.Method, []byte(params))
		}
	}
	served := map[bool]*asked{false: askedServer(f, false), true: askedServer(f, true)}
	f.Fuzz(func(t *testing.T, modern bool, method string, params []byte) {
		line := mcptest.Request(1, modern, method, params)
		if !json.Valid(params) || !json.Valid([]byte(line)) || slices.Contains(params, '\n') {
			t.Skip("no parameters, nested too deep for JSON here, or more than a line")
		}
		served[modern].request(t, method, params)
	})
}

// asked is a server that is asked one request after the other.
type asked struct {
	modern bool
	in     *bufio.Reader
	out    io.Writer
	last   int
}

func askedServer(f *testing.F, modern bool) *asked {
	dir, _ := folder(f, "calls.txtar")
	in, out := pipes(f, Options{Root: dir})
	a := &asked{modern: modern, in: bufio.NewReader(in), out: out}
	if !modern {
		a.request(f, "initialize", []byte(
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`))
	}
	return a
}

// request sends a request, calls it off if it would wait for ever, and behind it one that is
// known to be answered; it waits for both.
func (a *asked) request(t testing.TB, method string, params []byte) {
	t.Helper()
	a.last += 2
	lines := mcptest.Request(a.last, a.modern, method, params) + "\n"
	if method == "subscriptions/listen" {
		lines += mcptest.Cancel(a.last) + "\n"
	}
	lines += mcptest.Request(a.last+1, a.modern, "tools/list", json.RawMessage(`{}`)) + "\n"
	go io.WriteString(a.out, lines) // whoever does not read answers is not read either
	left := []int{a.last, a.last + 1}
	for len(left) > 0 {
		line, err := a.in.ReadString('\n')
		if err != nil {
			t.Fatalf("%s %.300s: %v", method, params, err)
		}
		var m struct {
			ID     *int
			Method string
			Error  *struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s %.300s: %q: %v", method, params, line, err)
		}
		if m.Method != "" {
			continue
		}
		at := -1
		if m.ID != nil {
			at = slices.Index(left, *m.ID)
		}
		if at < 0 || m.Error != nil && m.Error.Code == 0 {
			t.Fatalf("%s %.300s: %.300s; waiting for %v", method, params, line, left)
		}
		left = slices.Delete(left, at, at+1)
	}
}
