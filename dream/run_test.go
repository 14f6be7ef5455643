package dream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

const rules = "## Narrative\n### Rules\n- the retry budget of `worker_a` is 17 seconds and never more\n- shards of `ledger.go` " +
	"are recovered from the journal\n- a webhook that fails thrice goes to the fallback queue `dead_7`\n"

// twice is a tree in which three things are written down twice, and one has decayed.
func twice() map[string]string {
	files := map[string]string{"z/t/other.md": entry("Other", "speaks of something else, gardens and rivers\n")}
	for i, word := range []string{"alpha", "beta", "gamma"} {
		body := strings.NewReplacer("worker_a", "worker_"+word, "17", fmt.Sprint(17+i), "dead_7", "dead_"+word, "ledger",
			word).Replace(rules)
		files["a/t/"+word+".md"] = entry(word, body)
		files["b/t/"+word+"_again.md"] = entry(word, body)
	}
	files["z/t/old.md"] = "---\ntitle: Old\nimportance: 36\nrecency: 0.5\nmaturity: draft\naccessCount: 0\nupdateCount: " +
		"0\ncreatedAt: '2026-01-01T00:00:00.000Z'\nupdatedAt: '2026-01-01T00:00:00.000Z'\n---\nof the steam age\n"
	return files
}

// dreamt runs a dream and says what it did, in one line a step.
func dreamt(t *testing.T, h Host, o Options) (*Log, string) {
	t.Helper()
	o.Force = true
	l, err := Run(t.Context(), h, o)
	if err != nil {
		t.Fatal(err)
	}
	return l, told(l)
}

func told(l *Log) string {
	var b strings.Builder
	for _, s := range l.Steps {
		fmt.Fprintf(&b, "%s %s %s\n", s.Action, s.Output, s.Status)
	}
	return b.String()
}

// fates says what became of the steps of a dream that was taken back.
func fates(l *Log) string {
	var b strings.Builder
	for _, s := range l.Steps {
		fmt.Fprintf(&b, "%s %s %s\n", s.Action, s.Output, s.Undo)
	}
	return b.String()
}

const all = "MERGE a/t/alpha.md waits\nMERGE a/t/beta.md waits\nMERGE a/t/gamma.md waits\nARCHIVE z/t/old.md waits\n"

func TestBudgetKeepsWhatWasDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, dir := place(t, twice())
		before := content(t, dir)
		n, start, apply := 0, time.Now(), h.Apply
		h.Apply = func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
			if n++; n == 3 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return apply(ctx, b)
		}
		l, err := Run(t.Context(), h, Options{Force: true})
		if err != nil || fmt.Sprint(l.Notes) != "[ended early: the time limit of 5m0s was reached]" {
			t.Error(err, l.Notes)
		}
		if d := time.Since(start); d != Budget {
			t.Errorf("it took %v", d)
		}
		if got := told(l); l.Outcome != Partial || got != "MERGE a/t/alpha.md waits\nMERGE a/t/beta.md waits\n" {
			t.Errorf("%s:\n%s", l.Outcome, got)
		}
		if st, err := readState(h.Store); err != nil || st.TotalDreams != 1 {
			t.Error(st, err)
		}
		if _, err := Undo(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, content(t, dir)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestCancel stops a dream between steps and while it plans.
func TestCancel(t *testing.T) {
	for name, test := range map[string]struct {
		hang func(h *Host, asked func(ctx context.Context) error)
		want Outcome
	}{
		"a step": {func(h *Host, asked func(context.Context) error) {
			n, apply := 0, h.Apply
			h.Apply = func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
				if n++; n == 2 {
					return nil, asked(ctx)
				}
				return apply(ctx, b)
			}
		}, Partial},
		"looking at the code": {func(h *Host, asked func(context.Context) error) {
			h.See = func(ctx context.Context) (Sight, error) { return Sight{}, asked(ctx) }
		}, Errored},
		"planning": {func(h *Host, asked func(context.Context) error) {
			h.See = func(context.Context) (Sight, error) {
				return Sight{Drifts: func(ctx context.Context, _ []*format.Entry) (map[string][]link.Drift, error) {
					return nil, asked(ctx)
				}}, nil
			}
		}, Errored},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, c, dir := place(t, twice())
				stopped, cancel := context.WithCancelCause(t.Context())
				other, err := store.Open(t.Context(), dir, store.Options{Seal: testSeal, Now: c.now})
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				start := time.Now()
				test.hang(&h, func(ctx context.Context) error {
					st, err := Ready(other, c.now(), nil)
					if err != nil || st.Running == "" {
						t.Error(st, err)
					}
					cancel(ErrCancelled)
					<-ctx.Done()
					return ctx.Err()
				})
				l, err := Run(stopped, h, Options{Force: true})
				if err != nil || fmt.Sprint(l.Notes) != "[ended early: cancelled]" || l.Outcome != test.want {
					t.Error(l.Outcome, l.Notes, err)
				}
				if d := time.Since(start); d > 100*time.Millisecond {
					t.Errorf("heard after %v", d)
				}
				if st, err := readState(h.Store); err != nil || st.LastDreamAt != nil {
					t.Errorf("the next dream has to wait: %+v %v", st, err)
				}
			})
		})
	}
}

// TestChangedMeanwhile lets another process change what a step is about, between the plan and
// the step: nothing is overwritten, the step says why it was not done, and the next dream plans it
// again.
func TestChangedMeanwhile(t *testing.T) {
	update := func(path, tag string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: path, Reason: "r", Content: format.Content{Lists: format.Lists{Tags: []string{tag}}}}
	}
	for _, test := range []struct {
		name  string
		op    plan.Op
		steps string
		next  string
	}{
		{"the target", update("a/t/alpha.md", "sunday"), strings.Replace(all, "a/t/alpha.md waits", "a/t/alpha.md failed", 1),
			"MERGE a/t/alpha.md waits\n"},
		{"the source", update("b/t/alpha_again.md", "sunday"), strings.Replace(all, "a/t/alpha.md waits", "a/t/alpha.md failed", 1),
			"MERGE b/t/alpha_again.md waits\n"},
		{"is gone", plan.Op{Type: plan.OpDelete, Path: "b/t/alpha_again.md", Reason: "r"}, strings.Replace(all, "a/t/alpha.md waits",
			"a/t/alpha.md failed", 1), ""},
		{"another", update("z/t/other.md", "sunday"), all, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, c, dir := place(t, twice())
			other, err := store.Open(t.Context(), dir, store.Options{Seal: testSeal, Now: c.now})
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			h.See = func(context.Context) (Sight, error) {
				// asked after the merges were planned
				return Sight{Drifts: func(ctx context.Context, _ []*format.Entry) (map[string][]link.Drift, error) {
					_, err := other.Apply(ctx, plan.Batch{Ops: []plan.Op{test.op}, Hold: plan.HoldNone})
					return nil, err
				}}, nil
			}
			l, got := dreamt(t, h, Options{})
			if got != test.steps {
				t.Errorf("got:\n%swant:\n%s", got, test.steps)
			}
			if s := l.Steps[0]; s.Status == Failed && s.Message != "not done because "+test.op.Path+" changed in the meantime" {
				t.Error(s.Message)
			}
			h.See = nil
			c.at = c.at.Add(13 * time.Hour)
			if _, got := dreamt(t, h, Options{}); got != test.next {
				t.Errorf("the next dream:\n%swant:\n%s", got, test.next)
			}
		})
	}
}

// TestFaultsOfTheTree ends a dream where a batch meets a fault that is none of its own; what was
// done in spite of it is known from the journal, and taken back.
func TestFaultsOfTheTree(t *testing.T) {
	for _, done := range []bool{false, true} {
		h, _, dir := place(t, twice())
		before := content(t, dir)
		n, apply := 0, h.Apply
		h.Apply = func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
			if n++; n > 1 {
				t.Error("it went on")
			}
			if done {
				if _, err := apply(ctx, b); err != nil {
					t.Fatal(err)
				}
			}
			return nil, errors.New("no space left on device")
		}
		l, err := Run(t.Context(), h, Options{Force: true})
		if err != nil || fmt.Sprint(l.Notes) != "[ended early: no space left on device]" {
			t.Error(err, l.Notes)
		}
		want, outcome := "MERGE a/t/alpha.md failed\n", Errored
		if done {
			want, outcome = "MERGE a/t/alpha.md waits\n", Partial
		}
		if got := told(l); got != want || l.Outcome != outcome {
			t.Errorf("%s: %s", l.Outcome, got)
		}
		if _, err := Undo(t.Context(), h); (err == nil) != done {
			t.Error(err)
		}
		if diff := cmp.Diff(before, content(t, dir)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestDamagedFiles has logs damaged: errors name the place, nothing is lost, and one damaged log
// hinders neither a dream nor taking one back.
func TestDamagedFiles(t *testing.T) {
	t.Run("log", func(t *testing.T) {
		h, c, dir := place(t, twice())
		var logs []*Log
		var states []map[string]string
		for range 2 {
			c.at = c.at.Add(13 * time.Hour)
			states = append(states, content(t, dir))
			l, _ := dreamt(t, h, Options{})
			logs = append(logs, l)
			if len(logs) > 1 {
				continue
			}
			for _, title := range []string{"Cranes", "Cranes again"} { // so that the second dream has something to do
				c := format.Content{Narrative: format.Narrative{Rules: "- `crane_lift` carries 40 tons of granite\n- The quay of " +
					"Rotterdam has 12 `crane_lift`\n- Fog halts `crane_lift` at 80 m\n"}}
				if _, err := h.Store.Apply(
					t.Context(), plan.Batch{Ops: []plan.Op{{Type: plan.OpAdd, Path: "n/t", Title: title, Summary: "s", Reason: "r",
						Content: c}}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, l := range logs {
			write(t, filepath.Join(dir, logFile(l.ID)), "{\n\"id\": \"drm")
		}
		c.at = c.at.Add(13 * time.Hour)
		dreamt(t, h, Options{}) // which has nothing to do, and is passed over
		list, err := List(h.Store, 0)
		if err != nil || len(list) != 3 || list[1].Outcome != Unreadable || list[1].Notes[0] != ".brv/"+logFile(logs[1].ID)+
			":2: unexpected end of JSON input" {
			t.Errorf("%+v %v", list, err)
		}
		for i := range logs {
			l, err := Undo(t.Context(), h)
			if err != nil || l.ID != logs[len(logs)-1-i].ID || l.Outcome != Undone {
				t.Fatal(l, err)
			}
			if data, err := os.ReadFile(filepath.Join(dir, logFile(l.ID)+".foreign")); err != nil || string(data) != "{\n\"id\": \"drm" {
				t.Error(string(data), err)
			}
		}
		if _, err := Undo(t.Context(), h); !errors.Is(err, errNoDream) {
			t.Error(err)
		}
		got := content(t, dir)
		delete(got, stateFile) // of which a damaged log knows only the count
		for p := range got {
			if strings.Contains(p, "/n/t/") || strings.Contains(p, "n/context.md") || strings.Contains(p, "state/usage") {
				delete(got, p)
			}
		}
		if diff := cmp.Diff(states[0], got); diff != "" {
			t.Error(diff)
		}
		if st, err := readState(h.Store); err != nil || st.TotalDreams != 1 {
			t.Error(st, err)
		}
	})
}

// TestDamagedRecords takes a dream back of which the journal lost something: that stays and is named.
func TestDamagedRecords(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(data []byte) []byte
		why    string
	}{
		"header": {func(data []byte) []byte { return append([]byte("x"), data...) }, "its record in the journal cannot be read"},
		"images": {func(data []byte) []byte { return data[:len(data)-5] }, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			h, _, dir := place(t, twice())
			before := content(t, dir)
			l, _ := dreamt(t, h, Options{})
			for _, s := range l.Steps {
				if _, err := h.Store.Approve(t.Context(), s.Batch, "somebody", plan.Decision{}); err != nil {
					t.Fatal(err)
				}
			}
			e, _ := h.Store.Snapshot().Entry("a/t/alpha.md")
			id := 5 // the approval of the first merge
			if name == "header" {
				id = 1 // that merge itself, which is how its approval is known to be a dream's
			}
			file := filepath.Join(dir, fmt.Sprintf("state/journal/%010d", id))
			data, err := os.ReadFile(file)
			if err != nil {
				list, _ := os.ReadDir(filepath.Dir(file))
				t.Fatal(err, list)
			}
			write(t, file, string(test.damage(data)))
			l, err = Undo(t.Context(), h)
			if err != nil {
				t.Fatal(err)
			}
			if stays := l.Stays(); len(stays) != 1 || stays[0].Change != id || !strings.Contains(stays[0].Why, test.why) {
				t.Fatalf("%+v", stays)
			}
			if now, _ := h.Store.Snapshot().Entry("a/t/alpha.md"); now.Text != e.Text {
				t.Error("what stays was changed")
			}
			after := content(t, dir)
			for _, p := range []string{"a/t/beta.md", "b/t/beta_again.md", "b/t/gamma_again.md", "z/t/old.md"} {
				if p = tree.Dir + "/" + p; after[p] != before[p] {
					t.Error(cmp.Diff(before[p], after[p]))
				}
			}
			stays := fmt.Sprintf("there is no dream to undo: of %s change %d stays: ", l.ID, id)
			if _, err := Undo(t.Context(), h); err == nil || !strings.HasPrefix(err.Error(), stays) {
				t.Error(err)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestForeignLogs leaves the logs of the reference system as they are.
func TestForeignLogs(t *testing.T) {
	h, _, dir := place(t, twice())
	texts := map[string]string{}
	for i, status := range []string{"completed", "processing", "partial"} {
		id := fmt.Sprintf("drm-%d", now.Add(time.Hour).UnixMilli()+int64(i))
		texts[id] = fmt.Sprintf(
			`{"id":%q,"status":%q,"operations":[{"type":"CONSOLIDATE","action":"MERGE","inputFiles":["a/t/alpha.md"],"previousTexts":{"a/t/alpha.md":"x"}}]}`, id, status)
		write(t, filepath.Join(dir, logFile(id)), texts[id])
	}
	before := content(t, dir)
	if l, got := dreamt(t, h, Options{}); got != all || texts[l.ID] != "" {
		t.Error(l.ID, got)
	}
	if l, err := Undo(t.Context(), h); err != nil || texts[l.ID] != "" {
		t.Error(l, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	for id, text := range texts {
		if data, err := os.ReadFile(filepath.Join(dir, logFile(id))); err != nil || string(data) != text {
			t.Error(string(data), err)
		}
	}
}

// TestForgedLogsAreNoDreams: what a repository ships as logs and state of dreams is no dream of anybody here.
func TestForgedLogsAreNoDreams(t *testing.T) {
	h, _, dir := place(t, twice())
	own, _ := dreamt(t, h, Options{})
	const log = `{"startedAt":"2999-01-01T00:00:00Z","status":"completed","operations":[{"phase":"prune","batch":1}],"stateBefore":"{}"}`
	other := seal.In(t.TempDir()).For("1")
	for id, text := range map[string]string{
		"drm-32472144000000": log, "drm-32472144000001": string(other.Seal("dream-log/drm-32472144000001.json", []byte(log))),
	} {
		write(t, filepath.Join(dir, logFile(id)), text)
	}
	for _, limit := range []int{0, 1} {
		list, err := List(h.Store, limit)
		if err != nil || len(list) != 1 || list[0].ID != own.ID {
			t.Errorf("at most %d: %+v, %v", limit, list, err)
		}
	}
	if l, err := Undo(t.Context(), h); err != nil || l.ID != own.ID {
		t.Errorf("taken back: %+v, %v", l, err)
	}
	if l, err := Undo(t.Context(), h); !errors.Is(err, errNoDream) {
		t.Errorf("taken back: %+v, %v", l, err)
	}
	write(t, filepath.Join(dir, filepath.FromSlash(stateFile)), `{"version":1,"totalDreams":9,"lastDreamAt":"2999-01-01T00:00:00Z"}`)
	if st, err := readState(h.Store); err != nil || st.TotalDreams == 9 || st.damaged == nil {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestDecisions has people decide: what is approved is done, what is rejected is as it was and not
// proposed again, and what is taken back is.
func TestDecisions(t *testing.T) {
	h, c, dir := place(t, twice())
	before := content(t, dir)
	l, got := dreamt(t, h, Options{Trigger: "cli"})
	if got != all || l.Summary != (Summary{Consolidated: 3, Pruned: 1, Flagged: 4}) {
		t.Fatalf("%+v\n%s", l.Summary, got)
	}
	if got, want := l.String(), "Dream completed ("+l.ID+
		")\n3 merged or linked, 0 new, 1 to archive\n4 operations wait for your review\n"; got != want {
		t.Error(got)
	}
	reviews, err := h.Store.Reviews.List()
	if err != nil || len(reviews) != 4 {
		t.Fatal(reviews, err)
	}
	for i, want := range []string{"[dream/consolidate] Merged a/t/alpha.md and b/t/alpha_again.md — ", "", "",
		"[dream/prune] Archived z/t/old.md — not used for a long time: the importance is "} {
		if got := reviews[i].Items[0].Op.Reason; !strings.HasPrefix(got, want) {
			t.Errorf("got %q", got)
		}
	}
	same := content(t, dir)
	if _, err := h.Store.Reject(t.Context(), l.Steps[1].Batch, "somebody", "no"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entriesOf(same), entriesOf(content(t, dir))); diff != "" {
		t.Error(diff)
	}
	if _, err := h.Store.Approve(t.Context(), l.Steps[0].Batch, "somebody", plan.Decision{}); err != nil {
		t.Fatal(err)
	}
	e, _ := h.Store.Snapshot().Entry("a/t/alpha.md")
	if _, there := h.Store.Snapshot().Entry("b/t/alpha_again.md"); there || !strings.Contains(e.Text, "consolidated_from: [{") {
		t.Error(there, e.Text)
	}
	c.at = c.at.Add(13 * time.Hour)
	empty, got := dreamt(t, h, Options{})
	if got != "" {
		t.Errorf("what was rejected or waits is proposed again:\n%s", got)
	}
	undone, err := Undo(t.Context(), h)
	if err != nil || undone.ID != l.ID || fmt.Sprint(undone.Notes) != "[skipped because already undone: "+
		empty.ID+"]" {
		t.Fatal(undone, err)
	}
	if diff := cmp.Diff(entriesOf(before), entriesOf(content(t, dir))); diff != "" {
		t.Error(diff)
	}
	if st, err := readState(h.Store); err != nil || st.TotalDreams != 1 || st.LastDreamID != empty.ID || !st.LastDreamAt.Equal(c.at) {
		t.Errorf("the dream that is passed over does not count any more: %+v, %v", st, err)
	}
	if got := fates(
		undone); got != "MERGE a/t/alpha.md undone\nMERGE a/t/beta.md already\nMERGE a/t/gamma.md dropped\nARCHIVE z/t/old.md dropped\n" {
		t.Errorf("the log tells:\n%s", got)
	}
	log, err := h.Store.Log(0)
	if err != nil {
		t.Fatal(err)
	}
	rejected := 0
	for _, c := range log {
		if c.Action == "reject" && c.Author == author(l.ID) {
			rejected++
		}
	}
	if rejected != 3 {
		t.Errorf("%d of what waited is rejected", rejected)
	}
	const rest = "MERGE a/t/alpha.md waits\nMERGE a/t/gamma.md waits\nCROSS_REFERENCE b/t/beta_again.md done\nARCHIVE z/t/old.md " +
		"waits\n" // what was rejected stays so
	if _, got := dreamt(t, h, Options{}); got != rest {
		t.Errorf("after taking back:\n%s", got)
	}
}

// entriesOf is what of a content stands in the tree.
func entriesOf(all map[string]string) map[string]string {
	out := map[string]string{}
	for p, text := range all {
		if strings.HasPrefix(p, tree.Dir) {
			out[p] = text
		}
	}
	return out
}

// lookedAtAll has a tree be one that dreams have looked at.
func lookedAtAll(t *testing.T, h Host) {
	t.Helper()
	var all []string
	for _, e := range h.Store.Snapshot().Entries() {
		all = append(all, e.Path)
	}
	l := &looked{}
	l.look(all)
	if err := l.write(h.Store, h.Store.Snapshot(), nil); err != nil {
		t.Fatal(err)
	}
}

// TestBoundsLeaveTheRest approves what dreams propose of more twins than one dream merges: the
// next ones go on until all are merged, and link none of them meanwhile.
func TestBoundsLeaveTheRest(t *testing.T) {
	files := map[string]string{}
	for i := range maxMerges + 5 {
		text := entry(
			fmt.Sprint("Crane ", i), fmt.Sprintf(
				"## Narrative\n### Rules\n- `crane_%[1]d` carries %[1]d7 tons of granite\n- The quay %[1]d of Rotterdam has "+
					"`lift_%[1]d`\n- Fog halts `hoist_%[1]d` at %[1]d3 m\n", i))
		files[fmt.Sprintf("a/t/crane_%d.md", i)], files[fmt.Sprintf("b/t/crane_%d.md", i)] = text, text
	}
	h, c, _ := place(t, files)
	for n, want := range []int{maxMerges, 5, 0} {
		c.at = c.at.Add(13 * time.Hour)
		l, got := dreamt(t, h, Options{})
		if strings.Count(got, "MERGE ") != want || strings.Contains(got, "CROSS_REFERENCE") {
			t.Errorf("dream %d, %d wanted:\n%s", n+1, want, got)
		}
		if said := strings.Join(l.Notes, "\n"); n == 0 && said != "consolidate: the next dream continues with the pairs that are left (5)" {
			t.Error(said)
		}
		approveAll(t, h)
	}
}

// TestChangedByAnybody looks at an entry that came with an old date, and at no other again.
func TestChangedByAnybody(t *testing.T) {
	h, c, dir := place(t, twice())
	lookedAtAll(t, h)
	if _, got := dreamt(t, h, Options{}); strings.Contains(got, "MERGE ") {
		t.Errorf("what was looked at is merged:\n%s", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, tree.Dir, "b/t/beta_again.md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, tree.Dir, "c/t/pulled.md"), string(text))
	if _, err := h.Store.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(13 * time.Hour)
	if _, got := dreamt(t, h, Options{}); strings.Count(got, "MERGE ") != 1 || !strings.Contains(got, "beta") &&
		!strings.Contains(got, "pulled") {
		t.Errorf("a copy that was pulled:\n%s", got)
	}
}

// TestCandidates has the entries of one prune: stale by tier, decayed, never core for its age, at
// most twenty, the stalest first; by rules nothing that is merely old, and nothing that a person
// said stays.
func TestCandidates(t *testing.T) {
	at := func(days int) string { return now.Add(-time.Duration(days) * day).Format(time.RFC3339) }
	old := func(tier string, importance, days int) string {
		return fmt.Sprintf(
			"---\ntitle: %s %d\nimportance: %d\nrecency: 0\nmaturity: %s\naccessCount: 0\nupdateCount: 0\ncreatedAt: "+
				"'%s'\nupdatedAt: '%[5]s'\n---\nx\n", tier, days, importance, tier, at(days))
	}
	files := map[string]string{
		"a/t/draft_59.md": old("draft", 60, 59), "a/t/draft_60.md": old("draft", 60, 60),
		"a/t/validated_119.md": old("validated", 90, 119), "a/t/validated_120.md": old("validated", 90, 120),
		"a/t/core_80.md": old("core", 100, 80), "a/t/decayed.md": old("draft", 10, 5),
	}
	list := func(m material) (out []string) {
		for _, c := range m.candidates() {
			out = append(out, strings.TrimSuffix(strings.TrimPrefix(c.path, "a/t/"), ".md"))
		}
		return out
	}
	m := plain(files)
	if diff := cmp.Diff([]string{"decayed"}, list(m)); diff != "" {
		t.Errorf("by rules:\n%s", diff)
	}
	m.counsel = &counsel{}
	if diff := cmp.Diff([]string{"validated_120", "draft_60", "decayed"}, list(m)); diff != "" {
		t.Errorf("by a model:\n%s", diff)
	}
	for i := range 30 {
		files[fmt.Sprintf("a/t/more_%d.md", i)] = old("draft", 60, 61+i)
	}
	m = plain(files)
	m.counsel = &counsel{}
	if got := list(m); len(got) != maxCandidates || got[0] != "validated_120" || got[1] != "more_29" || got[19] != "more_11" {
		t.Errorf("%q", got)
	}
	m.refused = func(key string) bool { return key == m.key(Archive, "a/t/more_29.md") }
	if got := list(m); got[1] != "more_28" {
		t.Errorf("%q", got)
	}
}

// TestProgress tells of every phase and of each step.
func TestProgress(t *testing.T) {
	h, _, _ := place(t, twice())
	var got []string
	dreamt(t, h, Options{Progress: func(p Phase, done, total int) { got = append(got, fmt.Sprintf("%s %d/%d", p, done, total)) }})
	want := []string{
		"consolidate 0/0", "consolidate 0/3", "consolidate 1/3", "consolidate 2/3", "consolidate 3/3",
		"synthesize 0/0", "synthesize 0/0", "prune 0/0", "prune 0/1", "prune 1/1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSetBack has the clock run backwards between two dreams: nothing is taken for too recent, and
// everything is looked at again.
func TestSetBack(t *testing.T) {
	h, c, _ := place(t, twice())
	h.Queue = func() string { return "" }
	c.at = now.Add(1000 * time.Hour)
	l, _ := dreamt(t, h, Options{})
	for _, s := range l.Steps {
		if s.Status != Waits {
			continue
		}
		if _, err := h.Store.Approve(t.Context(), s.Batch, "somebody", plan.Decision{}); err != nil {
			t.Fatal(err)
		}
	}
	c.at = now
	for i := range 3 {
		op := plan.Op{Type: plan.OpAdd, Path: "n/t", Title: fmt.Sprint("E", i), Summary: "s", Reason: "r",
			Content: format.Content{Narrative: format.Narrative{Rules: rules}}}
		if _, err := h.Store.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := Run(t.Context(), h, Options{}); err != nil || len(l.Steps) == 0 {
		t.Error(l, err)
	}
}

// TestPendingMerges hands what a prune suggests to the next dream, which looks at it as a hint, and no further; undo takes it back.
func TestPendingMerges(t *testing.T) {
	files := twice()
	old := strings.Replace(files["z/t/old.md"], "---\nof", "---\n@z/t/other.md\nof", 1)
	files = map[string]string{"z/t/old.md": old, "z/t/other.md": files["z/t/other.md"]}
	h, c, dir := place(t, files)
	before := content(t, dir)
	o := &oracle{replies: map[string]string{"decisions": `{"decisions": [{"file": "z/t/old.md", "decision": "MERGE_INTO",
		"mergeTarget": "z/t/other.md", "reason": "both speak of steam"}]}`}}
	h.Model = o
	const did = "MERGE_INTO z/t/other.md done\n"
	if _, got := dreamt(t, h, Options{}); got != did {
		t.Fatal(got)
	}
	if l, err := Undo(t.Context(), h); err != nil || l.Steps[0].Undo != TakenBack {
		t.Fatal(l, err)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, got := dreamt(t, h, Options{}); got != did {
		t.Fatal(got)
	}
	reason := "Suggested merging z/t/old.md into z/t/other.md — both speak of steam"
	want := []PendingMerge{{"z/t/old.md", "z/t/other.md", reason}}
	pending := func() []PendingMerge {
		st, err := readState(h.Store)
		if err != nil {
			t.Fatal(err)
		}
		return st.PendingMerges
	}
	if diff := cmp.Diff(want, pending()); diff != "" {
		t.Error(diff)
	}
	o.replies, o.asked, c.at = nil, nil, c.at.Add(13*time.Hour)
	dreamt(t, h, Options{})
	if len(o.asked) == 0 || !strings.Contains(o.asked[0].Messages[0].Text, "hints, not decisions") ||
		!strings.Contains(o.asked[0].Messages[0].Text, "- "+reason) ||
		!strings.Contains(o.asked[0].Messages[0].Text, "gardens and rivers") || len(pending()) > 0 {
		t.Errorf("%+v, still pending %v", o.asked, pending())
	}
}
