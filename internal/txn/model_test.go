package txn_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// The fault tests run one script of changes, of every kind, and compare what is
// left with the states that the script goes through.

// move is one change of the script.
type move struct {
	set  map[string]string
	del  []string
	undo int // the id of the change that is taken back; 0 for none
}

type files = map[string]string

var initial = files{
	"context-tree/a/one.md":        "one 0",
	"context-tree/a/two.md":        "two 0",
	"context-tree/b/three.md":      strings.Repeat("three 0\n", 40),
	"context-tree/four.md":         "",
	"context-tree/sub/x/1.md":      "x1",
	"context-tree/sub/x/2.md":      "x2",
	"context-tree/sub/x/deep/3.md": "x3",
	"context-tree/sub/keep.md":     "keep",
	"state/usage/3f.json":          "{}",
}

var script = []move{
	{set: files{"context-tree/a/one.md": "one 1", "context-tree/a/two.md": "two 1 is longer than before",
		"context-tree/b/three.md": "", "context-tree/four.md": "four 1"}},
	{set: files{"context-tree/new/deep/er/n.md": "n", "context-tree/new/m.md": "m", "state/usage/00.json": "{1}"}},
	{del: []string{"context-tree/b/three.md", "context-tree/sub/x/1.md", "context-tree/sub/x/2.md", "context-tree/sub/x/deep/3.md"}},
	{set: files{"context-tree/a/one.md": "one 4", "context-tree/b/again.md": "again"},
		del: []string{"context-tree/a/two.md", "context-tree/new/deep/er/n.md"}},
	{undo: 4},
	{undo: 3},
}

// keep makes the script prune.
const keep = 3

// start is when the first file was written; each has its own time and mode.
var start = time.Date(2020, 2, 29, 12, 0, 0, 123456700, time.UTC) // Windows keeps steps of 100 ns

func stampOf(p string) (fs.FileMode, time.Time) {
	i := slices.Index(slices.Sorted(maps.Keys(initial)), p)
	return modeOf([]fs.FileMode{0o644, 0o600, 0o640}[i%3]), start.Add(time.Duration(i) * time.Hour)
}

// modeOf is what the system keeps of a mode: Windows knows only whether a file may be written.
func modeOf(mode fs.FileMode) fs.FileMode {
	if runtime.GOOS == "windows" {
		return 0o666
	}
	return mode
}

// states are the files before the script, and after each change.
var states = func() []files {
	out := []files{initial}
	for _, m := range script {
		now := maps.Clone(out[len(out)-1])
		maps.Copy(now, m.set)
		for _, p := range m.del {
			delete(now, p)
		}
		if m.undo > 0 {
			for _, p := range touched(m.undo) {
				delete(now, p)
				if old, ok := out[m.undo-1][p]; ok {
					now[p] = old
				}
			}
		}
		out = append(out, now)
	}
	return out
}()

func touched(id int) []string {
	m := script[id-1]
	if m.undo > 0 {
		return touched(m.undo)
	}
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(m.set)), m.del...)))
}

// changes are those of the script's change n, counted from 1, by the model.
func changes(n int) (out []Change) {
	for _, p := range touched(n) {
		out = append(out, Change{Path: p, Before: imageOf(states[n-1], p), After: imageOf(states[n], p)})
	}
	return out
}

func imageOf(state files, p string) *Image {
	if text, ok := state[p]; ok {
		return &Image{Data: []byte(text)}
	}
	return nil
}

var ctx = context.Background()

func options() Options {
	return Options{Keep: keep, Now: func() time.Time { return start }, Seal: testSeal}
}

// commit makes the script's change n.
func commit(j *Journal, n int) (kept []string, err error) {
	h, kept, err := j.Commit(ctx, func(id int) (any, []Change, error) {
		if id != n {
			return nil, nil, fmt.Errorf("id %d, not %d", id, n)
		}
		if undo := script[n-1].undo; undo > 0 {
			r, err := j.Load(undo)
			if err != nil {
				return nil, nil, err
			}
			return map[string]int{"undo": undo}, r.Inverse(), nil
		}
		return map[string]int{"n": n}, changes(n), nil
	})
	if err == nil && h.ID != n {
		err = fmt.Errorf("the header says %d, not %d", h.ID, n)
	}
	return kept, err
}

// play makes the changes from, from+1 and so on, and calls acked after each.
func play(fsys FS, from int, acked func(n int)) error {
	j := Open(fsys, "state", options())
	for n := from; n <= len(script); n++ {
		kept, err := commit(j, n)
		if err == nil && len(kept) > 0 {
			err = fmt.Errorf("kept %q", kept)
		}
		if err != nil {
			return fmt.Errorf("change %d: %w", n, err)
		}
		acked(n)
	}
	return nil
}

// own are the journal's files.
var own = []string{"state/txn", "state/journal", "state/audit.jsonl", "state/lock", "state/lock.next", "state/replace.lock",
	"state/replace.tmp", "state/saved", "state/damaged"}

// newDisk is a disk in memory with the initial files.
func newDisk() *txntest.Disk {
	d := txntest.NewDisk()
	fill(d)
	return d
}

func fill(fsys FS) {
	for _, p := range slices.Sorted(maps.Keys(initial)) {
		var dirs []string
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
		for _, dir := range slices.Backward(dirs) {
			_ = fsys.Mkdir(dir)
			_ = fsys.SyncDir(path.Dir(dir))
		}
		mode, modTime := stampOf(p)
		if err := fsys.Create(p, []byte(initial[p]), mode, modTime); err != nil {
			panic(err)
		}
		_ = fsys.Sync(p)
		_ = fsys.SyncDir(path.Dir(p))
	}
}

// realDisk is a folder of the machine with the initial files.
func realDisk(t testing.TB) *jail.Root {
	t.Helper()
	root, err := jail.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	fill(root)
	return root
}

// raw is the disk under the layers.
func raw(fsys FS) FS {
	for {
		switch layer := fsys.(type) {
		case *txntest.Steps:
			fsys = layer.FS
		case *txntest.Syncs:
			fsys = layer.FS
		default:
			return fsys
		}
	}
}

// visible are the files that are not the journal's, and the folders.
func visible(fsys FS) (all map[string]txntest.File, dirs []string) {
	fsys = raw(fsys)
	if d, ok := fsys.(*txntest.Disk); ok {
		return d.Files(own...), d.Folders(own...)
	}
	root := fsys.(*jail.Root)
	all = map[string]txntest.File{}
	_ = filepath.WalkDir(root.Dir(), func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root.Dir(), name)
		p := filepath.ToSlash(rel)
		switch {
		case err != nil || p == ".":
		case slices.Contains(own, p):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir():
			dirs = append(dirs, p)
		default:
			data, _ := os.ReadFile(name)
			info, _ := e.Info()
			all[p] = txntest.File{Data: string(data), Mode: uint32(info.Mode().Perm()), ModTime: info.ModTime().UTC()}
		}
		return nil
	})
	return all, dirs
}

// stateOf returns which of the states lo to hi the files are in.
func stateOf(fsys FS, lo, hi int) (int, error) {
	all, dirs := visible(fsys)
	for n := lo; n <= hi; n++ {
		if maps.EqualFunc(all, states[n], func(f txntest.File, text string) bool { return f.Data == text }) {
			return n, errors.Join(checkStamps(all), checkFolders(all, dirs))
		}
	}
	return 0, fmt.Errorf("the files are in none of the states %d to %d:\n%s", lo, hi, diff(all, states[lo]))
}

func diff(all map[string]txntest.File, want files) string {
	var b strings.Builder
	for p, f := range all {
		if text, ok := want[p]; !ok || text != f.Data {
			fmt.Fprintf(&b, "  %s: %.60q, want %.60q\n", p, f.Data, text)
		}
	}
	for p := range want {
		if _, ok := all[p]; !ok {
			fmt.Fprintf(&b, "  %s: missing\n", p)
		}
	}
	return b.String()
}

// checkStamps holds files that have their first content to their first mode and
// time: undo restores them.
func checkStamps(all map[string]txntest.File) error {
	for p, f := range all {
		if text, ok := initial[p]; ok && text == f.Data {
			if mode, modTime := stampOf(p); f.Mode != uint32(mode) || !f.ModTime.Equal(modTime) {
				return fmt.Errorf("%s: mode %o and time %s, want %o and %s", p, f.Mode, f.ModTime, mode, modTime)
			}
		}
	}
	return nil
}

// checkFolders allows no empty folders, other than those of the first level.
func checkFolders(all map[string]txntest.File, dirs []string) error {
	for _, dir := range dirs {
		full := path.Dir(dir) == "."
		for p := range all {
			full = full || strings.HasPrefix(p, dir+"/")
		}
		if !full {
			return fmt.Errorf("%s: an empty folder is left", dir)
		}
	}
	return nil
}

// verify recovers, and checks that the files are in one of the states lo to hi,
// that nothing is left over, that the changes up to there are on record, and that
// the last can be taken back. It returns which state it is.
func verify(fsys FS, lo, hi int) (int, error) {
	j := Open(fsys, "state", options())
	kept, err := j.Recover(ctx)
	if err != nil {
		return 0, fmt.Errorf("recover: %w", err)
	}
	if len(kept) > 0 {
		return 0, fmt.Errorf("recover kept %q", kept)
	}
	n := newestID(j)
	if n < lo || n > hi {
		return 0, fmt.Errorf("%d changes are on record; want %d to %d", n, lo, hi)
	}
	if _, err := stateOf(fsys, n, n); err != nil {
		return 0, err
	}
	if err := checkJournal(fsys, j, n); err != nil {
		return n, err
	}
	return n, undoLast(fsys, j, n)
}

// newestID is the id of the last change on record.
func newestID(j *Journal) int {
	n := 0
	for h := range j.Audit() {
		n = max(n, h.ID)
	}
	return n
}

func checkJournal(fsys FS, j *Journal, n int) error {
	if j.Interrupted() {
		return errors.New("interrupted after recovery")
	}
	if saved, _, err := j.Saved(); len(saved) > 0 || err != nil {
		return fmt.Errorf("nobody wrote what is saved: %v, %v", saved, err)
	}
	for _, dir := range []string{"state/txn", "state/damaged"} {
		if left, err := fsys.ReadDir(dir); len(left) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("left in %s: %v, %v", dir, left, err)
		}
	}
	next := 1
	for h, err := range j.Audit() {
		if err != nil || h.ID != next {
			return fmt.Errorf("audit: %d, %v; want %d", h.ID, err, next)
		}
		next++
	}
	if next != n+1 {
		return fmt.Errorf("audit has %d changes, the files are in state %d", next-1, n)
	}
	list, err := j.Records()
	if want := min(n, keep); err != nil || len(list) != want || n > 0 && list[0].ID != n {
		return fmt.Errorf("%d records, want %d: %v, %v", len(list), want, list, err)
	}
	return nil
}

func undoLast(fsys FS, j *Journal, n int) error {
	if n == 0 {
		return nil
	}
	r, err := j.Load(n)
	if err != nil {
		return err
	}
	h, kept, err := j.Commit(ctx, func(int) (any, []Change, error) { return nil, r.Inverse(), nil })
	if err != nil || len(kept) > 0 || h.ID != n+1 {
		return fmt.Errorf("undo: %+v, %q, %w", h, kept, err)
	}
	if _, err := stateOf(fsys, n-1, n-1); err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return nil
}
