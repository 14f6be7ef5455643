package format

import (
	"strings"
	"testing"
)

// TestRevisionKeepsLineEnds: lines that a revision does not name keep their ends, in files that have both. ~ stands for CRLF.
func TestRevisionKeepsLineEnds(t *testing.T) {
	crlf := strings.NewReplacer("~", "\r\n")
	fact := Content{Facts: []Fact{{Subject: "c", Statement: "three"}}}
	for _, test := range []struct {
		text, want string
		revision   Revision
	}{
		{"---~title: E~---~## Facts~- **a**: one~- **b**: two\n", "---~title: E~---~## Facts~- **a**: one~- **b**: two\n- **c**: three\n",
			Revision{Content: fact}},
		{"## Facts\n- **a**: one\n- **b**: two~", "## Facts\n- **a**: one\n- **b**: two~- **c**: three~", Revision{Content: fact}},
		{"## Facts~- **a**: one\n- **b**: two~", "## Facts~- **a**: one\n- **b**: two~- **c**: three~", Revision{Content: fact}},
		{"## Facts~- **a**: one~- **b**: two", "## Facts~- **a**: one~- **b**: two~- **c**: three", Revision{Content: fact}},
		{"## Facts~- **c**: two\n\nx\n\n## Y~z\n", "## Facts~- **c**: three\n\nx\n\n## Y~z\n", Revision{Content: fact}},
		{"# T~\nx\n", "# T~\nx\n~## Facts~- **c**: three\n", Revision{Content: fact}},
		{"## Narrative~### Rules~- a\n- b~- c\n### Examples\nx~", "## Narrative~### Rules~- a\n- new~- c\n### Examples\nx~",
			Revision{Content: Content{Narrative: Narrative{Rules: "- a\n- new\n- c"}}, Replace: []Part{PartRules}}},
		{"---~title: E\nrelated: [a/b]~---~x\n", "---~title: E\nrelated: [a/b, c/d.md]~---~x\n", Revision{Content: Content{Relations: []string{"a/b", "c/d"}}}},
		{"---~title: E\nrelated:~  - a/b\n---~x\n", "---~title: E\nrelated:~  - a/b\n  - c/d.md\n---~x\n", Revision{Content: Content{Relations: []string{"a/b", "c/d"}}}},
	} {
		got, _ := Parse("a/b/e.md", crlf.Replace(test.text)).Revise(test.revision)
		if got != crlf.Replace(test.want) {
			t.Errorf("%q\ngot  %q\nwant %q", test.text, strings.ReplaceAll(got, "\r\n", "~"), test.want)
		}
	}
}
