//go:build cgo

package syntax

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
)

// lined repeats s n times on short lines, so that the guards of this package do
// not answer for the worker.
func lined(s string, n int) string {
	return strings.Repeat(strings.Repeat(s, 80)+"\n", n/80)
}

// hostile inputs, each of which hangs, aborts or slows tree-sitter in some
// language when nothing is in its way.
func hostile() map[string]string {
	return map[string]string{
		"quotes":          lined(`"`, 100_000),
		"quotes, 1 line":  strings.Repeat(`"`, maxLine),
		"apostrophes":     lined(`'`, 100_000),
		"triple quotes":   lined(`"""`, 30_000),
		"backticks":       lined("`", 100_000),
		"blockquote":      strings.Repeat("> ", 500),
		"nested list":     nestedList(400),
		"parens":          lined("(", 50_000),
		"brackets":        lined("[", 50_000),
		"braces":          lined("{", 50_000),
		"angles":          lined("<", 50_000),
		"heredocs":        strings.Repeat("<<A", 1000) + "\n" + lined("<<A", 25_000),
		"heredoc lines":   strings.Repeat("cat <<A\n", 10_000),
		"balanced":        lined("(", 20_000) + "1" + lined(")", 20_000),
		"balanced braces": lined("{", 20_000) + lined("}", 20_000),
		"tuple":           "x = [" + lined("1,", 300_000) + "]",
		"generics":        "let x: " + lined("A<", 20_000),
		"jsx":             "x = " + lined("<a>", 20_000),
		"comments":        lined("/*", 50_000),
		"backslashes":     lined(`\`, 50_000),
		"indents":         indents(400),
		"wide":            strings.Repeat("x = 1\n", 60_000),
		"unicode":         lined("\u00e9\u4e16", 50_000),
		"invalid utf8":    lined("\xff\xfe", 50_000),
		"controls":        lined("\x01\x02\x1b", 30_000),
		"newlines":        strings.Repeat("\n", 500_000),
		"carriage return": strings.Repeat("\r", maxLine) + "\n",
		"hashes":          `r` + lined("#", 50_000) + `"`,
		"interpolate":     "f'" + lined("{", 4000),
		"dollar braces":   "`" + lined("${", 20_000),
		"macros":          strings.Repeat("a!{mod b;}\n", 60_000),
		"nested macros":   strings.Repeat("cfg_a! { mod a;\n", 2000) + strings.Repeat("}\n", 2000),
		"NUL":             strings.Repeat("\x00", 100_000),
		"one NUL":         "x = 1\n\x00\n",
	}
}

func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	return b.String()
}

func nestedList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// tokens of many languages: where one meets another is where scanners fail.
var tokens = strings.Fields(
	`" ' """ ''' + "\ ( ) [ ] { } < > << <<A <<-A <<~A >> => -> :: : ; , . ... = == := != & && | || |> ! ? ?. @ @@ # #{ #[ $ ${ $(
	$$ % %w( %q{ ^ ~ * ** / // /* */ /** --- -- <!-- --> <a> </a> <a/> <? ?> \ \\ \" ${{ }} 0 1 0x 1e9 1_000 'a' "a" a b A _ if else elif end then do done
	for while case esac match switch when in of def func fn fun function class struct enum trait impl interface type typedef union module namespace package
	import from use require include export return yield async await let var const val mut pub public private static async template typename operator begin rescue
	ensure try catch finally with as is not and or lambda self this super new delete macro_rules! where extends implements select go chan map defer`)

// soup is n random tokens of a language's own seed, now and then a line of its own
// or a byte of no text.
func soup(lang Language, seed uint64, n int) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(lang))
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	var b strings.Builder
	for line := 0; n > 0; n-- {
		token := tokens[r.IntN(len(tokens))]
		times := 1
		if r.IntN(40) == 0 {
			times = 1 + r.IntN(200)
		}
		b.WriteString(strings.Repeat(token, times))
		line += len(token) * times
		switch k := r.IntN(60); {
		case line > 1000 || k < 12:
			b.WriteString("\n" + strings.Repeat(" ", r.IntN(9)))
			line = 0
		case k == 13:
			b.WriteByte(byte(1 + r.IntN(255)))
		case k < 45:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// hostileFiles is the corpus: every shape and some soups for every language.
func hostileFiles(soups int) []Request {
	var out []Request
	shapes := hostile()
	var names []string
	for name := range shapes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, lang := range languages() {
		for _, name := range names {
			out = append(out, Request{Path: name, Language: lang, Source: []byte(shapes[name])})
		}
		for seed := range soups {
			text := soup(lang, uint64(seed), 20<<(seed%9)) // 20 to 5,120 tokens
			out = append(out, Request{Path: fmt.Sprintf("soup %d", seed), Language: lang, Source: []byte(text)})
		}
	}
	return out
}

// sampled keeps each file with the same chance.
func sampled(t *testing.T, files []Request, share float64) []Request {
	t.Helper()
	r := sampletest.Rand(t)
	return slices.DeleteFunc(files, func(Request) bool { return r.Float64() >= share })
}

// TestHostileFilesAreBounded parses the corpus through real workers. Whatever they
// do, the parent lives, no file costs more than its limit, and the pool works on.
// The nightly run has all of it, the ordinary one a sample.
func TestHostileFilesAreBounded(t *testing.T) {
	limit, soups, share := 250*time.Millisecond, 9, 0.25
	switch {
	case sampletest.Long():
		limit, soups, share = killAfter, 500, 1
	case testing.Short():
		share = 0.05
	}
	files := sampled(t, hostileFiles(soups), share)
	var wg sync.WaitGroup
	for half := range defaultWorkers {
		wg.Go(func() { parseHostile(t, files, half, limit) })
	}
	wg.Wait()
	t.Logf("%d files", len(files))
}

// parseHostile parses every second file, one after the other on one worker, so
// that the processor time of each can be told. An empty file before it loads the
// grammar.
func parseHostile(t *testing.T, files []Request, half int, limit time.Duration) {
	p := newTestPool(t, Options{Workers: 1, Timeout: limit})
	for i := half; i < len(files); i += defaultWorkers {
		req := files[i]
		if f, err := p.Parse(t.Context(), Request{Path: "empty", Language: req.Language}); err != nil || f.Partial != "" {
			t.Errorf("nothing as %s: %q, %v", req.Language, f.Partial, err)
		}
		before, pid := workerCPU(p)
		f, err := p.Parse(t.Context(), req)
		after, samePid := workerCPU(p)
		if err != nil {
			t.Errorf("%s as %s: %v", req.Path, req.Language, err)
		}
		if cost := after - before; pid == samePid && cost > limit {
			t.Errorf("%s as %s took %v", req.Path, req.Language, cost)
		}
		checkSpans(t, f, string(req.Source))
		if testing.Verbose() && strings.Contains(f.Partial, "did not answer") {
			t.Logf("%s as %s: %s", req.Path, req.Language, f.Partial)
		}
	}
	mustParse(t, p)
}

// workerCPU returns what the first worker has used so far, and which process it is.
func workerCPU(p *Pool) (time.Duration, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.lanes[0].worker
	if w == nil || w.proc == nil {
		return 0, 0
	}
	cpu, _ := processCPU(w.proc.cmd.Process.Pid)
	return cpu, w.proc.cmd.Process.Pid
}

// TestHangingFilesDoNotHoldUpUrgentOnes fills every ordinary worker and the line
// before them with files that never end. No clock decides: were an urgent file to
// stand behind one of them, it would never be answered.
func TestHangingFilesDoNotHoldUpUrgentOnes(t *testing.T) {
	p := NewPool(Options{Command: hangingWorker(t), Workers: 2, Timeout: time.Hour})
	p.sent[Go] = worthLoading // so that both get them
	for i := range 10 {
		submitted(t, p, Request{Path: "hang.go", Language: Go, Source: fmt.Appendf(nil, "%s %d", hang, i)})
	}
	for i := range 50 {
		src := fmt.Sprintf("package a\nfunc F%d() {}\n", i)
		f, err := p.Parse(t.Context(), Request{Path: "open.go", Language: Go, Source: []byte(src), Urgent: true})
		if err != nil || len(f.Symbols) != 1 {
			t.Fatalf("%+v, %v", f, err)
		}
	}
	if n := p.load(); n != 10 {
		t.Errorf("%d of 10 hanging files are left: the urgent ones did not overtake them", n)
	}
	p.Close()
}

// submitted puts a file into the pool and does not wait for the answer.
func submitted(t *testing.T, p *Pool, req Request) *call {
	t.Helper()
	c := &call{request: request{req, parseLimit}, answered: make(chan struct{})}
	if err := p.submit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// load is how many calls are with the pool, in line or with a worker.
func (p *Pool) load() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.urgent) + len(p.waiting)
	for _, l := range p.lanes {
		n += l.load()
	}
	return n
}

// TestUrgentFilesWaitLittle measures what hostile files in both ordinary workers
// add to an urgent one. It asserts nothing on a machine that others use; the
// nightly run does.
func TestUrgentFilesWaitLittle(t *testing.T) {
	p, n := newTestPool(t, Options{Workers: 2, Timeout: killAfter}), sampletest.Count(50, 500)
	p99 := func() time.Duration {
		var took []time.Duration
		for i := range n {
			src := fmt.Sprintf("package a\n%s", strings.Repeat(fmt.Sprintf("func F%d() { G(%d) }\n", i, i), 200))
			start := time.Now()
			if f, err := p.Parse(t.Context(), Request{Path: "open.go", Language: Go, Source: []byte(src),
				Urgent: true}); err != nil || f.Partial != "" {
				t.Fatalf("%q, %v", f.Partial, err)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		return took[len(took)*99/100]
	}
	_ = p99() // starts the workers
	idle := p99()
	var stop atomic.Bool
	var wg sync.WaitGroup
	quotes := hostile()["quotes"]
	file := func(i, k int) Request {
		return Request{Path: "hostile.go", Language: Go, Source: fmt.Appendf(nil, "// %d %d\n%s", i, k, quotes)}
	}
	for i := range 4 {
		first := submitted(t, p, file(i, 0))
		wg.Go(func() {
			<-first.answered
			for k := 1; !stop.Load(); k++ {
				_, _ = p.Parse(t.Context(), file(i, k))
			}
		})
	}
	busy := p99()
	stop.Store(true)
	t.Logf("p99 of %d urgent files: %v idle, %v beside hostile files", n, idle, busy)
	if sampletest.Long() && busy > idle+20*time.Millisecond {
		t.Errorf("hostile files add %v", busy-idle)
	}
	wg.Wait()
}

// FuzzHostile parses token soups of any seed in the fuzzing process itself: what
// aborts there is found by the process's end.
func FuzzHostile(f *testing.F) {
	for i := range languages() {
		f.Add(i, uint64(i), uint16(200))
	}
	p := newParser()
	f.Fuzz(func(t *testing.T, which int, seed uint64, n uint16) {
		langs := languages()
		lang := langs[((which%len(langs))+len(langs))%len(langs)]
		src := soup(lang, seed, int(n%2000))
		file := p.parse(Request{Path: "soup", Language: lang, Source: []byte(src)}, parseLimit)
		checkSpans(t, file, src)
	})
}
