package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
)

// token is a credential; it is put together here so that this file has none.
var token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

// Where a credential or something invisible can stand in a request, none goes out.
func TestGuard(t *testing.T) {
	split := token[:10] + "\u200b" + token[10:20] + "\U000e0041" + token[20:]
	dirty := "a " + token + " b " + split + " c\u202ed"
	clean := "a [REDACTED:github-token] b [REDACTED:github-token] cd"
	r := llm.Request{
		System: dirty, Temperature: 0.5, MaxTokens: 5, NoCalls: true,
		Messages: []llm.Message{
			{Role: llm.RoleUser, Text: dirty},
			{Role: llm.RoleAssistant, Text: dirty, Calls: []llm.Call{{ID: "1", Tool: "f",
				Arguments: raw(`{"a": "` + dirty + `", "n": [1.50, null, "\u200bx"]}`)}, {ID: "2", Tool: "f", Arguments: raw(dirty)}}},
			{Role: llm.RoleTool, Results: []llm.CallResult{{ID: "1", Text: dirty, IsError: true}, {ID: "2", Text: "plain"}}},
		},
		Tools:  []llm.Tool{{Name: "f", Description: dirty, Parameters: raw(`{"description": "` + dirty + `"}`)}},
		Schema: &llm.Schema{Name: "s", JSON: raw(`{"description": "` + dirty + `"}`)},
	}
	want := llm.Request{
		System: clean, Temperature: 0.5, MaxTokens: 5, NoCalls: true,
		Messages: []llm.Message{
			{Role: llm.RoleUser, Text: clean},
			{Role: llm.RoleAssistant, Text: clean, Calls: []llm.Call{{ID: "1", Tool: "f",
				Arguments: raw(`{"a": "` + clean + `", "n": [1.50, null, "x"]}`)}, {ID: "2", Tool: "f", Arguments: raw(clean)}}},
			{Role: llm.RoleTool, Results: []llm.CallResult{{ID: "1", Text: clean, IsError: true}, {ID: "2", Text: "plain"}}},
		},
		Tools:  []llm.Tool{{Name: "f", Description: clean, Parameters: raw(`{"description": "` + clean + `"}`)}},
		Schema: &llm.Schema{Name: "s", JSON: raw(`{"description": "` + clean + `"}`)},
	}
	before, _ := json.Marshal(r.Messages)
	said := llm.Response{Text: dirty, Usage: llm.Usage{Input: 1, Output: 2}}
	m := llmtest.Record(llmtest.New(t, llmtest.Turn{Say: said}, llmtest.Turn{Err: errors.New("overloaded")}))
	got, err := llm.Guard(m).Complete(t.Context(), r)
	if diff := cmp.Diff(want, m.Requests()[0]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(said, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if after, _ := json.Marshal(r.Messages); string(after) != string(before) || r.Tools[0].Description != dirty ||
		!strings.Contains(string(r.Schema.JSON), token) {
		t.Error("the request itself was changed")
	}
	if _, err := llm.Guard(m).Complete(t.Context(), r); err == nil || err.Error() != "overloaded" {
		t.Error(err)
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func TestGuardOfNothingAndOfAGuard(t *testing.T) {
	m := llmtest.New(t)
	g := llm.Guard(m)
	if llm.Guard(nil) != nil || llm.Guard(g) != g || g.Name() != "scripted" {
		t.Error("a guard too many")
	}
}

// guarded is what a model gets to read of a message.
func guarded(t testing.TB, m llm.Message) llm.Message {
	t.Helper()
	var out llm.Message
	_, err := llm.Guard(modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
		out = r.Messages[0]
		return llm.Response{}, nil
	})).Complete(t.Context(), llm.Request{Messages: []llm.Message{m}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatIsNotSeenGoes(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":                            "a\tb\nc",
		"a\r\nb\x00\x1b[31mc\x7f\u0085":      "a\nb[31mc",
		"a\u200bb\u2060c\ufeffd\u00ade":      "abcde",
		"\u202eabc\u2066d\u2069\u200e\u061c": "abcd",
		"x\U000e0069\U000e0067\U000e007f":    "x",
		"a\U000e0101b\u034f\u3164":           "ab",
		"\xff\xfe":                           "\ufffd",
		"a\u200db \u200c1":                   "ab 1",
		"می\u200cخواهم":                      "می\u200cخواهم",
		"می\u200c\u200d\u200cخواهم":          "میخواهم", // a row of them joins nothing, and can carry text
		"👩\u200d💻 ❤\ufe0f":                   "👩\u200d💻 ❤\ufe0f",
		"👩\u200d":                            "👩",
		"grün 日本語 ¹":                         "grün 日本語 ¹",
	} {
		if got := guarded(t, llm.Message{Text: text}).Text; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestArgumentsStayJSON(t *testing.T) {
	word := "pass" + "word"
	for arguments, want := range map[string]string{
		`{"a":1.0,"b":[true,null,"x\ny"]}`:              `{"a":1.0,"b":[true,null,"x\ny"]}`,
		` {"a" : "\u00e9<&>\/"} `:                       ` {"a" : "\u00e9<&>\/"} `,
		`{"` + word + `":"hunter2-Xy9z-77"}`:            `{"` + word + `":"[REDACTED:assigned-secret]"}`,
		`{"text":"` + word + ` = \"hunter2-Xy9z-77\""}`: `{"text":"` + word + ` = \"[REDACTED:assigned-secret]\""}`,
		`{"a\u200bb":"\u202e<b>"}`:                      `{"ab":"<b>"}`,
		`{"` + token + `":1}`:                           `{"[REDACTED:github-token]":1}`,
		`"` + token + `"`:                               `"[REDACTED:github-token]"`,
		`{"broken":"` + token:                           `{"broken":"[REDACTED:github-token]`,
		``:                                              ``,
	} {
		got := string(guarded(t, llm.Message{Calls: []llm.Call{{Arguments: raw(arguments)}}}).Calls[0].Arguments)
		if got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
}

// Whatever stands in a message: it goes out without credentials and invisible characters, and
// JSON stays JSON.
func FuzzGuard(f *testing.F) {
	f.Add("a "+token, `{"a":"`+token+`"}`)
	f.Add("\u200b\u202e\xff👩\u200d💻", `{"pass`+`word":"\"hunter2-Xy9z-77"}`)
	f.Fuzz(func(t *testing.T, text, arguments string) {
		got := guarded(t, llm.Message{Text: text, Calls: []llm.Call{{Arguments: raw(arguments)}}})
		if strings.ContainsAny(got.Text, "\x00\r\u200b\u202e\u2066\U000e0041\ufeff") || strings.ToValidUTF8(got.Text, "") != got.Text {
			t.Errorf("%q", got.Text)
		}
		if json.Valid([]byte(arguments)) && !json.Valid(got.Calls[0].Arguments) {
			t.Errorf("%s became %s", arguments, got.Calls[0].Arguments)
		}
		if strings.Contains(got.Text, token) || len(secrets.Scan(got.Text)) > 2*len(secrets.Scan(text)) {
			t.Errorf("%q", got.Text)
		}
	})
}

// BenchmarkGuard sends a conversation of 1 MiB.
func BenchmarkGuard(b *testing.B) {
	page := strings.Repeat(
		"The session token is rotated once per `auth.Refresh`, see @auth/session/rotation.md; naïve retries break it.\n", 300)
	r := llm.Request{}
	for n := 0; n < 1<<20; n += len(page) {
		r.Messages = append(r.Messages, llm.Message{Role: llm.RoleTool, Results: []llm.CallResult{{Text: page}}})
	}
	m := llm.Guard(modelFunc(func(context.Context, llm.Request) (llm.Response, error) { return llm.Response{}, nil }))
	b.SetBytes(1 << 20)
	for b.Loop() {
		m.Complete(b.Context(), r)
	}
}
