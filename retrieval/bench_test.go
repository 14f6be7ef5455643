package retrieval

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The benchmarks make up their trees. BRV_DOCS names a file of JSON lines, gzipped,
// with the keys title, path and text, to use instead; questions are then read from
// the file queries.jsonl beside it, where there is one.
//
//	BRV_DOCS=docs.jsonl.gz go test ./retrieval -run XXX -bench . -benchtime 3x

// synthetic is a tree of n entries of about size bytes, its words drawn by Zipf's
// law from a made-up vocabulary, as those of real text are.
func synthetic(n, size int) *tree.Snapshot {
	r := rand.New(rand.NewPCG(7, 7))
	zipf := rand.NewZipf(r, 1.1, 4, 30_000)
	syllables := strings.Fields("ka ter mi son dra vel pu nor the lis gan fer ob tu ris cal mon de")
	word := func() string {
		var b strings.Builder
		for k := zipf.Uint64() + 3; k > 0; k /= uint64(len(syllables)) {
			b.WriteString(syllables[k%uint64(len(syllables))])
		}
		return b.String()
	}
	entries := make([]*format.Entry, n)
	for i := range entries {
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntitle: %s %s %s\n---\n", word(), word(), word())
		for b.Len() < size {
			fmt.Fprintf(&b, "\n## %s %s\n\n", word(), word())
			for range 60 {
				b.WriteString(word() + " ")
			}
		}
		entries[i] = format.Parse(fmt.Sprintf("d%d/t%d/e%d.md", i%7, i%31, i), b.String())
	}
	return tree.NewSnapshot(entries, nil)
}

// sizes are the made-up trees: a thousand long entries (10 MB), and ten thousand
// short ones (20 MB), the largest tree of the specification.
var sizes = []struct{ entries, bytes int }{{1_000, 10_000}, {10_000, 2_000}}

// sample is a tree to measure with questions to it.
type sample struct {
	*tree.Snapshot
	questions []string
}

func eachSample(b *testing.B, run func(*testing.B, sample)) {
	file := os.Getenv("BRV_DOCS")
	if file != "" {
		b.Run(filepath.Base(filepath.Dir(file)), func(b *testing.B) { run(b, readSample(b, file)) })
		return
	}
	for _, s := range sizes {
		b.Run(fmt.Sprint(s.entries), func(b *testing.B) {
			snap := synthetic(s.entries, s.bytes)
			out := sample{Snapshot: snap}
			for i, e := range snap.Entries() {
				if i%97 == 0 {
					out.questions = append(out.questions, e.Title+" "+strings.Fields(e.Text)[40])
				}
			}
			run(b, out)
		})
	}
}

func readSample(b *testing.B, file string) sample {
	raw, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		b.Fatal(err)
	}
	var entries []*format.Entry
	eachLine(b, z, func(d struct{ Title, Path, Text string }) {
		parts := strings.Split(d.Path, "/")
		for len(parts) < 3 {
			parts = append([]string{"general"}, parts...)
		}
		p := strings.Join(parts[:2], "/") + "/" + strings.TrimSuffix(strings.Join(parts[2:], "__"), ".md") + ".md"
		entries = append(entries, format.Parse(p, fmt.Sprintf("---\ntitle: %q\n---\n%s\n", d.Title, d.Text)))
	})
	out := sample{Snapshot: tree.NewSnapshot(entries, nil)}
	if f, err := os.Open(filepath.Join(filepath.Dir(file), "queries.jsonl")); err == nil {
		defer f.Close()
		eachLine(b, f, func(q struct{ Text string }) { out.questions = append(out.questions, q.Text) })
	}
	for i, e := range out.Entries() {
		if len(out.questions) < i/31 {
			out.questions = append(out.questions, e.Title)
		}
	}
	return out
}

func eachLine[T any](b *testing.B, r io.Reader, visit func(T)) {
	for dec := json.NewDecoder(r); ; {
		var v T
		err := dec.Decode(&v)
		if err == io.EOF {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
		visit(v)
	}
}

// timings are single durations of the clock and of all processors together, reported
// as percentiles. On a machine that does other things too the latter tell more.
type timings struct{ clock, cpu []time.Duration }

func (t *timings) add(run func()) {
	start, used := time.Now(), cpuTime()
	run()
	t.clock, t.cpu = append(t.clock, time.Since(start)), append(t.cpu, cpuTime()-used)
}

func (t *timings) report(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	for name, all := range map[string][]time.Duration{"": t.clock, "cpu-": t.cpu} {
		slices.Sort(all)
		sum := time.Duration(0)
		for _, d := range all {
			sum += d
		}
		for _, share := range []int{50, 95, 99} {
			b.ReportMetric(float64(all[len(all)*share/100].Microseconds())/1000, fmt.Sprintf("%sp%d-ms", name, share))
		}
		b.ReportMetric(float64(sum.Microseconds())/1000/float64(len(all)), name+"mean-ms")
	}
}

func syncIndex(b *testing.B, r *Retriever, snap *tree.Snapshot) *Index {
	x, err := r.Sync(context.Background(), snap)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

func BenchmarkBuild(b *testing.B) {
	eachSample(b, func(b *testing.B, s sample) {
		var t timings
		for b.Loop() {
			t.add(func() {
				r, _ := New(Options{})
				syncIndex(b, r, s.Snapshot)
				r.Close()
			})
		}
		t.report(b)
	})
}

// BenchmarkReopen opens an index that another process has left in the cache.
func BenchmarkReopen(b *testing.B) {
	eachSample(b, func(b *testing.B, s sample) {
		o := Options{Cache: b.TempDir()}
		open := func() {
			r, _ := New(o)
			syncIndex(b, r, s.Snapshot)
			r.Close()
		}
		open()
		size := int64(0)
		files, _ := filepath.Glob(filepath.Join(o.Cache, "*"))
		for _, f := range files {
			if info, err := os.Stat(f); err == nil {
				size += info.Size()
			}
		}
		runtime.GC()
		var t timings
		for b.Loop() {
			t.add(open)
		}
		t.report(b)
		b.ReportMetric(float64(size)/1e6, "disk-MB")
	})
}

// BenchmarkEdit makes one entry after another searchable that was edited.
func BenchmarkEdit(b *testing.B) {
	eachSample(b, func(b *testing.B, s sample) {
		r, _ := New(Options{})
		defer r.Close()
		syncIndex(b, r, s.Snapshot)
		entries, snap := s.Entries(), s.Snapshot
		runtime.GC()
		var t timings
		i := 0
		for b.Loop() {
			e := entries[i*7919%len(entries)]
			snap = snap.With(e.Path, fmt.Sprintf("%s\nedit %d\n", e.Text, i))
			t.add(func() { syncIndex(b, r, snap) })
			i++
		}
		t.report(b)
	})
}

// BenchmarkSearchFirst asks each question once of a fresh index, as people do:
// hardly a term has been looked up before.
func BenchmarkSearchFirst(b *testing.B) {
	askFirst(b, func(x *Index, q string) { search(b, x, Query{Text: q}) })
}

// askFirst asks each question once of a fresh index.
func askFirst(b *testing.B, ask func(x *Index, q string)) {
	eachSample(b, func(b *testing.B, s sample) {
		var t timings
		for b.Loop() {
			r, _ := New(Options{})
			x := syncIndex(b, r, s.Snapshot)
			runtime.GC()
			for _, q := range s.questions {
				t.add(func() { ask(x, q) })
			}
			r.Close()
		}
		t.report(b)
	})
}

// BenchmarkSearchMisspelt asks for words with two letters changed places.
func BenchmarkSearchMisspelt(b *testing.B) {
	eachSample(b, func(b *testing.B, s sample) {
		r, _ := New(Options{})
		defer r.Close()
		x := syncIndex(b, r, s.Snapshot)
		var t timings
		for b.Loop() {
			for _, q := range s.questions {
				words := strings.Fields(q)
				for i, w := range words {
					if n := len(w) / 2; n > 2 {
						words[i] = w[:n] + w[n+1:n+2] + w[n:n+1] + w[n+2:]
					}
				}
				t.add(func() { search(b, x, Query{Text: strings.Join(words, " ")}) })
			}
		}
		t.report(b)
	})
}

// BenchmarkRankFirst is BenchmarkSearchFirst without the passages: postings, scores
// and order.
func BenchmarkRankFirst(b *testing.B) {
	askFirst(b, func(x *Index, q string) {
		c := x.collector(context.Background(), x.whole)
		defer c.release()
		asked := parse(q).words
		if _, err := c.rank(asked, rerankDepth, nil); err != nil {
			b.Error(err)
		}
	})
}

// BenchmarkPlain is the yardstick of BenchmarkRankFirst: BM25F over a map of lists,
// the same words and the best ten, and nothing else.
func BenchmarkPlain(b *testing.B) {
	eachSample(b, func(b *testing.B, s sample) {
		lists := map[string][]hit{}
		var docs []*doc
		for n, e := range searchable(s.Entries()) {
			d, terms := newDoc(e)
			docs = append(docs, d)
			for _, t := range terms {
				lists[strings.Clone(t.term)] = append(lists[t.term], hit{uint32(n), t.tally})
			}
		}
		whole := populationOf(docs, "")
		scores := make([]float64, len(docs))
		var touched []uint32
		runtime.GC()
		var t timings
		for b.Loop() {
			for _, q := range s.questions {
				t.add(func() {
					asked := parse(q).words
					for _, w := range asked {
						list := lists[w.term]
						rarity := idf(len(docs), len(list))
						for _, h := range list {
							tf := 0.0
							for f, length := range docs[h.doc].len {
								if n := h.tally.count(field(f)); n > 0 {
									tf += fieldWeights[f] * float64(n) / (1 - fieldLengths[f] + fieldLengths[f]*float64(length)/max(1,
										whole.average[f]))
								}
							}
							if scores[h.doc] == 0 {
								touched = append(touched, h.doc)
							}
							scores[h.doc] += rarity * saturate(tf)
						}
					}
					best := make([]uint32, 0, 11)
					for _, n := range touched {
						if len(best) == 10 && scores[n] <= scores[best[9]] {
							continue
						}
						at, _ := slices.BinarySearchFunc(best, n, func(a, b uint32) int { return cmp.Compare(scores[b], scores[a]) })
						best = slices.Insert(best, at, n)
						best = best[:min(10, len(best))]
					}
					for _, n := range touched {
						scores[n] = 0
					}
					touched = touched[:0]
				})
			}
		}
		t.report(b)
	})
}
