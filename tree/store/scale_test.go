package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// The benchmarks make their own texts, of the size and shape of curated entries:
// 2.4 KB, three relations. BRV_DOCS names a file of JSON lines, gzipped, with the
// keys title, path and text, to use instead.
//
//	go test ./tree -run XXX -bench 'Open|Update|Move' -benchtime 10x

// sampleDisk writes a tree of old files.
func sampleDisk(b *testing.B, n int) disk {
	d := newDisk(b)
	for p, text := range treetest.Sample(b, n) {
		d.write(p, text)
		d.age(p, time.Hour)
	}
	return d
}

func BenchmarkOpenCold(b *testing.B) {
	d := sampleDisk(b, 10_000)
	for b.Loop() {
		openAndClose(b, d, Options{})
	}
}

func BenchmarkOpenWarm(b *testing.B) {
	d := sampleDisk(b, 10_000)
	o := Options{Cache: b.TempDir()}
	openAndClose(b, d, o)
	if files, _ := filepath.Glob(filepath.Join(o.Cache, "*")); len(files) != 1 {
		b.Fatal("there is no cache")
	}
	for b.Loop() {
		openAndClose(b, d, o)
	}
}

func openAndClose(b *testing.B, d disk, o Options) {
	s, err := Open(context.Background(), d.dir, o)
	d.must(err)
	b.StopTimer()
	if s.Snapshot().Len() < 5000 {
		b.Fatalf("only %d entries", s.Snapshot().Len())
	}
	d.must(s.Close())
	b.StartTimer()
}

// BenchmarkRefreshTouched is a save in an editor: one file read, a new snapshot.
func BenchmarkRefreshTouched(b *testing.B) {
	d := sampleDisk(b, 10_000)
	s := d.open(Options{})
	e := s.Snapshot().Entries()[5000]
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		d.write(e.Path, fmt.Sprint(e.Text, i))
		b.StartTimer()
		if _, err := s.Refresh(context.Background(), e.Path); err != nil {
			b.Fatal(err)
		}
	}
}
