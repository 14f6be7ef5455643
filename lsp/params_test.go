package lsp

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// A key that there is not is answered with those that there are.
func TestUnknownKeyListsTheKnown(t *testing.T) {
	for _, c := range []struct {
		request any
		want    string
	}{
		{new(struct{}), "wrong request: unknown key `a`; there are none; and for each request uri, position, show, workDoneToken"},
		{new(workspace.LogRequest), "unknown key `a`; there are limit; and for each request uri"},
	} {
		err := requestError(workspace.DecodeRequest([]byte(`{"a":1}`), c.request))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %s", c.request, err, c.want)
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
