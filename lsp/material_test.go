package lsp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/workspace/command"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
)

// TestMaterialIsInBytes gives what is to be drafted from in the client's terms and wants it
// in those of the workspace.
func TestMaterialIsInBytes(t *testing.T) {
	const code = "package a // 😀é\n\nfunc Sign() {}\n"
	keys := command.Keys(reflect.TypeFor[drafting.ProposeRequest]())
	for _, enc := range encodings {
		sc := packing(t, enc, map[string]string{"a.go": code})
		m := position.NewMapper(code, enc)
		place := func(from, to string) string {
			raw, _ := json.Marshal(protocol.Range{Start: m.Position(strings.Index(code, from)), End: m.Position(strings.Index(code, to))})
			return string(raw)
		}
		at := strings.Index(code, "é")
		for _, c := range []struct{ request, want string }{
			{`{}`, `{"files":["a.go"]}`},
			{`{"instruction":"x"}`, `{"files":["a.go"],"instruction":"x"}`},
			{`{"range":` + place("é", "func") + `}`, fmt.Sprintf(`{"selection":{"path":"a.go","start":%d,"end":%d}}`, at,
				strings.Index(code, "func"))},
			{`{"range":` + place("é", "é") + `}`, `{"files":["a.go"]}`},
			{`{"changes":"staged"}`, `{"changes":"staged"}`},
			{`{"folder":"b"}`, `{"folder":"b"}`},
			{`{"files":["b.go"]}`, `{"files":["b.go"]}`},
			{`{"selection":{"path":"b.go","start":1,"end":2}}`, `{"selection":{"path":"b.go","start":1,"end":2}}`},
		} {
			req, err := readCommandRequest(json.RawMessage(c.request))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := sc.request(req, keys); err != nil || string(got) != c.want {
				t.Errorf("%v: %s: %s, %v; want %s", enc, c.request, got, err, c.want)
			}
		}
		req, _ := readCommandRequest(json.RawMessage(`{"range":{"start":7}}`))
		if _, err := sc.request(req, keys); err == nil {
			t.Error("a range that is none is taken")
		}
		sc.Path = "."
		if got, err := sc.request(commandRequest{}, keys); err != nil || string(got) != "{}" {
			t.Errorf("of the folder: %s, %v", got, err)
		}
	}
}
