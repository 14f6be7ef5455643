package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

// stepArg makes the program one step, that reads a job and writes what it measured.
const stepArg = "speed-step"

// stepNames are the steps in their order: the last two find what the first scan kept, and
// the last one changes files.
var stepNames = []string{"baseline", "pack", "scan", "editor", "start"}

var steps = map[string]func(context.Context, job, *size) error{
	"baseline": baseline, "pack": firstPack, "scan": firstScan, "editor": editor, "start": secondStart,
}

// job is the input of a step.
type job struct {
	Step    string
	Root    string
	Cache   string
	Queries []string
	Asked   int
	Edits   int
	Profile string // beginning of the names of profiles, "" for none
	Sofar   size   // what earlier steps measured
}

// apart takes a step in a process of its own, and adds what it measured to s.
func apart(ctx context.Context, j job, s *size, progress io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	j.Sofar = *s
	in, err := json.Marshal(j)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, stepArg)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), progress
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(out, s)
}

// serverGC is how the server collects its memory (cmd/brv-lsp).
const serverGC = 50

// stepMain is the process that apart starts.
func stepMain(ctx context.Context, in io.Reader, out, progress io.Writer) int {
	debug.SetGCPercent(serverGC)
	var j job
	err := json.NewDecoder(in).Decode(&j)
	if err == nil {
		err = profiled(j.Profile, func() error { return steps[j.Step](ctx, j, &j.Sofar) })
	}
	if err == nil {
		err = json.NewEncoder(out).Encode(j.Sofar)
	}
	if err != nil {
		fmt.Fprintln(progress, "speed:", err)
		return 1
	}
	return 0
}

// profiled writes profiles of what work does.
func profiled(name string, work func() error) error {
	if name == "" {
		return work()
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name + ".cpu")
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = work()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}

// heapProfile writes what is live.
func heapProfile(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name + ".heap")
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("heap").WriteTo(f, 0), f.Close())
}

// baseline reads all files with tree-sitter and nothing else, one after the other.
func baseline(ctx context.Context, j job, s *size) error {
	root, err := jail.Open(j.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	found, err := discover.Walk(ctx, root, discover.Options{})
	if err != nil {
		return err
	}
	b := syntax.NewBaseline()
	defer b.Close()
	for _, f := range found.Files {
		text, err := root.ReadFile(f.Path, discover.DefaultMaxFileSize)
		if err != nil {
			continue
		}
		language := syntax.LanguageFor(f.Path, text)
		if language == "" {
			continue
		}
		used, _ := process.Timed(func() error {
			n, err := b.Captures(language, text)
			s.Captures += n
			return err // what is no valid syntax is part of real trees
		})
		s.Baseline.Wall += used.Wall
		s.Baseline.CPU += used.CPU
	}
	return nil
}

// newPool parses in workers, with the usual limit of time.
func newPool() *syntax.Pool { return syntax.NewPool(syntax.Options{}) }

// scanned maps the tree with the cache, and says what that cost; closed ends what the
// map reads with.
func scanned(ctx context.Context, j job, spent *process.Spent) (m *codebase.RepoMap, closed func(), err error) {
	root, err := jail.Open(j.Root)
	if err != nil {
		return nil, nil, err
	}
	pool := newPool()
	closed = func() {
		pool.Close()
		root.Close()
	}
	*spent, err = process.TimedWithChildren(func() (err error) {
		m, err = codebase.Scan(ctx, root, codebase.Options{Parser: pool, Cache: j.Cache})
		return err
	})
	if err != nil {
		closed()
		return nil, nil, err
	}
	return m, closed, nil
}

// firstScan maps a tree that nothing is known of, and keeps what was read.
func firstScan(ctx context.Context, j job, s *size) error {
	m, closed, err := scanned(ctx, j, &s.Scan)
	if err != nil {
		return err
	}
	defer closed()
	s.Mapped, s.Fingerprint = len(m.Chunks()), m.Fingerprint()
	if s.Save, err = process.Timed(m.Save); err != nil {
		return err
	}
	s.ScanHeap, s.ScanPeak = live(m), process.OwnPeak()
	return heapProfile(j.Profile)
}

// live returns the size of the heap, in bytes, while a map is held in memory.
func live(m *codebase.RepoMap) int64 {
	runtime.GC()
	runtime.GC() // the first may have left what the caches of packages dropped
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	runtime.KeepAlive(m)
	return int64(stats.HeapAlloc)
}

// secondStart maps the tree with what the first scan kept, and works on the map.
func secondStart(ctx context.Context, j job, s *size) error {
	m, closed, err := scanned(ctx, j, &s.Start)
	if err != nil {
		return err
	}
	defer closed()
	s.Same = m.Fingerprint()
	s.StartHeap = live(m)
	if err := heapProfile(j.Profile); err != nil {
		return err
	}
	if err := ask(ctx, j, m, s); err != nil {
		return err
	}
	if m, err = edit(ctx, j, m, s); err != nil {
		return err
	}
	s.StartPeak, s.LastHeap = process.OwnPeak(), live(m)
	return nil
}

// firstPack asks for a pack as soon as the folder is open, and then waits for the rest
// so that it is known how long that took.
func firstPack(ctx context.Context, j job, s *size) error {
	var w *workspace.Workspace
	task := "read the configuration file and report errors with their line"
	if len(j.Queries) > 0 {
		task = j.Queries[0]
	}
	var err error
	s.FirstPack, err = process.TimedWithChildren(func() error {
		if w, err = workspace.Open(ctx, j.Root, workspace.Options{Trusted: true}); err != nil {
			return err
		}
		p, err := contextpack.Pack(ctx, w.View(), contextpack.PackRequest{Task: task, BudgetTokens: packBudget})
		if err == nil {
			s.FirstPending, s.FirstItems = p.Pending, len(p.Items)
		}
		return err
	})
	if w == nil {
		return err
	}
	return errors.Join(err, w.Close())
}
