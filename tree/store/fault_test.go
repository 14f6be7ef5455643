package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// scenario is one thing that a user does to a tree, on a tree that was prepared.
type scenario struct {
	name    string
	prepare func(*Store) error
	act     func(*Store) error
}

// grown has what every kind of operation needs.
var grown = map[string]string{
	"a/context.md":        "# Domain: a\n",
	"a/b/x.md":            "---\ntitle: X\nrelated: [a/c/z.md]\n---\nSee @a/b/y.md.\n",
	"a/b/y.md":            "# Y\n",
	"a/c/z.md":            "---\nrelated: [a/b/x.md, a/b/y]\n---\n[y](../b/y.md)\n",
	"d/e/f/deep.md":       "---\nimportance: 20\n---\n@a/b/x.md\n",
	"d/e/f/context.md":    "# Subtopic: f\n",
	"d/e/other.md":        "[[deep]]\n",
	"_archived/q/r/s.md":  "no archive\n",
	"_archived/q/context": "",
}

func doing(b plan.Batch) func(*Store) error {
	b.Hold = plan.HoldNone
	return func(s *Store) error { return apply(s, b) }
}

func apply(s *Store, b plan.Batch) error {
	r, err := s.Apply(context.Background(), b)
	if err == nil && r.Summary.Failed > 0 {
		return fmt.Errorf("failed: %+v", r.Results)
	}
	return err
}

func scenarios() []scenario {
	ctx := context.Background()
	facts := format.Content{Facts: []format.Fact{{Statement: "new"}}}
	update := batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r", Content: facts})
	del := batchOf(plan.Op{Type: plan.OpDelete, Path: "a/b/y.md", Reason: "r"})
	return []scenario{
		{"add", nil, doing(batchOf(plan.Op{Type: plan.OpAdd, Path: "n/e/w", Title: "New", Reason: "r", Content: facts}))},
		{"update", nil, doing(update)},
		{"upsert", nil, doing(batchOf(plan.Op{Type: plan.OpUpsert, Path: "a/b", Title: "X", Reason: "r", Content: facts}))},
		{"merge", nil, doing(batchOf(plan.Op{Type: plan.OpMerge, Path: "a/b/y.md", MergeTarget: "a/c/z.md", Reason: "r"}))},
		{"delete a file", nil, doing(del)},
		{"delete a subtree", nil, doing(batchOf(plan.Op{Type: plan.OpDelete, Path: "d", Reason: "r"}))},
		{"move", nil, doing(batchOf(plan.Op{Type: plan.OpMove, Path: "a", To: "moved", Reason: "r"}))},
		{"archive", nil, doing(batchOf(plan.Op{Type: plan.OpArchive, Path: "d/e/f/deep.md", Reason: "r"}))},
		{"restore", doing(batchOf(plan.Op{Type: plan.OpArchive, Path: "d/e/f/deep.md", Reason: "r"})),
			doing(batchOf(plan.Op{Type: plan.OpRestore, Path: "d/e/f/deep.md", Reason: "r"}))},
		{"hold", nil, func(s *Store) error { return apply(s, del) }},
		{"approve", func(s *Store) error { return apply(s, del) },
			func(s *Store) error { _, err := s.Approve(ctx, 1, "", plan.Decision{}); return err }},
		{"reject", func(s *Store) error { return apply(s, del) },
			func(s *Store) error { _, err := s.Reject(ctx, 1, "", ""); return err }},
		{"undo", doing(update), func(s *Store) error { _, err := s.Undo(ctx, 1, "", ""); return err }},
		{"fold", func(s *Store) error {
			return errors.Join(doing(update)(s), s.Credit(ctx, "a/b/x.md"))
		}, doing(update)},
	}
}

// unsynced skips syncs: a killed process loses nothing that the kernel has.
type unsynced struct{ txn.FS }

func (unsynced) Sync(string) error    { return nil }
func (unsynced) SyncDir(string) error { return nil }

// through lets a store change files through another file system.
func (s *Store) through(fsys func(txn.FS) txn.FS) *txntest.Steps {
	steps := &txntest.Steps{FS: fsys(s.root)}
	s.journal = txn.Open(steps, tree.StateDir, txn.Options{Now: s.now, Seal: s.seal})
	return steps
}

func quick(fsys txn.FS) txn.FS { return unsynced{fsys} }

// prepared is a tree on disk in which the scenario's preparation is done.
func prepared(t testing.TB, sc scenario) string {
	t.Helper()
	dir := onDisk(t, grown)
	s := opened(t, dir)
	s.through(quick)
	if sc.prepare != nil {
		if err := sc.prepare(s); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// memory is a folder for files in memory, where Linux has that, or else the one for
// temporary files. The syncs of a disk took most of the time of the cases that stop
// something, and count for nothing there; [TestKilledAnywhere] and [TestManyWriters] are
// on the disk.
func memory() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return os.TempDir()
}

// copied is a copy of a `.brv` folder for one case, which removes it.
func copied(t testing.TB, dir, in string) (to string, remove func()) {
	t.Helper()
	top, err := os.MkdirTemp(in, "brv-tree-")
	to = filepath.Join(top, ".brv")
	if err := errors.Join(err, os.CopyFS(to, os.DirFS(dir))); err != nil {
		t.Fatal(err)
	}
	return to, func() { _ = os.RemoveAll(top) }
}

// outcome is everything that counts of a `.brv` folder: entries, counters, what
// waits for review, and which records there are.
func outcome(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		switch {
		case strings.HasPrefix(rel, "state/lock") || strings.HasSuffix(rel, ".lock") || strings.HasPrefix(rel, "state/saved/"):
			return nil
		case strings.HasPrefix(rel, "state/journal/"):
			out[rel] = "a record"
			return nil
		}
		data, err := os.ReadFile(name)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// afterCrash opens the folder as the next user does, and says which of the two
// states it is in.
func afterCrash(t *testing.T, dir string, before, after map[string]string) (done bool) {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Now: func() time.Time { return testNow }, Seal: testSeal})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.journal.Recover(t.Context()); err != nil { // Open recovers only a change that was committed
		t.Fatal(err)
	}
	got := outcome(t, dir)
	if cmp.Equal(got, after) {
		return true
	}
	if diff := cmp.Diff(before, got); diff != "" {
		t.Fatalf("neither before nor after; against before:\n%s\nagainst after:\n%s", diff, cmp.Diff(after, got))
	}
	return false
}

// endStates runs a scenario to its end and returns the states before and after, and
// the number of steps.
func endStates(t *testing.T, sc scenario, dir string) (before, after map[string]string, steps int) {
	t.Helper()
	before = outcome(t, dir)
	whole, remove := copied(t, dir, memory())
	defer remove()
	s := opened(t, whole)
	counted := s.through(quick)
	if err := sc.act(s); err != nil {
		t.Fatal(err)
	}
	return before, outcome(t, whole), counted.Count()
}

// TestStoppedAnywhere ends every operation at every step of it, and every
// recovery at every step of that: afterwards the tree is as before the operation
// or as after it, what was reported as done is done, and nothing is left over.
func TestStoppedAnywhere(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			points := 0
			dir := prepared(t, sc)
			before, after, steps := endStates(t, sc, dir)
			due, inRecovery := sampletest.Some(t, 25, steps+1), sampletest.Every(t, 20)
			for n := range steps + 1 {
				if due(n) {
					again := func(step int) bool { return inRecovery(n*steps + step) }
					points += stopsAt(t, sc, dir, n+1, again, before, after)
				}
			}
			t.Logf("%d points", points)
		})
	}
}

// stopsAt ends an operation at one step, and recoveries from that at those that are due.
func stopsAt(t *testing.T, sc scenario, dir string, n int, due func(step int) bool,
	before, after map[string]string) (points int) {
	t.Helper()
	crashed, remove := copied(t, dir, memory())
	defer remove()
	s := opened(t, crashed)
	s.through(quick).Hook = txntest.StopAt(n, n%2 == 0)
	err := sc.act(s)
	s.Close()
	points = 1 + stopRecoveries(t, crashed, due, before, after)
	if done := afterCrash(t, crashed, before, after); err == nil && !done {
		t.Fatalf("step %d: reported as done, and is not", n)
	}
	return points
}

// stopRecoveries stops the recovery of copies of a folder at its steps: at every one there are 30,000 points in all.
func stopRecoveries(t *testing.T, dir string, due func(step int) bool, before, after map[string]string) (points int) {
	t.Helper()
	for n, whole := 0, !interrupted(dir); !whole; n++ {
		if due(n) {
			points++
			whole = stopsRecovery(t, dir, n+1, before, after)
		}
	}
	return points
}

// stopsRecovery stops the recovery of a copy at one step. It is whole if it came to its end.
func stopsRecovery(t *testing.T, dir string, n int, before, after map[string]string) (whole bool) {
	t.Helper()
	again, remove := copied(t, dir, memory())
	defer remove()
	root, err := jail.Open(again)
	if err != nil {
		t.Fatal(err)
	}
	steps := &txntest.Steps{FS: quick(root), Hook: txntest.StopAt(n, n%2 == 0)}
	_, err = txn.Open(steps, tree.StateDir, txn.Options{Seal: testSeal}).Recover(t.Context())
	root.Close()
	afterCrash(t, again, before, after)
	return err == nil
}

func interrupted(dir string) bool {
	list, err := os.ReadDir(filepath.Join(dir, tree.StateDir, "txn"))
	return err == nil && len(list) > 0
}

// TestEveryErrorLeavesBeforeOrAfter lets every step of every operation fail with
// each kind of error: the operation says so, or is done; the next one works.
func TestEveryErrorLeavesBeforeOrAfter(t *testing.T) {
	errnos := []error{syscall.EIO, syscall.ENOSPC, syscall.EMFILE, syscall.EACCES, syscall.EROFS, syscall.EINTR}
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			dir := prepared(t, sc)
			before, after, steps := endStates(t, sc, dir)
			due := sampletest.Some(t, 4*len(errnos), steps*len(errnos))
			for point := range steps * len(errnos) {
				if due(point) {
					failsAt(t, sc, dir, 1+point%steps, errnos[point/steps], before, after)
				}
			}
		})
	}
}

// failsAt lets one step fail once.
func failsAt(t *testing.T, sc scenario, dir string, n int, errno error, before, after map[string]string) {
	t.Helper()
	failing, remove := copied(t, dir, memory())
	defer remove()
	s := opened(t, failing)
	st := s.through(quick)
	st.Hook = txntest.FailAt(n, false, errno)
	err := sc.act(s)
	st.Hook = nil
	if done := afterCrash(t, failing, before, after); err == nil && !done {
		t.Fatalf("step %d, %v: reported as done, and is not", n, errno)
	}
	if err := apply(opened(t, failing), batchOf(plan.Op{Type: plan.OpAdd, Path: "z/z", Title: "Next", Summary: "s",
		Reason: "r"})); err != nil {
		t.Fatalf("step %d, %v: the next operation: %v", n, errno, err)
	}
}

// TestManyWriters has processes update the same entries and count uses of them at
// the same time: no update and no use is lost or done twice.
func TestManyWriters(t *testing.T) {
	processes, each := 4, sampletest.Count(10, 1000)
	if sampletest.Long() {
		processes = 8
	}
	const entries = 20
	files := map[string]string{}
	for i := range entries {
		files[fmt.Sprintf("a/b/e%d.md", i)] = fmt.Sprintf("# E%d\n", i)
	}
	dir := onDisk(t, files)
	mustApply(t, opened(t, dir), batchOf(plan.Op{Type: plan.OpAdd, Path: "z/z", Title: "First", Summary: "s", Reason: "r"}))
	var all []*exec.Cmd
	for p := range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriterChild$", "-test.v")
		cmd.Env = append(os.Environ(), fmt.Sprintf("BRV_WRITER=%d %d %d %s", p, each, entries, dir))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := opened(t, dir)
	seen, uses := map[string]int{}, 0
	for _, e := range s.Snapshot().Entries() {
		for _, f := range e.Facts {
			seen[f.Statement]++
		}
		uses += s.Snapshot().Signals(e.Path, testNow).AccessCount
	}
	for p := range processes {
		for i := range each {
			if fact := fmt.Sprintf("writer %d fact %d", p, i); seen[fact] != 1 {
				t.Errorf("%q is there %d times", fact, seen[fact])
			}
		}
	}
	if uses != processes*each {
		t.Errorf("%d uses counted, want %d", uses, processes*each)
	}
}

// TestWriterChild is one of the writers. Nobody dies here, so that nothing is synced: a
// busy disk syncs for longer than a writer waits by default.
func TestWriterChild(t *testing.T) {
	var p, each, entries int
	var dir string
	if _, err := fmt.Sscanf(os.Getenv("BRV_WRITER"), "%d %d %d %s", &p, &each, &entries, &dir); err != nil {
		t.Skip("run by TestManyWriters")
	}
	s := opened(t, dir)
	s.journal = txn.Open(unsynced{s.root}, tree.StateDir, txn.Options{Now: s.now, Seal: s.seal, Wait: time.Minute})
	for i := range each {
		at := "a/b/e" + strconv.Itoa((p+i)%entries) + ".md"
		fact := format.Content{Facts: []format.Fact{{Statement: fmt.Sprintf("writer %d fact %d", p, i)}}}
		if err := apply(s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{{Type: plan.OpUpdate, Path: at, Reason: "r",
			Content: fact}}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Credit(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
}
