package tree

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var testNow = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// TestOperations plans the batch of each archive's file "ops.json" on the tree of
// the others, and compares the results and the diff.
func TestOperations(t *testing.T) {
	golden(t, "testdata/ops/*.txtar", func(files []txtar.File) string {
		var entries []*Entry
		var b Batch
		for _, f := range files {
			if f.Name != "ops.json" {
				entries = append(entries, Parse(f.Name, string(f.Data)))
				continue
			}
			var err error
			if b, err = ParseBatch(f.Data); err != nil {
				return "error: " + err.Error() + "\n"
			}
		}
		p := newPlan(NewSnapshot(entries, nil), b, Inputs{Now: stampOf(testNow)})
		if broken := newlyBroken(p); len(broken) > 0 {
			t.Errorf("relations broken without being named: %q", broken)
		}
		results, err := json.MarshalIndent(p.results, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		counts, err := json.Marshal(p.summary)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		fmt.Fprintf(&out, "%s\n%s\n%s", counts, results, diffOf(p.base, p.tree, p.changed()))
		for _, h := range p.held {
			fmt.Fprintf(&out, "held %d, on %d entries:\n%s", h.index, len(h.base), h.diff)
		}
		return out.String()
	})
}

// newlyBroken are the relations that led somewhere before the batch, lead nowhere
// after it, and are named in no result.
func newlyBroken(p *plan) (out []string) {
	named := map[string]bool{}
	for _, r := range p.results {
		for _, d := range r.Dangling {
			named[d] = true
		}
	}
	before := map[string]bool{}
	for _, e := range p.base.Entries() {
		for _, r := range p.base.Relations(e.Path) {
			if r.Target == "" {
				before[e.Path+" "+r.Raw] = true
			}
		}
	}
	for _, e := range p.tree.Entries() {
		for _, r := range p.tree.Relations(e.Path) {
			if r.Target == "" && !before[e.Path+" "+r.Raw] && !named[mentionAt(e, r.Mention)] {
				out = append(out, mentionAt(e, r.Mention))
			}
		}
	}
	return out
}
