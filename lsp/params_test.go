package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/command"
)

// A key that there is not is answered with those that there are.
func TestUnknownKeyListsTheKnown(t *testing.T) {
	_, none := command.Decode[struct{}]([]byte(`{"a":1}`))
	_, limit := command.Decode[struct {
		Limit int `json:"limit"`
	}]([]byte(`{"a":1}`))
	for _, c := range []struct {
		err  error
		want string
	}{
		{none, "wrong request: unknown key `a`; there are none; and for each request uri, position, show, workDoneToken"},
		{limit, "unknown key `a`; there are limit; and for each request uri"},
	} {
		if err := requestError(c.err); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for raw, want := range map[string]string{
		`{"uri":7}`: "key `uri`: expected a string, got 7",
		`{"uri":"file:///x","position":{"line":-1,"character":0}}`: "key `position.line`: " +
			"expected a whole number from 0, got -1",
		`{"show":"yes"}`:            "key `show`: expected true or false, got a string",
		`{"workDoneToken":[]}`:      "key `workDoneToken`: expected a string or a number",
		`{"partialResultToken":[]}`: "key `partialResultToken`: expected a string or a number",
	} {
		if _, err := readCommandRequest([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}

func TestCommandRequestIsSplit(t *testing.T) {
	r, err := readCommandRequest(
		json.RawMessage(
			`{"task":"x","uri":"file:///a/b.go","position":{"line":2,"character":1},"workDoneToken":7,"partialResultToken":"p"}`))
	if err != nil {
		t.Fatal(err)
	}
	own, err := json.Marshal(r.own)
	if err != nil || string(own) != `{"task":"x"}` {
		t.Errorf("the command's own request is %s, %v", own, err)
	}
	if r.uri != "file:///a/b.go" || r.position == nil || r.position.Line != 2 || r.token != protocol.Integer(7) {
		t.Errorf("%+v", r)
	}
	sc := &scene{Scene: &state.Scene{Path: "b.go", Doc: &state.Document{Mapper: position.NewMapper("1\n2\n3é5\n", position.UTF16)}}}
	raw, err := sc.request(r, []string{"task", "path", "offset"})
	if err != nil || string(raw) != `{"offset":5,"path":"b.go","task":"x"}` {
		t.Errorf("request %s, %v", raw, err)
	}
	for _, bad := range []string{`7`, `[]`, `{"uri":7}`, `{"position":"here"}`} {
		if _, err := readCommandRequest(json.RawMessage(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	if r, err := readCommandRequest(nil); err != nil || r.own != nil {
		t.Errorf("no request: %+v, %v", r, err)
	}
}
