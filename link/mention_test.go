package link

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
)

func TestCodeSpansAreThoseOutsideFences(t *testing.T) {
	for text, want := range map[string][]string{
		"a `b` c ` d ` `` e`f ``":       {"b", "d", "e`f"},
		"`a\n`b` c":                     {"b"},
		"```go\n`a`\n```\n`b`":          {"b"},
		"~~~\n`a`\n```\n`b`\n~~~~\n`c`": {"c"},
		"````\n```\n`a`\n````\n`b`":     {"b"},
		"```\n`never closed`":           nil,
		"``` `a` ```":                   {"`a`"},
		"    ```\n`a`":                  {"a"}, // indented by four: no fence
		"``":                            nil,
		"` `":                           {""},
		"``` x `y` z":                   {"y"},
		"`a`\r\n`b`\r\n":                {"a", "b"},
	} {
		var got []string
		for _, at := range codeSpans(text, tree.Span{Start: 0, End: len(text)}) {
			got = append(got, at.Of(text))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

// Quadratic work would take minutes on these.
func TestHostileBodiesAreScannedInReasonableTime(t *testing.T) {
	for _, unit := range []string{"`", "`a", "` ", "`` ` ", "```\n", "`a\n", "~~~\n"} {
		text := strings.Repeat(unit, (1<<20)/len(unit))
		codeSpans(text, tree.Span{Start: 0, End: len(text)})
	}
	var stairs strings.Builder // runs of all lengths
	for n := 1; stairs.Len() < 1<<20; n++ {
		stairs.WriteString(strings.Repeat("`", n) + " ")
	}
	codeSpans(stairs.String(), tree.Span{Start: 0, End: stairs.Len()})
}

func FuzzCodeSpansLieInTheBody(f *testing.F) {
	f.Add("a `b` ``c``\n```\nd\n```", 0)
	f.Add("---\ntitle: x\n---\n`x()` `a.b` `é`", 5)
	f.Fuzz(func(t *testing.T, text string, start int) {
		if start < 0 || start > len(text) {
			return
		}
		body := tree.Span{Start: start, End: len(text)}
		last := start
		for _, at := range codeSpans(text, body) {
			if at.Start < last || at.End < at.Start || at.End > len(text) {
				t.Fatalf("span %v behind %d in %d bytes", at, last, len(text))
			}
			if utf8.ValidString(text) && !utf8.ValidString(at.Of(text)) {
				t.Errorf("%q cuts a character", at.Of(text))
			}
			last = at.End
			name.MatchString(at.Of(text))
		}
	})
}
