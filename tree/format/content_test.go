package format

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
)

// TestContent shows the content of each file as JSON, its problems, and whether
// it is written as it was read.
func TestContent(t *testing.T) {
	goldentest.Archives(t, "testdata/content/*.txtar", func(files []txtar.File) string {
		var b strings.Builder
		for _, f := range files {
			e := Parse(f.Name, string(f.Data))
			h := Header{Title: e.Title, Summary: e.Summary, Reason: e.Reason(), CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt}
			c := e.Content()
			b.WriteString(indented(c))
			for _, p := range e.Problems {
				b.WriteString(p.Severity.String() + " " + p.Code + ": " + p.Message + " at " + p.At.Of(e.Text) + "\n")
			}
			if Render(h, c) == e.Text {
				b.WriteString("written as it was read\n")
			}
		}
		return b.String()
	})
}

func indented(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestRenderAsReference writes what the reference system writes for such a
// content: an entry with every part, and one with almost none.
func TestRenderAsReference(t *testing.T) {
	at := time.Date(2026, 11, 20, 22, 44, 53, 579e6, time.FixedZone("CET", 3600))
	got := Render(Header{Title: "Burst size", Summary: "s", Reason: "r", CreatedAt: at, UpdatedAt: at},
		Content{Narrative: Narrative{Structure: "20 at once"}})
	want := "---\ntitle: Burst size\nsummary: s\ntags: []\nrelated: []\nkeywords: []\ncreatedAt: " +
		"'2026-11-20T21:44:53.579Z'\nupdatedAt: '2026-11-20T21:44:53.579Z'\n---\n## Reason\nr\n\n## Narrative\n### Structure\n20 " +
		"at once\n"
	if got != want {
		t.Error(changedLines(want, got))
	}
	got = Render(Header{Title: "x"}, Content{Relations: []string{"@a/b/c", "a/b/c.md", "a/b/d.md#Facts"},
		Snippets: []string{"\n## Heading\n", "```go\nopen"}})
	want = "---\ntitle: x\nsummary: ''\ntags: []\nrelated: [a/b/c.md, a/b/d.md#Facts]\nkeywords: []\n---\n---\n\n```\n## " +
		"Heading\n```\n\n---\n\n```go\nopen\n```\n"
	if got != want {
		t.Error(changedLines(want, got))
	}
}

// TestScalars checks quoting against what js-yaml's dump writes with flowLevel 1.
func TestScalars(t *testing.T) {
	for _, c := range []struct {
		in          string
		block, flow string
	}{
		{"plain words", "plain words", "plain words"}, {"", "''", "''"}, {"a: b", "'a: b'", "'a: b'"}, {"a:b", "a:b", "a:b"},
		{"a, b", "a, b", "'a, b'"},
		{"it's", "it's", "it's"}, {"'q'", "'''q'''", "'''q'''"}, {"a #b", "'a #b'", "'a #b'"}, {"#b", "'#b'", "'#b'"},
		{"a#b", "a#b", "a#b"},
		{"true", "'true'", "'true'"}, {"No", "'No'", "'No'"}, {"null", "'null'", "'null'"}, {"~", "'~'", "'~'"},
		{"12", "'12'", "'12'"}, {"1.5e3", "'1.5e3'", "'1.5e3'"},
		{"0x1F", "'0x1F'", "'0x1F'"}, {"1:30", "'1:30'", "'1:30'"}, {"2026-01-31", "'2026-01-31'", "'2026-01-31'"},
		{"v1.2", "v1.2", "v1.2"}, {"1.2.3", "1.2.3", "1.2.3"},
		{"@a/b", "'@a/b'", "'@a/b'"}, {"- x", "'- x'", "'- x'"}, {"-x", "'-x'", "'-x'"}, {"x -y", "x -y", "x -y"},
		{"[x]", "'[x]'", "'[x]'"}, {"x[0]", "x[0]", "'x[0]'"},
		{"a\nb", `"a\nb"`, `"a\nb"`}, {"tab\tx", `"tab\tx"`, `"tab\tx"`}, {`back\slash`, `back\slash`, `back\slash`},
		{"設計 😀", "設計 😀", "設計 😀"}, {"end:", "'end:'", "'end:'"}, {"why?", "why?", "why?"},
	} {
		if block, flow := yamlScalar(c.in, plain, false), yamlScalar(c.in, plain, true); block != c.block || flow != c.flow {
			t.Errorf("%q is written %s and %s, want %s and %s", c.in, block, flow, c.block, c.flow)
		}
	}
}
