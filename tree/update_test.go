package tree

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/shardmap"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// forest is a [treetest.Forest] with what needs a snapshot.
type forest struct{ treetest.Forest }

// observe writes everything a snapshot tells.
func observe(s *Snapshot) string {
	var b strings.Builder
	b.WriteString(render(s))
	for _, e := range s.Entries() {
		twin, _ := s.Twin(e.Path)
		kind, _ := s.KindOf(e.Path)
		found, ok := s.Entry(e.Path)
		fmt.Fprintln(&b, e.Path, kind, twin, ok && found == e, s.Problems(e.Path), s.FreePath(format.FolderOf(e.Path), "a b"))
	}
	fmt.Fprintln(&b, s.Len(), s.Skipped(), s.Fingerprint(), s.Resolve("x/y.md", format.FormWiki, "c"),
		s.Resolve("auth/jwt/z.md", format.FormMarkdown, "c.md"))
	return b.String()
}

// TestUpdateEqualsRebuild makes random batches of changes and compares each
// snapshot with one built from scratch, whatever order that is built in.
func TestUpdateEqualsRebuild(t *testing.T) {
	for seed := range int64(10) {
		f := forest{treetest.Forest{Rand: rand.New(rand.NewSource(seed))}}
		entries := map[string]*format.Entry{}
		s := NewSnapshot(nil, nil)
		for step := range 100 {
			changed := f.changes(entries)
			before, was := s, ""
			if step%10 == 0 {
				was = observe(s)
			}
			s = s.Update(changed)
			if step%10 == 0 && observe(before) != was {
				t.Fatalf("seed %d step %d: the old snapshot changed (-was +is):\n%s", seed, step, cmp.Diff(was, observe(before)))
			}
			if paths, ok := s.Since(before); !ok || !slices.Equal(paths, differing(before, s)) {
				t.Fatalf("seed %d step %d: since the snapshot before: %v %v, want %v", seed, step, paths, ok, differing(before, s))
			}
			want := observe(NewSnapshot(slices.Collect(maps.Values(entries)), nil))
			if got := observe(s); got != want {
				t.Fatalf("seed %d step %d, after %v (-rebuilt +updated):\n%s", seed, step, keys(changed), cmp.Diff(want, got))
			}
			if step%10 == 9 { // and go on from what the next process knows
				skipped, restored := s.Skipped(), false
				if s, restored = Restore(s.Entries(), AppendRelations(nil, s)); !restored || observe(s.Replace(nil, skipped)) != want {
					t.Fatalf("seed %d step %d (-rebuilt +restored):\n%s", seed, step, cmp.Diff(want, observe(s)))
				}
			}
			if step%5 > 0 {
				continue
			}
			if err := consistent(s); err != nil {
				t.Fatalf("seed %d step %d, after %v: %v", seed, step, keys(changed), err)
			}
		}
	}
}

// differing lists the paths that do not hold the same in two snapshots.
func differing(a, b *Snapshot) (paths []string) {
	for _, s := range []*Snapshot{a, b} {
		for _, e := range s.Entries() {
			was, _ := a.Entry(e.Path)
			if is, _ := b.Entry(e.Path); was != is {
				paths = append(paths, e.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// changes makes a batch of changes, and makes them in entries too.
func (f forest) changes(entries map[string]*format.Entry) map[string]*format.Entry {
	changed := map[string]*format.Entry{}
	for range 1 + f.Intn(3)*f.Intn(3) {
		p := f.Path()
		changed[p] = nil
		delete(entries, p)
		if f.Intn(3) > 0 {
			changed[p] = format.Parse(p, f.Text(p))
			entries[p] = changed[p]
		}
	}
	return changed
}

func fromScratch(texts map[string]string) *Snapshot {
	var entries []*format.Entry
	for p, text := range texts {
		entries = append(entries, format.Parse(p, text))
	}
	return NewSnapshot(entries, nil)
}

// consistent checks that the maps hold nothing that a snapshot from scratch
// would not: what is left behind is memory that never returns.
func consistent(s *Snapshot) error {
	want := NewSnapshot(s.Entries(), nil)
	count := func(s *Snapshot) [3]int {
		var n [3]int
		for i := range shardmap.Shards {
			n[0] += len(s.records[i])
			n[1] += len(s.nodes[i])
			n[2] += len(s.places[i])
		}
		return n
	}
	if got, want := count(s), count(want); got != want {
		return fmt.Errorf("maps hold %v, from scratch %v", got, want)
	}
	return nil
}

func keys(m map[string]*format.Entry) (out []string) {
	for p, e := range m {
		out = append(out, fmt.Sprintf("%s:%t", p, e != nil))
	}
	return out
}

func TestWithLeavesTheOldSnapshot(t *testing.T) {
	a := NewSnapshot([]*format.Entry{format.Parse("a/b/c.md", "@a/b/d.md"), format.Parse("a/b/d.md", "")}, nil)
	before := render(a)
	a.With("a/b/c.md", "nothing").With("a/b/d.md", "@a/b/c.md").With("x/y/z.md", "@a/b/d.md")
	if got := render(a); got != before {
		t.Errorf("the first snapshot changed:\n%s\nwas:\n%s", got, before)
	}
}

func TestUpdateWithoutAChangeIsTheSameSnapshot(t *testing.T) {
	a := NewSnapshot([]*format.Entry{format.Parse("a/b/c.md", "x")}, nil)
	if a.With("a/b/c.md", "x") != a || a.Without("a/b/d.md") != a || a.Update(nil) != a {
		t.Error("nothing changed, yet there is a new snapshot")
	}
}

// TestReadersShareASnapshotWithUpdates is for the race detector.
func TestReadersShareASnapshotWithUpdates(t *testing.T) {
	f := forest{treetest.Forest{Rand: rand.New(rand.NewSource(7))}}
	texts := map[string]string{}
	for range 40 {
		p := f.Path()
		texts[p] = f.Text(p)
	}
	s := fromScratch(texts)
	want := observe(s)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				if observe(s) != want {
					t.Error("the snapshot changed under its reader")
				}
			}
		})
	}
	next := s
	for range 200 {
		p := f.Path()
		if f.Intn(3) == 0 {
			next = next.Without(p)
		} else {
			next = next.With(p, f.Text(p))
		}
		s.With(p, f.Text(p))
	}
	readers.Wait()
}
