package format

import (
	"fmt"
	"strings"
	"testing"
)

// accountedFor checks Format(Parse(x)) == x in the form in which it holds here:
// the text is the file, its parts lie in it side by side, and revising an entry
// with what it says, or setting a field to what it is, changes nothing.
func accountedFor(t *testing.T, e *Entry) {
	t.Helper()
	if e.Text == "" {
		return
	}
	if e.Body.End != len(e.Text) || e.Frontmatter.End > e.Body.Start && len(e.Fields) > 0 {
		t.Fatalf("frontmatter %v and body %v are not the whole of %d bytes", e.Frontmatter, e.Body, len(e.Text))
	}
	last := e.Frontmatter.Start
	for _, f := range e.Fields {
		if f.KeyAt.Start < last || f.At.Start > f.KeyAt.Start || f.At.End > e.Frontmatter.End {
			t.Fatalf("field %s at %v overlaps what ends at %d", f.Key, f.At, last)
		}
		last = f.At.End
	}
	var rebuilt strings.Builder
	rebuilt.WriteString(e.Text[:e.Body.Start])
	at := e.Body.Start
	for _, s := range e.Sections {
		rebuilt.WriteString(e.Text[at:s.Heading.Start])
		rebuilt.WriteString(s.Heading.Of(e.Text))
		if at = s.Heading.End; s.At.Start != s.Heading.Start || s.At.End < s.Heading.End {
			t.Fatalf("section %q at %v has its heading at %v", s.Title, s.At, s.Heading)
		}
	}
	rebuilt.WriteString(e.Text[at:])
	if rebuilt.String() != e.Text {
		t.Fatalf("the sections put together give\n%q\nand not\n%q", rebuilt.String(), e.Text)
	}
	if text, losses := e.Revise(Revision{Content: e.Content()}); text != e.Text || len(losses) > 0 {
		t.Fatalf("its own content is a change: %s%v", changedLines(e.Text, text), losses)
	}
}

func TestProblemsAreCapped(t *testing.T) {
	var b strings.Builder
	b.WriteString("---\n")
	for i := range 100 {
		fmt.Fprintf(&b, "key%d: x\n", i)
	}
	b.WriteString("---\n")
	for range 150 {
		b.WriteString("## Facts\n- a [nothing]\n\u202e\u202d\n")
	}
	e := Parse("a/b/c.md", b.String())
	last := e.Problems[len(e.Problems)-1]
	if len(e.Problems) != MaxProblems || last.Code != CodeMore || last.Message != "70 more problems in this entry are not listed" {
		t.Errorf("%d problems, the last is %+v", len(e.Problems), last)
	}
}

func TestInvisibleText(t *testing.T) {
	for text, want := range map[string]string{
		"plain — ünïcode 設計 😀":          "",
		"\ufeff# with a BOM":            "",
		"a\ufeffb":                      "U+FEFF",
		"a\u202eb \u202d\nc\u2066d":     "U+202E U+2066",
		"zero\u200bwidth":               "U+200B",
		"می\u200cخواهم":                 "", // a joiner inside a word
		"👨\u200d👩\u200d👧 and ❤️\u200d🔥": "",
		"end\u200d":                     "U+200D",
		"\u200d":                        "U+200D",
		"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F flag": "",
		"x\U000e0041\U000e0042":      "U+E0041",
		"---\ntitle: a\u202e\n---\n": "U+202E",
	} {
		var got []string
		for _, p := range Parse("a/b/c.md", text).Problems {
			got = append(got, p.Message[strings.Index(p.Message, "U+"):])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if n := len(Parse("a/b/c.md", strings.Repeat("\u202e\n", 100)).Problems); n != maxInvisible {
		t.Errorf("%d problems, want %d", n, maxInvisible)
	}
}

func TestUnknownFields(t *testing.T) {
	const text = "---\ntitle: x\ntype: synthesis\nsources: [a]\ncreated_at: 2026-01-01\nTag: [a]\nowner: kim\n---\n"
	var got []string
	for _, p := range Parse("a/b/c.md", text).Problems {
		got = append(got, p.Message)
	}
	want := []string{
		"unknown key created_at; did you mean createdAt?",
		"unknown key Tag; did you mean tags?",
		"unknown key owner is kept but not used",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
	if ps := Parse("a/b/_index.md", text).Problems; len(ps) > 0 {
		t.Errorf("a generated file has problems: %v", ps)
	}
}

func TestDuplicateSections(t *testing.T) {
	const text = "## Facts\n## Raw Concept\n**Task:** a\n**task:** b\n## Narrative\n### Features\n### Highlights\n### Own\n### " +
		"Own\n## facts\n```\n## Facts\n```\n# Facts\n## Own\n### Rules\n### Rules\n"
	var got []string
	for _, p := range Parse("a/b/c.md", text).Problems {
		got = append(got, p.At.Of(text))
	}
	if want := "### Highlights|## facts|**task:**"; strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
}

func TestTokensAreCountedOnce(t *testing.T) {
	e := Parse("a/b/c.md", "one two three")
	if e.Tokens() != 3 || e.tokens.Load() != 4 {
		t.Errorf("%d tokens, %d kept", e.Tokens(), e.tokens.Load())
	}
	if got := (&Entry{Text: "one two"}).Tokens(); got != 2 {
		t.Errorf("an entry that was not parsed: %d", got)
	}
	if empty := Parse("a/b/c.md", ""); empty.Tokens() != 0 || empty.tokens.Load() != 1 {
		t.Error("nothing is counted each time")
	}
}
