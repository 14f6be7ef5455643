package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// BenchmarkApplyFourFiles updates four entries of a large tree in one batch, on
// disk, with every sync.
//
//	go test ./tree -run XXX -bench Apply -benchtime 50x
func BenchmarkApplyFourFiles(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := opened(b, onDisk(b, treetest.Sample(b, n)))
			paths := entryPaths(s.Snapshot())
			i := 0
			for b.Loop() {
				batch := plan.Batch{Hold: plan.HoldNone}
				for range 4 {
					i++
					op := plan.Op{Type: plan.OpUpdate, Path: paths[i*37%len(paths)], Summary: fmt.Sprint("Summary ", i),
						Reason: "measured"}
					batch.Ops = append(batch.Ops, op)
				}
				if err := apply(s, batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkApplyMove500Backlinks renames an entry that 500 others refer to, back
// and forth, on disk: 501 files change.
func BenchmarkApplyMove500Backlinks(b *testing.B) {
	files := treetest.Sample(b, 1000)
	files["z/hub/old.md"] = "# Hub\n"
	for i := range 500 {
		files[fmt.Sprintf("z/refs/e%d.md", i)] = "---\nrelated: [z/hub/old.md]\n---\nSee @z/hub/old.md.\n"
	}
	s := opened(b, onDisk(b, files))
	from, to := "z/hub/old.md", "z/hub/new.md"
	for b.Loop() {
		if err := apply(
			s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{{Type: plan.OpMove, Path: from, To: to, Reason: "measured"}}}); err != nil {
			b.Fatal(err)
		}
		from, to = to, from
	}
}

// BenchmarkDeriveAfterOneChange writes the generated files after an entry changed.
func BenchmarkDeriveAfterOneChange(b *testing.B) {
	s := opened(b, onDisk(b, treetest.Sample(b, 10_000)))
	if _, err := s.Derive(b.Context()); err != nil {
		b.Fatal(err)
	}
	paths := entryPaths(s.Snapshot())
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		if err := apply(s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{{Type: plan.OpUpdate, Path: paths[i*37%len(paths)],
			Summary: fmt.Sprint("S ", i), Reason: "measured"}}}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := s.Derive(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReviews lists what waits, planned on the tree as it is: each batch an update of three
// entries of a tree of 1,000. "first" plans all, "again" is a listing of which nothing changed, "changed" one after
// an entry changed.
func BenchmarkReviews(b *testing.B) {
	for _, n := range []int{100, 1000} {
		s := opened(b, onDisk(b, treetest.Sample(b, 1000)))
		paths := entryPaths(s.Snapshot())
		for i := range n {
			batch := plan.Batch{Origin: byModel}
			for k := range 3 {
				batch.Ops = append(batch.Ops, plan.Op{Type: plan.OpUpdate, Path: paths[(3*i+k)%len(paths)],
					Summary: fmt.Sprint("Summary ", i), Reason: "measured"})
			}
			if err := apply(s, batch); err != nil {
				b.Fatal(err)
			}
		}
		var spent time.Duration // of processor time, which other work on the machine does not change
		list := func(b *testing.B) {
			began := treetest.ProcessorTime()
			if all, err := s.Reviews.List(); err != nil || len(all) != n || all[0].Items[0].Diff == "" {
				b.Fatalf("%d, %v", len(all), err)
			}
			spent += treetest.ProcessorTime() - began
		}
		b.Run(fmt.Sprint(n, "/first"), func(b *testing.B) {
			spent = 0
			for b.Loop() {
				s.Reviews.planned = nil
				list(b)
			}
			b.ReportMetric(spent.Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
		b.Run(fmt.Sprint(n, "/again"), func(b *testing.B) {
			list(b)
			spent = 0
			for b.Loop() {
				list(b)
			}
			b.ReportMetric(spent.Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
		b.Run(fmt.Sprint(n, "/changed"), func(b *testing.B) {
			list(b)
			i := 0
			spent = 0
			for b.Loop() {
				b.StopTimer()
				i++
				if err := apply(s, plan.Batch{Hold: plan.HoldNone,
					Ops: []plan.Op{{Type: plan.OpUpdate, Path: paths[len(paths)-1], Summary: fmt.Sprint("S ", i),
						Reason: "measured"}}}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				list(b)
			}
			b.ReportMetric(spent.Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}
