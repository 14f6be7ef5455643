package format

import (
	"strings"
	"testing"
)

// TestFrontmatterThatIsNotRead says of each text what is reported of its frontmatter, and the title that is read all the same.
func TestFrontmatterThatIsNotRead(t *testing.T) {
	for _, c := range []struct{ text, title, says string }{
		// what is lost is told
		{"\n---\ntitle: A\n---\n", "c", "must begin on the first line"},
		{"\n\n---\ntitle: A\n---\n", "c", "must begin on the first line"},
		{" \n---\ntitle: A\n---\n", "c", "must begin on the first line"},
		{"\t\r\n---\r\ntitle: A\r\n---\r\n", "c", "must begin on the first line"},
		{"\ufeff\n---\ntitle: A\n---\n", "c", "must begin on the first line"},
		{" ---\ntitle: A\n---\n", "c", "must begin on the first line"},
		{"---\ntitle: A\n", "c", "not closed"},
		{"---\ntitle: {{title}}\n---\n", "c", "takes text, not a mapping"},
		{"---\ntitle: {a: b}\n---\n", "c", "takes text, not a mapping"},
		{"---\ntitle: [a, b]\n---\n", "c", "takes one value, not a list"},
		{"---\ntitle: A\ntitle: B\n---\n", "B", "occurs twice"},
		{"---\ntitle: A\n---x\n", "c", "not closed"},
		// the message names the cause
		{"---\ntitle: %x%\ntags: [a]\n---\n", "c", "put the value of title in quotes: a value cannot begin with @, `, %"},
		{"---\ntitle: `x`\n---\n", "c", "put the value of"},
		{"---\nsummary: @x y\ntitle: A\n---\n", "A", "put the value of"},
		{"---\n\tsummary: x\ntitle: A\n---\n", "A", "indent with spaces"},
		{"---\nsummary: A: B\ntitle: A\n---\n", "A", "not valid YAML"},
		{"---\nsummary: \"x\ntitle: A\n---\n", "A", "not valid YAML"},
		{"---\nsummary: 'x\ntitle: A\n---\n", "A", "not valid YAML"},
		{"---\ntags: [a\ntitle: A\n---\n", "A", "not valid YAML"},
		{"---\nsummary: &x y\ntitle: A\n---\n", "A", "anchors, aliases and tags"},
		{"---\nsummary: *x\ntitle: A\n---\n", "A", "anchors, aliases and tags"},
		{"---\ntags: !x [a]\ntitle: A\n---\n", "A", "anchors, aliases and tags"},
		{"---\ntags: [%x, y]\ntitle: A\n---\n", "A", "cannot begin with"},
		{"---\nsummary: A: B\ntitle: A\n---\n", "A", "put the value of summary in quotes"},
		{"---\nsummary: \"x\" y\ntitle: A\n---\n", "A", "put the value of summary in quotes"},
		{"---\nsummary: 'it's'\ntitle: A\n---\n", "A", "put the value of summary in quotes"},
		{"---\nsummary: [draft] x\ntitle: A\n---\n", "A", "put the value of summary in quotes"},
		{"---\nsummary: {x} y\ntitle: A\n---\n", "A", "put the value of summary in quotes"},
		{"---\nsummary: - x\ntitle: A\n---\n", "A", "put the value of summary in quotes"},
		{"---\nsummary: A: B\n  and: C\ntitle: A\n---\n", "A", "not valid YAML: mapping values"},
		{"---\ntags: [a, b\ntitle: A\n---\n", "A", "did not find expected ',' or ']'"},
		{"---\ntitle: A\nrelated: a/b/x.md, a/b/y.md\n---\n", "A", "related: [a, b]"},
		{"---\ntitle: A\ntags: x, y\n---\n", "A", "tags: [a, b]"},
		{"---\ntitle: A\nquestions: If so, why?\n---\n", "A", ""},
		{"---\ntitle: A\nrelated: [[tokens]]\n---\n", "A", "put a link in quotes"},
		{"---\ntitle: A\nrelated:\n- [[tokens]]\n---\n", "A", "put a link in quotes"},
		{"---\ntitle: A\nrelated: [\"[[tokens]]\", 'a]]']\n---\n", "A", ""},
		{"---\ntitle: A\nrelated: [\"#12\"]\n---\n", "A", "#12 in related names no entry"},
		{"---\n: x: y\ntitle: A\n---\n", "A", "not valid YAML: did not find expected key"},
		// a comment, perhaps
		{"---\ntitle: A #12\n---\n", "A", "after # as a comment"},
		{"---\ntitle: A\ntags: #x #y\n---\n", "A", "after # as a comment"},
		{"---\ntitle: A\ntags:\n- x\n- #y\n---\n", "A", "after # as a comment"},
		{"---\ntitle: A # by ann\ntags: ['#x', a#b]\nsummary: |\n  x #y\n---\n", "A", ""},
		// what stands above it
		{"# T\n---\ntitle: A\n---\n", "T", "must begin on the first line"},
		{"# T\n\n---\ntitle: A\n---\n", "T", "must begin on the first line"},
		{"```yaml\n---\ntitle: A\n---\n```\n", "c", "must begin on the first line"},
		{"<!-- x -->\n---\ntitle: A\n---\n", "c", "must begin on the first line"},
		{"# T\n---\nport: 80\n---\n", "T", ""},
		{"# T\ntext\n\n---\ntitle: A\n---\n", "T", ""},
	} {
		e := Parse("a/b/c.md", c.text)
		var said []string
		for _, p := range e.Problems {
			said = append(said, p.Message)
		}
		if all := strings.Join(said, "; "); e.Title != c.title || !strings.Contains(all, c.says) || c.says == "" && all != "" {
			t.Errorf("%q: title %q, says %q", c.text, e.Title, all)
		}
	}
}

// TestMixedLineEnds adds a fact to texts with both line ends: the lines that were there keep theirs.
func TestMixedLineEnds(t *testing.T) {
	const head = "---\r\ntitle: T\r\n---\r\n## Facts\r\n"
	for _, body := range []string{
		"- **a**: 1\n", "- **a**: 1\r\n- **b**: 2\n", "- **a**: 1\n- **b**: 2\r\n", "- **a**: 1\n\r\ntext\n", "- **a**: 1", "\n- **a**: 1\r\n",
		"- **a**: 1\n- **b**: 2\n\n---\r\n\nx\n", "- a\n  - b\r\n", "| x | y |\n|-|-|\r\n| a | 1 |\n", "- **a**: 1\r\n\n## Other\n- x\r\n",
	} {
		got, _ := Parse("a/b/c.md", head+body).Revise(Revision{Content: Content{Facts: []Fact{{Subject: "new", Statement: "9"}}}})
		rest := got
		for line := range strings.Lines(strings.TrimRight(head+body, "\r\n")) { // the last may be joined to what is new
			if strings.TrimSpace(line) == "" {
				continue
			}
			if i := strings.Index(rest, strings.TrimRight(line, "\n")); i < 0 || strings.HasSuffix(line, "\n") && !strings.HasPrefix(rest[i:], line) {
				t.Errorf("%q became %q: %q is another line", body, got, line)
				break
			} else {
				rest = rest[i:]
			}
		}
		if !strings.Contains(got, "**new**: 9") {
			t.Errorf("%q became %q", body, got)
		}
	}
}
