package llm

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type toolArguments struct {
	Query string `json:"query" about:"words to \"look\" for"`
	Limit int    `json:"limit,omitempty" about:"most results"`
	Whole bool   `json:"whole,omitempty"`
}

func TestSchemaSaysWhatIsRead(t *testing.T) {
	tool := NewTool("find", "Finds.", func(_ context.Context, a toolArguments) (string, error) {
		text, err := json.Marshal(a)
		return string(text), err
	})
	want := `{"type":"object","properties":{"query":{"type":"string","description":"words to \"look\" for"},` +
		`"limit":{"type":"integer","description":"most results"},"whole":{"type":"boolean"}},` +
		`"required":["query"],"additionalProperties":false}`
	if string(tool.Parameters) != want {
		t.Errorf("got %s", tool.Parameters)
	}
	for arguments, want := range map[string]string{
		`{"query":"a","limit":3,"whole":true}`: `{"query":"a","limit":3,"whole":true}`,
		`{"query":"a","limit":null}`:           `{"query":"a"}`,
		`{"query":"a","limit":"3"}`:            `error: argument limit: "3" is not of type integer; find takes query (string), limit (integer, optional), whole (boolean, optional)`,
		`{"query":"a","limit":2.5}`:            `error: argument limit: 2.5 is not of type integer`,
		`{"Query":"a"}`:                        `error: argument query is missing`,
		`{"query":null}`:                       `error: argument query is missing`,
		`{"query":"a","z":1,"b":2}`:            `error: there is no argument "b"`,
		`null`:                                 `error: the arguments are not a JSON object`,
		`"query"`:                              `error: the arguments are not a JSON object`,
	} {
		got, err := tool.Run(t.Context(), json.RawMessage(arguments))
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s", arguments, got)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"query":"a"}`, `{"query":"a","limit":1e9}`, `[]`, `{"query":{}}`, `{"query":"a","query":"b"}`,
		"{\"\xff\":1}"} {
		f.Add(s)
	}
	tool := NewTool("find", "Finds.", func(_ context.Context, a toolArguments) (string, error) { return a.Query, nil })
	f.Fuzz(func(t *testing.T, arguments string) {
		if text, err := tool.Run(t.Context(), json.RawMessage(arguments)); err != nil && text != "" {
			t.Errorf("both %q and %v", text, err)
		} else if err == nil && !json.Valid([]byte(arguments)) {
			t.Errorf("read %q", arguments)
		}
	})
}

func TestFieldsThatAreNoArguments(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("taken")
		}
	}()
	NewTool("x", "", func(context.Context, struct{ A []string }) (string, error) { return "", nil })
}
