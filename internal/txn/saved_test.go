package txn_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/brv-lsp/brv-lsp/internal/txn"
)

// What a change takes out of its place is there for a minute, and then goes with a later change, unless
// somebody wrote into it.
func TestWhatWasReplacedIsKeptUntilItHasSettled(t *testing.T) {
	d, now := newDisk(), start
	j := Open(d, "state", Options{Keep: keep, Now: func() time.Time { return now }})
	const p = "context-tree/a/one.md"
	late := d.Hold(p)
	n := 0
	change := func(from, to string) {
		t.Helper()
		if _, _, err := j.Commit(ctx, plan(Change{p, text(from), text(to)})); err != nil {
			t.Fatal(err)
		}
	}
	count := func(want int) {
		t.Helper()
		if list, err := d.ReadDir("state/saved"); err != nil && want > 0 || len(list) != want {
			t.Errorf("after change %d %d files are kept, not %d: %v", n, len(list), want, err)
		}
	}
	change("one 0", "one 1")
	change("one 1", "one 2")
	count(2)
	if saved, latest, err := j.Saved(); len(saved) > 0 || !latest.Equal(now) || err != nil {
		t.Errorf("%v, %v, %v", saved, latest, err)
	}
	late(users)
	for range 2 * keep { // so that the record that explains it goes
		now = now.Add(2 * time.Minute)
		change("one 2", "one 3")
		change("one 3", "one 2")
	}
	count(3) // the late one, and those of the last two changes
	saved, _, err := j.Saved()
	if err != nil || len(saved) != 1 || saved[0].Path != p || saved[0].ID != 1 || string(saved[0].Data) != users {
		t.Fatalf("%v, %v", saved, err)
	}
}

// However many changes there are within that minute, what is kept is bounded.
func TestWhatIsKeptIsBounded(t *testing.T) {
	d := newDisk()
	j := Open(d, "state", options())
	const p = "context-tree/a/one.md"
	from := "one 0"
	for i := range 300 {
		to := fmt.Sprint(i)
		if _, _, err := j.Commit(ctx, plan(Change{p, text(from), text(to)})); err != nil {
			t.Fatal(err)
		}
		from = to
	}
	if list, err := d.ReadDir("state/saved"); err != nil || len(list) != 256 {
		t.Errorf("%d files, %v", len(list), err)
	}
	if saved, _, err := j.Saved(); len(saved) > 0 || err != nil {
		t.Errorf("%v, %v", saved, err)
	}
}

// What a stranger put there is nobody's text.
func TestForeignFilesAmongWhatIsKept(t *testing.T) {
	d := newDisk()
	j := Open(d, "state", options())
	if _, err := commit(j, 1); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"x", "0000000001", "0000000001-", "0000000001-0123456789ab.99-x", "0000000009-0123456789ab.0-one.md",
		"0000000001-0123456789ab.0-other.md", "0000000001-0123456789ab.-1-one.md",
	} {
		d.Write("state/saved/"+name, "a stranger's")
	}
	d.Write("state/saved/0000000001-0123456789ab.1-two.md/x", "in a folder")
	if saved, _, err := j.Saved(); len(saved) > 0 || err != nil {
		t.Errorf("%v, %v", saved, err)
	}
	if _, err := commit(j, 2); err != nil {
		t.Error(err)
	}
}

// readBytes counts what is read of files.
type readBytes struct {
	FS
	n atomic.Int64
}

func (r *readBytes) ReadFile(p string, limit int64) ([]byte, error) {
	data, err := r.FS.ReadFile(p, limit)
	r.n.Add(int64(len(data)))
	return data, err
}

func (r *readBytes) ReadHead(p string, n int64) ([]byte, error) {
	data, err := r.FS.ReadHead(p, n)
	r.n.Add(int64(len(data)))
	return data, err
}

// Lists of changes read the records' heads, and no images.
func TestHeadsAreReadWithoutImages(t *testing.T) {
	const records, image = 10, 1 << 20
	root := realDisk(t)
	counted := &readBytes{FS: root}
	j := Open(counted, "state", Options{})
	before := text("one 0")
	for i := range records {
		after := &Image{Data: bytes.Repeat([]byte{byte('a' + i)}, image)}
		meta := map[string]string{"long": strings.Repeat("x", i*10_000)}
		if _, _, err := j.Commit(ctx, func(int) (any, []Change, error) {
			return meta, []Change{{"context-tree/a/one.md", before, after}}, nil
		}); err != nil {
			t.Fatal(err)
		}
		before = after
	}
	counted.n.Store(0)
	list, err := j.Records()
	if err != nil || len(list) != records {
		t.Fatalf("%d records, %v", len(list), err)
	}
	for h, err := range j.Audit() {
		if err != nil || !strings.Contains(string(h.Meta), "long") {
			t.Errorf("%d: %v", h.ID, err)
		}
	}
	if n := counted.n.Load(); n > 2*records*image/4 {
		t.Errorf("%d bytes were read for %d headers, twice", n, records)
	}
	if r, err := j.Load(records); err != nil || len(r.Changes[0].After.Data) != image {
		t.Error(err)
	}
}

// BenchmarkSaved looks at as much as is kept at most.
func BenchmarkSaved(b *testing.B) {
	root := realDisk(b)
	j := Open(root, "state", Options{Keep: 500})
	before := text("one 0")
	for i := range 256 {
		after := text(fmt.Sprint(i))
		if _, _, err := j.Commit(ctx, plan(Change{"context-tree/a/one.md", before, after})); err != nil {
			b.Fatal(err)
		}
		before = after
	}
	for b.Loop() {
		if _, _, err := j.Saved(); err != nil {
			b.Fatal(err)
		}
	}
}
