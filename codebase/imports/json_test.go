package imports

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCommentsAndTrailingCommasAreRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1, /* x */ "b": [1, 2, ], } // end`:    `{"a":1,"b":[1,2]}`,
		"\ufeff{\"a\": \"// not, /* a */ comment,\"}": `{"a":"// not, /* a */ comment,"}`,
		`{"a": "\",}"}`: `{"a":"\",}"}`,
		"[1, // one\n]": `[1]`,
	} {
		var v any
		if err := decodeJSONC(text, &v); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, _ := json.Marshal(v); string(got) != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestDeepJSONIsNotRead(t *testing.T) {
	if err := decodeJSONC(strings.Repeat("[", 1<<20), new(any)); err == nil {
		t.Error("read")
	}
}

// FuzzJSONC checks that plain JSON reads as it does without this package.
func FuzzJSONC(f *testing.F) {
	f.Add(`{"compilerOptions": {"paths": {"@/*": ["./src/*",]}}} // x`)
	f.Add(`/*`)
	f.Add(`"\`)
	f.Fuzz(func(t *testing.T, text string) {
		out := plainJSON(text)
		if json.Valid([]byte(text)) && strings.TrimSpace(string(out)) != strings.TrimSpace(text) {
			t.Errorf("valid JSON changed: %q", out)
		}
	})
}
