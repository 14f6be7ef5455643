package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// onDisk makes a `.brv` folder with those entries.
func onDisk(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".brv")
	for p, text := range files {
		name := filepath.Join(dir, tree.Dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, tree.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// testSeal is the same in all processes of a test, and for copies of a folder.
var testSeal = seal.In(filepath.FromSlash("../../internal/txn/testdata/config")).For("1")

// opened opens a tree whose clock stands still.
func opened(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{Now: func() time.Time { return testNow }, Seal: testSeal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// content is every file below the tree's folder with its mode and time.
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Join(dir, tree.Dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		rel, _ := filepath.Rel(filepath.Join(dir, tree.Dir), name)
		out[filepath.ToSlash(rel)] = fmt.Sprintf("%v %v\n%s", info.Mode(), info.ModTime().UTC().Format(time.RFC3339Nano), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func archives(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob("../plan/testdata/ops/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no data")
	}
	out := map[string]*txtar.Archive{}
	for _, p := range paths {
		if out[p], err = txtar.ParseFile(p); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// split divides an archive into its entries and its batch.
func split(t testing.TB, a *txtar.Archive) (map[string]string, plan.Batch) {
	t.Helper()
	files := map[string]string{}
	var b plan.Batch
	for _, f := range a.Files[:len(a.Files)-1] {
		if f.Name != "ops.json" {
			files[f.Name] = string(f.Data)
			continue
		}
		var err error
		if b, err = plan.ParseBatch(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	return files, b
}

func compareTrees(t *testing.T, want, got *tree.Snapshot) {
	t.Helper()
	texts := func(s *tree.Snapshot) map[string]string {
		out := map[string]string{}
		for _, e := range s.Entries() {
			out[e.Path] = e.Text
		}
		return out
	}
	if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

var small = map[string]string{
	"a/b/x.md": "---\ntitle: X\n---\nSee @a/b/y.md.\n",
	"a/b/y.md": "# Y\n",
	"a/c/z.md": "---\nrelated: [a/b/x.md]\n---\n",
}

func mustApply(t testing.TB, s *Store, b plan.Batch) *plan.Report {
	t.Helper()
	r, err := s.Apply(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func batchOf(op plan.Op) plan.Batch { return plan.Batch{Ops: []plan.Op{op}} }

func TestHeldOperationsWaitForApproval(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	before := content(t, dir)
	r := mustApply(t, s, plan.Batch{Author: "agent", Ops: []plan.Op{
		{Type: plan.OpDelete, Path: "a/b/y.md", Reason: "wrong"},
		{Type: plan.OpMerge, Path: "a/c/z.md", MergeTarget: "a/b/x.md", Reason: "same"},
	}})
	if r.Summary.Pending != 2 || r.Batch == 0 {
		t.Fatalf("%+v", r)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Fatalf("a held batch changed the tree:\n%s", diff)
	}
	got, err := s.Approve(t.Context(), r.Batch, "lead", plan.Decision{Paths: []string{"a/b/y.md"}})
	if err != nil || got.Summary.Deleted != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, ok := s.Snapshot().Entry("a/b/y.md"); ok {
		t.Error("approved, and still there")
	}
	// y is gone from x's relations or named as dangling; x was changed by nobody else, so the merge can go on.
	if got, err = s.Approve(t.Context(), r.Batch, "lead", plan.Decision{}); err != nil || got.Summary.Merged != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if list, err := s.Reviews.List(); err != nil || len(list) != 0 {
		t.Errorf("still waits: %+v, %v", list, err)
	}
	if _, err := s.Approve(t.Context(), r.Batch, "lead", plan.Decision{}); err == nil {
		t.Error("approved twice")
	}
	log, err := s.Log(0)
	if err != nil || len(log) != 3 || log[0].Action != "approve" || log[0].Of != r.Batch || log[2].Author != "agent" {
		t.Errorf("log %+v, %v", log, err)
	}
}

// mustLog is how many changes the log lists.
func mustLog(t *testing.T, s *Store) int {
	t.Helper()
	log, err := s.Log(0)
	if err != nil {
		t.Fatal(err)
	}
	return len(log)
}

func TestApprovalOfWhatChangedSinceFailsAndWaits(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	r := mustApply(t, s, batchOf(plan.Op{Type: plan.OpDelete, Path: "a/b/y.md", Reason: "wrong"}))
	edit(t, dir, "a/b/y.md", "# Y, and worth keeping\n")
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := s.Approve(t.Context(), r.Batch, "lead", plan.Decision{})
	if err != nil || got.Summary.Failed != 1 || got.Results[0].Code != plan.FailConflict {
		t.Fatalf("%+v, %v", got, err)
	}
	if list, _ := s.Reviews.List(); len(list) != 1 {
		t.Errorf("waits: %+v", list)
	}
	if _, err := s.Reject(t.Context(), r.Batch, "lead", "it is right now"); err != nil {
		t.Fatal(err)
	}
	if list, _ := s.Reviews.List(); len(list) != 0 {
		t.Errorf("waits after rejection: %+v", list)
	}
	if got := content(t, dir)["a/b/y.md"]; !strings.Contains(got, "worth keeping") {
		t.Errorf("the edit is gone: %q", got)
	}
}

func edit(t testing.TB, dir, p, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, tree.Dir, filepath.FromSlash(p)), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRejectingWhatWasDoneRestoresBytes(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	before := content(t, dir)
	r := mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "new", Reason: "r", Impact: "high"}))
	list, err := s.Reviews.List()
	if err != nil || len(list) != 1 || list[0].Items[0].Held {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := s.Reject(t.Context(), r.Batch, "lead", "no"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Errorf("reject:\n%s", diff)
	}
}

// An ADD on an existing title used to lose both versions elsewhere: overwritten
// first, and deleted by the rejection.
func TestAddNeverOverwrites(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	before := content(t, dir)
	r := mustApply(t, s, batchOf(plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "X", Summary: "other", Reason: "r", Impact: "high"}))
	if r.Results[0].Code != plan.FailExists || r.Results[0].Existing != small["a/b/x.md"] || r.Batch != 0 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestApplySeesEditsOfOthers: the store's snapshot is old, and the batch must be
// planned on what is there.
func TestApplySeesEditsOfOthers(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	edit(t, dir, "a/b/y.md", "# Y\n\nwritten by hand\n")
	r := mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "new", Reason: "r"}))
	if e, _ := s.Snapshot().Entry("a/b/y.md"); r.Summary.Updated != 1 || !strings.Contains(e.Text, "written by hand") ||
		!strings.Contains(e.Text, "summary: new") {
		t.Errorf("%+v\n%s", r, e.Text)
	}
	edit(t, dir, "a/b/new.md", "by hand\n")
	r = mustApply(t, s, batchOf(plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "s", Reason: "r"}))
	if r.Results[0].Code != plan.FailExists || r.Results[0].Existing != "by hand\n" {
		t.Errorf("%+v", r)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	r := mustApply(t, s, plan.Batch{DryRun: true, Ops: []plan.Op{
		{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "new", Reason: "r"}, {Type: plan.OpDelete, Path: "a/b/x.md", Reason: "r"},
	}})
	if !strings.Contains(r.Diff, "+summary: new") || !strings.Contains(r.Diff, "+++ /dev/null") {
		t.Errorf("diff:\n%s", r.Diff)
	}
	if _, err := os.Stat(filepath.Join(dir, tree.StateDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dry run made the state folder: %v", err)
	}
}

// TestUsesSurviveFoldingAndUndo: uses are counted beside the entry, go into its
// frontmatter with the next update, and come back with its undo.
func TestUsesSurviveFoldingAndUndo(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	if err := s.Credit(t.Context(), "a/b/x.md"); err != nil {
		t.Fatal(err)
	}
	if got := s.Snapshot().Signals("a/b/x.md", testNow).AccessCount; got != 0 {
		t.Errorf("%d uses counted in a tree that nobody has written to", got)
	}
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "s", Reason: "r"}))
	for range 3 {
		if err := s.Credit(t.Context(), "a/b/x.md", "a/b/y.md"); err != nil {
			t.Fatal(err)
		}
	}
	before := s.Snapshot().Signals("a/b/x.md", testNow)
	if before.AccessCount != 3 || before.Importance != 59 {
		t.Errorf("after three uses: %+v", before)
	}
	r := mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r"}))
	if got, at := s.Snapshot().Counted("a/b/x.md"); got.AccessCount != 3 || got.Importance != 64 || got.UpdateCount != 1 ||
		!at.Equal(testNow) {
		t.Errorf("counted: %+v at %v", got, at)
	}
	if _, err := s.Undo(t.Context(), r.Batch, "u", ""); err != nil {
		t.Fatal(err)
	}
	if got := s.Snapshot().Signals("a/b/x.md", testNow); got != before {
		t.Errorf("after undo %+v, want %+v", got, before)
	}
	if got := opened(t, dir).Snapshot().Signals("a/b/x.md", testNow); got != before {
		t.Errorf("reopened %+v, want %+v", got, before)
	}
}

// Uses go with the file, or the folder, that an editor moved, and overwrite none.
func TestUsesGoWithMovedFiles(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "s", Reason: "r"}))
	if err := s.Credit(t.Context(), "a/b/x.md", "a/b/y.md"); err != nil {
		t.Fatal(err)
	}
	x, y := s.Snapshot().Counters()["a/b/x.md"], s.Snapshot().Counters()["a/b/y.md"]
	for _, move := range [][2]string{{"a/b/x.md", "a/b/z.md"}, {"a/b", "a/c"}, {"a/c/z.md", "a/c/y.md"}, {"a/c/zz", "a/d/zz"}} {
		if err := s.Renamed(t.Context(), move[0], move[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*Store{s, opened(t, dir)} {
		if got := s.Snapshot().Counters(); len(got) != 2 || got["a/c/z.md"] != x || got["a/c/y.md"] != y {
			t.Errorf("%+v", got)
		}
	}
}

// TestRandomBatchesAreUndone does random batches one after the other and takes
// them back in reverse order: each time every byte is as before.
func TestRandomBatchesAreUndone(t *testing.T) {
	for seed := range sampletest.Seeds(t, 12, 1000, nil) {
		rng := rand.New(rand.NewSource(int64(seed)))
		dir := onDisk(t, small)
		s := opened(t, dir)
		var states []map[string]string
		var ids []int
		for range 4 {
			before := content(t, dir)
			r := mustApply(t, s, randomBatch(rng, s.Snapshot()))
			if r.Batch != 0 {
				states, ids = append(states, before), append(ids, r.Batch)
			}
		}
		for i := len(ids) - 1; i >= 0; i-- {
			if _, err := s.Undo(t.Context(), ids[i], "test", ""); err != nil {
				t.Fatalf("seed %d, batch %d: %v", seed, ids[i], err)
			}
			if diff := cmp.Diff(states[i], content(t, dir)); diff != "" {
				t.Fatalf("seed %d, batch %d:\n%s", seed, ids[i], diff)
			}
		}
	}
}

// TestUndoKeepsTheOverviewsOfWhatComesBack: one batch takes the last entry out of a folder and brings another in. A later one,
// which is undone before, made the overviews of that folder again.
func TestUndoKeepsTheOverviewsOfWhatComesBack(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	apply := func(ops ...plan.Op) *plan.Report {
		for i := range ops {
			ops[i].Reason = "test"
		}
		return mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Author: "ada", Ops: ops})
	}
	apply(plan.Op{Type: plan.OpMove, Path: "a/b/y.md", To: "m/t/first.md"})
	before := content(t, dir)
	r := apply(plan.Op{Type: plan.OpMerge, Path: "m/t/first.md", MergeTarget: "a/b/x.md"},
		plan.Op{Type: plan.OpMove, Path: "a/b/x.md", To: "m/t/second.md"})
	away := apply(plan.Op{Type: plan.OpMove, Path: "m/t/second.md", To: "n/t/second.md"})
	again := apply(plan.Op{Type: plan.OpMove, Path: "n/t/second.md", To: "m/t/third.md"})
	for _, batch := range []int{again.Batch, away.Batch, r.Batch} {
		if _, err := s.Undo(t.Context(), batch, "ada", ""); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// randomBatch makes operations that mostly succeed.
func randomBatch(rng *rand.Rand, s *tree.Snapshot) plan.Batch {
	b := plan.Batch{Hold: plan.HoldNone, Author: "random"}
	for range 1 + rng.Intn(4) {
		paths := entryPaths(s)
		pick := func() string {
			if len(paths) == 0 {
				return "a/b/none.md"
			}
			return paths[rng.Intn(len(paths))]
		}
		name := fmt.Sprintf("N %d", rng.Intn(1000))
		op := plan.Op{Reason: "random", Content: format.Content{Facts: []format.Fact{{Statement: name}}, Relations: []string{pick()}}}
		switch rng.Intn(7) {
		case 0:
			op.Type, op.Path, op.Title = plan.OpAdd, fmt.Sprintf("d%d/t%d", rng.Intn(3), rng.Intn(3)), name
		case 1:
			op.Type, op.Path = plan.OpUpdate, pick()
		case 2:
			op.Type, op.Path, op.MergeTarget = plan.OpMerge, pick(), pick()
		case 3:
			op.Type, op.Path = plan.OpDelete, pick()
		case 4:
			op.Type, op.Path, op.To = plan.OpMove, pick(), fmt.Sprintf("m%d/t/%d.md", rng.Intn(3), rng.Intn(1000))
		case 5:
			op.Type, op.Path = plan.OpArchive, pick()
		case 6:
			op.Type, op.Path, op.To = plan.OpMove, strings.SplitN(pick(), "/", 2)[0], fmt.Sprintf("moved%d", rng.Intn(1000))
		}
		b.Ops = append(b.Ops, op)
	}
	return b
}

func entryPaths(s *tree.Snapshot) []string {
	m := map[string]bool{}
	for _, e := range s.Entries() {
		if e.Role == format.RoleEntry {
			m[e.Path] = true
		}
	}
	return slices.Sorted(maps.Keys(m))
}

func TestDerivedFilesFollowChanges(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	ctx := context.Background()
	written, err := s.Derive(ctx)
	if err != nil || len(written) != 7 { // two .gitignore, four folders, the manifest
		t.Fatalf("%q, %v", written, err)
	}
	if again, err := s.Derive(ctx); err != nil || len(again) != 0 {
		t.Errorf("nothing changed, and it wrote %q, %v", again, err)
	}
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "news", Reason: "r"}))
	written, err = s.Derive(ctx)
	want := []string{tree.Dir + "/a/c/_index.md", tree.Dir + "/a/_index.md", tree.Dir + "/_index.md", tree.Dir + "/_manifest.json"}
	if diff := cmp.Diff(want, written); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	st, err := s.State()
	if err != nil || st.Entries != 3 || len(st.Stale) != 0 || st.Batches != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

func mustApprove(t *testing.T, s *Store, id int, paths ...string) *plan.Report {
	t.Helper()
	r, err := s.Approve(t.Context(), id, "lead", plan.Decision{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A held deletion of a folder must not take what came into it since.
func TestApprovalConcernsWhatWasReviewed(t *testing.T) {
	s := opened(t, onDisk(t, small))
	held := mustApply(t, s, batchOf(plan.Op{Type: plan.OpDelete, Path: "a/b", Reason: "r"}))
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "Later", Summary: "s", Reason: "r"}))
	if r := mustApprove(t, s, held.Batch); r.Summary.Failed != 1 || r.Batch != 0 {
		t.Errorf("%+v", r)
	}
	if _, ok := s.Snapshot().Entry("a/b/later.md"); !ok {
		t.Error("an entry that nobody reviewed is gone")
	}
}

func TestHeldOperationsBuildOnEachOther(t *testing.T) {
	s := opened(t, onDisk(t, small))
	held := mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{
		{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "s", Reason: "r"},
		{Type: plan.OpUpdate, Path: "a/b", Title: "New", Reason: "r", Content: format.Content{Lists: format.Lists{Tags: []string{"t"}}}},
	}})
	if held.Summary.Pending != 2 || s.Snapshot().Len() != 3 {
		t.Fatalf("%+v", held)
	}
	if r := mustApprove(t, s, held.Batch); r.Summary.Added != 1 || r.Summary.Updated != 1 {
		t.Errorf("%+v", r)
	}
	r := mustApply(t, s, plan.Batch{Atomic: true, Ops: []plan.Op{{Type: plan.OpDelete, Path: "a/b/y.md", Reason: "r"},
		{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r"}}})
	if r.Summary.Pending != 2 {
		t.Errorf("half of an atomic batch was done: %+v", r)
	}
}

// Who proposes again what waits already gets no second review.
func TestTheSameProposalWaitsOnce(t *testing.T) {
	s := opened(t, onDisk(t, small))
	b := plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r"},
		{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "n", Reason: "r"}}}
	first := mustApply(t, s, b)
	r := mustApply(t, s, b)
	if r.Batch != first.Batch || !r.Waited || r.Summary.Pending != 2 ||
		!strings.Contains(r.Results[0].Message, "Already waits for review in batch 1. When approved: Updated") {
		t.Errorf("%+v", r)
	}
	other := b
	other.Ops = b.Ops[:1]
	if r := mustApply(t, s, other); r.Waited {
		t.Errorf("less is not the same: %+v", r)
	}
	mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "t", Reason: "r"}}})
	if r := mustApply(t, s, b); r.Waited {
		t.Errorf("the entry is another by now: %+v", r)
	}
	waiting, err := s.Reviews.List()
	if err != nil || len(waiting) != 3 {
		t.Fatalf("%+v, %v", waiting, err)
	}
	for i, want := range []string{"a/b/x.md changed since", "a/b/x.md changed since", ""} {
		if got := waiting[i].Items[0].Blocked; !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("review %d: %q", i, got)
		}
	}
	mustApprove(t, s, waiting[2].Batch)
	if waiting, err = s.Reviews.List(); err != nil || !strings.Contains(waiting[0].Items[1].Blocked, "already") {
		t.Errorf("%+v, %v", waiting, err)
	}
	if data, err := s.root.ReadFile(reviewFile(first.Batch), maxState); err != nil || strings.Contains(string(data), "blocked") {
		t.Errorf("%s, %v", data, err)
	}
}

// Of a larger batch it is told what waits already, as long as that could be approved, and where
// another draft of the same new entry waits.
func TestWhatWaitsOfALargerBatch(t *testing.T) {
	s := opened(t, onDisk(t, small))
	update := plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s", Reason: "r"}
	add := plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "n", Reason: "r"}
	mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{update}})
	mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{add}})
	again, newer := update, add
	again.Reason, newer.Summary = "asked differently", "m"
	fresh := plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "Other", Reason: "r"}
	updates := map[int]Wait{0: {Batch: 1, Path: "a/b/x.md", Same: true}}
	check := func(want map[int]Wait, ops ...plan.Op) {
		t.Helper()
		if diff := cmp.Diff(want, s.Reviews.Waits(plan.Batch{Hold: plan.HoldAll, Ops: ops})); diff != "" {
			t.Error(diff)
		}
	}
	check(map[int]Wait{0: {Batch: 1, Path: "a/b/x.md", Same: true, Verbatim: true}}, update)
	check(updates, again)
	check(map[int]Wait{0: updates[0], 1: {Batch: 2, Path: "a/b/new.md"}}, again, newer, fresh)
	check(map[int]Wait{}, add, plan.Op{Type: plan.OpUpdate, Path: "a/b/new.md", Summary: "rests on it", Reason: "r"})
	mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "t", Reason: "r"}}})
	check(map[int]Wait{}, update)
	mustApprove(t, s, 2)
	if _, err := s.Reject(t.Context(), 1, "", ""); err != nil {
		t.Fatal(err)
	}
	check(nil, update)
}

// Where the text of a decision is refused, what was proposed is not done in its place.
func TestARefusedTextApprovesNothing(t *testing.T) {
	dir := onDisk(t, small)
	s := opened(t, dir)
	held := mustApply(t, s, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Summary: "s",
		Reason: "r"}, {Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "s", Reason: "r"}}})
	before := content(t, dir)
	r, err := s.Approve(
		t.Context(), held.Batch, "", plan.Decision{Texts: map[string]string{"a/b/x.md": "---\ntitle: X\nmaturity: core\n---\n"},
			Origin: format.Origin{Kind: format.OriginAgent, Tool: "t"}})
	if err != nil || r.Summary.Failed != 2 || r.Batch != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	stub := func(original, pointsTo string) string {
		return fmt.Sprintf("---\noriginal_path: %q\npoints_to: %q\ntype: archive_stub\n---\n", original, pointsTo)
	}
	files := map[string]string{
		"auth/jwt_x/a.md": "# A\n", "_archived/a/b/good.full.md": "# Good\n", "a/b/context.md": "# Topic: b\n",
		"_archived/a/b/good.stub.md": stub("a/b/good.md", "_archived/a/b/good.full.md"),
		"_archived/a/b/evil.stub.md": stub("a/b/evil.md", "_archived/a/b/good.full.md"),
		"_archived/a/b/hide.stub.md": stub("a/b/.hidden.md", "_archived/a/b/hide.full.md"), "_archived/a/b/hide.full.md": "x",
		"_archived/a/b/deep.stub.md": stub("a/b/c/d/e/f.md", "_archived/a/b/deep.full.md"), "_archived/a/b/deep.full.md": "x",
		"a/b/open.md": "---\ntitle: never closed\n",
	}
	fact := format.Content{Facts: []format.Fact{{Statement: "f"}}}
	for name, op := range map[string]plan.Op{
		"a stub with another's text":     {Type: plan.OpRestore, Path: "_archived/a/b/evil.stub.md"},
		"a stub of a hidden file":        {Type: plan.OpRestore, Path: "_archived/a/b/hide.stub.md"},
		"a stub of a place too deep":     {Type: plan.OpRestore, Path: "_archived/a/b/deep.stub.md"},
		"an unknown part":                {Type: plan.OpUpdate, Path: "auth/jwt_x/a.md", Replace: []format.Part{"bogus"}},
		"an unknown impact":              {Type: plan.OpUpdate, Path: "auth/jwt_x/a.md", Summary: "s", Impact: "HIGH"},
		"an overview":                    {Type: plan.OpUpdate, Path: "a/b/context.md", Summary: "s"},
		"frontmatter that is not closed": {Type: plan.OpUpdate, Path: "a/b/open.md", Content: format.Content{Lists: format.Lists{Tags: []string{"t"}}}},
		"a name with a space":            {Type: plan.OpMove, Path: "auth/jwt_x/a.md", To: "auth/jwt_x/a b.md"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := onDisk(t, files)
			before := content(t, dir)
			op.Reason = "r"
			r := mustApply(t, opened(t, dir), plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{op}})
			if r.Summary.Failed != 1 || r.Results[0].Message == "" {
				t.Errorf("%+v", r)
			}
			if diff := cmp.Diff(before, content(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
	s := opened(t, onDisk(t, files))
	if r := mustApply(t, s, batchOf(plan.Op{Type: plan.OpAdd, Path: "Auth/jwt-x/new.md", Content: fact,
		Reason: "r"})); r.Results[0].FilePath != "auth/jwt_x/new.md" {
		t.Errorf("a folder in another spelling: %+v", r.Results[0])
	}
	if _, err := s.Apply(t.Context(), plan.Batch{Hold: "everything",
		Ops: []plan.Op{{Type: plan.OpDelete, Path: "a", Reason: "r"}}}); err == nil {
		t.Error("a misspelt hold was taken")
	}
	for _, text := range []string{`{"operations":[]}}`, `[]]`, `[] x`} {
		if _, err := plan.ParseBatch([]byte(text)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

// What is added must not inherit the uses of what stood there before.
func TestNewEntriesStartAnew(t *testing.T) {
	s := opened(t, onDisk(t, small))
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "s", Reason: "r"}))
	for range 3 {
		if err := s.Credit(t.Context(), "a/b/x.md"); err != nil {
			t.Fatal(err)
		}
	}
	used := s.Snapshot().Signals("a/b/x.md", testNow)
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpArchive, Path: "a/b/x.md", Reason: "r"}))
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "X", Summary: "another", Reason: "r"}))
	if got := s.Snapshot().Signals("a/b/x.md", testNow); got.AccessCount != 0 || got.Importance != 50 {
		t.Errorf("a new entry has %+v", got)
	}
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpMove, Path: "a/b/x.md", To: "a/b/other.md", Reason: "r"}))
	mustApply(t, s, batchOf(plan.Op{Type: plan.OpRestore, Path: "a/b/x.md", Reason: "r"}))
	if got := s.Snapshot().Signals("a/b/x.md", testNow); got != used {
		t.Errorf("restored with %+v, archived with %+v", got, used)
	}
}

func TestTitlesThatMakeOneNameAreTwoEntries(t *testing.T) {
	s := opened(t, onDisk(t, nil))
	for _, title := range []string{"C++ conventions", "C# conventions", "C++  Conventions!"} {
		mustApply(t, s, batchOf(plan.Op{Type: plan.OpUpsert, Path: "lang/style", Title: title, Reason: title,
			Content: format.Content{Facts: []format.Fact{{Statement: title}}}}))
	}
	if got := entryPaths(s.Snapshot()); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

var testNow = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
