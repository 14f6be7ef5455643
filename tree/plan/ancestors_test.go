package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestMergesKeepTheirLineage merges two entries at once into one that has a lineage, of which
// one has a lineage, too.
func TestMergesKeepTheirLineage(t *testing.T) {
	files := map[string]*format.Entry{}
	for p, text := range map[string]string{
		"a/b/kept.md": "---\ntitle: Kept # mine\nconsolidated_from: [{date: '2026-01-01', path: a/b/first.md}]\nrelated: " +
			"[a/b/one.md]\nowner: x\n---\n## Narrative\n### Rules\n- kept\n",
		"a/b/one.md": "---\ntitle: One\nimportance: 80\nrecency: 0.4\nmaturity: validated\naccessCount: 2\nupdateCount: " +
			"1\nrelated: [a/b/far.md]\n---\n## Narrative\n### Rules\n- one\n",
		"a/b/two.md": "---\ntitle: Two\nconsolidated_at: \"2026-02-02\"\nconsolidated_from:\n  - {date: 2026-02-02, path: " +
			"a/b/old.md, reason: \"was: the same\"}\n---\n## Narrative\n### Rules\n- two\n",
		"a/b/far.md": "---\ntitle: Far\nrelated: [a/b/two.md]\n---\n",
	} {
		files[p] = format.Parse(p, text)
	}
	var ops []Op
	for _, from := range []string{"a/b/one.md", "a/b/two.md"} {
		ops = append(ops, Op{Type: OpMerge, Path: from, MergeTarget: "a/b/kept.md", Reason: "one subject", Lineage: true})
	}
	p := New((&tree.Snapshot{}).Update(files), Batch{Ops: ops, Atomic: true, Hold: HoldNone}.Screen(),
		Inputs{Now: time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)})
	e, ok := p.After.Entry("a/b/kept.md")
	if !ok {
		t.Fatal(p.Results)
	}
	want := `---
title: Kept # mine
consolidated_from: [{date: '2026-01-01', path: a/b/first.md}, {date: "2026-03-03T00:00:00.000Z", path: a/b/one.md, reason: "one subject"}, {date: "2026-02-02", path: a/b/old.md, reason: "was: the same"}, {date: "2026-03-03T00:00:00.000Z", path: a/b/two.md, reason: "one subject"}]
related: [a/b/far.md]
maturity: validated
owner: x
consolidated_at: '2026-03-03T00:00:00.000Z'
---
## Narrative
### Rules
- kept

- one

- two
`
	if diff := cmp.Diff(want, e.Text); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, _ := p.After.Counted("a/b/kept.md"); got != (format.Signals{Importance: 90, Recency: 1, Maturity: format.Core,
		AccessCount: 2, UpdateCount: 3, Has: true}) {
		t.Errorf("counted: %+v", got)
	}
	if far, _ := p.After.Entry("a/b/far.md"); far.Text != "---\ntitle: Far\nrelated: [a/b/kept.md]\n---\n" {
		t.Errorf("relations: %s", far.Text)
	}
}
