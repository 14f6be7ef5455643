package dream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// faulty is a place whose disk refuses some steps: those for which refuse is not nil. Set it to nil
// for a disk that is well again.
func faulty(t *testing.T, dir string, refuse func(txntest.Step) error) (Host, *func(txntest.Step) error) {
	t.Helper()
	c := &clock{now.Add(time.Hour)}
	s, err := store.Open(t.Context(), dir, store.Options{Seal: testSeal, Now: c.now, Through: func(disk txn.FS) txn.FS {
		return &txntest.Steps{FS: disk, Hook: func(s txntest.Step) error {
			if refuse == nil {
				return nil
			}
			return refuse(s)
		}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return Host{Store: s, Now: func() time.Time { c.at = c.at.Add(13 * time.Hour); return c.at }, Apply: s.Apply, See: moved}, &refuse
}

// moved is a sight in which the files src/f… are now src/now_f….
func moved(context.Context) (Sight, error) {
	return Sight{Drifts: func(_ context.Context, entries []*format.Entry) (map[string][]link.Drift, error) {
		out := map[string][]link.Drift{}
		for _, e := range entries {
			for _, f := range e.Files {
				if name, was := strings.CutPrefix(f.Path, "src/f"); was {
					out[e.Path] = append(out[e.Path], link.Drift{Entry: e.Path, Path: f.Path, Kind: link.Moved,
						At: f.At, To: "src/now_f" + name, Replace: "src/now_f" + name, Reason: "it moved"})
				}
			}
		}
		return out, nil
	}}, nil
}

// renames is a tree with entries whose files moved: a dream follows each at once, in a step of its
// own, and proposes a merge.
func renames() map[string]string {
	files := map[string]string{}
	for i, dir := range []string{"a/t", "b/t", "c/t"} {
		files[dir+"/code.md"] = entry(fmt.Sprint("Code ", i), fmt.Sprintf("## Raw Concept\n\n**Files:**\n- src/f1%d.go\n", i))
	}
	for path, text := range twice() {
		if strings.Contains(path, "alpha") {
			files[path] = text
		}
	}
	return files
}

const renamed = "MERGE a/t/alpha.md waits\nTEMPORAL_UPDATE a/t/code.md done\nTEMPORAL_UPDATE b/t/code.md done\nTEMPORAL_UPDATE " +
	"c/t/code.md done\n"

// TestWhatTheDiskRefusesIsLeftOut dreams where the files of some steps cannot be read, staged or
// replaced: those are left out, whole, and named with the cause; everything else is done, and once
// the disk is well the next dream does the rest.
func TestWhatTheDiskRefusesIsLeftOut(t *testing.T) {
	in := func(prefix string, errno syscall.Errno, ops ...string) func(txntest.Step) error {
		return func(s txntest.Step) error {
			if slices.Contains(ops, s.Op) && (strings.HasPrefix(s.Path, prefix) || strings.HasPrefix(s.To, prefix)) {
				return fmt.Errorf("%s: %w", s.Path, errno)
			}
			return nil
		}
	}
	staged, reviews := 0, 0
	for name, test := range map[string]struct {
		refuse  func(txntest.Step) error
		failed  string // the entry
		message string
	}{
		"an entry that may not be replaced": {in("context-tree/b/t/code.md", syscall.EACCES, "exchange", "renamenew", "rename"),
			"b/t/code.md", "b/t/code.md cannot be written: permission denied"},
		"an entry that may not be read": {in("context-tree/b/t/code.md", syscall.EACCES, "read", "stat"), "b/t/code.md",
			"b/t/code.md cannot be written: permission denied"},
		"a folder that is read-only": {in("context-tree/b/", syscall.EROFS, "exchange", "renamenew", "rename", "create",
			"remove", "mkdir"), "b/t/code.md", "b/t/code.md cannot be written: read-only file system"},
		"a review that cannot be kept": {func(s txntest.Step) error {
			if s.To == "state/review/000001.json" {
				if reviews++; reviews == 1 {
					return fmt.Errorf("%s: %w", s.Path, syscall.EIO)
				}
			}
			return nil
		}, "a/t/alpha.md", ".brv/state/review/000001.json cannot be written: input/output error"},
		"one entry too large for the disk": {func(s txntest.Step) error {
			if s.Op == "create" && strings.HasPrefix(s.Path, "state/txn/") && strings.HasSuffix(s.Path, ".0.tmp") {
				if staged++; staged == 3 {
					return fmt.Errorf("%s: %w", s.Path, syscall.ENOSPC)
				}
			}
			return nil
		}, "b/t/code.md", "b/t/code.md cannot be written: no space left on device"},
		"a record too large for the disk": {func() func(s txntest.Step) error {
			records := 0
			return func(s txntest.Step) error {
				if s.Op == "create" && strings.HasPrefix(s.Path, "state/txn/") && strings.Count(s.Path, ".") == 1 {
					if records++; records == 3 {
						return fmt.Errorf("%s: %w", s.Path, syscall.ENOSPC)
					}
				}
				return nil
			}
		}(), "b/t/code.md", "writing to the disk failed: no space left on device"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, dir := place(t, renames())
			before := content(t, dir)
			h, refuse := faulty(t, dir, test.refuse)
			l, got := dreamt(t, h, Options{})
			want := ""
			for line := range strings.Lines(renamed) {
				if strings.Contains(line, test.failed) {
					line = strings.Join(strings.Fields(line)[:2], " ") + " failed\n"
				}
				want += line
			}
			if got != want || l.Outcome != Partial || l.Summary.Errors != 1 {
				t.Errorf("%s, %d errors:\n%swant:\n%s", l.Outcome, l.Summary.Errors, got, want)
			}
			at := slices.IndexFunc(l.Steps, func(s Step) bool { return s.Status == Failed })
			if at < 0 || l.Steps[at].Message != "left out: "+test.message {
				t.Fatalf("%+v", l.Steps)
			}
			if got := fmt.Sprint(l.Notes); got != fmt.Sprintf("[left out: %s %s: %s]", l.Steps[at].Action, test.failed, test.message) {
				t.Error(got)
			}
			logged, err := readLog(h.Store, l.ID)
			if err != nil || logged.Outcome != Partial || told(logged) != want {
				t.Errorf("the log: %+v, %v", logged, err)
			}
			*refuse = nil
			next, got := dreamt(t, h, Options{})
			if len(next.Steps) != 1 || next.Steps[0].Output != test.failed || next.Outcome != Completed {
				t.Errorf("the next dream:\n%s", got)
			}
			for range 2 {
				if l, err := Undo(t.Context(), h); err != nil || len(l.Stays()) > 0 {
					t.Fatal(l, err)
				}
			}
			if diff := cmp.Diff(before, content(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUndoLeavesWhatTheDiskRefuses takes a dream back while one entry cannot be written: it stays,
// named with the cause, and the next undo takes it back.
func TestUndoLeavesWhatTheDiskRefuses(t *testing.T) {
	_, _, dir := place(t, renames())
	before := content(t, dir)
	h, refuse := faulty(t, dir, nil)
	l, got := dreamt(t, h, Options{})
	if got != renamed {
		t.Fatal(got)
	}
	*refuse = func(s txntest.Step) error {
		if s.Op == "exchange" && s.To == "context-tree/b/t/code.md" {
			return fmt.Errorf("%s: %w", s.Path, syscall.EACCES)
		}
		return nil
	}
	undone, err := Undo(t.Context(), h)
	if err != nil || undone.ID != l.ID {
		t.Fatal(undone, err)
	}
	const want = "MERGE a/t/alpha.md dropped\nTEMPORAL_UPDATE a/t/code.md undone\nTEMPORAL_UPDATE b/t/code.md " +
		"stays\nTEMPORAL_UPDATE c/t/code.md undone\n"
	if got := fates(undone); got != want || undone.Summary.Stays != 1 {
		t.Errorf("%+v\n%s", undone.Summary, got)
	}
	if stays := undone.Stays(); len(stays) != 1 || stays[0].Why != "b/t/code.md cannot be written: permission denied" ||
		stays[0].Change != l.Steps[2].Batch {
		t.Errorf("%+v", stays)
	}
	if _, err := Undo(t.Context(), h); err == nil || err.Error() != fmt.Sprintf(
		"there is no dream to undo: of %s change %d stays: b/t/code.md cannot be written: permission denied", l.ID,
		l.Steps[2].Batch) {
		t.Error(err)
	}
	*refuse = nil
	if undone, err = Undo(t.Context(), h); err != nil || undone.ID != l.ID || undone.Summary.Stays != 0 ||
		strings.Contains(fates(undone), "stays") {
		t.Error(undone, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := Undo(t.Context(), h); err == nil || err.Error() != "there is no dream to undo" {
		t.Error(err)
	}
}

// TestUndoLeavesWhatIsUnsaved takes a dream back while an entry of it is open with another text: it
// stays, and the next undo takes it back once it is saved.
func TestUndoLeavesWhatIsUnsaved(t *testing.T) {
	_, _, dir := place(t, renames())
	before, open := content(t, dir), ""
	s, err := store.Open(t.Context(), dir, store.Options{Seal: testSeal, Now: (&clock{now}).now, Inputs: func(bool) plan.Inputs {
		if open == "" {
			return plan.Inputs{}
		}
		return plan.Inputs{Unsaved: map[string]string{open: "unsaved"}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := Host{Store: s, Now: (&clock{now}).now, Apply: s.Apply, See: moved}
	dreamt(t, h, Options{})
	open = "c/t/code.md"
	l, err := Undo(t.Context(), h)
	if err != nil || l.Summary.Stays != 1 || l.Stays()[0].Why != "c/t/code.md has unsaved changes: save it first" {
		t.Fatalf("%+v, %v", l, err)
	}
	open = ""
	if l, err = Undo(t.Context(), h); err != nil || l.Summary.Stays != 0 {
		t.Fatalf("%+v, %v", l, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestUndoInPart has people change an entry of the second of two dreams: the first undo takes back
// the rest of it, the next one the first dream, as the entry is still another, and once it is as
// the dream left it, the next one what stayed.
func TestUndoInPart(t *testing.T) {
	h, c, dir := place(t, twice())
	before := content(t, dir)
	one, _ := dreamt(t, h, Options{})
	approveAll(t, h)
	c.at = c.at.Add(13 * time.Hour)
	for path, text := range map[string]string{"m/t/code.md": renames()["a/t/code.md"], "n/t/code.md": renames()["b/t/code.md"]} {
		write(t, filepath.Join(dir, tree.Dir, path), text)
	}
	if _, err := h.Store.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	added := content(t, dir)
	h.See = moved
	two, got := dreamt(t, h, Options{})
	if got != "TEMPORAL_UPDATE m/t/code.md done\nTEMPORAL_UPDATE n/t/code.md done\n" {
		t.Fatal(got)
	}
	name := filepath.Join(dir, tree.Dir, "n/t/code.md")
	left, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, name, string(left)+"And a line of mine.\n")

	undone, err := Undo(t.Context(), h)
	if err != nil || undone.ID != two.ID || fates(undone) != "TEMPORAL_UPDATE m/t/code.md undone\nTEMPORAL_UPDATE n/t/code.md stays\n" {
		t.Fatal(undone, err)
	}
	if diff := cmp.Diff([]Stay{{two.Steps[1].Batch, []string{"n/t/code.md"}, "changed since: n/t/code.md"}},
		undone.Stays()); diff != "" {
		t.Error(diff)
	}
	if got := undone.String(); !strings.HasPrefix(got, "Dream undone in part ("+two.ID+")\n") {
		t.Error(got)
	}
	after := content(t, dir)
	delete(after, tree.Dir+"/n/t/code.md")
	delete(after, fmt.Sprintf("state/review/%06d.json", two.Steps[1].Batch)) // it is done, and may still be looked at
	delete(added, tree.Dir+"/n/t/code.md")
	if diff := cmp.Diff(added, after); diff != "" {
		t.Error(diff)
	}

	if undone, err = Undo(t.Context(), h); err != nil || undone.ID != one.ID || len(undone.Stays()) > 0 {
		t.Fatal(undone, err)
	}
	want := fmt.Sprintf("[of %s change %d stays: changed since: n/t/code.md]", two.ID, two.Steps[1].Batch)
	if got := fmt.Sprint(undone.Notes); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	write(t, name, string(left))
	if undone, err = Undo(t.Context(), h); err != nil || undone.ID != two.ID ||
		fates(undone) != "TEMPORAL_UPDATE m/t/code.md undone\nTEMPORAL_UPDATE n/t/code.md undone\n" {
		t.Fatal(undone, err)
	}
	after = content(t, dir)
	for p := range after {
		if strings.Contains(p, "/m/t/") || strings.Contains(p, "/n/t/") {
			delete(after, p)
		}
	}
	if diff := cmp.Diff(before, after); diff != "" { // the state among it, as before the first dream
		t.Error(diff)
	}
	if _, err := Undo(t.Context(), h); !errors.Is(err, errNoDream) {
		t.Error(err)
	}
}

// TestUndoneByHandMeanwhile has somebody take back by hand what stayed of a dream: it is not
// tried again, and the dream before is taken back.
func TestUndoneByHandMeanwhile(t *testing.T) {
	_, _, dir := place(t, renames())
	h, refuse := faulty(t, dir, nil)
	l, _ := dreamt(t, h, Options{})
	*refuse = func(s txntest.Step) error {
		if s.Op == "exchange" && s.To == "context-tree/b/t/code.md" {
			return syscall.EACCES
		}
		return nil
	}
	if _, err := Undo(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	*refuse = nil
	if _, err := h.Store.Undo(t.Context(), l.Steps[2].Batch, "somebody", "r"); err != nil {
		t.Fatal(err)
	}
	if _, err := Undo(t.Context(), h); err == nil || err.Error() != "there is no dream to undo" {
		t.Error(err)
	}
	if l, err := readLog(h.Store, l.ID); err != nil || l.Summary.Stays != 0 || l.Steps[2].Undo != Already {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestDamagedState has the state damaged: it is set aside, a note names the place, and what it said
// is told by the logs. Looking writes nothing.
func TestDamagedState(t *testing.T) {
	const text = "{\n  \"version\": 1,\n  \"totalDreams\": \"7\"\n}\n"
	h, c, dir := place(t, twice())
	dreamt(t, h, Options{})
	h.Store.Reject(t.Context(), 2, "somebody", "no")
	c.at = c.at.Add(13 * time.Hour)
	dreamt(t, h, Options{}) // which remembers the rejection
	c.at = c.at.Add(13 * time.Hour)
	was, err := readState(h.Store)
	if err != nil || len(was.Refused) != 1 {
		t.Fatal(was, err)
	}
	name := filepath.Join(dir, stateFile)
	write(t, name, text)
	const where = ".brv/" + stateFile + ":3: key `totalDreams`: expected a whole number, got a string"
	st, err := Ready(h.Store, c.at, nil)
	if err != nil || st.Damaged != where || st.State.TotalDreams != was.TotalDreams || st.State.LastDreamID != was.LastDreamID {
		t.Errorf("%+v, %v", st, err)
	}
	if l, _ := dreamt(t, h, Options{DryRun: true}); len(l.Notes) != 1 || !strings.HasPrefix(l.Notes[0], where+"; ") {
		t.Error(l.Notes)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != text {
		t.Error("what only looks has changed it")
	}
	l, _ := dreamt(t, h, Options{})
	note := where + "; it was moved to .brv/" + stateFile + ".foreign, and dreams continue from their logs"
	if len(l.Notes) != 1 || l.Notes[0] != note {
		t.Error(l.Notes)
	}
	if data, err := os.ReadFile(name + ".foreign"); err != nil || string(data) != text {
		t.Error(string(data), err)
	}
	now, err := readState(h.Store)
	if err != nil || now.damaged != nil || now.TotalDreams != was.TotalDreams+1 || now.LastDreamID != l.ID ||
		!slices.Equal(now.Refused, was.Refused) {
		t.Errorf("%+v, %v; it was %+v", now, err, was)
	}
}

// TestUndoWithDamagedState takes a dream back though the state is damaged, and keeps that aside.
func TestUndoWithDamagedState(t *testing.T) {
	h, _, dir := place(t, twice())
	before := content(t, dir)
	l, _ := dreamt(t, h, Options{})
	write(t, filepath.Join(dir, stateFile), "{")
	write(t, filepath.Join(dir, stateFile+".foreign"), "another")
	undone, err := Undo(t.Context(), h)
	if err != nil || undone.ID != l.ID || len(undone.Notes) != 1 || !strings.Contains(undone.Notes[0], stateFile+".foreign.2") {
		t.Fatal(undone, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{".foreign": "another", ".foreign.2": "{"} {
		if data, err := os.ReadFile(filepath.Join(dir, stateFile+name)); err != nil || string(data) != want {
			t.Error(string(data), err)
		}
	}
}

// TestEarlySaysThatTheLogTells: why a dream ended before its time, its log says, and an error only where that cannot be
// written.
func TestEarlySaysThatTheLogTells(t *testing.T) {
	for name, refuse := range map[string]string{"a log": "none", "no log": "dream-log/"} { // what of the files cannot be written
		t.Run(name, func(t *testing.T) {
			_, _, dir := place(t, renames())
			h, disk := faulty(t, dir, nil)
			apply, n := h.Apply, 0
			h.Apply = func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
				if n++; n == 2 {
					*disk = func(s txntest.Step) error {
						if strings.HasPrefix(s.To, refuse) {
							return syscall.EIO
						}
						return nil
					}
					return nil, txn.ErrBusy
				}
				return apply(ctx, b)
			}
			l, err := Run(t.Context(), h, Options{Force: true})
			if (err != nil) != (name == "no log") || err != nil && !errors.Is(err, txn.ErrBusy) {
				t.Error(err)
			}
			if l.Outcome != Partial || fmt.Sprint(l.Notes) != "[ended early: busy]" {
				t.Error(l.Outcome, l.Notes)
			}
		})
	}
}

// A dream all of whose steps the disk refused rests as any other, and however many of them are
// forced, the one that did something can be taken back, also when its log is gone.
func TestDreamsThatTheDiskRefuses(t *testing.T) {
	_, _, dir := place(t, renames())
	h, refuse := faulty(t, dir, nil)
	at := h.Now()
	h.Now = func() time.Time { return at }
	see := h.See
	h.See = nil
	good, got := dreamt(t, h, Options{})
	if !strings.HasPrefix(got, "MERGE a/t/alpha.md waits\n") {
		t.Fatal(got)
	}
	h.See = see
	*refuse = func(s txntest.Step) error {
		if s.Op == "exchange" {
			return syscall.EACCES
		}
		return nil
	}
	for range keptLogs + 4 {
		at = at.Add(time.Hour)
		if l, _ := dreamt(t, h, Options{}); l.Outcome != Errored {
			t.Fatal(l)
		}
	}
	st, err := readState(h.Store)
	if err != nil || st.LastDreamAt == nil || !st.LastDreamAt.Equal(at) || st.TotalDreams != 1 || st.LastDreamID != good.ID {
		t.Errorf("%+v, %v", st, err)
	}
	var skipped *Skipped
	if _, err := Run(t.Context(), h, Options{}); !errors.As(err, &skipped) || skipped.Gate != "time" {
		t.Error(err)
	}
	if all, err := ids(h.Store); err != nil || len(all) != keptLogs {
		t.Errorf("%d logs, %v", len(all), err)
	}
	*refuse = nil
	if l, err := Undo(t.Context(), h); err != nil || l.ID != good.ID {
		t.Error(l, err)
	}
}
