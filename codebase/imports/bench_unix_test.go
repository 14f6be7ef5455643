//go:build unix

package imports

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// processorTime returns the processor time that the process has used: unlike wall
// time it does not count what other processes take.
func processorTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkResolveLanguages resolves all imports of 20,000 files, from nothing.
func BenchmarkResolveLanguages(b *testing.B) {
	for _, c := range costly {
		b.Run(string(c.lang), func(b *testing.B) {
			files := manyFiles(c.lang, c.ext, c.joint, 20_000)
			configs := Configs{Texts: map[string]string{"go.mod": "module example.com/x",
				"composer.json": `{"autoload": {"psr-4": {"acme\\": "src/acme"}}}`}}
			start, rounds := processorTime(b), 0
			for b.Loop() {
				r := New(files, configs, nil)
				for _, f := range files {
					r.Resolve(f)
				}
				rounds++
			}
			b.ReportMetric(float64((processorTime(b)-start).Microseconds())/1000/float64(rounds), "cpu-ms/op")
		})
	}
}

// BenchmarkEdit makes the resolver after one of 20,000 files changed what it
// defines, and resolves that file.
func BenchmarkEdit(b *testing.B) {
	for _, c := range costly {
		b.Run(string(c.lang), func(b *testing.B) {
			files := manyFiles(c.lang, c.ext, c.joint, 20_000)
			configs := Configs{Texts: map[string]string{"go.mod": "module example.com/x"}}
			r := New(files, configs, nil)
			for _, f := range files {
				r.Resolve(f)
			}
			start, rounds := processorTime(b), 0
			for b.Loop() {
				next := slices.Clone(files)
				at := rounds * 977 % len(files)
				edited := *files[at]
				edited.Defines = append([]terms.Term{terms.Term(rounds % 2)}, edited.Defines...)
				next[at] = &edited
				r = New(next, configs, r)
				r.Resolve(&edited)
				files = next
				rounds++
			}
			b.ReportMetric(float64((processorTime(b)-start).Microseconds())/1000/float64(rounds), "cpu-ms/op")
		})
	}
}
