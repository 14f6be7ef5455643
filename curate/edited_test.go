package curate

import (
	"cmp"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestProposeKeepsWhatAPersonWrote: a source that is drafted again adds to the entry that was
// made of it, and takes nothing away that somebody wrote there by hand.
func TestProposeKeepsWhatAPersonWrote(t *testing.T) {
	pay := Source{Path: "pay.go", Kind: KindCode, Symbols: []string{"Charge"},
		Text: "// Package pay takes payments. Each order is charged once. Amounts are never negative.\n//\n" +
			"// Money is taken at noon, since the bank closes its books then and nobody has to wait for a day.\n//\n" +
			"// Clerks see all payments of their own branch, and of no other, whatever their role in the company is.\n" +
			"package pay\n"}
	news := pay
	news.Text = strings.Replace(news.Text, "package pay\n", "//\n// Refunds wait for Bob.\npackage pay\n", 1)
	for name, c := range map[string]struct {
		source   Source
		from, to string // the edit by hand
		more     string // the source's text the second time, if it is another
		want     string // what is added then, "" for nothing
	}{
		"a comment":            {pay, "charged once", "charged once, and again after a timeout", "", ""},
		"a comment is another": {pay, "Amounts are never negative", "Amounts are cents", "", "Amounts are never negative"},
		"a comment with news":  {pay, "Clerks see all payments", "Clerks see some payments", news.Text, "Refunds wait for Bob"},
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
			c.source.Text = cmp.Or(c.more, c.source.Text)
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
