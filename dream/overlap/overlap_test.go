package overlap

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// read is the tree of an archive, and its comment.
func read(t testing.TB, file string) ([]*format.Entry, string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []*format.Entry
	for _, f := range a.Files {
		out = append(out, format.Parse(f.Name, string(f.Data)))
	}
	return out, string(a.Comment)
}

// TestPairs holds each archive of testdata against the lines of its comment: merge and apart
// say what is proposed, akin and strange what is linked.
func TestPairs(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no archives")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			entries, comment := read(t, file)
			x := New(entries)
			asked := 0
			for line := range strings.Lines(comment) {
				want, paths, ok := strings.Cut(strings.TrimSpace(line), ": ")
				a, b, two := strings.Cut(paths, " ")
				if !ok || !two || strings.Contains(b, " ") {
					continue
				}
				asked++
				p, ok := x.Compare(a, b)
				if !ok {
					t.Fatalf("%s: no such entries", line)
				}
				holds := map[string]bool{"merge": p.Same >= Merge, "apart": p.Same < Merge, "akin": p.Akin >= Related,
					"strange": p.Akin < Related}
				if is, known := holds[want]; !known || !is {
					t.Errorf("%s: same %.2f, akin %.2f, %+v", strings.TrimSpace(line), p.Same, p.Akin, p.Features)
				}
				if want == "merge" && !near(x, a, b) {
					t.Errorf("%s is not among what is near to %s", b, a)
				}
			}
			if asked == 0 {
				t.Error("the archive asks nothing")
			}
			symmetric(t, x, entries)
		})
	}
}

// near reports whether a pair is proposed by the index.
func near(x *Index, a, b string) bool {
	for _, p := range x.Near(a) {
		if p.B == b && p.Same >= Merge {
			return true
		}
	}
	return false
}

// symmetric checks that it is all one who is compared with whom, and that Near says of a pair
// what Compare says, wherever that matters.
func symmetric(t testing.TB, x *Index, entries []*format.Entry) {
	t.Helper()
	for _, e := range entries {
		for _, p := range x.Near(e.Path) {
			there, _ := x.Compare(p.A, p.B)
			back, _ := x.Compare(p.B, p.A)
			if there.Same != back.Same || there.Akin != back.Akin || p.Akin != there.Akin {
				t.Errorf("%s and %s: same %v and %v, akin %v, %v and %v", p.A, p.B, there.Same, back.Same, there.Akin, back.Akin, p.Akin)
			}
			if p.Same != there.Same && max(p.Same, there.Same) >= unlikely {
				t.Errorf("%s and %s: Near says %v, Compare %v", p.A, p.B, p.Same, there.Same)
			}
			for i, v := range there.Features.Vector() {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s and %s: feature %d is %v", p.A, p.B, i, v)
				}
			}
		}
	}
}

func TestCommonIsShownAsItIsWritten(t *testing.T) {
	entries, _ := read(t, "testdata/reworded.txtar")
	p, _ := New(entries).Compare("ops/db/backup.md", "support/faq/lost_data.md")
	if got := strings.Join(p.Common, " "); !strings.Contains(got, "ops/walg/ledger-backup.yaml") || strings.Contains(got, "opswalg") {
		t.Errorf("in common: %q", p.Common)
	}
	if !strings.HasPrefix(p.Why(), "overlapping content about ") {
		t.Error(p.Why())
	}
}

func TestUnknownPathsHaveNoNeighbours(t *testing.T) {
	entries, _ := read(t, "testdata/prose.txtar")
	x := New(entries)
	if got := x.Near("no/such/entry.md"); got != nil {
		t.Error(got)
	}
	for _, pair := range [][2]string{{"no/such/entry.md", entries[0].Path}, {entries[0].Path, "no/such/entry.md"},
		{entries[0].Path, entries[0].Path}} {
		if _, ok := x.Compare(pair[0], pair[1]); ok {
			t.Errorf("%v were compared", pair)
		}
	}
	if got := New(nil).Near("a/b/c.md"); got != nil {
		t.Error(got)
	}
}

func TestCredentialsAreNotCompared(t *testing.T) {
	key := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	entries := []*format.Entry{
		format.Parse("a/b/c.md", "---\ntitle: One\n---\nThe key is "+key+".\n"),
		format.Parse("a/b/d.md", "---\ntitle: Two\n---\nUse "+key+" here.\n"),
	}
	x := New(entries)
	if _, known := x.ids[strings.ToLower(key)]; known {
		t.Error("the index holds a credential")
	}
}

// FuzzNear compares two entries of any text beside a third.
func FuzzNear(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		entries, _ := read(f, file)
		f.Add(entries[0].Text, entries[1].Text)
	}
	f.Add("---\ntitle: a\n---\n- `x\n- 12:61 ½ 1.2.3.4 twenty-one years 7k", "```\n1,000,000 s\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<12 {
			return
		}
		entries := []*format.Entry{format.Parse("x/y/a.md", a), format.Parse("x/y/b.md", b),
			format.Parse("x/z/c.md", "---\ntitle: Other\n---\nSomething else.\n")}
		x := New(entries)
		symmetric(t, x, entries)
		if _, ok := x.Compare("x/y/a.md", "x/y/b.md"); !ok {
			t.Error("not compared")
		}
	})
}

// TestReadEndsWithItsContext gives up at once.
func TestReadEndsWithItsContext(t *testing.T) {
	entries, _ := read(t, "testdata/family.txtar")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if x, err := Read(ctx, entries); x != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", x, err)
	}
}

// New reads entries without an end.
func New(entries []*format.Entry) *Index {
	x, _ := Read(context.Background(), entries)
	return x
}
