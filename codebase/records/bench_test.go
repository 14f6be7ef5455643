package records

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// sizes are those of a large and a very large project, in files.
var sizes = []int{10_000, 20_000}

// filled is a place with the records of so many files, of 4 KB each.
func filled(b *testing.B, files int) (place, []Record) {
	b.Helper()
	p := place{b, b.TempDir(), &clock{now: start}}
	s := p.open()
	rnd := rand.NewChaCha8([32]byte{})
	list := make([]Record, files)
	for i := range list {
		r := record(i, 0)
		r.Path = fmt.Sprintf("internal/some/package%d/subpackage%d/file%d.go", i%17, i%101, i)
		r.Data = make([]byte, 4096)
		rnd.Read(r.Data)
		s.Put(r)
		list[i] = r
	}
	p.save(s, all)
	return p, list
}

func BenchmarkOpen(b *testing.B) {
	for _, files := range sizes {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			p, list := filled(b, files)
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := p.open().ByStamp(list[0].Path, list[0].Stamp); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}

// BenchmarkByStamp looks up every file.
func BenchmarkByStamp(b *testing.B) {
	for _, files := range sizes {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			p, list := filled(b, files)
			s := p.open()
			b.ReportAllocs()
			for b.Loop() {
				for i := range list {
					if _, ok := s.ByStamp(list[i].Path, list[i].Stamp); !ok {
						b.Fatal("not found")
					}
				}
			}
		})
	}
}

// BenchmarkSave saves after a 50th of the files got another text.
func BenchmarkSave(b *testing.B) {
	for _, files := range sizes {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			p, _ := filled(b, files)
			s := p.open()
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				put(s, n, 0, files/50)
				p.add(2 * time.Second)
				p.save(s, all)
			}
		})
	}
}

// BenchmarkMemory reports what an opened store holds.
func BenchmarkMemory(b *testing.B) {
	for _, files := range sizes {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			p, list := filled(b, files)
			live := func() float64 {
				var m runtime.MemStats
				runtime.GC()
				runtime.GC()
				runtime.ReadMemStats(&m)
				return float64(m.HeapAlloc) / (1 << 20)
			}
			var opened, released float64
			for b.Loop() {
				before := live()
				s := p.open()
				opened = live() - before
				s.Release()
				released = live() - before
				runtime.KeepAlive(s)
				runtime.KeepAlive(list)
			}
			b.ReportMetric(opened, "MB-opened")
			b.ReportMetric(released, "MB-released")
		})
	}
}
