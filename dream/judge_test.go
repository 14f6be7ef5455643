package dream

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestWhatWaitsIsNotTouched dreams again while proposals of a dream wait: nothing is proposed
// for their entries, whoever decides.
func TestWhatWaitsIsNotTouched(t *testing.T) {
	merge := `{"actions": [{"action": "MERGE", "files": ["auth/jwt/signing.md", "auth/jwt/signature.md"], "outputFile": "auth/jwt/signing.md", "reason": "one subject", "confidence": 1}]}`
	for name, model := range map[string]llm.Model{"rules": nil, "a model": &oracle{replies: map[string]string{
		"actions/auth": merge, "decisions": `{"decisions": [{"file": "billing/old/fax.md", "decision": "ARCHIVE", "reason": "gone"}]}`,
		"syntheses": `{"syntheses": [{"title": "Numbers and tokens", "summary": "Tokens and invoices", "domains": ["auth", "billing"], "narrative": {"rules": "- Numbers"}, "confidence": 1}]}`,
	}}} {
		h, c, _ := place(t, hostileTree())
		h.Model = model
		first, err := Run(t.Context(), h, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		waits := map[string]bool{}
		for _, s := range first.Steps {
			if s.Status == Waits {
				for _, p := range s.touches() {
					waits[p] = true
				}
			}
		}
		if len(waits) == 0 {
			t.Errorf("%s: nothing waits", name)
		}
		c.at = c.at.Add(time.Hour)
		op := plan.Op{Type: plan.OpAdd, Path: "auth/jwt", Title: "Signing of tokens", Reason: "r",
			Content: format.Content{Narrative: format.Narrative{Rules: "- Tokens are signed with `RS256` by `signToken`\n- Keys " +
				"rotate each 30 days"}}}
		if _, err := h.Store.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
			t.Fatal(err)
		}
		c.at = c.at.Add(time.Hour)
		second, err := Run(t.Context(), h, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range second.Steps {
			for _, p := range s.touches() {
				if waits[p] {
					t.Errorf("%s: %s of %s, which waits: %s", name, s.Action, p, s.Reason)
				}
			}
			if s.Status == Failed {
				t.Errorf("%s: %s failed: %s", name, s.Action, s.Message)
			}
		}
	}
}

// TestDryRunPlansWhatADreamDoes compares a dry run with the dream behind it, and looks that it
// changes nothing.
func TestDryRunPlansWhatADreamDoes(t *testing.T) {
	h, _, dir := place(t, hostileTree())
	h.Model = &oracle{replies: map[string]string{"actions/auth": `[{"action": "MERGE", "files": ["auth/jwt/signing.md", "auth/jwt/signature.md"], "outputFile": "auth/jwt/signing.md", "reason": "one subject", "confidence": 1}]`}}
	plan := func(o Options) (out []string) {
		l, err := Run(t.Context(), h, o)
		if err != nil {
			t.Fatal(err)
		}
		if l.Model != "oracle" {
			t.Errorf("the log names the model %q", l.Model)
		}
		for _, s := range l.Steps {
			if o.DryRun && len(s.Ops) > 0 && s.Action != Keep && s.Diff == "" {
				t.Errorf("%s %s has no difference", s.Action, s.Output)
			}
			out = append(out, fmt.Sprint(s.Action, s.Inputs, s.Status, s.Reason, s.Confidence))
		}
		return out
	}
	before := content(t, dir)
	dry := plan(Options{DryRun: true})
	if after := content(t, dir); len(after) != len(before) {
		t.Errorf("a dry run wrote files")
	}
	if wet := plan(Options{Force: true}); strings.Join(dry, "\n") != strings.Join(wet, "\n") || len(dry) == 0 {
		t.Errorf("planned\n%s\ndone\n%s", strings.Join(dry, "\n"), strings.Join(wet, "\n"))
	}
}

// TestQuestionsAreBounded asks about more than a question holds: it has at most 200,000
// characters, and rules decide about the rest.
func TestQuestionsAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("big/t%d/e%03d.md", i%7, i)] = entry(fmt.Sprint("Entry ", i), "## Narrative\n### Rules\n"+
			strings.Repeat(fmt.Sprintf("- Rule %d of ünits in `pkg%d`\n", i, i), 60))
	}
	same := "## Narrative\n### Rules\n- The `retry_budget` is 20 % of requests in `pkg/retry.go`, refilled each second\n- " +
		"`Backoff` doubles from 50 ms up to 2 s, with jitter of 10 %\n" +
		strings.Repeat(
			"- A `429` answer counts against the budget of the caller in `pkg/retry.go`, and nothing is retried behind it\n", 20)
	files["big/z/one.md"], files["big/z/two.md"] = entry("Retry budget", same),
		entry("Budget of retries", same+"- Nothing is retried behind a deadline\n")
	h, _, _ := place(t, files)
	o := &oracle{}
	h.Model = o
	l, err := Run(t.Context(), h, Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range o.asked {
		if n := utf8.RuneCountInString(r.Messages[0].Text); n > maxPayload {
			t.Errorf("%s: %d characters", r.Schema.Name, n)
		}
	}
	if asked := o.asked[0].Messages[0].Text; strings.Contains(asked, "big/z/one.md") {
		t.Error("all had its place: the tree is too small for this test")
	}
	if len(l.Steps) == 0 || l.Steps[0].Action != Merge || l.Steps[0].Origin.Kind == format.OriginModel {
		t.Errorf("rules did not decide about what the model was not shown: %v", l.Steps)
	}
}

// TestModelsSeeNoCredentials plants credentials of all formats, and looks at what goes out.
func TestModelsSeeNoCredentials(t *testing.T) {
	files := map[string]string{}
	for i, c := range secretstest.Canaries() {
		files[fmt.Sprintf("d%d/t/e%d.md", i%3, i)] = entry(fmt.Sprint("Entry ", i), "## Narrative\n### Rules\n- see\n\n"+c.Text+"\n",
			"importance: 5\nrecency: 0\nmaturity: draft\naccessCount: 0\nupdateCount: 0\n")
	}
	h, c, _ := place(t, files)
	c.at = c.at.Add(400 * day)
	o := &oracle{}
	h.Model = o
	if _, err := Run(t.Context(), h, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, r := range o.asked {
		all.WriteString(r.System + r.Messages[0].Text)
	}
	for _, c := range secretstest.Canaries() {
		if strings.Contains(all.String(), c.Secret) {
			t.Errorf("%s went out", c.Rule)
		}
	}
	if len(o.asked) < 5 {
		t.Errorf("%d questions", len(o.asked))
	}
}

// TestSearchAddsCandidates shows a model what only the search finds.
func TestSearchAddsCandidates(t *testing.T) {
	files := hostileTree()
	for i := range 40 {
		files[fmt.Sprintf("auth/other/e%d.md", i)] = entry(fmt.Sprint("Other ", i),
			fmt.Sprintf("## Narrative\n### Rules\n- `word%d` is another", i))
	}
	h, c, _ := place(t, files)
	if _, err := Run(t.Context(), h, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(time.Hour)
	op := plan.Op{Type: plan.OpAdd, Path: "auth/login", Title: "Login", Summary: "How to log in", Reason: "r",
		Content: format.Content{Lists: format.Lists{Keywords: []string{"passkey"}}}}
	if _, err := h.Store.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
		t.Fatal(err)
	}
	var scopes []string
	h.See = func(context.Context) (Sight, error) {
		return Sight{Search: func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
			scopes = append(scopes, q.Scope)
			return retrieval.Result{Hits: []retrieval.Hit{{Path: "auth/other/e7.md"}, {Path: "auth/gone.md"}}}, nil
		}}, nil
	}
	o := &oracle{}
	h.Model = o
	c.at = c.at.Add(time.Hour)
	if _, err := Run(t.Context(), h, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	asked := o.asked[0].Messages[0].Text
	if !strings.Contains(asked, `name="auth/other/e7.md"`) || strings.Contains(asked, "auth/gone.md") {
		t.Errorf("asked %s", asked)
	}
	if len(scopes) != 1 || scopes[0] != "auth" {
		t.Errorf("searched in %q", scopes)
	}
}

// TestSlowModelLeavesTimeToAct gives a model that never answers half of a phase's time: what
// rules plan is done.
func TestSlowModelLeavesTimeToAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the work takes none of the time, however slow the machine is
		h, _, _ := place(t, hostileTree())
		h.Model = silent{}
		l, err := Run(t.Context(), h, Options{Force: true, Budget: 2500 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if l.Outcome != Completed || len(l.Steps) == 0 {
			t.Errorf("%s, %v", l, l.Notes)
		}
	})
}

// silent is a model that never answers.
type silent struct{}

func (silent) Name() string { return "silent" }
func (silent) Complete(ctx context.Context, _ llm.Request) (llm.Response, error) {
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

// allKinds is a model that proposes one of each for hostileTree.
func allKinds() *oracle {
	return &oracle{replies: map[string]string{
		"actions/auth": `{"actions": [
			{"action": "MERGE", "files": ["auth/jwt/signing.md", "auth/jwt/signature.md"], "outputFile": "auth/jwt/signing.md", "reason": "one subject", "confidence": 1},
			{"action": "CROSS_REFERENCE", "files": ["auth/jwt/core.md", "auth/session/orders.md"], "outputFile": "auth/jwt/core.md", "reason": "both", "confidence": 1}]}`,
		"actions/billing": `{"actions": [{"action": "TEMPORAL_UPDATE", "files": ["billing/invoices/numbers.md"], "outputFile": "billing/invoices/numbers.md", "reason": "shorter", "confidence": 0.6, "content": {"narrative": {"rules": "- Numbers by ` + "`nextNumber`" + `"}}}]}`,
		"syntheses":       `{"syntheses": [{"title": "Numbers and tokens", "summary": "Tokens and invoices have numbers", "domains": ["auth", "billing"], "narrative": {"rules": "- Numbers"}, "confidence": 1}]}`,
		"decisions":       `{"decisions": [{"file": "billing/old/fax.md", "decision": "ARCHIVE", "reason": "gone"}]}`,
	}}
}

// TestUndoOfAModelsDream approves all that a model proposed and takes the dream back: every
// entry and counter is as before.
func TestUndoOfAModelsDream(t *testing.T) {
	h, c, dir := place(t, hostileTree())
	h.Model = allKinds()
	before := content(t, dir)
	l, err := Run(t.Context(), h, Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[Action]bool{}
	for _, s := range l.Steps {
		kinds[s.Action] = s.Status == Waits
	}
	for _, a := range []Action{Merge, CrossReference, TemporalUpdate, Create, Archive} {
		if !kinds[a] {
			t.Errorf("no %s: %s", a, report(l))
		}
	}
	c.at = c.at.Add(time.Hour)
	approveAll(t, h)
	if _, err := Undo(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(before, content(t, dir)); diff != "" {
		t.Errorf("-before +undone:\n%s", diff)
	}
}

// TestWhatWasRejectedIsNotProposedAgain rejects all and dreams again over the same texts.
func TestWhatWasRejectedIsNotProposedAgain(t *testing.T) {
	files := hostileTree()
	for p, text := range files { // without times they count as changed
		files[p] = strings.NewReplacer("createdAt: '2026-11-01T00:00:00.000Z'\n", "", "updatedAt: '2026-11-01T00:00:00.000Z'\n",
			"").Replace(text)
	}
	h, c, _ := place(t, files)
	h.Model = allKinds()
	if _, err := Run(t.Context(), h, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	reviews, err := h.Store.Reviews.List()
	if err != nil || len(reviews) < 5 {
		t.Fatal(len(reviews), err)
	}
	c.at = c.at.Add(time.Hour)
	for _, r := range reviews {
		if _, err := h.Store.Reject(t.Context(), r.Batch, "ada", "no"); err != nil {
			t.Fatal(err)
		}
	}
	c.at = c.at.Add(time.Hour)
	if err := h.Store.Sidecar.Remove(lookedFile); err != nil { // so that all is looked at again
		t.Fatal(err)
	}
	l, err := Run(t.Context(), h, Options{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range l.Steps {
		t.Errorf("again: %s %s", s.Action, s.Inputs)
	}
	if said := strings.Join(l.Notes, "\n"); strings.Count(said, "a person rejected it before") != 4 ||
		!strings.Contains(said, "fax.md\" is not one of the entries to judge") {
		t.Errorf("notes: %s", said)
	}
}

// A question about a domain fits the model's context, also where its server takes less than it says.
func TestQuestionsFitTheContext(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("big/t%d/e%03d.md", i%7, i)] = entry(fmt.Sprint("Entry ", i), "## Narrative\n### Rules\n"+
			strings.Repeat(fmt.Sprintf("- Rule %d of units in `pkg%d`\n", i, i), 60))
	}
	for takes, asked := range map[int]int{4096: 1, 8192: 1, 6000: 2} {
		h, _, _ := place(t, files)
		m := &llmtest.Sized{Model: &oracle{}, Says: max(takes, 4096), Takes: takes}
		if asked > 1 {
			m.Says = llm.ShortContext
		}
		h.Model = m
		l, err := Run(t.Context(), h, Options{Force: true})
		if err != nil || len(m.Asked) != asked || l.Usage == nil || l.Usage.Input == 0 || strings.Contains(strings.Join(l.Notes, " "), "no usable answer") {
			t.Errorf("%d: %v, asked %d times, %+v, %v", takes, err, len(m.Asked), l.Usage, l.Notes)
		}
		if text := m.Asked[asked-1].Messages[0].Text; !strings.Contains(text, "of units in") {
			t.Errorf("%d: %s", takes, text)
		}
	}
}
