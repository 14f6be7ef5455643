package curate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var update = flag.Bool("update", false, "rewrite the wanted drafts")

var now = time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC)

// TestPlan drafts from each archive's first file, named PATH:START-END[#SYMBOL],
// in the tree made of the others, and compares with the last.
func TestPlan(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no data")
	}
	for _, p := range paths {
		t.Run(filepath.Base(p), func(t *testing.T) {
			a, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			last := len(a.Files) - 1
			var entries []*format.Entry
			for _, f := range a.Files[1:last] {
				entries = append(entries, format.Parse(f.Name, string(f.Data)))
			}
			snap := tree.NewSnapshot(entries, nil)
			d, err := Plan(selection(t, a.Files[0]), snap, now)
			got := fmt.Sprintf("error: %v\n", err)
			if err == nil {
				got = d.Path + "\n" + d.Text
				readsBack(t, snap, d)
			}
			if *update {
				a.Files[last].Data = []byte(got)
				if err := os.WriteFile(p, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(a.Files[last].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func selection(t *testing.T, f txtar.File) Selection {
	t.Helper()
	name, symbol, _ := strings.Cut(f.Name, "#")
	i := strings.LastIndexByte(name, ':')
	s := Selection{Path: name[:i], Symbol: symbol, Text: string(f.Data), Language: strings.TrimPrefix(filepath.Ext(name[:i]), ".")}
	if _, err := fmt.Sscanf(name[i+1:], "%d-%d", &s.StartLine, &s.EndLine); err != nil {
		t.Fatal(err)
	}
	s.Entry, _ = strings.CutPrefix(s.Path, ".brv/context-tree/")
	if s.Entry == s.Path {
		s.Entry = ""
	}
	return s
}

// readsBack checks that the tree reads the draft as it was meant.
func readsBack(t *testing.T, snap *tree.Snapshot, d Draft) {
	t.Helper()
	if _, taken := snap.Entry(d.Path); taken {
		t.Fatalf("%s exists", d.Path)
	}
	with := snap.With(d.Path, d.Text)
	for _, problem := range with.Problems(d.Path) {
		if problem.Code == format.CodeOrphan {
			continue // what a new entry belongs to is the user's to say
		}
		t.Fatalf("the draft has a problem: %v\n%s", problem, d.Text)
	}
	if e, _ := with.Entry(d.Path); e.Title != d.Title {
		t.Fatalf("title %q reads back as %q", d.Title, e.Title)
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, text := range []string{"", " \n\t\r\n", "\u202e\x00", strings.Repeat("x", maxSelection+1)} {
		if _, err := Plan(Selection{Path: "a.go", Text: text}, tree.NewSnapshot(nil, nil), now); err == nil {
			t.Errorf("a selection of %d bytes was drafted", len(text))
		}
	}
}

func FuzzPlan(f *testing.F) {
	f.Add("src/auth/jwt.ts", "// Signs: a 'token' #1\nfunc x() {}", "x")
	f.Add("設計/メモ.md", "# 設計 @a/b\n```\ncode\n```", "")
	f.Add("con.go", "@../../etc/passwd", "")
	f.Add("a - b (c).go", "true", "null")
	f.Fuzz(func(t *testing.T, path, text, symbol string) {
		path, symbol = strings.Join(strings.Fields(clean(strings.ToValidUTF8(path, ""))), " "), strings.ToValidUTF8(symbol, "")
		if path == "" || strings.ContainsAny(symbol, "\n\r") || symbol != clean(symbol) {
			return
		}
		snap := tree.NewSnapshot(nil, nil)
		d, err := Plan(Selection{Path: path, Text: strings.ToValidUTF8(text, ""), Symbol: symbol, StartLine: 1, EndLine: 2,
			Language: "go"}, snap, now)
		if err != nil {
			return
		}
		if strings.Count(d.Path, "/") != 2 || strings.Contains(d.Path, "..") || strings.HasPrefix(d.Path, "/") {
			t.Fatalf("path %q", d.Path)
		}
		readsBack(t, snap, d)
	})
}
