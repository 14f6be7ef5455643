package overlap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// generated are n entries of some 2 KB, of which each second says what the one before it says.
func generated(n int) (out []*format.Entry) {
	subjects := strings.Fields("gateway ledger invoice shipment session payout webhook tenant replica scheduler")
	verbs := strings.Fields("rotates archives retries validates throttles partitions encrypts replays caches audits")
	for i := range n {
		at := i / 2
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntitle: %s %s %d\n---\n**Files:**\n- services/s%d/%s.go\n## Narrative\n", subjects[at%10],
			verbs[at/10%10], i, at, verbs[at%10])
		for k := range 20 {
			fmt.Fprintf(&b, "- The %s %s each `%s_%d` within %d minutes, unless `flag_%d` says that the %s waits.\n",
				subjects[(at+k)%10], verbs[(at*3+k)%10], subjects[(at*7+k)%10], at*k, 1+(at+k)%50, (at+k)%300, subjects[(at+5*k)%10])
		}
		out = append(out, format.Parse(fmt.Sprintf("d%d/t%d/e%d.md", i%7, i%50, i), b.String()))
	}
	return out
}

func BenchmarkNew(b *testing.B) {
	entries := generated(2000)
	b.ReportAllocs()
	for b.Loop() {
		New(entries)
	}
}

func BenchmarkNear(b *testing.B) {
	entries := generated(2000)
	x := New(entries)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		x.Near(entries[i%len(entries)].Path)
		i++
	}
}
