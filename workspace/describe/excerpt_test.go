package describe

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestExcerptEndsWithNoHeading(t *testing.T) {
	rules := strings.Repeat("- a rule\n", excerptLines-3)
	for _, c := range []struct{ body, want string }{
		{"## Narrative\n" + rules + "### Dates\n**When:**\n- one\n", "- a rule"},
		{"## Narrative\n" + rules + "### Dates\n- one\n- two\n", "- one"},
		{"## Narrative\n" + rules + "```\n# include\n# define\n```\n", "# include\n```"},
		{"## Narrative\n", "## Narrative"}, // it is not cut
	} {
		e := format.Parse("domain/topic/entry.md", "---\ntitle: Entry\n---\n"+c.body)
		if got := Excerpt(e); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q: the excerpt is %q, want %q at its end", c.body, got, c.want)
		}
	}
}
