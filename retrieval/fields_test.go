package retrieval

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

func FuzzNewDoc(f *testing.F) {
	f.Add(
		"---\ntitle: What the HTTPServer is\ntags: [net, http/2]\n---\n\n## Retry budget\n`retryBudget` isn't RETRY_BUDGET; 検索 café.\n")
	f.Add("# 令牌\n\nThe of and it.")
	f.Add("\xff\xfe\ufffda\xc3")
	f.Fuzz(func(t *testing.T, content string) {
		d, terms := newDoc(format.Parse("a/b/c.md", content))
		total := int32(0)
		for _, n := range d.len {
			total += n
		}
		seen := map[string]bool{}
		for _, at := range terms {
			if at.term == "" || at.tally == 0 || seen[at.term] {
				t.Fatalf("term %q: %x", at.term, at.tally)
			}
			seen[at.term] = true
			for f := range numFields {
				total -= int32(at.tally.count(f))
			}
		}
		if total < 0 {
			t.Fatalf("%d more occurrences than tokens", -total)
		}
	})
}
