package curate

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestProposeKeepsWhatAPersonWrote: a source that is drafted again adds to the entry that was
// made of it, and takes nothing away that somebody wrote there by hand.
func TestProposeKeepsWhatAPersonWrote(t *testing.T) {
	goCode := "// Package pay takes payments.\npackage pay\n\n// Charge takes money. It must be called once for each order. Amounts are never negative.\nfunc Charge() {}\n"
	for name, c := range map[string]struct {
		source   Source
		from, to string // the edit by hand
		more     string // behind the source's text, the second time
		want     string // what is added then, "" for nothing
	}{
		"a rule":            {Source{Path: "pay.go", Kind: KindCode, Text: goCode, Symbols: []string{"Charge"}}, "called once for each order", "called once for each order, and again after a timeout", "", ""},
		"a rule is another": {Source{Path: "pay.go", Kind: KindCode, Text: goCode, Symbols: []string{"Charge"}}, "Amounts are never negative", "Amounts are cents", "", "Amounts are never negative"},
		"with news": {Source{Path: "pay.go", Kind: KindCode, Text: goCode, Symbols: []string{"Charge"}}, "called once for each order", "called once for each order, and again after a timeout",
			"\n// Refund gives it back. Refunds must name the clerk.\nfunc Refund() {}\n", "Refunds must name the clerk"},
		"a document": {Source{Path: "docs/pay.md", Kind: KindMarkdown, Text: "# Payments\n\nMoney is taken at noon.\n\nClerks see all payments of their own branch.\n"}, "at noon", "at noon, on workdays only", "", ""},
		"a document with news": {Source{Path: "docs/pay.md", Kind: KindMarkdown, Text: "# Payments\n\nMoney is taken at noon.\n\nClerks see all payments.\n"}, "Clerks see all payments", "Clerks see payments of their branch",
			"\nRefunds wait for Bob.\n", "Refunds wait for Bob"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{c.source.Path: c.source.Text})
			made := b.propose(Material{Sources: []Source{c.source}})
			if _, err := b.store.Apply(t.Context(), plan.Batch{Ops: made.Ops, Hold: plan.HoldNone}); err != nil || len(made.Ops) != 1 {
				t.Fatal(made, err)
			}
			var e *format.Entry
			for _, x := range b.store.Snapshot().Entries() {
				if x.Role == format.RoleEntry {
					e = x
				}
			}
			if !strings.Contains(e.Text, c.from) {
				t.Fatalf("%q is not in\n%s", c.from, e.Text)
			}
			edited := strings.Replace(e.Text, c.from, c.to, 1)
			p := b.project()
			p.Tree, p.Try = b.store.Snapshot().With(e.Path, edited), nil
			c.source.Text += c.more
			again, err := Propose(t.Context(), p, Material{Sources: []Source{c.source}})
			if err != nil {
				t.Fatal(err)
			}
			after := edited
			for _, op := range again.Ops {
				if op.Type != plan.OpUpdate || op.Path != e.Path {
					t.Fatalf("%+v", op)
				}
				after, _ = format.Parse(e.Path, edited).Revise(format.Revision{Content: op.Content, Replace: op.Replace})
			}
			for line := range strings.Lines(edited) {
				if body := strings.TrimSpace(line); !strings.Contains(after, body) && !strings.HasPrefix(line, "keywords") {
					t.Errorf("%q is gone:\n%s", body, after)
				}
			}
			if c.want == "" && len(again.Ops) > 0 {
				t.Errorf("proposed once more: %+v", again.Ops)
			}
			if c.want != "" && !strings.Contains(after, c.want) {
				t.Errorf("%q is not added:\n%s", c.want, after)
			}
		})
	}
}

// TestAroundIsOfTheSameText: definitions around changed lines are those of the file that has
// these lines there, whatever ends them.
func TestAroundIsOfTheSameText(t *testing.T) {
	text := "package a\n\nfunc Rotate() {\n\tone()\n\ttwo()\n}\n"
	for name, c := range map[string]struct {
		file, hunk string
		want       int
	}{
		"same": {text, "\tone()\n\ttwo()", 1}, "CRLF": {strings.ReplaceAll(text, "\n", "\r\n"), "\tone()\n\ttwo()", 1},
		"changed since": {text, "\tone()\n\tthree()", 0}, "longer": {text, "\tone()\n\ttwo()\n}\n\n\n", 0},
	} {
		b := newBench(t, map[string]string{"a.go": c.file})
		if got := around(FileChange{Path: "a.go", Added: []Hunk{{Line: 4, Text: c.hunk}}}, b.code); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
