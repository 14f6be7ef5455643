package lsp

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/command"
)

// What is wrong with parameters is told by the keys of the protocol, not by Go's types.
func TestWrongParametersNameTheirKey(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`{"textDocument":{"uri":"file:///x"},"position":{"line":"a","character":0}}`, "key `position.line`: expected a whole number from 0, got a string"},
		{`{"textDocument":{"uri":"file:///x"},"position":{"line":-1,"character":0}}`, "key `position.line`: expected a whole number from 0, got -1"},
		{`{"textDocument":{"uri":"file:///x"},"position":{"line":1.5,"character":0}}`, "key `position.line`: expected a whole number from 0, got 1.5"},
		{`{"textDocument":{"uri":"file:///x"},"position":[1,2]}`, "key `position`: expected an object, got a list"},
		{`{"textDocument":{"uri":7},"position":{"line":1,"character":0}}`, "key `textDocument.uri`: expected a string, got"},
		{`{"textDocument":"file:///x"}`, "key `textDocument`: expected an object, got a string"},
		{`[1]`, "expected an object, got a list"},
		{`{"textDocument":`, "not JSON"},
	} {
		var p protocol.HoverParams
		err := decode([]byte(c.raw), &p)
		if err == nil {
			t.Errorf("%s: no error", c.raw)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "protocol.") || strings.Contains(err.Error(), "uint") {
			t.Errorf("%s:\n got %v\nwant %s", c.raw, err, c.want)
		}
	}
}

// A key that there is not is answered with those that there are.
func TestUnknownKeyListsTheKnown(t *testing.T) {
	_, none := command.Decode[struct{}]([]byte(`{"a":1}`))
	_, limit := command.Decode[workspace.LogRequest]([]byte(`{"a":1}`))
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
		`{"show":"yes"}`:       "key `show`: expected true or false, got a string",
		`{"workDoneToken":[]}`: "key `workDoneToken`: expected a string or a number",
	} {
		if _, err := readCommandRequest([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}
