package txn_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// edits are what a user may do to a file between any two of our steps.
var edits = []struct {
	name string
	do   func(d *txntest.Disk, p string)
}{
	{"write", func(d *txntest.Disk, p string) { d.Write(p, users) }},
	{"replace", func(d *txntest.Disk, p string) { d.Replace(p, users) }},
	{"delete", func(d *txntest.Disk, p string) { d.Delete(p) }},
	{"truncate", func(d *txntest.Disk, p string) { d.Write(p, "") }},
	{"folder", func(d *txntest.Disk, p string) { d.Delete(p); d.Write(p+"/inside", users) }},
	{"large", func(d *txntest.Disk, p string) { d.Replace(p, strings.Repeat(users, 1000)) }},
}

const users = "the user's bytes"

// Someone edits one of the files before each step: what they wrote is there
// afterwards, and the other files are as before or as after the change.
func TestEditAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			count, due := 0, oneIn(t, 1)
			for n := 1; n <= 4; n++ {
				for _, p := range touched(n) {
					for _, e := range edits {
						count += editEverywhere(t, due, kind.adjust, n, p, e.name, e.do)
					}
				}
			}
			t.Logf("%d interleavings", count)
		})
	}
}

func editEverywhere(t *testing.T, due func(int) bool, adjust func(*txntest.Disk), n int, p, name string, edit func(*txntest.Disk, string)) (count int) {
	t.Helper()
	for at := 1; ; at++ {
		if !due(at - 1) {
			continue
		}
		d := newDisk()
		adjust(d)
		if err := playTo(d, n-1); err != nil {
			t.Fatal(err)
		}
		var want map[string]txntest.File
		idle := false
		steps := &txntest.Steps{FS: d, Hook: func(s txntest.Step) error {
			if s.N == at {
				before := under(d, p)
				edit(d, p)
				want = under(d, p)
				idle = maps.EqualFunc(before, want, func(a, b txntest.File) bool { return a.Data == b.Data })
			}
			return nil
		}}
		kept, err := commit(Open(steps, "state", options()), n)
		if want == nil {
			return count // there are no more steps
		}
		if idle {
			continue
		}
		count++
		if err := edited(d, n, p, kept, err, want); err != nil {
			t.Errorf("change %d, %s %s before step %d: %v", n, name, p, at, err)
		}
	}
}

// under is what stands at a path.
func under(d *txntest.Disk, p string) map[string]txntest.File {
	all := d.Files(own...)
	for q := range all {
		if q != p && !strings.HasPrefix(q, p+"/") {
			delete(all, q)
		}
	}
	return all
}

func edited(d *txntest.Disk, n int, p string, kept []string, err error, want map[string]txntest.File) error {
	state := states[n] // of the other files
	var conflict *ConflictError
	switch {
	case errors.As(err, &conflict):
		state = states[n-1]
		if !slices.Equal(conflict.Paths, []string{p}) {
			return err
		}
	case errors.Is(err, ErrUnfinished):
		return err
	case err != nil: // a folder in the way
		state = states[n-1]
	}
	if len(kept) > 0 && !slices.Equal(kept, []string{p}) {
		return fmt.Errorf("kept %q", kept)
	}
	all := d.Files(own...)
	for q, f := range want {
		if now, ok := all[q]; !ok || now.Data != f.Data {
			return fmt.Errorf("lost: %s is %.40q, kept %q, %v", q, now.Data, kept, err)
		}
	}
	if len(want) == 0 && all[p].Data != "" {
		return fmt.Errorf("came back: %.40q, kept %q, %v", all[p].Data, kept, err)
	}
	for q, text := range state {
		if now, ok := all[q]; q != p && (!ok || now.Data != text) {
			return fmt.Errorf("%s is %.40q, want %.40q; kept %q, %v", q, now.Data, text, kept, err)
		}
	}
	for q := range d.Files() {
		if strings.HasPrefix(q, "state/txn/") || strings.HasPrefix(q, "state/damaged/") || strings.Contains(q, "/.brv-") {
			return fmt.Errorf("left: %s", q)
		}
	}
	_, kept, err = Open(d, "state", options()).Commit(ctx, func(int) (any, []Change, error) {
		return nil, []Change{{"context-tree/next.md", nil, &Image{}}}, nil
	})
	if err != nil || len(kept) > 0 {
		return fmt.Errorf("the next change: %q, %w", kept, err)
	}
	return nil
}

// A program that had the file open writes into it later, also when the change is over:
// its bytes are in place, or saved and listed as its own. Where the journal is on another
// device they are not if they came after the last look at the file.
func TestProgramThatHasTheFileOpen(t *testing.T) {
	t.Parallel()
	count, due := 0, oneIn(t, 3)
	const p = "context-tree/a/one.md"
	for _, kind := range kinds {
		for _, n := range []int{1, 4} {
			for open := 1; open < 90; open++ {
				if !due(open - 1) {
					continue
				}
				for write := open; write < 140; write += 2 {
					d := newDisk()
					kind.adjust(d)
					if err := playTo(d, n-1); err != nil {
						t.Fatal(err)
					}
					var file func(string) bool
					excused := true // not opened at all
					put := func(last bool) {
						if file != nil {
							named := file(users)
							excused = strings.Contains(kind.name, "other device") && (last || !named)
							file = nil
						}
					}
					steps := &txntest.Steps{FS: d, Hook: func(s txntest.Step) error {
						if s.N == open {
							file = d.Hold(p)
						}
						if s.N == write {
							put(s.Op == "remove")
						}
						return nil
					}}
					j := Open(steps, "state", options())
					kept, err := commit(j, n)
					put(false)
					count++
					saved, _, lost := j.Saved()
					if !excused && d.Files()[p].Data != users && !isSaved(saved, p, users) {
						t.Errorf("%s, change %d, opened at %d, written at %d: lost; kept %q, %v; saved %v, %v", kind.name, n, open,
							write, kept, err, saved, lost)
					}
				}
			}
		}
	}
	t.Logf("%d interleavings", count)
}

// isSaved reports whether a text is listed as someone's, for that file.
func isSaved(saved []Saved, p, text string) bool {
	return slices.ContainsFunc(saved, func(s Saved) bool { return s.Path == p && string(s.Data) == text })
}

// Several edits come at random moments: the last is in place, or saved.
func TestSeveralEdits(t *testing.T) {
	t.Parallel()
	runs := 4000
	if underRace {
		runs /= 20
	}
	for seed := range sampletest.Seeds(t, runs, 200_000, nil) {
		r := rand.New(rand.NewPCG(seed, 7))
		d := newDisk()
		kinds[seed%uint64(len(kinds))].adjust(d)
		n := 1 + r.IntN(4)
		if err := playTo(d, n-1); err != nil {
			t.Fatal(err)
		}
		paths := touched(n)
		p := paths[r.IntN(len(paths))]
		last, over := "", false
		steps := &txntest.Steps{FS: d, Hook: func(s txntest.Step) error {
			if !over && r.IntN(8) == 0 {
				last = fmt.Sprintf("%s %d", users, s.N)
				if r.IntN(2) == 0 {
					d.Replace(p, last)
				} else {
					d.Write(p, last)
				}
			}
			return nil
		}}
		j := Open(steps, "state", options())
		kept, err := commit(j, n)
		over = true // looking changes nothing
		if saved, _, _ := j.Saved(); last != "" && d.Files()[p].Data != last && !isSaved(saved, p, last) {
			t.Errorf("seed %d: %s is %q, want %q; saved %v; kept %q, %v", seed, p, d.Files()[p].Data, last, saved, kept, err)
		}
	}
}

// Someone deletes and moves files and folders as fast as they can: changes fail
// with an error or not, and when it is over all is well.
func TestFilesVanishUnderUs(t *testing.T) {
	t.Parallel()
	rounds := sampletest.Count(300, 10_000)
	root := realDisk(t)
	stop := make(chan struct{})
	var racer sync.WaitGroup
	racer.Go(func() {
		r := rand.New(rand.NewPCG(3, 4))
		at := func(p string) string { return filepath.Join(root.Dir(), filepath.FromSlash(p)) }
		for {
			select {
			case <-stop:
				return
			default:
			}
			switch p := fmt.Sprintf("context-tree/r%d", r.IntN(3)); r.IntN(5) {
			case 0:
				_ = os.RemoveAll(at(p))
			case 1:
				_ = os.Rename(at(p), at(fmt.Sprintf("context-tree/r%d", r.IntN(3))))
			case 2:
				_ = os.Remove(at(p + "/f.md"))
			case 3:
				_ = os.Mkdir(at(p+"/f.md"), 0o755)
			case 4:
				_ = os.WriteFile(at(p), nil, 0o644)
			}
		}
	})
	j := Open(txntest.NewSyncs(root, "*"), "state", Options{Seal: testSeal})
	failed, unfinished, kept := 0, 0, 0
	for i := range rounds {
		p := fmt.Sprintf("context-tree/r%d/f.md", i%3)
		_, k, err := j.Commit(ctx, func(int) (any, []Change, error) {
			data, err := root.ReadFile(p, 100)
			before := &Image{Data: data}
			if err != nil {
				before = nil
			}
			return nil, []Change{{p, before, &Image{Data: fmt.Appendf(nil, "%d", i)}}}, nil
		})
		if err != nil {
			failed++
			unfinished += count(errors.Is(err, ErrUnfinished))
			if !typed(err) {
				t.Errorf("a caller can make nothing of: %v", err)
			}
		}
		kept += len(k)
	}
	close(stop)
	racer.Wait()
	if _, err := j.Recover(ctx); err != nil {
		t.Error(err)
	}
	for _, err := range j.Audit() {
		if err != nil {
			t.Error(err)
		}
	}
	h, _, err := j.Commit(ctx, func(int) (any, []Change, error) {
		return nil, []Change{{"context-tree/after.md", nil, &Image{}}}, nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d changes, %d made, %d failed (%d to be finished), %d kept", rounds, h.ID-1, failed, unfinished, kept)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// typed reports whether an error is of a kind that callers can test for.
func typed(err error) bool {
	var conflict *ConflictError
	var errno syscall.Errno
	return errors.As(err, &conflict) || errors.As(err, &errno) || errors.Is(err, jail.ErrNotRegular) || errors.Is(err, fs.ErrExist) ||
		errors.Is(err, fs.ErrNotExist)
}
