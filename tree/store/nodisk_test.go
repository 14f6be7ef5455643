package store

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestPlanNeedsNoDisk plans each batch of the operations' data from values alone: texts in memory, what is open
// unsaved, comments of code, a link that was skipped. What a store says of the same folder is the same.
func TestPlanNeedsNoDisk(t *testing.T) {
	skipped := []tree.Skipped{{Path: "a/b/link.md", Reason: "symbolic links are not followed", Link: true}}
	atLink := plan.Op{Type: plan.OpAdd, Path: "a/b/link.md", Title: "Link", Summary: "s", Reason: "r"}
	var conflicts, comments int
	for name, a := range archives(t) {
		files, batch := split(t, a)
		paths := slices.Sorted(maps.Keys(files))
		var in plan.Inputs
		for i, p := range paths {
			in.Marks = append(in.Marks, tree.CodeMark{Path: "main.go", Line: 1 + i, Target: strings.TrimSuffix(p, ".md")})
		}
		for _, unsaved := range append([]string{""}, paths...) {
			in.Unsaved = map[string]string{unsaved: "being written\n"}
			for _, link := range [][]tree.Skipped{nil, skipped} {
				b := batch
				b.DryRun = true
				if link != nil {
					b.Ops = append(slices.Clone(b.Ops), atLink)
				}
				want := planned(files, link, b, in)
				got := dryRun(t, files, link, b, in)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %q unsaved, skipped %v (-in memory +on disk):\n%s", filepath.Base(name), unsaved, link, diff)
				}
				conflicts += strings.Count(fmt.Sprint(want.Results), "has unsaved changes")
				comments += len(want.Comments)
				if last := want.Results[len(want.Results)-1]; link != nil && last.Code != plan.FailExists {
					t.Errorf("%s: planned at a link: %+v", filepath.Base(name), last)
				}
			}
		}
	}
	if conflicts == 0 || comments == 0 {
		t.Errorf("%d conflicts with unsaved texts, %d comments of code: the data try nothing", conflicts, comments)
	}
}

// planned is the report of a batch on texts.
func planned(files map[string]string, skipped []tree.Skipped, b plan.Batch, in plan.Inputs) *plan.Report {
	var entries []*format.Entry
	for p, text := range files {
		entries = append(entries, format.Parse(p, text))
	}
	in.Now = plan.Stamp(testNow)
	p := plan.New(tree.NewSnapshot(entries, skipped), b.Screen(), in)
	r := p.Report()
	r.Diff, r.Comments = p.Preview(), p.Comments()
	return r
}

// dryRun is the report of a batch on a folder with those files and links.
func dryRun(t *testing.T, files map[string]string, links []tree.Skipped, b plan.Batch, in plan.Inputs) *plan.Report {
	t.Helper()
	dir := onDisk(t, files)
	for _, l := range links {
		at := filepath.Join(dir, tree.Dir, filepath.FromSlash(l.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("elsewhere.md", at); err != nil {
			t.Skip(err)
		}
	}
	collect := func(marks bool) plan.Inputs {
		if !marks {
			return plan.Inputs{Unsaved: in.Unsaved}
		}
		return in
	}
	s, err := Open(t.Context(), dir, Options{Now: func() time.Time { return testNow }, Seal: testSeal, Inputs: collect})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return mustApply(t, s, b)
}
