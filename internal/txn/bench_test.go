package txn_test

import (
	"fmt"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// A change of one and of four files of some kilobytes in one folder, on the real
// disk; without syncs, what is left is our own work.
func BenchmarkCommit(b *testing.B) {
	for _, n := range []int{1, 4} {
		for _, mode := range []struct{ name, drop string }{{"durable", ""}, {"nosync", "*"}} {
			b.Run(fmt.Sprintf("files=%d/%s", n, mode.name), func(b *testing.B) { benchmarkCommit(b, n, mode.drop) })
		}
	}
}

func benchmarkCommit(b *testing.B, n int, drop string) {
	root, err := jail.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	counted := countingSyncs{FS: root, drop: drop != ""}
	j := Open(&counted, "state", Options{Seal: testSeal})
	page := make([]byte, 4000)
	var before []*Image
	change := func(i int) {
		var changes []Change
		var after []*Image
		for f := range n {
			next := &Image{Data: fmt.Appendf(page[:0:0], "%s%d", page, i)}
			c := Change{Path: fmt.Sprintf("context-tree/topic/%d.md", f), After: next}
			if before != nil {
				c.Before = before[f]
			}
			changes, after = append(changes, c), append(after, next)
		}
		if _, _, err := j.Commit(ctx, plan(changes...)); err != nil {
			b.Fatal(err)
		}
		before = after
	}
	change(0)
	counted.syncs = 0
	steps := &txntest.Steps{FS: &counted}
	j = Open(steps, "state", Options{Seal: testSeal})
	i := 0
	for b.Loop() {
		i++
		change(i)
	}
	b.ReportMetric(float64(counted.syncs)/float64(i), "syncs/op")
	b.ReportMetric(float64(steps.Count())/float64(i), "steps/op")
}

// countingSyncs counts the syncs, and may leave them out.
type countingSyncs struct {
	FS
	syncs int
	drop  bool
}

func (c *countingSyncs) Sync(path string) error {
	c.syncs++
	if c.drop {
		return nil
	}
	return c.FS.Sync(path)
}

func (c *countingSyncs) SyncDir(path string) error {
	c.syncs++
	if c.drop {
		return nil
	}
	return c.FS.SyncDir(path)
}
