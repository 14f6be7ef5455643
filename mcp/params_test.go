package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var kinds = []param{
	{name: "text", kind: kindText, max: 20}, {name: "number", kind: kindNumber, min: 1, max: 5000}, {name: "texts", kind: kindTexts, max: 3},
	{name: "choice", kind: kindChoice, choices: []string{"both", "code"}}, {name: "flag", kind: kindFlag},
	{name: "objects", kind: kindObjects, max: 2},
}

// TestArgumentsAreTakenAsModelsSendThem has the arguments of one parameter each; an empty result is an argument left out, and one
// that begins with an exclamation mark part of the error.
func TestArgumentsAreTakenAsModelsSendThem(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{"text", `"a b"`, "a b"}, {"text", `""`, ""}, {"text", `" \n"`, ""}, {"text", `null`, ""}, {"text", `42`, "42"},
		{"text", `["one"]`, "one"}, {"text", `"[\"one\"]"`, `["one"]`}, {"text", `"2000"`, "2000"}, {"text", `"null"`, "null"},
		{"text", `["a", "b"]`, "!text: must be a string of 1 to 20 bytes"}, {"text", `{"a": 1}`, "!text: must be"}, {"text", `true`, "true"},
		{"text", `"` + strings.Repeat("x", 21) + `"`, "!text: must be"}, {"text", `[""]`, ""}, {"text", `[]`, "!text: must be"},
		{"number", `"2000"`, "2000"}, {"number", `" 2000 "`, "2000"}, {"number", `2000.0`, "2000"}, {"number", `"2e3"`, "2000"},
		{"number", `[2000]`, "2000"}, {"number", `["2000"]`, "2000"}, {"number", `""`, ""}, {"number", `"null"`, "!number: must be"},
		{"number", `"2k"`, "!number: must be a whole number from 1 to 5000, not"}, {"number", `"2.5"`, "!number: must be"},
		{"number", `"9000"`, "!number: must be"}, {"number", `true`, "!number: must be"}, {"number", `{}`, "!number: must be"},
		{"texts", `["a", "b"]`, "[a b]"}, {"texts", `"[\"a\", \"b\"]"`, "[a b]"}, {"texts", `"a"`, "[a]"}, {"texts", `["a", "", null]`, "[a]"},
		{"texts", `[""]`, ""}, {"texts", `[]`, ""}, {"texts", `"[]"`, ""}, {"texts", `""`, ""}, {"texts", `"a, b"`, "[a, b]"},
		{"texts", `"2026"`, "[2026]"}, {"texts", `["a","b","c","d"]`, "!texts: must be a list of at most 3 strings"}, {"texts", `[1]`, "!texts: must be"},
		{"texts", `[["a"]]`, "!texts: must be"}, {"texts", `{"a": 1}`, "!texts: must be"}, {"texts", `"{\"a\""`, `[{"a"]`},
		{"choice", `"both"`, "both"}, {"choice", `"Both "`, "both"}, {"choice", `["code"]`, "code"}, {"choice", `""`, ""},
		{"choice", `"all"`, "!choice: must be one of both, code, not"}, {"choice", `1`, "!choice: must be"},
		{"flag", `true`, "true"}, {"flag", `"true"`, "true"}, {"flag", `"False"`, "false"}, {"flag", `""`, ""}, {"flag", `1`, "!flag: must be"},
		{"objects", `[{"a": 1}]`, `[{"a":1}]`}, {"objects", `"[{\"a\": 1}]"`, `[{"a":1}]`}, {"objects", `{"a": 1}`, `[{"a":1}]`},
		{"objects", `["{\"a\": 1}"]`, `[{"a":1}]`}, {"objects", `"{\"a\": 1}"`, `[{"a":1}]`}, {"objects", `""`, ""}, {"objects", `[null]`, ""},
		{"objects", `["x"]`, "!objects: must be a list of 1 to 2 objects"}, {"objects", `[1]`, "!objects: must be"},
	} {
		for _, raw := range []string{fmt.Sprintf(`{%q: %s}`, c.name, c.sent), fmt.Sprintf("%q", fmt.Sprintf(`{%q: %s}`, c.name, c.sent))} {
			if !json.Valid([]byte(raw)) { // Go quotes more than JSON does
				t.Fatal(raw)
			}
			a, err := read(kinds, json.RawMessage(raw))
			got := ""
			if v, there := a[c.name]; there && c.name == "objects" {
				got = string(v.(json.RawMessage))
			} else if there {
				got = fmt.Sprint(v)
			}
			if why, wrong := strings.CutPrefix(c.want, "!"); wrong && (err == nil || !strings.HasPrefix(err.Error(), why)) ||
				!wrong && (err != nil || got != c.want) {
				t.Errorf("%s: %v, %q, want %q", raw, err, got, c.want)
			}
		}
	}
	required := []param{{name: "task", kind: kindText, required: true}, {name: "paths", kind: kindTexts, required: true}}
	for _, raw := range []string{``, `null`, `""`, `{}`, `{"task": "", "paths": [""]}`, `{"task": null, "paths": []}`} {
		if _, err := read(required, json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), "task: is required") ||
			!strings.Contains(err.Error(), "paths: is required") {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, raw := range []string{`[]`, `"x"`, `7`} {
		if _, err := read(required, json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), "must be a JSON object") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// TestErrorsNameNoGoTypes has parameters of the wrong type for all methods.
func TestErrorsNameNoGoTypes(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	for method, cases := range map[string]map[string]string{
		"initialize": {`{"protocolVersion":7}`: "protocolVersion: must be a string", `[]`: "params: must be an object",
			`{"protocolVersion":"2025-11-25","capabilities":7}`: "capabilities: must be an object"},
		"tools/call":          {`{"name":7}`: "name: must be a string", `7`: "", `{"name":{"a":[]}}`: "name: must be a string"},
		"tools/list":          {`{"cursor":[7]}`: "cursor: must be a string"},
		"resources/read":      {`{"uri":true}`: "uri: must be a string"},
		"resources/subscribe": {`{"uri":{}}`: "uri: must be a string"},
		"prompts/get":         {`{"name":"recall","arguments":[]}`: "arguments: must be an object"},
		"logging/setLevel":    {`{"level":7}`: "level: must be a string"},
		"completion/complete": {`{"ref":7}`: "ref: must be an object"},
	} {
		for params, want := range cases {
			r := dialRaw(t, Options{Root: dir})
			if method != "initialize" {
				r.call(1, false, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{}}`)
			}
			m := r.call(2, false, method, params)
			if m.Error == nil || strings.Contains(m.Error.Message, "Go ") || strings.Contains(m.Error.Message, "mcp.") ||
				strings.Contains(m.Error.Message, "Params") || want != "" && m.Error.Message != want {
				t.Errorf("%s %s: %+v", method, params, m.Error)
			}
		}
	}
}

// TestNothingIsForOthersToKeep has the results that caches of several users could hold.
func TestNothingIsForOthersToKeep(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir})
	r.hello("2025-11-25")
	for i, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list", "resources/read"} {
		if m := r.call(10+i, false, method, `{"uri":"brv://index"}`); m.Result["cacheScope"] != "private" {
			t.Errorf("%s: %v", method, m.Result["cacheScope"])
		}
	}
}
