package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
)

// TestMaterialIsInBytes gives what is to be drafted from in the client's terms and wants it
// in those of the workspace.
func TestMaterialIsInBytes(t *testing.T) {
	const code = "package a // 😀é\n\nfunc Sign() {}\n"
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
			own := asked[drafting.ProposeRequest](t, sc, proposeCommand, c.request)
			own.Author = ""
			if got, err := json.Marshal(own); err != nil || string(got) != c.want {
				t.Errorf("%v: %s: %s, %v; want %s", enc, c.request, got, err, c.want)
			}
		}
		sc.Path = "."
		if got := asked[drafting.ProposeRequest](t, sc, proposeCommand, "{}"); got.Files != nil {
			t.Errorf("of the folder: %+v", got)
		}
	}
}
