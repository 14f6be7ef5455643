package main

// One repository is measured in a process of its own, so that its processor time and
// memory are its alone, and two can run side by side. The process reads a job and writes
// a result, both JSON.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/bm25"
	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/bench/shown"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// repositoryArg makes this program measure one repository.
const repositoryArg = "measure-repository"

// The engines.
const (
	engineOurs     = "brv-lsp"
	engineBM25     = "BM25"
	engineBM25Code = "BM25, tests last"
	engineWindows  = "windows, BM25"
)

// job is the input of the measuring process.
type job struct {
	GitDir    string     `json:"git_dir"`
	Instances []instance `json:"instances"` // of one repository, by time
	Baseline  bool       `json:"baseline"`
	Entries   string     `json:"entries"`   // the folder of a context tree that packs are made of too; "": none
	Documents string     `json:"documents"` // packs are made by a workspace whose documents are on or off; "": of code alone
	NoHistory bool       `json:"no_history"`
	Verify    bool       `json:"verify"`  // compare the last map with one made anew
	Signals   bool       `json:"signals"` // gather signals instead of measuring
	Bodies    bool       `json:"bodies"`  // gather excerpts instead of measuring
}

// result is the output of the measuring process.
type result struct {
	Repo    string        `json:"repo"`
	Files   int           `json:"files"` // of the map, at the end
	Scan    process.Spent `json:"scan"`  // of the first instance
	PeakMB  float64       `json:"peak_mb"`
	Notes   []string      `json:"notes"`
	Records []record      `json:"records"`
	Signals []signalled   `json:"signals,omitempty"`
	Bodies  []excerpted   `json:"bodies,omitempty"`
}

// record is the result of one instance, a line of a runs file.
type record struct {
	ID       string           `json:"id"`
	Repo     string           `json:"repo"`
	Lang     string           `json:"lang"`
	Mentions string           `json:"mentions"`
	Gold     int              `json:"gold"`     // files
	Unmapped int              `json:"unmapped"` // of these, not in the map: nothing can find them
	Ranks    map[string][]int `json:"ranks"`    // by engine, of each gold file; 1 is best, 0 not ranked
	Packs    []packed         `json:"packs"`
	Editing  []edited         `json:"editing"`
	Times    times            `json:"times"`
}

// times are the costs of one instance. Packs are built after the ranking and reuse its reading of the task.
type times struct {
	Update *process.Spent           `json:"update"` // nil for the first, which is scanned
	Rank   process.Spent            `json:"rank"`
	Pack   map[string]process.Spent `json:"pack"` // by budget
}

// leaveTime is how long an interrupted process may take to clean up.
const leaveTime = 10 * time.Second

// apart measures a repository in a process of its own.
func apart(ctx context.Context, j job, progress io.Writer) (result, error) {
	var r result
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	in, err := json.Marshal(j)
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, self, repositoryArg)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), progress
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it removes its checkout
	cmd.WaitDelay = leaveTime
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w", j.Instances[0].Repo, err)
	}
	return r, json.Unmarshal(out, &r)
}

// repositoryMain is the process that apart starts.
func repositoryMain(ctx context.Context, in io.Reader, out, progress io.Writer) int {
	var j job
	err := json.NewDecoder(in).Decode(&j)
	if err == nil {
		var r result
		if r, err = measureRepository(ctx, j); err == nil {
			err = json.NewEncoder(out).Encode(r)
		}
	}
	if err != nil {
		fmt.Fprintln(progress, "codebase:", err)
		return 1
	}
	return 0
}

// bench is a repository while it is measured.
type bench struct {
	job
	checkout *checkout
	ours     *ours
	bm25     bm25.Index
	packer   *packer // nil: packs are made of ours
	windows  shown.Windows
	result   result
}

func measureRepository(ctx context.Context, j job) (r result, err error) {
	tokens.Count("") // load the vocabulary before anything is measured
	b := &bench{job: j, windows: shown.Windows{}}
	b.result.Repo = j.Instances[0].Repo
	if b.checkout, err = newCheckout(ctx, j.GitDir); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.checkout.Close()) }()
	if b.ours, err = openOurs(b.checkout.dir); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.ours.Close()) }()
	b.ours.noHistory = j.NoHistory
	if err := b.ours.learn(ctx, j.Entries); err != nil {
		return r, err
	}
	if b.packer, err = newPacker(j.Documents); err != nil {
		return r, err
	}
	if b.packer != nil {
		defer os.RemoveAll(b.packer.cache)
		defer b.packer.close()
	}
	for _, i := range j.Instances {
		if j.Signals {
			some, err := b.signals(ctx, i)
			if err != nil {
				return r, fmt.Errorf("%s: %w", i.ID, err)
			}
			b.result.Signals = append(b.result.Signals, some...)
			continue
		}
		if j.Bodies {
			one, err := b.bodies(ctx, i)
			if err != nil {
				return r, fmt.Errorf("%s: %w", i.ID, err)
			}
			b.result.Bodies = append(b.result.Bodies, one)
			continue
		}
		rec, err := b.measure(ctx, i)
		if err != nil {
			return r, fmt.Errorf("%s: %w", i.ID, err)
		}
		b.result.Records = append(b.result.Records, rec)
	}
	if j.Verify {
		if err := b.verify(ctx); err != nil {
			return r, err
		}
	}
	b.result.Files = len(b.ours.code.Chunks())
	b.result.PeakMB = float64(process.OwnPeak()) / 1e6
	b.result.Notes = slices.Concat(b.result.Notes, b.checkout.notes, b.ours.late())
	return b.result, nil
}

// measure measures one instance at its base commit.
func (b *bench) measure(ctx context.Context, i instance) (record, error) {
	rec := record{ID: i.ID, Repo: i.Repo, Lang: i.Lang, Mentions: i.Mentions, Gold: len(i.Files), Ranks: map[string][]int{}}
	if err := b.moveTo(ctx, i.BaseCommit, &rec); err != nil {
		return rec, err
	}
	var golds []gold
	for _, p := range i.Files {
		g, err := goldOf(b.ours.code, p, i.BaseLines[p])
		if err != nil {
			return rec, err
		}
		if g.lines == nil {
			rec.Unmapped++
		}
		golds = append(golds, g)
	}
	var ranking []string
	rec.Times.Rank, _ = process.Timed(func() error { ranking = b.ours.rank(i.Query); return nil })
	rec.Ranks[engineOurs] = ranksOf(ranking, i.Files)
	if err := b.packs(ctx, i, golds, &rec); err != nil {
		return rec, err
	}
	if b.Baseline {
		if err := b.baselines(i, golds, &rec); err != nil {
			return rec, err
		}
	}
	var err error
	if len(i.Files) > 1 {
		rec.Editing, err = editing(b.ours, i)
	}
	return rec, err
}

// moveTo brings checkout and map to a commit.
func (b *bench) moveTo(ctx context.Context, commit string, rec *record) error {
	changed, err := b.checkout.move(ctx, commit)
	if err != nil {
		return err
	}
	if b.Baseline {
		b.windows.Update(b.checkout.root, changed)
	}
	if b.ours.code == nil {
		b.result.Scan, err = process.TimedWithChildren(func() error { return b.ours.scan(ctx, commit) })
		return err
	}
	spent, err := process.TimedWithChildren(func() error { return b.ours.update(ctx, commit, changed) })
	rec.Times.Update = &spent
	return err
}

func (b *bench) packs(ctx context.Context, i instance, golds []gold, rec *record) error {
	rec.Times.Pack = map[string]process.Spent{}
	pack := b.ours.pack
	if b.packer != nil {
		if err := b.packer.open(ctx, b.checkout.dir); err != nil {
			return err
		}
		pack = b.packer.pack
	}
	for _, budget := range budgets {
		var text string
		spent, err := process.Timed(func() (err error) { text, err = pack(ctx, i.Query, budget); return err })
		if err != nil {
			return err
		}
		rec.Times.Pack[fmt.Sprint(budget)] = spent
		rec.Packs = append(rec.Packs, lookAt(text, tokens.Count(text), engineOurs, budget, golds, docComments{b.ours.code}))
	}
	return nil
}

// baselines measures BM25 over files, and windows of lines.
func (b *bench) baselines(i instance, golds []gold, rec *record) error {
	if err := b.bm25.Update(b.ours.code); err != nil {
		return err
	}
	plain := b.bm25.Rank(i.Query)
	rec.Ranks[engineBM25] = ranksOf(plain, i.Files)
	rec.Ranks[engineBM25Code] = ranksOf(testsLast(b.ours.code, plain), i.Files)
	blocks, used := b.windows.Pack(i.Query, budgets)
	for n, budget := range budgets {
		p := packed{Engine: engineWindows, Budget: budget, Tokens: used[n]}
		rec.Packs = append(rec.Packs, judge(blocks[n], nil, p, golds, docComments{b.ours.code}))
	}
	return nil
}

// testsLast moves tests behind all other files: no gold file is a test, and a ranking
// that knows this has an advantage that has nothing to do with words.
func testsLast(code *codebase.RepoMap, ranking []string) []string {
	isTest := func(p string) bool { c, ok := code.Chunk(p); return ok && c.Type == codebase.Test }
	out := slices.Clone(ranking)
	slices.SortStableFunc(out, func(a, b string) int {
		switch {
		case isTest(a) == isTest(b):
			return 0
		case isTest(b):
			return -1
		}
		return 1
	})
	return out
}

// ranksOf are the ranks of files in a ranking, from 1; 0 where a file is not in it.
func ranksOf(ranking, files []string) []int {
	out := make([]int, len(files))
	for i, f := range files {
		out[i] = slices.Index(ranking, f) + 1
	}
	return out
}
