package tree

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The benchmarks make their own texts, of the size and shape of curated entries:
// 2.4 KB, three relations. BRV_DOCS names a file of JSON lines, gzipped, with the
// keys title, path and text, to use instead.
//
//	go test ./tree -run XXX -bench 'Open|Update|Move' -benchtime 10x

// sample returns n entries by path.
func sample(tb testing.TB, n int) map[string]string {
	texts := map[string]string{}
	if file := os.Getenv("BRV_DOCS"); file != "" {
		readDocs(tb, file, n, texts)
		return texts
	}
	for i := range n {
		texts[samplePath(i, n)] = sampleText(i, n)
	}
	return texts
}

// samplePath spreads entries over domains of 20 topics with 25 entries each.
func samplePath(i, n int) string {
	i = (i%n + n) % n
	return fmt.Sprintf("domain_%d/topic_%d/entry_%d.md", i/500, i/25%20, i)
}

func sampleText(i, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: \"Entry %d of the sample\"\nsummary: \"What entry %d says, in one sentence.\"\ntags: [sample, tag_%d]\n", i, i, i%50)
	fmt.Fprintf(&b, "related: [%s, %s]\nkeywords: [token, refresh, \"RS%d\"]\n", samplePath(i*7+1, n), samplePath(i*13+5, n), i)
	b.WriteString("importance: 62\nrecency: 0.85\nmaturity: validated\ncreatedAt: \"2025-03-18T10:00:00Z\"\nupdatedAt: \"2025-04-02T14:30:00Z\"\n---\n\n")
	fmt.Fprintf(&b, "## Raw Concept\n\n**Task:**\nDo the thing of number %d\n\n**Files:**\n- src/area_%d/file_%d.ts\n\n## Narrative\n\nAs in @%s.\n\n### Structure\n", i, i%40, i, samplePath(i+1, n))
	for b.Len() < 2200 {
		fmt.Fprintf(&b, "Access and refresh tokens are generated as a pair by `issue_%d` on every login, and the older one ends.\n", b.Len()%97)
	}
	b.WriteString("\n## Facts\n- **token_life**: Access tokens expire after 24 hours [convention]\n- Refresh tokens are single-use [project]\n")
	return b.String()
}

func readDocs(tb testing.TB, name string, n int, texts map[string]string) {
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	var last string
	for len(texts) < n && lines.Scan() {
		var doc struct{ Title, Path, Text string }
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			tb.Fatal(err)
		}
		domain, rest, _ := strings.Cut(doc.Path, "/")
		p := fmt.Sprintf("%s/%s/%s.md", Slug(domain), Slug(folderOf(rest)), Slug(strings.TrimSuffix(rest, ".md")))
		texts[p] = fmt.Sprintf("---\ntitle: %q\nrelated: [%q]\n---\n%s\n", doc.Title, last, doc.Text)
		last = p
	}
}

func sampleEntries(tb testing.TB, n int) []*Entry {
	var out []*Entry
	for p, text := range sample(tb, n) {
		out = append(out, Parse(p, text))
	}
	return out
}

// sampleDisk writes a tree of old files.
func sampleDisk(b *testing.B, n int) disk {
	d := newDisk(b)
	for p, text := range sample(b, n) {
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

func sizes(b *testing.B, run func(b *testing.B, s *Snapshot)) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 10_000 && testing.Short() {
				b.Skip("short")
			}
			s := NewSnapshot(sampleEntries(b, n), nil)
			b.ReportAllocs()
			run(b, s)
		})
	}
}

// timed runs f as often as the benchmark wants and reports the 95th percentile.
func timed(b *testing.B, prepare func(i int), f func()) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		prepare(i)
		b.StartTimer()
		start := time.Now()
		f()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds()), "p95-ns")
}

func BenchmarkUpdateEdit(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		var changed map[string]*Entry
		timed(b, func(i int) {
			e := s.Entries()[i*7919%s.Len()]
			changed = map[string]*Entry{e.Path: Parse(e.Path, fmt.Sprintf("%s\nmore @%s\n", e.Text, s.Entries()[i*31%s.Len()].Path))}
		}, func() { s = s.Update(changed) })
	})
}

func BenchmarkUpdateAdd(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		var changed map[string]*Entry
		timed(b, func(i int) {
			p := fmt.Sprintf("%s/new_%d.md", folderOf(s.Entries()[i*7919%s.Len()].Path), i)
			changed = map[string]*Entry{p: Parse(p, sampleText(i, s.Len()))}
		}, func() { s = s.Update(changed) })
	})
}

func BenchmarkUpdateRemove(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		var changed map[string]*Entry
		timed(b, func(i int) { changed = map[string]*Entry{s.Entries()[i*7919%s.Len()].Path: nil} }, func() { s.Update(changed) })
	})
}

func BenchmarkNewSnapshot(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		for b.Loop() {
			NewSnapshot(s.Entries(), nil)
		}
	})
}

func BenchmarkEntries(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		for b.Loop() {
			s.Entries()
		}
	})
}

func BenchmarkFingerprint(b *testing.B) {
	s := NewSnapshot(sampleEntries(b, 10_000), nil)
	for b.Loop() {
		s.hash()
	}
}

// hub is a tree of 10,000 in which 500 entries have a relation to one.
func hub(b *testing.B) (s *Snapshot, p string) {
	entries := sampleEntries(b, 10_000)
	slices.SortFunc(entries, func(x, y *Entry) int { return strings.Compare(x.Path, y.Path) })
	p = "domain_0/topic_0/hub.md"
	for i := range 500 {
		e := entries[i*17]
		entries[i*17] = Parse(e.Path, strings.Replace(e.Text, "related: [", "related: ["+p+", ", 1)+"\nSee @"+p+" too.\n")
	}
	return NewSnapshot(append(entries, Parse(p, "# Hub")), nil), p
}

// BenchmarkMove500Backlinks plans the edits.
func BenchmarkMove500Backlinks(b *testing.B) {
	s, p := hub(b)
	for b.Loop() {
		m, err := s.Move(p, "domain_1/topic_9/centre.md")
		if err != nil || len(m.Edits) != 500 {
			b.Fatal(len(m.Edits), err)
		}
	}
}

// BenchmarkMove500BacklinksWhole also parses the edited entries and makes the new
// snapshot.
func BenchmarkMove500BacklinksWhole(b *testing.B) {
	s, p := hub(b)
	for b.Loop() {
		m, err := s.Move(p, "domain_1/topic_9/centre.md")
		if err != nil {
			b.Fatal(err)
		}
		sources := slices.Collect(maps.Keys(m.Edits))
		edited := make([]*Entry, len(sources))
		each(len(sources), 16, func(i int) {
			e, _ := s.Entry(sources[i])
			edited[i] = Parse(e.Path, ApplyEdits(e.Text, m.Edits[e.Path]))
		})
		changed := map[string]*Entry{p: nil, m.Files[0].To: Parse(m.Files[0].To, "# Hub")}
		for _, e := range edited {
			changed[e.Path] = e
		}
		if n := len(s.Update(changed).Backlinks(m.Files[0].To)); n < 500 {
			b.Fatal(n)
		}
	}
}
