// Command dreamscale measures what a dream costs on a large tree, and what it costs those who
// read meanwhile.
//
//	go run ./bench/dreamscale [-docs docs.jsonl.gz] [-entries 10000] [-queries queries.jsonl] [-profile FILE]
//
// A tree is made of the documents (or of made-up entries, all from one template), of which one
// in fifty is there twice, the second time with a sentence more; one in twenty has an importance that has decayed. It is opened
// as the server opens it, and
// dreamt of without a model: first as a whole, then after a few entries changed. Meanwhile two
// readers ask questions of the search and follow relations, one request every few
// milliseconds; the same requests on the tree at rest stand beside them.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// serverGC is how the server is set (cmd/brv-lsp).
const serverGC = 25

type options struct {
	docs, queries, profile string
	entries                int
	quiet                  bool
}

func main() {
	var o options
	flag.StringVar(&o.docs, "docs", "", "`file` of documents; made-up entries if empty")
	flag.StringVar(&o.queries, "queries", "", "`file` of questions; titles of entries if empty")
	flag.StringVar(&o.profile, "profile", "", "write a processor profile of the first dream to a `file`")
	flag.IntVar(&o.entries, "entries", 10000, "`number` of entries")
	flag.BoolVar(&o.quiet, "quiet", false, "nobody reads meanwhile, and there is no search index")
	flag.Parse()
	debug.SetGCPercent(serverGC)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "dreamscale:", err)
		os.Exit(1)
	}
}

// clock is the tree's: a dream of last year's entries today.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.at.Load(), 0).UTC() }

// measured is a tree under measurement.
type measured struct {
	store     *store.Store
	engine    *retrieval.Retriever
	clock     *clock
	view      atomic.Pointer[view]
	questions []string
	paths     []string
}

// view is the state that readers see: a snapshot of the tree with its search.
type view struct {
	tree   *tree.Snapshot
	search retrieval.Search
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "brv-bench-dream-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := &measured{clock: &clock{}}
	m.clock.at.Store(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC).Unix())
	if err := m.write(filepath.Join(dir, ".brv"), o); err != nil {
		return err
	}
	if m.store, err = store.Open(ctx, filepath.Join(dir, ".brv"),
		store.Options{Now: m.clock.now, Cache: filepath.Join(dir, "cache")}); err != nil {
		return err
	}
	defer m.store.Close()
	if !o.quiet {
		if m.engine, err = retrieval.New(retrieval.Options{Cache: filepath.Join(dir, "cache")}); err != nil {
			return err
		}
		defer m.engine.Close()
	}
	if err := m.show(ctx); err != nil {
		return err
	}
	fmt.Printf("%s, %d CPUs, GOMAXPROCS %d; %d entries\n", runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0),
		m.store.Snapshot().Len())
	fmt.Printf("opened: peak %.0f MB\n", mb())
	if !o.quiet {
		rest := m.read(ctx, 5*time.Second, nil)
		fmt.Printf("%-28s %s\n", "reads at rest", rest)
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	if err := m.dream(ctx, "first dream", o.quiet); err != nil {
		return err
	}
	pprof.StopCPUProfile()
	for i := range 5 {
		op := plan.Op{Type: plan.OpUpdate, Path: m.paths[i*97%len(m.paths)],
			Content: format.Content{Facts: []format.Fact{{Statement: fmt.Sprintf("Something that came later, number %d.", i)}}},
			Reason:  "changed"}
		if _, err := m.store.Apply(ctx, plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldNone}); err != nil {
			return err
		}
	}
	m.clock.at.Add(13 * 3600)
	if err := m.dream(ctx, "second dream, 5 changed", o.quiet); err != nil {
		return err
	}
	reviews, err := m.store.Reviews.List()
	if err != nil {
		return err
	}
	spent, err := process.Timed(func() error {
		for _, r := range reviews {
			if _, err := m.store.Approve(ctx, r.Batch, "bench", plan.Decision{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("%-28s %.1f s wall, %.1f s cpu, %d reviews\n", "all approved", spent.Wall/1000, spent.CPU/1000, len(reviews))
	n, stay := 0, map[int]bool{}
	spent, err = process.Timed(func() error {
		for {
			l, err := dream.Undo(ctx, m.host())
			if err != nil && strings.Contains(err.Error(), "no dream to undo") {
				return nil
			}
			if err != nil {
				return err
			}
			for _, s := range l.Stays() { // of entries that changed between the dreams
				stay[s.Change] = true
			}
			n++
		}
	})
	fmt.Printf("%-28s %.1f s wall, %.1f s cpu, %d dreams, %d changes stay\n", "taken back", spent.Wall/1000, spent.CPU/1000, n, len(stay))
	if err != nil {
		return err
	}
	start := time.Now()
	log, err := m.store.Log(0)
	if err != nil {
		return err
	}
	fmt.Printf("%-28s %.1f ms, %d changes\n", "log read", process.Milliseconds(time.Since(start)), len(log))
	fmt.Printf("peak %.0f MB\n", mb())
	return m.cancelled(ctx)
}

func mb() float64 { return float64(process.OwnPeak()) / 1024 / 1024 }

// show makes the present tree what readers see.
func (m *measured) show(ctx context.Context) error {
	if m.engine == nil {
		return nil
	}
	snap := m.store.Snapshot()
	search, err := m.engine.Open(ctx, snap)
	if err != nil {
		return err
	}
	m.view.Store(&view{snap, search})
	return nil
}

func (m *measured) host() dream.Host {
	return dream.Host{Store: m.store, Now: m.clock.now, Apply: func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
		r, err := m.store.Apply(ctx, b)
		if err == nil {
			err = m.show(ctx)
		}
		return r, err
	}}
}

// dream dreams, and reads meanwhile.
func (m *measured) dream(ctx context.Context, name string, quiet bool) error {
	done := make(chan struct{})
	var reads latencies
	var reading sync.WaitGroup
	if !quiet {
		reading.Go(func() { reads = m.read(ctx, time.Hour, done) })
	}
	var l *dream.Log
	last := time.Now()
	spent, err := process.Timed(func() (err error) {
		l, err = dream.Run(ctx, m.host(), dream.Options{Force: true, Trigger: "manual", Progress: func(p dream.Phase, done, total int) {
			if total == 0 || done == 0 {
				fmt.Printf("    %s %d/%d after %v\n", p, done, total, time.Since(last).Round(time.Millisecond))
			}
		}})
		return err
	})
	close(done)
	reading.Wait()
	if err != nil {
		return err
	}
	actions := map[dream.Action]int{}
	for _, s := range l.Steps {
		actions[s.Action]++
	}
	fmt.Printf("%-28s %.1f s wall, %.1f s cpu, peak %.0f MB, %v, %d failed\n", name, spent.Wall/1000, spent.CPU/1000, mb(), actions,
		l.Summary.Errors)
	if !quiet {
		fmt.Printf("%-28s %s\n", "reads meanwhile", reads)
	}
	return nil
}

// cancelled stops dreams, dry ones, at moments of their planning, and says how long they took to
// end.
func (m *measured) cancelled(ctx context.Context) error {
	var took []float64
	for _, after := range []time.Duration{0, 1, 10, 50, 100, 200, 500, 1000, 1500, 2000, 3000, 5000} {
		ctx, cancel := context.WithCancel(ctx)
		var at atomic.Int64
		time.AfterFunc(after*time.Millisecond, func() {
			at.Store(time.Now().UnixNano())
			cancel()
		})
		_, err := dream.Run(ctx, m.host(), dream.Options{Force: true, DryRun: true})
		if err == nil {
			break // it was at its end
		}
		took = append(took, float64(time.Now().UnixNano()-at.Load())/1e6)
	}
	if len(took) == 0 {
		return nil
	}
	slices.Sort(took)
	fmt.Printf("%-28s max %.1f ms (%d)\n", "cancelled while planning", took[len(took)-1], len(took))
	return nil
}

// latencies are the durations of reads, in milliseconds.
type latencies struct{ search, hover []float64 }

func (l latencies) String() string {
	line := func(all []float64) string {
		if len(all) == 0 {
			return "none"
		}
		slices.Sort(all)
		return fmt.Sprintf("p50 %.2f ms p95 %.2f ms max %.1f ms (%d)", process.Percentile(all, 0.5), process.Percentile(all, 0.95),
			all[len(all)-1], len(all))
	}
	return "search " + line(l.search) + "; relations " + line(l.hover)
}

// read asks and follows relations until the time is over or done is closed.
func (m *measured) read(ctx context.Context, d time.Duration, done <-chan struct{}) (l latencies) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var both sync.WaitGroup
	loop := func(seed uint64, pause time.Duration, f func(r *rand.Rand)) (out []float64) {
		r := rand.New(rand.NewPCG(seed, 1))
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return out
			case <-ctx.Done():
				return out
			case <-tick.C:
			}
			start := time.Now()
			f(r)
			out = append(out, process.Milliseconds(time.Since(start)))
		}
	}
	both.Go(func() {
		l.search = loop(1, 20*time.Millisecond, func(r *rand.Rand) {
			v := m.view.Load()
			ladder := retrieval.NewLadder(retrieval.LadderOptions{})
			_, _ = ladder.Answer(context.Background(), retrieval.In(m.engine, v.tree),
				retrieval.Query{Text: m.questions[r.IntN(len(m.questions))], Limit: 10})
		})
	})
	both.Go(func() {
		l.hover = loop(2, 20*time.Millisecond, func(r *rand.Rand) {
			s := m.view.Load().tree
			p := m.paths[r.IntN(len(m.paths))]
			if e, ok := s.Entry(p); ok {
				_ = e.Redacted()
				_ = s.Signals(p, m.clock.now())
				for _, rel := range s.Relations(p) {
					_, _ = s.Entry(rel.Target)
				}
				_ = s.Backlinks(p)
			}
		})
	})
	both.Wait()
	return l
}

// write makes the tree.
func (m *measured) write(dir string, o options) error {
	var entries []corpus.Entry
	if o.docs != "" {
		docs, err := corpus.Read(o.docs)
		if err != nil {
			return err
		}
		entries = corpus.Convert(docs[:min(len(docs), o.entries-o.entries/50)])
	} else {
		for i := range o.entries - o.entries/50 {
			entries = append(entries, madeUp(i, o.entries))
		}
	}
	corpus.Relate(entries, 2)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range o.entries / 50 {
		e := entries[i*37%len(entries)]
		e.Body += "\nAnd one thing more.\n"
		e.Path = strings.TrimSuffix(e.Path, ".md") + fmt.Sprintf("_again_%d.md", i)
		e.Related = nil
		entries = append(entries, e)
	}
	for i, e := range entries {
		m.paths = append(m.paths, e.Path)
		m.questions = append(m.questions, e.Title)
		age := 20 + r.IntN(50)
		importance := 60
		if i%20 == 7 {
			importance, age = 36, 30+r.IntN(300)
		}
		at := m.clock.now().Add(-time.Duration(age) * 24 * time.Hour).Format(time.RFC3339)
		text := strings.Replace(
			e.Text(), "---\n", fmt.Sprintf(
				"---\nimportance: %d\nrecency: 0.5\nmaturity: draft\naccessCount: 1\nupdateCount: 0\ncreatedAt: '%s'\nupdatedAt: "+
					"'%s'\n", importance, at, at), 1)
		name := filepath.Join(dir, tree.Dir, filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	if o.queries != "" {
		questions, err := corpus.ReadQuestions(o.queries)
		if err != nil {
			return err
		}
		m.questions = nil
		for _, q := range questions {
			m.questions = append(m.questions, q.Text)
		}
	}
	return nil
}

// madeUp is an entry of 2.4 KB from one template, as curated ones are: every entry has the
// words of all others, beside a number of its own.
func madeUp(i, n int) corpus.Entry {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"## Raw Concept\n\n**Task:**\nDo the thing of number %d\n\n**Files:**\n- src/area_%d/file_%d.ts\n\n## Narrative\n\n### "+
			"Structure\n", i, i%40, i)
	for b.Len() < 2200 {
		fmt.Fprintf(&b, "Access and refresh tokens are generated as a pair by `issue_%d` on every login, and the older one ends. ",
			b.Len()%97+i)
	}
	b.WriteString(
		"\n## Facts\n- **token_life**: Access tokens expire after 24 hours [convention]\n- Refresh tokens are single-use [project]\n")
	return corpus.Entry{Path: fmt.Sprintf("domain_%d/topic_%d/entry_%d.md", i/500, i/25%20, i),
		Title: fmt.Sprintf("Entry %d of the sample", i), Body: b.String()}
}
