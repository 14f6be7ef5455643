// Command steps counts what the program's readers of texts take for texts that somebody made to be slow: basic blocks
// executed and bytes allocated, not time, so that the result does not depend on the machine. Each shape of text is
// read at one length and at four times that length. What takes more than six times as much then is not
// linear, and the program ends with code 1.
//
// It counts with Go's coverage counters: the program builds itself again with them, and counts in the packages that read
// texts and in regexp. Searches in Go's strings and bytes are not counted; -time shows by the processor's time
// what they hide.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// packages lists the packages in which steps are counted.
const packages = "github.com/brv-lsp/brv-lsp/...,regexp,go.yaml.in/yaml/v3,github.com/bmatcuk/doublestar/v4"

const (
	factor = 4     // of the lengths that are compared
	most   = 6     // times the cost for factor times the text: lists that grow give up to 5.3, the quadratic 16
	double = 2.2   // times the time for twice the text
	few    = 200e3 // steps, and bytes, that are no cost whatever they were before
)

var scratch string // a folder for files that are read

func main() {
	size := flag.Int("size", 16<<10, "bytes of the shorter text")
	amount := flag.Int("bytes", 0, "bytes of fuzzed texts that each reader reads beside the known shapes")
	seed := flag.Uint64("seed", 1, "of the fuzzed shapes")
	only := flag.String("only", "", "readers whose name holds this")
	clock := flag.Bool("time", false, "the processor's time instead of steps")
	doublings := flag.Int("doublings", 0, "only a table of steps, or with -time of times: so many of the slowest shapes of each reader "+
		"at one length, twice and four times it")
	runs := flag.String("runs", "", "write the table to this file")
	flag.Parse()
	if !*clock && !counted() {
		if os.Getenv("GOCOVERDIR") != "" {
			panic("built with counters, and there are none")
		}
		os.Exit(counting())
	}
	var err error
	if scratch, err = os.MkdirTemp("", "steps"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(scratch)
	r := &run{size: *size, clock: *clock}
	for _, reader := range readers {
		switch {
		case !strings.Contains(reader.name, *only):
		case *doublings > 0:
			r.double(reader, *doublings)
		default:
			r.all(reader, *amount, *seed)
		}
	}
	table := r.table()
	if *doublings > 0 {
		unit := "millions of steps"
		if *clock {
			unit = "milliseconds of the processor, without collection of garbage"
		}
		table = fmt.Sprintf("%s, %d processors, %s, for texts of %d, %d and "+
			"%d bytes; %d of %d doublings take more than %.1f times as much\n\n| reader | the text (head, open, close) | cost | cost | cost | growth |\n|---|---|---|---|---|---|\n%s", runtime.Version(),
			runtime.NumCPU(), unit, r.size, 2*r.size, 4*r.size, len(r.bad), 2*len(r.times), double, strings.Join(r.times, ""))
	}
	os.Stdout.WriteString(table)
	if *runs != "" {
		must(os.WriteFile(*runs, []byte(table), 0o644))
	}
	os.RemoveAll(scratch)
	if len(r.bad) > 0 {
		os.Exit(1)
	}
}

// counting builds the program with counters, runs it, and returns its code.
func counting() int {
	dir, err := os.MkdirTemp("", "steps")
	must(err)
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "steps")
	run := func(name string, args ...string) int {
		cmd := exec.Command(name, args...)
		cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, append(os.Environ(), "GOCOVERDIR="+dir)
		if err := cmd.Run(); err != nil {
			if e, ok := err.(*exec.ExitError); ok {
				return e.ExitCode()
			}
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		return 0
	}
	code := run("go", "build", "-cover", "-covermode=atomic", "-coverpkg="+packages, "-o", program,
		"github.com/brv-lsp/brv-lsp/bench/steps")
	if code != 0 {
		return code
	}
	return run(program, os.Args[1:]...)
}

// run is all that was measured.
type run struct {
	size  int
	clock bool
	texts int // bytes
	rows  []row
	bad   []string
	times []string // lines of the table of doublings
}

// row is the worst shape of a reader.
type row struct {
	reader      string
	shape       shape
	short, long cost
	shapes      int
}

// growth returns the ratio of the longer text's cost to the shorter one's.
func (w row) growth() (steps, bytes float64) {
	return grown(w.short.steps, w.long.steps), grown(w.short.bytes, w.long.bytes)
}

func grown(short, long uint64) float64 {
	return float64(long) / float64(max(short, few))
}

// all reads the known shapes with a reader, and fuzzed ones of some bytes.
func (r *run) all(reader reader, amount int, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 11))
	worst, shapes := row{reader: reader.name}, 0
	var best []shape
	try := func(s shape) int {
		shapes++
		short, long := s.text(r.size), s.text(r.size*factor)
		r.texts += len(short) + len(long)
		_, err := r.measure(reader.read, s.text(r.size)) // what is made once is made
		w := row{reader: reader.name, shape: s}
		if err == nil {
			w.short, err = r.measure(reader.read, short)
		}
		if err == nil {
			w.long, err = r.measure(reader.read, long)
		}
		steps, bytes := w.growth()
		if err != nil || steps > most || bytes > most {
			r.bad = append(r.bad, fmt.Sprintf("%s: %v: %.1f times the steps (%d, %d), %.1f times the bytes (%d, %d) %v", reader.name, s, steps,
				w.short.steps, w.long.steps, bytes, w.short.bytes, w.long.bytes, err))
			fmt.Fprintln(os.Stderr, r.bad[len(r.bad)-1])
		}
		if w.long.steps > worst.long.steps {
			worst = w
			best = append(best, s)
		}
		return len(short) + len(long)
	}
	for _, s := range known {
		try(s)
	}
	for amount > 0 {
		amount -= try(fuzzed(rnd, best))
	}
	worst.shapes = shapes
	r.rows = append(r.rows, worst)
}

// double measures the slowest shapes of a reader at one length, twice and four times it. What takes too long is measured
// again, since another program may have run, and the least counts.
func (r *run) double(reader reader, n int) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // how often it runs within a reading depends on what is there by chance
	first := map[shape]uint64{}
	for _, s := range known {
		c, _ := r.measure(reader.read, s.text(r.size/8))
		first[s] = c.steps
	}
	shapes := slices.SortedFunc(maps.Keys(first), func(a, b shape) int { return cmp.Compare(first[b], first[a]) })
	for _, s := range shapes[:min(n, len(shapes))] {
		var took [3]uint64
		slow := func(i int) bool { return float64(took[i]) > double*float64(took[i-1]) }
		for try := 0; try < 6 && (try == 0 || r.clock && (slow(1) || slow(2))); try++ {
			for i := range took {
				text := s.text(r.size << i)
				runtime.GC()
				c, _ := r.measure(reader.read, text)
				if try == 0 || c.steps < took[i] {
					took[i] = c.steps
				}
			}
		}
		line := fmt.Sprintf("| %s | %s |", reader.name, strings.ReplaceAll(s.String(), "|", `\|`))
		for _, t := range took {
			line += fmt.Sprintf(" %.1f |", float64(t)/1e6)
		}
		growth := [2]float64{float64(took[1]) / float64(took[0]), float64(took[2]) / float64(took[1])}
		r.times = append(r.times, fmt.Sprintf("%s %.1f, %.1f |\n", line, growth[0], growth[1]))
		for i := 1; i < 3; i++ {
			if slow(i) {
				r.bad = append(r.bad, line)
			}
		}
	}
}

// measure counts, or takes the processor's time in place of steps.
func (r *run) measure(read func(string), text string) (cost, error) {
	if !r.clock {
		return measure(read, text)
	}
	start := process.OwnCPU()
	read(text)
	return cost{steps: uint64(process.OwnCPU() - start)}, nil
}

// table lists for each reader the shape that takes most.
func (r *run) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d processors, texts of %d and %d bytes, %d bytes in all, %d shapes that are not linear\n\n",
		runtime.Version(), runtime.NumCPU(), r.size, r.size*factor, r.texts, len(r.bad))
	b.WriteString("| reader | shapes | steps for a byte, at most | growth | bytes for a byte | growth | the text (head, open, close) |\n" +
		"|---|---|---|---|---|---|---|\n")
	rows := slices.Clone(r.rows)
	slices.SortStableFunc(rows, func(a, b row) int { return int(b.long.steps/1000) - int(a.long.steps/1000) })
	for _, w := range rows {
		steps, bytes := w.growth()
		n := float64(len(w.shape.text(r.size * factor)))
		fmt.Fprintf(&b, "| %s | %d | %.0f | %.1f | %.0f | %.1f | %s |\n", w.reader, w.shapes,
			float64(w.long.steps)/n, steps, float64(w.long.bytes)/n, bytes, strings.ReplaceAll(w.shape.String(), "|", `\|`))
	}
	for _, line := range r.bad {
		fmt.Fprintf(&b, "\nNot linear: %s", line)
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}
