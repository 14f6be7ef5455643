package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
)

// promised is when a change is to be seen by every face. tooLate is when the test fails:
// a loaded machine keeps the one and not the other.
const (
	promised = time.Second
	tooLate  = 10 * time.Second
)

// faces are the programs at work on one folder: two editors, which follow the tree and
// are told by their clients of code that changed; an agent's server, which nobody tells
// anything; and the command line, which opens the folder anew each time.
type faces struct {
	testing.TB
	dir     string
	editors [2]*workspace.Workspace
	agent   *workspace.Workspace
}

func newFaces(t testing.TB) *faces {
	f := &faces{TB: t, dir: t.TempDir()}
	f.write("go.mod", "module example.org/app\n\ngo 1.26\n")
	f.write("src/made.go", "package src\n\nfunc Made() {}\n")
	f.write(".brv/context-tree/notes/rounds/first.md", "---\ntitle: The first round\n---\nBegin.\n")
	for i := range f.editors {
		f.editors[i] = f.open(workspace.Options{Watch: true, CodeScan: true})
	}
	f.agent = f.open(workspace.Options{Watch: true, FollowCode: true})
	return f
}

// open opens the folder and reads its code; it is closed with the test.
func (f *faces) open(o workspace.Options) *workspace.Workspace {
	o.Trusted = true
	w, err := workspace.Open(f.Context(), f.dir, o)
	if err == nil {
		err = w.WaitCode(f.Context())
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { w.Close() })
	return w
}

func (f *faces) write(p, text string) {
	p = filepath.Join(f.dir, p)
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
		f.Fatal(err)
	}
}

// cli runs a verb.
func (f *faces) cli(args ...string) string {
	var out, errs strings.Builder
	if code := run(append(args, "--root", f.dir), env{strings.NewReader(""), &out, &errs}); code != exitOK {
		f.Fatalf("%v: exit %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.String()
}

// change is something that one of the faces, or a hand, does in round n, and how
// another face sees it.
type change struct {
	by   string
	make func(f *faces, n int)
	seen func(f *faces, w *workspace.Workspace, n int) bool
}

var changes = []change{
	{"an entry edited by hand", func(f *faces, n int) {
		f.write(".brv/context-tree/notes/rounds/first.md", fmt.Sprintf("---\ntitle: The first round\n---\nEdited in round%d.\n", n))
	}, func(_ *faces, w *workspace.Workspace, n int) bool {
		e, ok := w.View().Tree().Entry("notes/rounds/first.md")
		return ok && strings.Contains(e.Text, fmt.Sprintf("round%d.", n))
	}},
	{"curate on the command line", func(f *faces, n int) {
		f.cli("curate", "--op", "ADD", "--path", "notes/rounds", "--title", fmt.Sprintf("Made by hand %d", n), "--rules",
			"- Rounds follow each other", "--reason", "a test")
	}, func(_ *faces, w *workspace.Workspace, n int) bool {
		_, ok := w.View().Tree().Entry(fmt.Sprintf("notes/rounds/made_by_hand_%d.md", n))
		return ok
	}},
	{"curate by the agent", func(f *faces, n int) {
		op := plan.Op{Type: plan.OpAdd, Path: "notes/rounds", Title: fmt.Sprintf("Made by an agent %d", n), Reason: "a test",
			Content: format.Content{Snippets: []string{"Rounds follow each other."}}}
		if _, err := curation.Curate(f.Context(), f.agent, plan.Batch{Ops: []plan.Op{op}}); err != nil {
			f.Fatal(err)
		}
	}, func(_ *faces, w *workspace.Workspace, n int) bool {
		_, ok := w.View().Tree().Entry(fmt.Sprintf("notes/rounds/made_by_an_agent_%d.md", n))
		return ok
	}},
	{"code saved", func(f *faces, n int) {
		f.write("src/made.go", fmt.Sprintf("package src\n\nfunc MadeInRound%d() {}\n", n))
		for _, w := range f.editors {
			w.DiskChanged([]string{"src/made.go"})
		}
	}, func(f *faces, w *workspace.Workspace, n int) bool {
		r, err := codemap.Symbols(f.Context(), w.View(), codemap.SymbolsRequest{Query: fmt.Sprintf("MadeInRound%d", n)})
		if err != nil {
			f.Fatal(err)
		}
		return r.Total > 0 && r.Symbols[0].Match == "exact"
	}},
}

// round makes a change, and measures until every face has seen it.
func (f *faces) round(c change, n int) time.Duration {
	began := time.Now()
	c.make(f, n)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for _, w := range append(f.editors[:], f.agent) {
		for !c.seen(f, w, n) {
			if time.Since(began) > tooLate {
				f.Fatalf("%s, round %d: not seen by everyone within %v", c.by, n, tooLate)
			}
			<-tick.C
		}
	}
	took := time.Since(began)
	return took
}

// TestFacesSeeEachOther has each face see what every other one does. How long that takes
// is reported, and measured by BenchmarkFaces.
func TestFacesSeeEachOther(t *testing.T) {
	f := newFaces(t)
	for _, c := range changes {
		took := f.round(c, 1)
		if !c.seen(f, f.open(workspace.Options{}), 1) { // as the next command opens it
			t.Errorf("%s: the command line does not see it", c.by)
		}
		t.Logf("%s: seen by all after %v (promised: %v)", c.by, took.Round(time.Millisecond), promised)
	}
}

// BenchmarkFaces measures how long a change takes to be seen by all faces. Run it with
// -benchtime 20x, for 20 changes of each kind.
func BenchmarkFaces(b *testing.B) {
	for _, c := range changes {
		b.Run(strings.ReplaceAll(c.by, " ", "_"), func(b *testing.B) {
			f := newFaces(b)
			var took []time.Duration
			for n := range b.N {
				took = append(took, f.round(c, n))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[min(len(took)-1, len(took)*95/100)].Microseconds())/1000, "p95-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
