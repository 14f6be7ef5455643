package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/mcp/mcptest"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// call sends a request of one of the two eras and returns its answer.
func (r raw) call(id int, modern bool, method, params string) message {
	r.t.Helper()
	r.send(mcptest.Request(id, modern, method, json.RawMessage(params)))
	return r.receive()
}

// eras dials a server for each era of the protocol.
func eras(t *testing.T, test func(t *testing.T, r raw, modern bool)) {
	for _, modern := range []bool{false, true} {
		t.Run(fmt.Sprintf("stateless=%v", modern), func(t *testing.T) {
			dir, _ := folder(t, "calls.txtar")
			r := dialRaw(t, Options{Root: dir})
			if !modern {
				r.hello("2025-11-25")
			}
			test(t, r, modern)
		})
	}
}

// TestARefusedURIEndsNothing: what is said of a URI that is none of ours holds it, whatever
// characters it has, and the session goes on.
func TestARefusedURIEndsNothing(t *testing.T) {
	eras(t, func(t *testing.T, r raw, modern bool) {
		n := 1
		for _, class := range mcptest.Classes {
			for _, form := range []string{
				"%s", "brv://tree/%s.md", "brv://indexes%s", `brv://tree/%s\"\\.md`,
			} {
				quoted := `"` + fmt.Sprintf(form, class.Sample) + `"`
				var want string
				if err := json.Unmarshal([]byte(quoted), &want); err != nil {
					t.Fatalf("%s: %v", class.Name, err)
				}
				calls := map[string]string{"resources/read": `{"uri":` + quoted + `}`}
				if modern {
					calls["subscriptions/listen"] = `{"notifications":{"resourceSubscriptions":[` + quoted + `]}}`
				} else {
					calls["resources/subscribe"] = calls["resources/read"]
				}
				for _, method := range sorted(calls) {
					if method != "resources/read" && strings.HasPrefix(want, treeURI) {
						continue // may be an entry some day
					}
					n++
					m := r.call(n, modern, method, calls[method])
					if m.Error == nil || m.Error.Code != -32602 || m.ID != float64(n) {
						t.Fatalf("%s %s: %+v", method, quoted, m)
					}
					got, _ := m.Error.Data["uri"].(string)
					named := (got != "") == (want != "") && strings.HasPrefix(want, strings.TrimSuffix(got, "…"))
					if !named {
						t.Errorf("%s %s: the error names %q", method, quoted, got)
					}
				}
			}
		}
		n++
		m := r.call(n, modern, "tools/call", `{"name":"brv_search","arguments":{"query":"tokens"}}`)
		if text := m.text(t); !strings.Contains(text, "Access tokens") {
			t.Errorf("search says %s", text)
		}
	})
}

// TestRefusalsHaveTheirCode: each wrong request of the list is an error with the code that
// JSON-RPC has for it.
func TestRefusalsHaveTheirCode(t *testing.T) {
	path := base64.RawURLEncoding.EncodeToString([]byte("authentication"))
	gob := base64.URLEncoding.EncodeToString([]byte("\x1f\xff\x81\x03\x01\x01\tpageToken"))
	eras(t, func(t *testing.T, r raw, modern bool) {
		n := 1
		for _, c := range []struct {
			method, params string
			code           int
		}{
			{"resources/list", `{"cursor":"garbage"}`, -32602},
			{"resources/list", `{"cursor":"` + path + `"}`, -32602},
			{"resources/list", `{"cursor":7}`, -32602},
			{"resources/templates/list", `{"cursor":"garbage"}`, -32602},
			{"tools/list", `{"cursor":"garbage"}`, -32602},
			{"tools/list", `{"cursor":"` + gob + `"}`, -32602},
			{"prompts/list", `{"cursor":"garbage"}`, -32602},
			{"prompts/get", `{"name":"recall"}`, -32602},
			{"prompts/get", `{"name":"recall","arguments":{"question":" "}}`, -32602},
			{"prompts/get", `{"name":"recall","arguments":{"question":7}}`, -32602},
			{"prompts/get", `{"name":"no\u001bsuch"}`, -32602},
			{"resources/read", `{"uri":"brv://tree/` + strings.Repeat("a", 70_000) + `"}`, -32602},
			{"completion/complete", `{"ref":{"type":"ref/prompt","name":"recall"},"argument":{"name":"q"}}`, -32601},
		} {
			n++
			m := r.call(n, modern, c.method, c.params)
			if m.Error == nil || m.Error.Code != c.code || m.ID != float64(n) {
				t.Errorf("%s %.80s: %+v, want %d", c.method, c.params, m, c.code)
			} else if len(m.Error.Message) > 3_000 || strings.Contains(m.Error.Message, "\x1b") {
				t.Errorf("%s %.80s: the message is %.3100q", c.method, c.params, m.Error.Message)
			}
		}
	})
}

func TestLevelsOfTheLog(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir})
	r.hello("2025-11-25")
	for i, level := range []string{`"bogus"`, `""`, `"DEBUG"`, `"\u001b"`, `null`} {
		m := r.call(10+i, false, "logging/setLevel", `{"level":`+level+`}`)
		if m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%s: %+v", level, m)
		}
	}
	if m := r.call(20, false, "logging/setLevel", `{"level":"emergency"}`); m.Error != nil {
		t.Errorf("%+v", m.Error)
	}
}

// TestWithoutAHandshake: what may not be asked yet, or twice, is refused with a code.
func TestWithoutAHandshake(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir})
	for i, c := range []struct {
		method, params string
		code           int
	}{
		{"tools/list", `{}`, -32600}, {"tools/call", `{"name":"brv_search","arguments":{"query":"x"}}`, -32600},
		{"resources/read", `{"uri":"brv://index"}`, -32600}, {"no/such", `{}`, -32600},
		{"initialize", `{"protocolVersion":7}`, -32602}, {"initialize", `null`, -32600}, {"initialize", `[]`, -32602},
	} {
		if m := r.call(10+i, false, c.method, c.params); m.Error == nil || m.Error.Code != c.code {
			t.Errorf("%s %s: %+v, want %d", c.method, c.params, m, c.code)
		}
	}
	r.hello("2025-11-25")
	if m := r.hello("2025-11-25"); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a second handshake: %+v", m)
	}
}

// TestIDsComeBackAsTheyWere: an answer has the id of its request, or the request was refused.
func TestIDsComeBackAsTheyWere(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir, extra: []tool{sleeper(begun, end)}})
	r.hello("2025-11-25")
	for id, ok := range map[string]bool{
		`2`: true, `"x"`: true, `""`: true, `-3`: true, `9007199254740991`: true, `4.0`: true,
		`"\u0000\u001b"`: true, `"\ud83d\ude00"`: true,
		`1.5`: false, `1e300`: false, `-1e300`: false, `9007199254740993`: false,
		`"\ud800"`: false, `true`: false, `{}`: false,
	} {
		r.send(`{"jsonrpc":"2.0","id":` + id + `,"ID":"other","method":"ping"}`)
		m := r.receive()
		var want any
		if err := json.Unmarshal([]byte(id), &want); err != nil {
			t.Fatal(err)
		}
		if id == `{}` || id == `true` {
			want = nil
		}
		if m.ID != want || ok != (m.Error == nil) || !ok && m.Error.Code != -32600 {
			t.Errorf("id %s: %+v", id, m)
		}
	}
	r.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"sleep"}}`)
	<-begun
	r.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	if m := r.receive(); m.ID != nil || m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("an id in use: %+v", m)
	}
	close(end)
	if m := r.receive(); m.ID != 8.0 || m.Error != nil {
		t.Errorf("the first with that id: %+v", m)
	}
	r.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	if m := r.receive(); m.ID != 8.0 || m.Error != nil {
		t.Errorf("an id that is free again: %+v", m)
	}
}

// TestABatchEndsNothing: ids that other batches use, and texts that get longer when they are
// written again, once ended the session.
func TestABatchEndsNothing(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir, extra: []tool{sleeper(begun, end)}})
	r.hello("2025-03-26")
	sleep := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"sleep"}}`
	ping := `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"%s"}}`
	r.send("[" + sleep + "," + fmt.Sprintf(ping, 5, "") + "]")
	<-begun
	r.send("[" + sleep + "]")
	if m := r.receive(); m.ID != nil || m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("an id in use: %+v", m)
	}
	list := func() (answers []message) {
		t.Helper()
		line, err := r.in.ReadString('\n')
		if err != nil || json.Unmarshal([]byte(line), &answers) != nil {
			t.Fatalf("got %.200q, %v; want a list", line, err)
		}
		return answers
	}
	r.send("[" + fmt.Sprintf(ping, 6, strings.Repeat("<", maxMessage/5)) + "]")
	if a := list(); len(a) != 1 || a[0].ID != 6.0 {
		t.Errorf("got %+v", a)
	}
	close(end)
	if a := list(); len(a) != 2 || a[0].ID != 5.0 && a[1].ID != 5.0 {
		t.Errorf("got %+v", a)
	}
}

// TestRootsThatAreNone: what the client says of its roots ends nothing.
func TestRootsThatAreNone(t *testing.T) {
	for _, roots := range []string{
		`{"roots":[null]}`, `{"roots":null}`, `null`, `7`, `{"roots":[{"uri":"file:///\u0000"}]}`, `{"roots":[{"uri":7}]}`,
	} {
		r := dialRaw(t, Options{Here: t.TempDir()})
		r.call(1, false, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}`)
		r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		question := r.receive()
		if question.Method != "roots/list" {
			t.Fatalf("got %+v", question)
		}
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, question.ID, roots))
		if m := r.call(2, false, "tools/call", `{"name":"brv_repo_map","arguments":{}}`); m.Error != nil {
			t.Errorf("%s: %+v", roots, m.Error)
		}
	}
}

// contentOfFolder is every file of a folder with its text.
func contentOfFolder(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was written aside, and renamed meanwhile
		}
		out[strings.TrimPrefix(p, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWhatAProposalSaysItChangedIsTrue: a dry run leaves every byte, and a first hold every
// file that there was, and adds no entry. The generated files may follow at any time after it.
func TestWhatAProposalSaysItChangedIsTrue(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	c := dial(t, Options{Root: dir}, nil)
	before := contentOfFolder(t, dir)
	dry := map[string]any{"dry_run": true, "operations": sizeOperations["operations"]}
	if text := textOf(t, ask(t, c, "brv_curate", dry)); !strings.Contains(text, "nothing was proposed or changed") {
		t.Errorf("says %q", text)
	}
	if after := contentOfFolder(t, dir); !slices.Equal(sorted(before), sorted(after)) {
		t.Errorf("a dry run made %v of %v", sorted(after), sorted(before))
	}
	text := textOf(t, ask(t, c, "brv_curate", sizeOperations))
	if strings.Contains(text, "nothing was proposed or changed") || !strings.Contains(text, "no entry has changed yet") {
		t.Errorf("says %q", text)
	}
	after := contentOfFolder(t, dir)
	for p, was := range before {
		if after[p] != was {
			t.Errorf("%s changed", p)
		}
	}
	for p := range after {
		if _, had := before[p]; !had && strings.HasSuffix(p, ".md") && format.RoleOf(p) == format.RoleEntry {
			t.Errorf("%s is new", p)
		}
	}
}

// TestNobodyWasAsked: where the question did not reach anybody, or what came back cannot be
// read, nothing is said of a user who refused.
func TestNobodyWasAsked(t *testing.T) {
	for name, answer := range map[string]func() (*sdk.ElicitResult, error){
		"failing":           func() (*sdk.ElicitResult, error) { return nil, context.DeadlineExceeded },
		"nothing filled in": func() (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: "accept"}, nil },
	} {
		for _, version := range askableVersions {
			dir, _ := folder(t, "calls.txtar")
			client := connected(t, dir, version, func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
				return answer()
			})
			ask(t, client, "brv_curate", sizeOperations)
			approve := map[string]any{"action": "approve", "review": 1}
			r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "brv_review", Arguments: approve})
			if version == unaskable && name == "failing" {
				continue // its call ends in the client
			}
			if err != nil {
				t.Fatal(err)
			}
			text := textOf(t, r)
			if !r.IsError || strings.Contains(text, "did not say yes") || !strings.Contains(text, "`brv-lsp review approve 1") {
				t.Errorf("%s, %s: %v %q", name, version, r.IsError, text)
			}
		}
	}
}

// TestSubscriptionAsTheFirstRequest: the first request of a stateless session may be that for
// notifications, and they come.
func TestSubscriptionAsTheFirstRequest(t *testing.T) {
	for _, follows := range []string{`"resourcesListChanged":true`, `"resourceSubscriptions":["` + tokensURI + `"]`} {
		for _, first := range []string{"", "server/discover"} {
			dir, _ := folder(t, "calls.txtar")
			r := dialRaw(t, Options{Root: dir})
			if first != "" {
				r.call(1, true, first, `{}`)
			}
			listen := json.RawMessage(`{"notifications":{` + follows + `}}`)
			r.send(mcptest.Request(2, true, "subscriptions/listen", listen))
			next := func() string {
				t.Helper()
				var m message
				line, err := r.in.ReadString('\n')
				if err == nil {
					err = json.Unmarshal([]byte(line), &m)
				}
				if err != nil || m.ID != nil {
					t.Fatalf("got %s, %v", line, err)
				}
				return m.Method
			}
			if got := next(); got != "notifications/subscriptions/acknowledged" {
				t.Fatalf("got %s", got)
			}
			rewrite(t, dir)
			if got := next(); !strings.HasPrefix(got, "notifications/resources/") {
				t.Errorf("got %s", got)
			}
		}
	}
}
