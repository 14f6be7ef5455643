package digest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestPlainProse(t *testing.T) {
	for text, want := range map[string]string{
		"see @a/b/c.md#x, [this](../d.md \"t\") and [[e/f|that]] or [[g]].": "see a/b/c.md#x, this and that or g.",
		"![picture](a.png) `@kept/here` @types":                             "picture `@kept/here` @types",
		"a `loose tick @a/b":                                                "a 'loose tick a/b",
		" white\t\nspace ":                                                  "white space",
		"[[[[a](x)](y)](z)](w)":                                             "(a)(w)",
		"[site](https://example.org) stays":                                 "[site](https://example.org) stays",
	} {
		if got := plainProse(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"One sentence. Another one that is long.", 20, "One sentence."},
		{"Nothing ends in this line of words", 20, "Nothing ends in…"},
		{"Here is `inline code` in words", 20, "Here is…"},
		{"設計設計設計設計", 12, "設計設…"},
		{"words", 0, ""},
	} {
		if got := clip(c.text, c.n); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestSentences(t *testing.T) {
	text := `# Title

Wrapped prose that goes
on here. And a second sentence.

| a | table |

## Reason
Nobody needs to know.

## Raw Concept
**Task:** do the thing at hand

**Author:** someone

**Note:** labels of prose stay

## Narrative
### Rules
- never do that, says the
  wrapped rule
1. numbered rule of three
- an introduction that ends in a colon:

` + "```go\n// not prose at all\n```" + `

## Facts
- **subject**: stated here [project]
`
	got := sentencesOf(format.Parse("a/b/c.md", text))
	want := []string{
		"Wrapped prose that goes on here.", "And a second sentence.", "do the thing at hand", "**Note:** labels of prose stay",
		"never do that, says the wrapped rule", "numbered rule of three", "subject: stated here",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
