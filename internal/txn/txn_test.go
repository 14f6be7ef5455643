package txn_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

var update = flag.Bool("update", false, "rewrite the wanted output of the data tests")

// plan is a plan that does not look at anything.
func plan(changes ...Change) func(int) (any, []Change, error) {
	return func(int) (any, []Change, error) { return nil, changes, nil }
}

func text(s string) *Image { return &Image{Data: []byte(s)} }

func TestScriptOnEveryFileSystem(t *testing.T) {
	all := map[string]FS{"real": realDisk(t)}
	for _, kind := range kinds {
		d := newDisk()
		kind.adjust(d)
		all[kind.name] = d
	}
	for name, fsys := range all {
		t.Run(name, func(t *testing.T) {
			if err := play(fsys, 1, func(int) {}); err != nil {
				t.Fatal(err)
			}
			if _, err := verify(fsys, len(script), len(script)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatCannotBeChanged(t *testing.T) {
	for name, c := range map[string]struct {
		changes []Change
		want    string
	}{
		"climbing":         {[]Change{{"../x.md", nil, text("")}}, `"../x.md": invalid argument`},
		"absolute":         {[]Change{{"/x.md", nil, text("")}}, `"/x.md": invalid argument`},
		"the folder":       {[]Change{{".", nil, text("")}}, `".": invalid argument`},
		"the journal":      {[]Change{{"state/txn/x", nil, text("")}}, "state/txn/x belongs to the journal"},
		"the journal, up":  {[]Change{{"State/Journal/x", nil, text("")}}, "State/Journal/x belongs to the journal"},
		"the lock":         {[]Change{{"state/lock", nil, text("")}}, "state/lock belongs to the journal"},
		"the state folder": {[]Change{{"state", nil, text("")}}, "state belongs to the journal"},
		"twice":            {[]Change{{"a", nil, text("")}, {"a", nil, text("b")}}, "a: changed twice"},
		"file and folder":  {[]Change{{"a", nil, text("")}, {"a/b", nil, text("")}}, "a would be both a file and a folder"},
		"in a file":        {[]Change{{"context-tree/four.md/x.md", nil, text("")}}, "context-tree/four.md: " + syscall.ENOTDIR.Error()},
		"a folder":         {[]Change{{"context-tree/a", nil, text("")}}, "context-tree/a: not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk()
			h, kept, err := Open(d, "state", options()).Commit(ctx, plan(c.changes...))
			if err == nil || err.Error() != c.want || h.ID != 0 || kept != nil {
				t.Errorf("%+v, %q, %v; want %s", h, kept, err, c.want)
			}
			if _, err := verify(d, 0, 0); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNothingHappensWhere(t *testing.T) {
	refused := errors.New("no")
	for name, f := range map[string]func(int) (any, []Change, error){
		"there are no changes": plan(),
		"nothing changes":      plan(Change{"context-tree/a/one.md", text("other"), text("other")}, Change{"x", nil, nil}),
		"the plan fails":       func(int) (any, []Change, error) { return nil, nil, refused },
		"meta is no JSON": func(int) (any, []Change, error) {
			return func() {}, []Change{{"x", nil, text("")}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk()
			h, kept, err := Open(d, "state", options()).Commit(ctx, f)
			if h.ID != 0 || kept != nil || (err == nil) != strings.Contains(name, "change") {
				t.Error(h, kept, err)
			}
			if _, err := verify(d, 0, 0); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestConflictNamesTheFiles(t *testing.T) {
	d := newDisk()
	_, _, err := Open(d, "state", options()).Commit(ctx, plan(
		Change{"context-tree/a/one.md", text("other"), text("x")},
		Change{"context-tree/a/two.md", text("two 0"), text("x")},
		Change{"context-tree/four.md", nil, text("x")},
		Change{"context-tree/gone.md", text("y"), nil},
		Change{"context-tree/sub/keep.md", text("keep, and more"), nil},
	))
	var conflict *ConflictError
	want := []string{"context-tree/a/one.md", "context-tree/four.md", "context-tree/gone.md", "context-tree/sub/keep.md"}
	if !errors.As(err, &conflict) || !slices.Equal(conflict.Paths, want) {
		t.Fatal(err)
	}
	if got := err.Error(); got != "context-tree/a/one.md, context-tree/four.md, context-tree/gone.md and 1 more: changed meanwhile" {
		t.Error(got)
	}
	if _, err := verify(d, 0, 0); err != nil {
		t.Error(err)
	}
}

func TestModeAndTime(t *testing.T) {
	for name, fsys := range map[string]FS{"memory": newDisk(), "real": realDisk(t)} {
		then := time.Date(2021, 5, 6, 7, 8, 9, 1000, time.UTC)
		j := Open(fsys, "state", options())
		h, _, err := j.Commit(ctx, plan(
			Change{"context-tree/a/two.md", text("two 0"), text("keeps its mode")},
			Change{"context-tree/a/one.md", text("one 0"), &Image{Data: []byte("is given one"), Mode: modeOf(0o640), ModTime: then}},
			Change{"context-tree/a/new.md", nil, &Image{Data: []byte("new"), Mode: modeOf(0o600), ModTime: then}},
		))
		if err != nil {
			t.Fatal(err)
		}
		all, _ := visible(fsys)
		mode, _ := stampOf("context-tree/a/two.md")
		if got := all["context-tree/a/two.md"]; got.Mode != uint32(mode) {
			t.Errorf("%s: %+v", name, got)
		}
		for p, mode := range map[string]fs.FileMode{"context-tree/a/one.md": modeOf(0o640), "context-tree/a/new.md": modeOf(0o600)} {
			if got := all[p]; got.Mode != uint32(mode) || !got.ModTime.Equal(then) {
				t.Errorf("%s: %s: %+v", name, p, got)
			}
		}
		r, err := j.Load(h.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"context-tree/a/two.md", "context-tree/a/new.md", "context-tree/a/one.md"} {
			if _, _, err := j.Commit(ctx, plan(r.Inverse(p)...)); err != nil {
				t.Error(name, err)
			}
		}
		if _, err := stateOf(fsys, 0, 0); err != nil {
			t.Error(name, err)
		}
	}
}

func TestOldRecordsLoseTheirImages(t *testing.T) {
	d := newDisk()
	j := Open(d, "state", Options{Seal: testSeal, Keep: 16})
	for i := range 40 {
		if _, _, err := j.Commit(ctx, plan(Change{fmt.Sprintf("context-tree/%d.md", i), nil, text("x")})); err != nil {
			t.Fatal(err)
		}
		list, err := j.Records()
		if err != nil || len(list) != min(i+1, 16) {
			t.Fatal(len(list), err)
		}
		if on, err := d.ReadDir("state/journal"); err != nil || len(on) > 18 {
			t.Fatal(len(on), err)
		}
	}
	if _, err := j.Load(25); err != nil {
		t.Error(err)
	}
	for _, id := range []int{0, 1, 24, 41} {
		if _, err := j.Load(id); !errors.Is(err, ErrNoRecord) {
			t.Error(id, err)
		}
	}
	if n := newestID(j); n != 40 {
		t.Error(n)
	}
	for _, e := range []string{"state/journal", "state/txn"} { // ids go on from the audit file
		for p := range d.Files() {
			if strings.HasPrefix(p, e) {
				d.Delete(p)
			}
		}
	}
	h, _, err := j.Commit(ctx, plan(Change{"context-tree/last.md", nil, text("x")}))
	if last := len(auditOf(d)); err != nil || h.ID != last+1 {
		t.Error(h.ID, last, err)
	}
}

func auditOf(d *txntest.Disk) []string {
	return strings.Split(strings.TrimSpace(d.Files()["state/audit.jsonl"].Data), "\n")
}

func TestJournalOfANewerVersion(t *testing.T) {
	for _, p := range []string{"state/journal/0000000003", "state/txn/0000000003"} {
		d := newDisk()
		if err := playTo(d, 2); err != nil {
			t.Fatal(err)
		}
		d.Write(p, string(testSeal.Seal("change", []byte(`{"version":2,"id":3,"new":true}`)))+"what it means is not known")
		j := Open(d, "state", options())
		if _, err := commit(j, 4); !errors.Is(err, ErrNewer) {
			t.Errorf("%s: commit: %v", p, err)
		}
		if err := j.Locked(ctx, func() error { return nil }); !errors.Is(err, ErrNewer) {
			t.Errorf("%s: locked: %v", p, err)
		}
		if r, err := j.Load(2); err != nil || r.ID != 2 {
			t.Errorf("%s: %v, %v", p, r, err)
		}
		if _, err := stateOf(d, 2, 2); err != nil {
			t.Error(err)
		}
	}
}

func TestDamagedRecords(t *testing.T) {
	d := newDisk()
	if err := playTo(d, 3); err != nil {
		t.Fatal(err)
	}
	d.Write("state/journal/0000000002", "no JSON")
	good := d.Files()["state/journal/0000000003"].Data
	d.Write("state/journal/0000000003", strings.Replace(good, "\nsha256 ", "\nSHA256 ", 1))
	d.Write("state/txn/0000000004", good[:len(good)-1])
	j := Open(d, "state", options())
	if j.Interrupted() {
		t.Error("a record under another name is taken for one of ours")
	}
	if kept, err := j.Recover(ctx); !errors.Is(err, ErrDamaged) || kept != nil {
		t.Error(kept, err)
	}
	if kept, err := j.Recover(ctx); err != nil || kept != nil || j.Interrupted() {
		t.Error(kept, err)
	}
	if d.Files()["state/damaged/0000000004"].Data == "" {
		t.Error("not moved away")
	}
	if _, err := stateOf(d, 3, 3); err != nil {
		t.Error(err)
	}
	if list, err := j.Records(); err != nil || len(list) != 2 {
		t.Error(list, err)
	}
	for id, want := range map[int]error{1: nil, 2: ErrDamaged, 3: ErrDamaged, 4: ErrNoRecord} {
		if _, err := j.Load(id); !errors.Is(err, want) {
			t.Error(id, err)
		}
	}
	var ids, bad []int
	for h, err := range j.Audit() {
		if err != nil {
			bad = append(bad, h.ID)
			continue
		}
		ids = append(ids, h.ID)
	}
	if !slices.Equal(ids, []int{1, 3}) || len(bad) != 1 {
		t.Error(ids, bad)
	}
	h, _, err := j.Commit(ctx, plan(Change{"context-tree/x.md", nil, text("")}))
	if err != nil || h.ID != 5 {
		t.Error(h.ID, err)
	}
}

func TestReplace(t *testing.T) {
	root := realDisk(t)
	j := Open(root, "state", Options{Seal: testSeal})
	err := j.Locked(ctx, func() error {
		return errors.Join(j.Replace("state/usage/3f.json", []byte("new")), j.Replace("state/other/deep/x.json", []byte("x")))
	})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := visible(root)
	mode, _ := stampOf("state/usage/3f.json")
	if got := all["state/usage/3f.json"]; got.Data != "new" || got.Mode != uint32(mode) || all["state/other/deep/x.json"].Data != "x" {
		t.Errorf("%+v", all)
	}
	if err := j.Replace("context-tree", nil); !errors.Is(err, jail.ErrNotRegular) {
		t.Error(err)
	}
	if err := j.Replace("state/audit.jsonl", nil); err == nil {
		t.Error("the journal's own file was replaced")
	}
	if _, err := root.Lstat("state/replace.tmp"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What is written stays readable, for people and for the next version.
func TestRecordFormat(t *testing.T) {
	d := txntest.NewDisk()
	d.Write("context-tree/auth/jwt.md", "# Tokens\n")
	d.Write("context-tree/auth/old.md", "old")
	now := time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.FixedZone("east", 3600))
	j := Open(d, "state", Options{Seal: testSeal, Keep: 1, Now: func() time.Time { return now }})
	change := func(meta any, changes ...Change) {
		t.Helper()
		if _, _, err := j.Commit(ctx, func(int) (any, []Change, error) { return meta, changes, nil }); err != nil {
			t.Fatal(err)
		}
	}
	change(map[string]any{"op": "ADD <1> & more", "by": "human"},
		Change{"context-tree/auth/jwt.md", text("# Tokens\n"), text("# Tokens\n\nSigned.\n")},
		Change{"context-tree/auth/old.md", text("old"), nil},
		Change{"context-tree/new/topic/a.md", nil, &Image{Data: []byte("no newline"), Mode: 0o600, ModTime: now}})
	first := d.Files()["state/journal/0000000001"].Data
	change(nil, Change{"context-tree/new/topic/a.md", text("no newline"), text("")})
	got := "state/journal/0000000001:\n" + first + "state/journal/0000000002:\n" + d.Files()["state/journal/0000000002"].Data +
		"state/audit.jsonl:" + d.Files()["state/audit.jsonl"].Data + "\n"
	const golden = "testdata/format.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}
