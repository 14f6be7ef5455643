//go:build cgo && unix

package syntax

import (
	"context"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
)

// goSources reads at most limit Go files below a folder of Go's own sources.
func goSources(tb testing.TB, folder string, limit int) []Request {
	tb.Helper()
	return sources(tb, filepath.Join(build.Default.GOROOT, "src", folder), limit, Go)
}

// sources reads at most limit files of the languages below a folder.
func sources(tb testing.TB, root string, limit int, languages ...Language) []Request {
	tb.Helper()
	var out []Request
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(languages, LanguageOf(p)) {
			return nil
		}
		if src, err := os.ReadFile(p); err == nil && refuse(src) == "" {
			out = append(out, Request{Path: p, Language: LanguageOf(p), Source: src})
		}
		if len(out) == limit {
			return filepath.SkipAll
		}
		return nil
	})
	if len(out) == 0 {
		tb.Skipf("no sources of %s", languages)
	}
	return out
}

func size(files []Request) (n int64) {
	for _, f := range files {
		n += int64(len(f.Source))
	}
	return n
}

// usedCPU returns the processor time of this process and of children that ended.
func usedCPU() time.Duration { return usage(syscall.RUSAGE_SELF) + usage(syscall.RUSAGE_CHILDREN) }

// alone is tree-sitter's own cost as its Go binding has it, in one process: load
// the grammar and its query, parse, run the query, look at every match, nothing
// else.
func alone(files []Request) {
	type reader struct {
		parser *sitter.Parser
		query  *sitter.Query
	}
	readers := map[Language]*reader{}
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	for _, f := range files {
		r := readers[f.Language]
		if r == nil {
			g, err := loadGrammar(f.Language)
			if err != nil {
				panic(err)
			}
			r = &reader{sitter.NewParser(), g.query}
			defer r.parser.Close()
			defer r.query.Close()
			r.parser.SetLanguage(g.language)
			readers[f.Language] = r
		}
		tree, err := r.parser.ParseCtx(context.Background(), nil, f.Source)
		if err != nil {
			panic(err)
		}
		cursor.Exec(r.query, tree.RootNode())
		for _, ok := cursor.NextMatch(); ok; _, ok = cursor.NextMatch() {
		}
		tree.Close()
	}
}

// aloneInC is the same without the binding and with the grammar loaded: one call
// per file into C, and what was captured is left there. No program can pay less
// for this query.
func aloneInC(files []Request) {
	p := newParser()
	defer p.close()
	for _, f := range files {
		r, err := p.reader(f.Language)
		if err != nil {
			panic(err)
		}
		_, _ = r.run(f.Source)
	}
}

// throughPool parses on a fresh pool, as many at once as a scan does, and ends
// its workers, so that their processor time is counted.
func throughPool(tb testing.TB, files []Request) {
	p := NewPool(Options{Timeout: time.Minute})
	defer p.Close()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range defaultWorkers * depth {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				if f, err := p.Parse(tb.Context(), files[i]); err != nil || f.Slow {
					tb.Errorf("%s: %q, %v", files[i].Path, f.Partial, err)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkCold compares the processor time of a cold analysis, the parent's and
// its workers' together and the start of the workers included, each of which loads
// the grammars for itself, with that of tree-sitter alone. The three take turns, so that a busy machine is busy for all.
// Go's files are those of its package net; BRV_TS, BRV_PYTHON and BRV_RUST name
// folders with files of the other languages.
func BenchmarkCold(b *testing.B) {
	for name, languages := range map[string][]Language{"TS": {TypeScript, TSX}, "PYTHON": {Python}, "RUST": {Rust}} {
		if root := os.Getenv("BRV_" + name); root != "" {
			b.Run(name, func(b *testing.B) { benchmarkCold(b, sources(b, root, 0, languages...)) })
		}
	}
	b.Run("GO", func(b *testing.B) { benchmarkCold(b, goSources(b, "net", 0)) })
}

func benchmarkCold(b *testing.B, files []Request) {
	var binding, c, pool time.Duration
	measure := func(sum *time.Duration, f func()) {
		start := usedCPU()
		f()
		*sum += usedCPU() - start
	}
	for b.Loop() {
		measure(&binding, func() { alone(files) })
		measure(&c, func() { aloneInC(files) })
		measure(&pool, func() { throughPool(b, files) })
	}
	b.SetBytes(size(files))
	perFile := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(b.N*len(files)) }
	b.ReportMetric(perFile(binding), "binding-cpu-µs/file")
	b.ReportMetric(perFile(c), "c-cpu-µs/file")
	b.ReportMetric(perFile(pool), "pool-cpu-µs/file")
	b.ReportMetric(float64(pool)/float64(binding), "pool/binding")
	b.ReportMetric(float64(pool)/float64(c), "pool/c")
}

// BenchmarkParse is the work of a worker without the pipe.
func BenchmarkParse(b *testing.B) {
	files := goSources(b, "net/http", 0)
	p := newParser()
	defer p.close()
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			p.parse(f, killAfter)
		}
	}
	b.SetBytes(size(files))
	b.ReportMetric(float64(len(files)), "files")
}

// BenchmarkCodec reads and writes the records of one file after the other.
func BenchmarkCodec(b *testing.B) {
	p := newParser()
	defer p.close()
	var files []File
	var records [][]byte
	symbols, bytes := 0, 0
	for _, req := range goSources(b, "net", 0) {
		f := p.parse(req, killAfter)
		files, records = append(files, f), append(records, f.Append(nil))
		symbols += len(f.Symbols)
		bytes += len(records[len(records)-1])
	}
	each := func(b *testing.B, do func(i int)) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range files {
				do(i)
			}
		}
		b.SetBytes(int64(bytes))
		b.ReportMetric(float64(bytes)/float64(symbols), "B/symbol")
		b.ReportMetric(float64(bytes)/float64(len(files)), "B/file")
		b.ReportMetric(float64(len(files)), "files")
	}
	var buf []byte
	b.Run("append", func(b *testing.B) { each(b, func(i int) { buf = files[i].Append(buf[:0]) }) })
	b.Run("decode", func(b *testing.B) { each(b, func(i int) { _, _ = decodeFile(records[i]) }) })
	b.Run("symbols", func(b *testing.B) { each(b, func(i int) { _, _ = DecodeSymbols(records[i]) }) })
}
