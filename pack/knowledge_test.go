package pack

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// rules is an entry about a file.
func rules(maturity, file, text string) string {
	return "---\ntitle: Rules of " + maturity + "\nmaturity: " + maturity + "\nimportance: 90\n---\n## Raw Concept\n**Files:**\n- " +
		file + "\n\n## Narrative\n### Rules\n" + text + "\n"
}

func TestCoreEntriesAboutChosenFilesComeFirst(t *testing.T) {
	dir := t.TempDir()
	source := "package a\n\n// Total adds invoices up.\nfunc Total() int { return 1 }\n"
	if err := os.WriteFile(filepath.Join(dir, "total.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	in := inputs(t, dir, map[string]string{
		"a/b/draft.md": rules("draft", "other.go", "The total of invoices is rounded once; the total of invoices has no tax."),
		"a/b/core.md":  rules("core", "total.go", "Money is counted in cents."),
	})
	p := keeps(t, in, Task{Text: "total of invoices is rounded wrongly", Budget: 1000, Offset: -1})
	_, core := itemOf(p, "a/b/core.md")
	if _, draft := itemOf(p, "a/b/draft.md"); core != 0 || draft < 1 {
		t.Errorf("items %+v", p.Items)
	}
}

// An entry that search is not sure of applies once a symbol that it names is shown with its body, also one that shares
// an excerpt with others.
func TestEntriesApplyOnceWhatTheyNameIsShown(t *testing.T) {
	dir := t.TempDir()
	source := "package a\n\n// Total adds invoices up.\nfunc Total() int { return 1 }\n\nfunc Round() int { return 2 }\n"
	if err := os.WriteFile(filepath.Join(dir, "total.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	in := inputs(t, dir, map[string]string{
		"a/b/names.md": rules("draft", "total.go", "Pay heed to `Round` in `total.go`: cents."),
		"a/b/other.md": rules("draft", "total.go", "Pay heed to cents."),
	})
	m := newMaker(t.Context(), in, Task{Text: "total of invoices is wrong", Budget: 4000, Offset: -1})
	found, err := m.gather()
	if err != nil {
		t.Fatal(err)
	}
	f := newFiller(m, found)
	applying := func() (out []string) {
		for _, s := range f.slots {
			if s.kind == KindEntry && s.applies() {
				out = append(out, s.path)
			}
		}
		return out
	}
	before := applying()
	f.fill()
	if after := applying(); len(before) > 0 || len(after) != 1 || after[0] != "a/b/names.md" {
		t.Errorf("%v apply before, %v after", before, after)
	}
}

// What is made of the entries of a folder, and of its name, repeats what the entries say.
func TestNothingGeneratedIsPacked(t *testing.T) {
	in := inputs(t, t.TempDir(), map[string]string{
		"billing/_index.md":            "# Billing\nInvoices, totals and dunning.\n",
		"billing/context.md":           "# Domain: billing\n\n## Purpose\nKnowledge about billing.\n\n## Scope\nIncluded in this domain:\n- Rounding of invoices\n",
		"shipping/context.md":          "# Domain: shipping\n\n## Purpose\nHow parcels of invoices are rounded up.\n",
		"billing/invoices/rounding.md": rules("draft", "x.go", "The total of invoices is rounded once."),
	})
	p := keeps(t, in, Task{Text: "total of billing invoices is rounded wrongly", Budget: 2000, Offset: -1})
	_, index := itemOf(p, "billing/_index.md")
	_, made := itemOf(p, "billing/context.md")
	_, said := itemOf(p, "shipping/context.md")
	if index >= 0 || made >= 0 || said < 0 {
		t.Errorf("items %+v", p.Items)
	}
}

func TestStubsAreShownAsArchived(t *testing.T) {
	in := inputs(t, t.TempDir(), map[string]string{
		"_archived/billing/rounding.stub.md": "---\noriginal_path: \"billing/rounding.md\"\noriginal_token_count: 300\npoints_to: " +
			"\"_archived/billing/rounding.full.md\"\ntype: archive_stub\n---\n\n# Rounding\nThe total of invoices was rounded twice.\n",
	})
	for _, budget := range []int{100, 1000} {
		p := keeps(t, in, Task{Text: "total of invoices is rounded", Budget: budget, Offset: -1})
		if len(p.Items) != 1 || len(p.Items[0].Marks) == 0 || !strings.Contains(p.Text, "archived and no longer updated") {
			t.Errorf("budget %d: %+v\n%s", budget, p.Items, p.Text)
		}
	}
}

// What another entry says in the same words is not worth its tokens twice.
func TestRepeatedTextCountsLess(t *testing.T) {
	long := strings.Repeat(
		"The total of invoices is rounded once, after the tax.\nNever before it, as the law says in so many words.\n", 2)
	a, b := rules("draft", "x.go", long), rules("draft", "y.go", long)
	in := inputs(t, t.TempDir(), map[string]string{"a/b/one.md": a, "a/b/two.md": b})
	m := newMaker(t.Context(), in, Task{Text: "total of invoices is rounded", Budget: 1000, Offset: -1})
	found, err := m.gather()
	if err != nil || len(found) != 2 || found[0].sharing != nil || found[1].sharing != found[0] || found[1].shared < 0.5 {
		t.Errorf("%+v, error %v", found, err)
	}
}

func TestTypesAreLeftOutWhereNobodyWantsThem(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"types.ts": "export interface Invoice { total: number }\n",
		"sum.ts": "export function total(i: Invoice) { return i.total }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := inputs(t, dir, nil)
	for _, exclude := range []bool{false, true} {
		p := keeps(t, in, Task{Text: "invoice total", Budget: 500, Offset: -1, ExcludeTypes: exclude})
		if _, i := itemOf(p, "types.ts"); i >= 0 == exclude {
			t.Errorf("exclude %t: %+v", exclude, p.Items)
		}
	}
}

func TestOneMemoryServesManyAtOnce(t *testing.T) {
	in, _ := shop(t)
	task := Task{Text: "refresh token expires too early", Budget: 250, Offset: -1}
	want := keeps(t, in, task).Text
	in.Memory, in.Tokenizer = NewMemory(), "o200k_base"
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if p, err := Build(t.Context(), in, task); err != nil || p.Text != want {
				t.Errorf("error %v, pack\n%s", err, p.Text)
			}
		})
	}
	wait.Wait()
}
