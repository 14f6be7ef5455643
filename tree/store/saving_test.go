package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// saver is a store on files that another program saves: its clock is the files', and each wait of the store is
// a step of that program.
type saver struct {
	*Store
	testing.TB
	dir   string
	now   time.Time
	waits int
	step  func(n int) // at the nth wait
}

const savedEntry = "a/b/x.md"

func newSaver(t testing.TB) *saver {
	s := &saver{TB: t, now: testNow}
	s.dir = onDisk(t, map[string]string{savedEntry: savedText("As it was."), "a/b/y.md": "# Y\n"})
	var err error
	s.Store, err = Open(t.Context(), s.dir, Options{
		Seal: testSeal,
		Now:  func() time.Time { return s.now },
		Wait: func(ctx context.Context, d time.Duration) error {
			s.now = s.now.Add(d)
			s.waits++
			if s.step != nil {
				s.step(s.waits)
			}
			return ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func savedText(says string) string {
	return "---\ntitle: X\n---\n## Narrative\n### Highlights\n" + says + "\n"
}

// write writes the entry's file in place, as of now.
func (s *saver) write(text string) {
	s.Helper()
	name := s.file()
	if err := errors.Join(os.WriteFile(name, []byte(text), 0o644), os.Chtimes(name, s.now, s.now)); err != nil {
		s.Fatal(err)
	}
}

func (s *saver) file() string { return filepath.Join(s.dir, tree.Dir, filepath.FromSlash(savedEntry)) }

func (s *saver) read() string {
	s.Helper()
	data, err := os.ReadFile(s.file())
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

var tagOp = plan.Op{Type: plan.OpUpdate, Path: savedEntry, Reason: "r", Content: format.Content{Lists: format.Lists{Tags: []string{"new"}}}}

// Whoever changes an entry that is empty or cut short waits until it is saved, and changes what was saved.
func TestAnEntryThatIsBeingSavedIsWaitedFor(t *testing.T) {
	for name, half := range map[string]string{"emptied": "", "cut short": savedText("A")} {
		for _, first := range []string{"read before", "read so"} {
			if half != "" && first == "read so" {
				continue // nothing tells that it was longer
			}
			t.Run(name+", "+first, func(t *testing.T) {
				s := newSaver(t)
				s.write(half)
				if first == "read so" {
					s.snapshot.Store(s.Snapshot().With(savedEntry, ""))
				}
				s.step = func(n int) {
					if n == 4 {
						s.write(savedText("What the user saved."))
					}
				}
				r := mustApply(t, s.Store, batchOf(tagOp))
				if r.Summary.Failed > 0 || s.waits != 4 {
					t.Fatalf("%d waits, %+v", s.waits, r.Results)
				}
				if got := s.read(); !strings.Contains(got, "What the user saved.") || !strings.Contains(got, "new") {
					t.Errorf("the entry says %q", got)
				}
				_, err := s.UndoLast(t.Context(), "", "")
				if err != nil || s.read() != savedText("What the user saved.") {
					t.Errorf("undone: %q, %v", s.read(), err)
				}
			})
		}
	}
}

// One that stays empty is not changed, and the reason is said; so is one that is approved.
func TestAnEntryThatStaysEmptyIsNotChanged(t *testing.T) {
	s := newSaver(t)
	held := mustApply(t, s.Store, plan.Batch{Hold: plan.HoldAll, Ops: []plan.Op{tagOp}})
	s.write("")
	r, err := s.Apply(t.Context(), batchOf(tagOp))
	const want = savedEntry + ": still being saved by another program"
	if err != nil || r.Batch != 0 || r.Summary.Failed != 1 || r.Results[0].Code != plan.FailConflict ||
		!strings.Contains(r.Results[0].Message, want) {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = s.Approve(t.Context(), held.Batch, "", plan.Decision{})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("approved: %v", err)
	}
	if most := int(settles/settlePause) + 2; s.waits > 2*most || s.read() != "" {
		t.Errorf("%d waits; the entry says %q", s.waits, s.read())
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.waits, s.step = 0, func(int) { cancel() }
	if _, err := s.Apply(ctx, batchOf(tagOp)); !errors.Is(err, context.Canceled) || s.waits != 1 {
		t.Errorf("cancelled: %v after %d waits", err, s.waits)
	}
}

// One that is shorter since long, or because one of us made it so, is changed at once.
func TestAnEntryThatIsShorterIsNotAlwaysBeingSaved(t *testing.T) {
	s := newSaver(t)
	s.write(savedText("A"))
	s.now = s.now.Add(settles)
	if r := mustApply(t, s.Store, batchOf(tagOp)); r.Summary.Failed > 0 || s.waits > 0 {
		t.Errorf("long ago: %d waits, %+v", s.waits, r.Results)
	}
	other := newSaver(t)
	s, other = other, &saver{Store: opened(t, other.dir), TB: t, dir: other.dir}
	longer := format.Content{Facts: []format.Fact{{Statement: "It is long."}}}
	mustApply(t, other.Store, batchOf(plan.Op{Type: plan.OpUpdate, Path: savedEntry, Reason: "r", Content: longer}))
	if _, err := s.Refresh(t.Context(), savedEntry); err != nil {
		t.Fatal(err)
	}
	if _, err := other.UndoLast(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.file(), s.now, s.now); err != nil {
		t.Fatal(err)
	}
	mustApply(t, other.Store, batchOf(tagOp))
	if err := os.Chtimes(s.file(), s.now, s.now); err != nil {
		t.Fatal(err)
	}
	if r := mustApply(t, s.Store, batchOf(tagOp)); r.Summary.Failed > 0 || s.waits > 0 {
		t.Errorf("ours: %d waits, %+v", s.waits, r.Results)
	}
}

// An entry that was emptied this moment goes on saying what it said, and is looked at again.
func TestASnapshotKeepsAnEntryThatIsEmptied(t *testing.T) {
	s := newSaver(t)
	s.write("")
	for _, want := range []string{"As it was.", ""} {
		snap, err := s.Refresh(t.Context())
		text := tree.TextAt(snap, savedEntry)
		if err != nil || !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
		after, paths := s.LookAgain()
		if (after == settles && len(paths) == 1 && paths[0] == savedEntry) != (want != "") {
			t.Errorf("look again in %v at %q", after, paths)
		}
		s.now = s.now.Add(after)
	}
}

// A program that had the file open before it was replaced writes into it afterwards.
func TestALateSaveIsTold(t *testing.T) {
	s := newSaver(t)
	late, err := os.OpenFile(s.file(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	mustApply(t, s.Store, batchOf(tagOp))
	if after, _ := s.LookAgain(); after != settles || len(s.Snapshot().LateSaves()) > 0 {
		t.Errorf("look again in %v; %v", after, s.Snapshot().LateSaves())
	}
	text := savedText("What the user saved, too late.")
	if _, err := late.WriteString(text); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also when it has settled, and another change has cleared what did
		snap, err := s.Refresh(t.Context(), "a/b/y.md")
		if err != nil || len(snap.LateSaves()) != 1 || snap.LateSaves()[0].Path != savedEntry {
			t.Fatalf("%v, %v", snap.LateSaves(), err)
		}
		s.now = s.now.Add(time.Hour)
		more := plan.Op{Type: plan.OpAdd, Path: "a/c", Title: s.now.Format("Z 150405"), Reason: "r"}
		more.Content.Facts = []format.Fact{{Statement: "f"}}
		mustApply(t, s.Store, batchOf(more))
	}
	name := s.Snapshot().LateSaves()[0].Name
	found := false
	for _, p := range s.Snapshot().Problems(savedEntry) {
		found = found || p.Code == format.CodeLateSave && strings.Contains(p.Message, ".brv/state/saved/"+name)
	}
	if st, err := s.State(); !found || err != nil || st.LateSaves != 1 {
		t.Errorf("%v, %+v, %v", s.Snapshot().Problems(savedEntry), st, err)
	}
	if err := os.Rename(filepath.Join(s.dir, "state", "saved", name), s.file()); err != nil {
		t.Fatal(err)
	}
	if snap, err := s.Refresh(t.Context()); err != nil || s.read() != text || len(snap.LateSaves()) > 0 {
		t.Errorf("taken: %q, %v, %v", s.read(), snap.LateSaves(), err)
	}
}

// What is behind the changes that are kept is too old, and not said not to be there.
func TestUndoBehindWhatIsKept(t *testing.T) {
	log := []Logged{
		{ID: 4, Action: "undo", Of: 3, Files: []string{"x"}, Undoable: true},
		{ID: 3, Action: "apply", Files: []string{"x"}, Undoable: true},
		{ID: 2, Action: "apply", Files: []string{"x"}}, {ID: 1, Action: "apply", Files: []string{"y"}},
	}
	if old := outlived(log); len(undoable(log)) != 0 || old != 2 {
		t.Errorf("%v, %d", undoable(log), old)
	}
	if old := outlived(log[:2]); old != 0 {
		t.Error(old)
	}
	s := newSaver(t)
	s.through(quick) // which keeps fewer
	for i := range 120 {
		op := plan.Op{Type: plan.OpUpdate, Path: savedEntry, Reason: "r", Summary: strings.Repeat("s", i+1)}
		mustApply(t, s.Store, batchOf(op))
	}
	_, err := s.Undo(t.Context(), 1, "", "")
	if err == nil || !strings.Contains(err.Error(), "change 1 is too old to undo") {
		t.Error(err)
	}
}
