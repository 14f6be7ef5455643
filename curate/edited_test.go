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
	message := "Charge each order once\n\nEach order is charged once. Amounts are never negative.\n\n" +
		"Money is taken at noon, since the bank closes its books then and nobody has to wait for a day.\n\n" +
		"Clerks see all payments of their own branch, and of no other, whatever their role in the company is.\n"
	pay := func(message string) Material {
		return Material{Changes: &Changes{Name: "commit 1", Commit: "1", Message: message, Files: []FileChange{{Path: "pay.go", Status: 'M'}}},
			AnyTopic: true}
	}
	for name, c := range map[string]struct {
		from, to string // the edit by hand
		more     string // the message the second time, if it is another
		want     string // what is added then, "" for nothing
	}{
		"a message":            {"charged once.", "charged once, and again after a timeout.", "", ""},
		"a message is another": {"Amounts are never negative", "Amounts are cents", "", "Amounts are never negative"},
		"a message with news": {"Clerks see all payments", "Clerks see some payments", message + "\nRefunds wait for Bob.\n",
			"Refunds wait for Bob"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"pay.go": "package pay\n"})
			made := b.propose(pay(message))
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
			again, err := Propose(t.Context(), p, pay(cmp.Or(c.more, message)))
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
