package dream

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// backups are two entries that contradict each other, among others.
func backups() map[string]string {
	files := map[string]string{
		"ops/db/backups.md": strings.Replace(entry("Backups",
			rulesIn+
				"- Backups of the orders database run nightly at 02:00 with `pg_dump`\n- They are kept for 30 days in the bucket "+
				"`orders-backup`"), "updatedAt: '2026-11-01", "updatedAt: '2026-11-09", 1),
		"ops/db/orders.md": entry("Orders database backup",
			rulesIn+
				"- The nightly backup of the orders database runs at 04:00\n- It is kept 90 days in `orders-backup`\n- Restores "+
				"are tested each quarter"),
	}
	for i, s := range []string{"Billing runs on the first of each month in `billing/run.go`", "Invoices have numbers by `nextNumber`",
		"Deploys are made from `main` by the robot"} {
		files[fmt.Sprintf("c/d/%d.md", i)] = entry(fmt.Sprint("Other ", i), s)
	}
	return files
}

const backupsDiffer = "[dream/consolidate] Do ops/db/orders.md and ops/db/backups.md contradict each other? " +
	"The first says “It is kept 90 days in `orders-backup`”, the second “They are kept for 30 days in the bucket " +
	"`orders-backup`”. Approve it to keep both, linked, or with what ops/db/orders.md should say now"

// TestContradictionsAreAskedAbout asks about two entries that contradict each other, once, whatever
// the answer is, until one of them says something else.
func TestContradictionsAreAskedAbout(t *testing.T) {
	const older, newer = "ops/db/orders.md", "ops/db/backups.md"
	answered := rulesIn + "- The nightly backup of the orders database runs at 04:00\n- It is kept 30 days in `orders-backup`\n"
	text := "---\ntitle: Orders database backup\ncreatedAt: '2026-11-01T00:00:00.000Z'\nupdatedAt: '2026-11-22T12:00:00.000Z'\n---\n" + answered
	for name, decide := range map[string]func(h Host, batch int) error{
		"approved": func(h Host, batch int) error {
			_, err := h.Store.Approve(t.Context(), batch, "ada", plan.Decision{})
			return err
		},
		"approved with another text": func(h Host, batch int) error {
			_, err := h.Store.Approve(t.Context(), batch, "ada", plan.Decision{Texts: map[string]string{older: text}})
			return err
		},
		"rejected": func(h Host, batch int) error {
			_, err := h.Store.Reject(t.Context(), batch, "ada", "no")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, c, _ := place(t, backups())
			asked := func() (out []Step) {
				t.Helper()
				c.at = c.at.Add(time.Hour)
				if err := h.Store.Sidecar.Remove(lookedFile); err != nil { // so that all is looked at again
					t.Fatal(err)
				}
				l, err := Run(t.Context(), h, Options{Force: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range l.Steps {
					if s.Action == TemporalUpdate {
						out = append(out, s)
					}
				}
				return out
			}
			steps := asked()
			if len(steps) != 1 || steps[0].text() != backupsDiffer || steps[0].Status != Waits {
				t.Fatalf("asked %+v", steps)
			}
			if steps := asked(); len(steps) != 0 {
				t.Errorf("asked while it waits: %+v", steps)
			}
			c.at = c.at.Add(time.Hour)
			if err := decide(h, steps[0].Batch); err != nil {
				t.Fatal(err)
			}
			one, _ := h.Store.Snapshot().Entry(older)
			other, _ := h.Store.Snapshot().Entry(newer)
			_, updated := h.Store.Snapshot().Counted(older)
			linked := strings.Contains(other.Text, "related: ["+older+"]") && other.UpdatedAt.Before(now)
			is := map[string]bool{"approved": linked && updated.Equal(c.at) && strings.Contains(one.Text, "90 days"),
				"approved with another text": linked && one.Body.Of(one.Text) == answered, "rejected": !linked &&
					one.UpdatedAt.Before(now)}
			if !is[name] {
				t.Errorf("%s\n%s", one.Text, other.Text)
			}
			if steps := asked(); len(steps) != 0 {
				t.Errorf("asked again: %+v", steps)
			}
			c.at = c.at.Add(time.Hour)
			op := plan.Op{Type: plan.OpUpdate, Path: newer, Reason: "r", Replace: []format.Part{format.PartRules},
				Content: format.Content{Narrative: &format.Narrative{Rules: "- Backups of the orders database run nightly at " +
					"02:00 with `pg_dump`\n- They are kept for 45 days in the bucket `orders-backup`"}}}
			if _, err := h.Store.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
				t.Fatal(err)
			}
			if steps := asked(); len(steps) != 1 || !strings.Contains(steps[0].Reason, "45 days") {
				t.Errorf("it says something else now: %+v", steps)
			}
		})
	}
}

// TestContradictionsAreAskedAboutAgain asks again about what was approved in a dream that was taken back.
func TestContradictionsAreAskedAboutAgain(t *testing.T) {
	h, c, _ := place(t, backups())
	_, first := dreamt(t, h, Options{})
	approveAll(t, h)
	if _, err := Undo(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(time.Hour)
	if err := h.Store.Sidecar.Remove(lookedFile); err != nil {
		t.Fatal(err)
	}
	if _, again := dreamt(t, h, Options{}); first == "" || again != first {
		t.Errorf("asked %q, then %q", first, again)
	}
}

// TestContradictionsAreBounded asks about five pairs of one dream, and about the rest in the next.
func TestContradictionsAreBounded(t *testing.T) {
	files := map[string]string{}
	for i, s := range []string{"orders", "users", "invoices", "stock", "prices", "mails", "events"} {
		for j, days := range []int{30 + i, 90 + i} {
			files[fmt.Sprintf("ops/%s/e%d.md", s, j)] = entry("Backup of "+s,
				rulesIn+fmt.Sprintf("- The nightly `dump_%s` goes to `%s-backup`, from where `%s_copy` is kept %d days%s", s, s, s,
					days, strings.Repeat(fmt.Sprintf("\n- Word%d%s%d stands alone in `file%d%s%d.go`", i, s, j, i, s, j), 4)))
		}
	}
	h, c, _ := place(t, files)
	var asked []int
	for range 2 {
		l, err := Run(t.Context(), h, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range l.Steps {
			if s.disputes() {
				n++
			}
		}
		asked = append(asked, n)
		c.at = c.at.Add(time.Hour)
	}
	if asked[0] != maxAsked || asked[1] != 2 {
		t.Errorf("asked %v", asked)
	}
}

// TestMergesSayWhatDiffers names in a merge's reason in what the two contradict each other, whichever of
// them stays.
func TestMergesSayWhatDiffers(t *testing.T) {
	m := plain(map[string]string{
		"ops/up/size.md": entry("Upload size", "The upload service in `upload/limit.go` rejects files above 10 MB with 413."),
		"ops/up/limit.md": entry(
			"Limit of uploads", "Uploads over 25 MB are rejected with 413 by `upload/limit.go`, which is the upload service."),
		"c/d/one.md": entry("One", "Invoices have numbers by `nextNumber`"),
	})
	x := overlap.New(m.tree.Entries())
	pairs, err := m.pairs(t.Context(), x, []string{"ops/up/size.md", "ops/up/limit.md"})
	if err != nil {
		t.Fatal(err)
	}
	const why = ", but they contradict each other. The first says “Uploads over 25 MB are rejected with 413 by `upload/limit.go`, " +
		"which is the upload service.”, the second “The upload service in `upload/limit.go` rejects files above 10 MB with 413.”. " +
		"Approve it with what holds"
	if merges, _ := m.merges(x, pairs); len(merges) != 1 || merges[0].Output != "ops/up/limit.md" ||
		!strings.HasSuffix(merges[0].Reason, why) {
		t.Errorf("%+v", merges)
	}
}

// A dispute of which one file was taken back by hand goes with its dream all the same: the other
// file is taken back, whichever it is.
func TestUndoOfHalfADispute(t *testing.T) {
	for _, path := range []string{"ops/db/backups.md", "ops/db/orders.md"} {
		h, _, dir := place(t, backups())
		before := content(t, dir)
		dreamt(t, h, Options{})
		approveAll(t, h)
		if _, err := h.Store.Undo(t.Context(), 2, "ada", "only that", path); err != nil {
			t.Fatal(err)
		}
		l, err := Undo(t.Context(), h)
		if err != nil || fates(l) != "TEMPORAL_UPDATE ops/db/orders.md undone\n" {
			t.Fatalf("%s: %v, %v", path, l, err)
		}
		if diff := cmp.Diff(before, content(t, dir)); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}
