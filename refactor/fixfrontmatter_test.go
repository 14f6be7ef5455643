package refactor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// spelled is a list of fixes: a star before what is preferred, a minus before what cannot
// be chosen.
func spelled(fixes []refactor.Fix) string {
	var out []string
	for _, f := range fixes {
		switch {
		case f.Preferred:
			f.Title = "*" + f.Title
		case f.Disabled != "":
			f.Title = "-" + f.Title
		}
		out = append(out, f.Title)
	}
	return strings.Join(out, "; ")
}

func TestFixesOfFrontmatter(t *testing.T) {
	key := "gh" + "p_" + strings.Repeat("a1B2c3", 6) // a token's form
	for _, c := range []struct{ name, fields, want string }{
		{"a word for a number", "importance: high", "*Remove `importance: high`"},
		{"over the bound, in quotes", `importance: "101" # all`, "*Remove `importance: 101`"},
		{"nothing", "updatedAt:", "*Remove `updatedAt`"},
		{"a list for a word", "maturity: [core, draft]", "*Remove `maturity`"},
		{"a list of one", "title: [x]", "*Remove `title: x`"},
		{"too long for a title", "maturity: " + strings.Repeat("long ", 20), "*Remove `maturity`"},
		{"a secret", "maturity: " + key, "*Remove `maturity`"},
		{"two of different values", "tags: [a]\ntags: [b]", "Remove the second `tags`; Remove the first `tags`, which is not used"},
		{"two of one value", "tags: [a]\ntags: [a]", "*Remove the second `tags`"},
		{"three", "tags: [a]\ntags: [a]\ntags: [b]",
			"*Remove the second `tags`; Remove the repeated `tags`; Remove the first `tags`, which is not used"},
		{"two, of which one cannot be read", "importance: high\nimportance: 50",
			"*Remove `importance: high`; Remove the second `importance`; Remove the first `importance`, which is not used"},
		{"not YAML", "tags: [a\nimportance: 3", ""},
		{"anchors", "importance: &a high", ""},
		{"alone on its line", "{importance: high}", "*Remove `importance: high`"},
		{"with another on its line", "{title: A, importance: high}", ""},
	} {
		e := map[string]string{"a/b/c.md": "---\n" + c.fields + "\n---\nText.\n"}
		fixes := refactor.Repairs(project(e), "a/b/c.md", markdown.Span{Start: 0, End: len(e["a/b/c.md"])})
		if got := spelled(fixes); got != c.want {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
		var ids []string
		for _, f := range fixes {
			if f.Sure || f.Repairs != format.CodeFrontmatter || slices.Contains(ids, f.ID) {
				t.Errorf("%s: %+v", c.name, f)
			}
			ids = append(ids, f.ID)
			change, err := f.Plan()
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			after, _ := applied(t, e, change)
			before, now := format.Parse("a/b/c.md", e["a/b/c.md"]), format.Parse("a/b/c.md", after["a/b/c.md"])
			if len(now.Problems) >= len(before.Problems) || len(now.Fields) != len(before.Fields)-1 {
				t.Errorf("%s: %s leaves %q", c.name, f.Title, after["a/b/c.md"])
			}
		}
	}
}
