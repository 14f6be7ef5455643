package wire

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// What is wrong with parameters is told by the keys of the protocol, not by Go's types.
func TestWrongParametersNameTheirKey(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`{"textDocument":{"uri":"file:///x"},"position":{"line":"a","character":0}}`,
			"key `position.line`: expected a whole number from 0, got a string"},
		{`{"textDocument":{"uri":"file:///x"},"position":{"line":-1,"character":0}}`,
			"key `position.line`: expected a whole number from 0, got the number -1"},
		{`{"textDocument":{"uri":"file:///x"},"position":{"line":1.5,"character":0}}`,
			"key `position.line`: expected a whole number from 0, got the number 1.5"},
		{`{"textDocument":{"uri":"file:///x"},"position":[1,2]}`, "key `position`: expected an object, got a list"},
		{`{"textDocument":{"uri":7},"position":{"line":1,"character":0}}`, "key `textDocument.uri`: expected a string, got"},
		{`{"textDocument":"file:///x"}`, "key `textDocument`: expected an object, got a string"},
		{`[1]`, "expected an object, got a list"},
		{`{"textDocument":`, "not JSON"},
	} {
		var p protocol.HoverParams
		err := Decode([]byte(c.raw), &p)
		if err == nil {
			t.Errorf("%s: no error", c.raw)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Go ") ||
			strings.Contains(err.Error(), "protocol.") || strings.Contains(err.Error(), "uint") {
			t.Errorf("%s:\n got %v\nwant %s", c.raw, err, c.want)
		}
	}
}
