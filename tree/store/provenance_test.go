package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

var (
	byModel = format.Origin{Kind: format.OriginModel, Tool: "brv-lsp", Model: "gpt, 5: \"x\" [y]", Commit: "1a2b3c4d5e6f"}
	byAgent = format.Origin{Kind: format.OriginAgent, Tool: "claude-code 1.0"}
)

// provenanceOf is what an entry says of who wrote it.
func provenanceOf(t *testing.T, s *Store, at string) string {
	t.Helper()
	e, ok := s.Snapshot().Entry(at)
	if !ok {
		t.Fatalf("no %s", at)
	}
	for _, p := range e.Problems {
		t.Errorf("%s: %+v", at, p)
	}
	p, _ := e.Provenance()
	return p.String()
}

func TestProvenanceFollowsTheText(t *testing.T) {
	s := opened(t, onDisk(t, map[string]string{"a/b/mine.md": "---\ntitle: Mine\n---\n## Facts\n- f\n",
		"a/b/old.md": "---\ntitle: Old\n---\n## Facts\n- g\n"}))
	step := func(o format.Origin, author, approver string, op plan.Op, want string) {
		t.Helper()
		op.Reason = "r"
		r := mustApply(t, s, plan.Batch{Ops: []plan.Op{op}, Author: author, Origin: o, Hold: plan.HoldNone})
		if !o.Human() {
			if r.Summary.Pending != 1 {
				t.Fatalf("%+v", r.Results)
			}
			var err error
			if r, err = s.Approve(t.Context(), r.Batch, approver, plan.Decision{}); err != nil || r.Summary.Failed > 0 {
				t.Fatalf("%+v, %v", r, err)
			}
		}
		if got := provenanceOf(t, s, r.Results[0].FilePath); got != want {
			t.Errorf("%s by %s of %s: %q, want %q", op.Type, author, o.Kind, got, want)
		}
	}
	says := func(fact string) format.Content { return format.Content{Facts: []format.Fact{{Statement: fact}}} }
	const model = `by model, model gpt 5: "x" [y], via brv-lsp, commit 1a2b3c4d5e6f`
	step(byModel, "m", "ada", plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Content: says("1")}, model+", approved by ada")
	step(format.Origin{}, "bo", "", plan.Op{Type: plan.OpUpdate, Path: "a/b/new.md", Content: says("2")},
		model+", approved by ada, edited by bo")
	step(byAgent, "a", "", plan.Op{Type: plan.OpUpdate, Path: "a/b/new.md", Content: says("3")},
		"by agent, via claude-code 1.0, first by model, approved by a person")
	step(format.Origin{}, "bo", "", plan.Op{Type: plan.OpUpdate, Path: "a/b/mine.md", Content: says("4")}, "")
	step(byAgent, "a", "ada", plan.Op{Type: plan.OpUpdate, Path: "a/b/mine.md", Content: says("5")},
		"by agent, via claude-code 1.0, first by human, approved by ada")
	step(byAgent, "b", "bo", plan.Op{Type: plan.OpUpdate, Path: "a/b/mine.md", Content: says("6")},
		"by agent, via claude-code 1.0, first by human, approved by ada") // no line of its own, for git
	step(format.Origin{}, "bo", "", plan.Op{Type: plan.OpMerge, Path: "a/b/new.md", MergeTarget: "a/b/old.md"},
		"by agent, via claude-code 1.0, first by model, approved by a person, edited by bo")
	log, err := s.Log(1000)
	if err != nil || log[len(log)-1].Origin != byModel.Named() {
		t.Errorf("%+v, %v", log, err)
	}
}

func TestUnvouchedTextIsNeverCore(t *testing.T) {
	text := func(provenance string) string {
		return "---\ntitle: T\nimportance: 95\nmaturity: core\nupdatedAt: '" + testNow.Format("2006-01-02T15:04:05.000Z") + "'\n" +
			provenance + "---\n## Facts\n- f\n"
	}
	for provenance, want := range map[string]format.Maturity{
		"": format.Core, "provenance: [by model, model m]\n": format.Validated, "provenance: by agent\n": format.Validated,
		"provenance:\n- by agent\n- via x\n":        format.Validated,
		"provenance: [by model, approved by ada]\n": format.Core, "provenance: [by model, edited by ada]\n": format.Core,
		"provenance: [by human]\n": format.Core, "provenance: [by model, approved by ]\n": format.Validated,
	} {
		s := opened(t, onDisk(t, map[string]string{"a/b/x.md": text(provenance)}))
		for range 3 {
			if err := s.Credit(t.Context(), "a/b/x.md"); err != nil {
				t.Fatal(err)
			}
		}
		e, _ := s.Snapshot().Entry("a/b/x.md")
		if got := s.Snapshot().Signals("a/b/x.md", testNow).Maturity; got != want || e.Signals.Maturity != want {
			t.Errorf("%q: %s and %s, want %s", provenance, got, e.Signals.Maturity, want)
		}
		if up := markdown.ApplyEdits(e.Text, []markdown.Edit{e.Promote(format.Core, testNow)}); format.Parse("a/b/x.md",
			up).Signals.Maturity != format.Core {
			t.Errorf("%q promoted:\n%s", provenance, up)
		}
		if mustApply(t, s, batchOf(plan.Op{Type: plan.OpConfirm, Path: "a/b/x.md", Reason: "r"})); s.Snapshot().Signals("a/b/x.md",
			testNow).Maturity != want && want == format.Core {
			t.Errorf("%q confirmed", provenance)
		}
	}
}

// What stands in an operation as a secret is in no file afterwards, whoever wrote it.
func TestSecretsOfOperationsAreNotKept(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, origin := range []format.Origin{{}, byModel} {
		dir := onDisk(t, map[string]string{"a/b/x.md": "# X\n", "a/b/hand.md": "---\ntitle: Hand\nsummary: 'password: " + secret +
			"'\n---\n# Hand\npassword: " + secret + "\n"})
		s := opened(t, dir)
		says := "The login is password = " + secret
		r := mustApply(t, s, plan.Batch{Author: "ada password=" + secret, Origin: origin, Ops: []plan.Op{
			{Type: plan.OpAdd, Path: "a/b", Title: "T", Summary: says, Reason: says,
				Content: format.Content{Lists: format.Lists{Keywords: []string{"password=" + secret}},
					Facts: []format.Fact{{Subject: "password", Statement: secret}}, Snippets: []string{says}},
				TopicContext: &plan.TopicContext{Overview: says}},
			{Type: plan.OpAdd, Path: "a/b/x.md", Summary: says, Reason: says},
			{Type: plan.OpDelete, Path: "a/b/hand.md", Reason: says},
		}})
		if r.Results[0].Redacted < 5 || !strings.Contains(r.Results[0].Message, "redacted") {
			t.Errorf("%+v", r.Results[0])
		}
		if _, err := s.Reject(t.Context(), r.Batch, "bo", says); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(filepath.Join(dir, "state"), func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if data, _ := os.ReadFile(name); strings.Contains(string(data), secret) {
				t.Errorf("%s of %q holds it", name, origin.Kind)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := s.Snapshot().Entry("a/b/t.md"); ok && strings.Contains(e.Text, secret) {
			t.Error(e.Text)
		}
	}
}

func TestHiddenAndUnsafeTextOfOperations(t *testing.T) {
	s := opened(t, onDisk(t, map[string]string{"a/b/x.md": "# X\n"}))
	op := plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "T", Reason: "r",
		Content: format.Content{Facts: []format.Fact{{Statement: "ok"}, {Statement: "pay\u202egnp"}}}}
	r := mustApply(t, s, plan.Batch{Ops: []plan.Op{op}, Origin: byAgent})
	if r.Batch != 0 ||
		r.Results[0].Message != "content.facts[1].statement contains U+202E, an invisible bidirectional control; remove it" {
		t.Errorf("%+v", r)
	}
	link := "see [a](command:x) ![b](http://x)"
	op.Content.Facts[1].Statement = "pay gnp " + link
	held := mustApply(t, s, plan.Batch{Ops: []plan.Op{op}, Origin: byAgent})
	_, after, _, err := s.Reviews.Proposed(held.Batch, "a/b/t.md")
	if err != nil || !strings.Contains(after, "see [a] (command:x) [b](http://x)") ||
		!strings.Contains(held.Results[0].Message, "harmless") {
		t.Errorf("%v %+v\n%s", err, held.Results[0], after)
	}
	op.Content.Facts[1].Statement = "pay\u202egnp " + link
	r = mustApply(t, s, batchOf(op))
	e, _ := s.Snapshot().Entry("a/b/t.md")
	if r.Summary.Added != 1 || !strings.Contains(e.Text, "paygnp "+link) ||
		!strings.Contains(r.Results[0].Message, "removed 1 invisible character") || firstProblem(e, format.CodeUnsafe).Code == "" {
		t.Errorf("%+v\n%s", r.Results[0], e.Text)
	}
}

func TestApprovingAnotherText(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/b/x.md": "---\ntitle: X\n---\n## Facts\n- f\n",
		"a/b/y.md": "---\ntitle: Y\nrelated: [a/b/x.md]\n---\n## Facts\n- g\n"})
	s := opened(t, dir)
	start := content(t, dir)
	fact := format.Content{Facts: []format.Fact{{Statement: "new"}}}
	held := mustApply(t, s, plan.Batch{Author: "m", Origin: byModel, Ops: []plan.Op{
		{Type: plan.OpAdd, Path: "a/b", Title: "New", Content: fact, Reason: "r1"},
		{Type: plan.OpMerge, Path: "a/b/x.md", MergeTarget: "a/b/y.md", Reason: "r2"}, {Type: plan.OpDelete, Path: "a/b/new.md",
			Reason: "r3"},
	}})
	list, err := s.Reviews.List()
	if err != nil || len(list) != 1 || list[0].Origin != byModel.Named() {
		t.Fatalf("%+v, %v", list, err)
	}
	before, after, editable, err := s.Reviews.Proposed(held.Batch, "a/b/y.md")
	if err != nil || !editable || !strings.Contains(before, "- g\n") || !strings.Contains(after, "- f\n") {
		t.Errorf("%v %v\n%s\n%s", err, editable, before, after)
	}
	mine := "---\ntitle: Y mine\nprovenance: [by human]\n---\n## Facts\n- as I say\n"
	for at, text := range map[string]string{"a/b/y.md": "---\ntitle: Y\nkey: [\n---\n", "a/b/x.md": mine, "a/b/none.md": mine,
		"a/b/new.md": "\xff"} {
		if _, err := s.Approve(t.Context(), held.Batch, "ada", plan.Decision{Texts: map[string]string{at: text}}); err == nil ||
			!strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := s.Approve(t.Context(), held.Batch, "ada",
		plan.Decision{Texts: map[string]string{"a/b/y.md": "---\ntitle: Y\nkey: [\n---\n"}}); err == nil ||
		!strings.Contains(err.Error(), "a/b/y.md:3: ") {
		t.Errorf("without the line: %v", err)
	}
	r, err := s.Approve(t.Context(), held.Batch, "ada", plan.Decision{Paths: []string{"a/b/y.md"},
		Texts: map[string]string{"a/b/y.md": mine + "password: hunter2hunter2\n"}})
	if err != nil || r.Summary.Merged != 1 || !strings.Contains(r.Results[0].Message,
		"edited before approval; line 7 of the text looks like a credential") {
		t.Fatalf("%+v, %v", r, err)
	}
	e, _ := s.Snapshot().Entry("a/b/y.md")
	if p, _ := e.Provenance(); p.EditedBy != "ada" || p.ApprovedBy != "ada" || p.Kind != format.OriginModel ||
		!strings.Contains(e.Text, "- as I say\n") {
		t.Errorf("%+v\n%s", p, e.Text)
	}
	if _, ok := s.Snapshot().Entry("a/b/x.md"); ok {
		t.Error("the merged entry is still there")
	}
	log, _ := s.Log(1)
	if reasons := strings.Join(log[0].Reasons, "; "); reasons != "r2; edited before approval: a/b/y.md" ||
		log[0].Origin.Kind != format.OriginModel {
		t.Errorf("%+v", log[0])
	}
	if _, err := s.Undo(t.Context(), r.Batch, "ada", "back"); err != nil {
		t.Fatal(err)
	}
	got := content(t, dir)
	for at := range start {
		if _, a, _ := strings.Cut(start[at], "\n"); !strings.HasSuffix(got[at], a) {
			t.Errorf("%s after the undo:\n%s", at, got[at])
		}
	}
}

// TestEditedTextKeepsNothing: what the proposal would have kept is the editor's to keep.
func TestEditedTextKeepsNothing(t *testing.T) {
	s := opened(t, onDisk(t, map[string]string{"a/b/x.md": "---\ntitle: X\n---\n## Facts\n- **one**: first\n"}))
	update := plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Content: format.Content{Facts: []format.Fact{{Statement: "second"}}},
		Reason: "r"}
	held := mustApply(t, s, plan.Batch{Origin: byModel, Ops: []plan.Op{update}})
	if !strings.Contains(held.Results[0].Message, "kept 1 statement that the update did not mention") {
		t.Fatal(held.Results[0].Message)
	}
	texts := map[string]string{"a/b/x.md": "---\ntitle: X\n---\n## Facts\n- third\n"}
	r, err := s.Approve(t.Context(), held.Batch, "ada", plan.Decision{Texts: texts})
	if err != nil || len(r.Results) != 1 || r.Results[0].Message != "Updated a/b/x.md; edited before approval" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestReviewsTellLosses: what waits says what would be lost, and nothing that would still be said;
// the file of the review does not hold it.
func TestReviewsTellLosses(t *testing.T) {
	const y = "---\ntitle: Y\nsummary: About y.\n---\n## Narrative\n### Rules\n- one\n- two\n"
	dir := onDisk(t, map[string]string{"a/b/x.md": "---\ntitle: X\nsummary: About x.\n---\n## Narrative\n### Rules\n- two\n- three\n",
		"a/b/y.md": y})
	s := opened(t, dir)
	rules := format.Content{Narrative: format.Narrative{Rules: "- one\n- three"}}
	held := mustApply(t, s, plan.Batch{Origin: byModel, Ops: []plan.Op{{Type: plan.OpMerge, Path: "a/b/x.md", MergeTarget: "a/b/y.md",
		Summary: "About y. About x.", Content: rules, Replace: []format.Part{format.PartRules}, Reason: "r"}}})
	list, err := s.Reviews.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	want := []format.Loss{{Part: format.PartTitle, Item: "X"}, {Part: format.PartRules, Item: "- two\n- two"}}
	if diff := gocmp.Diff(want, list[0].Items[0].Losses); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(reviewFile(held.Batch))))
	if err != nil || strings.Contains(string(data), "losses") {
		t.Errorf("%v\n%s", err, data)
	}
}

// TestConfirmingWithAnotherText answers the question whether an entry is still true with what it
// should say: it was looked at now, whatever the text was made from.
func TestConfirmingWithAnotherText(t *testing.T) {
	const before = "---\ntitle: X\nimportance: 60\nrecency: 0.5\nmaturity: draft\naccessCount: 3\nupdateCount: 1\nupdatedAt: " +
		"'2026-01-01T00:00:00.000Z'\n---\n# X\n\n- old\n"
	for _, from := range []string{"the file", "the proposal"} {
		s := opened(t, onDisk(t, map[string]string{"a/b/x.md": before}))
		held := mustApply(t, s, plan.Batch{Hold: plan.HoldAll,
			Ops: []plan.Op{{Type: plan.OpConfirm, Path: "a/b/x.md", Reason: "Is it still true?"}}})
		_, text, editable, err := s.Reviews.Proposed(held.Batch, "a/b/x.md")
		if err != nil || !editable {
			t.Fatalf("%v, editable %v", err, editable)
		}
		confirmed := format.Parse("a/b/x.md", text)
		if from == "the file" {
			text = before
		}
		mine := strings.Replace(text, "- old", "- new", 1)
		r, err := s.Approve(t.Context(), held.Batch, "ada", plan.Decision{Texts: map[string]string{"a/b/x.md": mine}})
		if err != nil || len(r.Results) != 1 || r.Results[0].Message != "Confirmed a/b/x.md; edited before approval" {
			t.Fatalf("%s: %+v, %v", from, r, err)
		}
		e, _ := s.Snapshot().Entry("a/b/x.md")
		if !strings.Contains(e.Text, "- new") || !e.UpdatedAt.Equal(confirmed.UpdatedAt) || e.Signals != confirmed.Signals {
			t.Errorf("%s: %s\nwant the time and signals of\n%s", from, e.Text, confirmed.Text)
		}
	}
}

// What was rejected can wait again.
func TestRejectedProposalsComeBack(t *testing.T) {
	s := opened(t, onDisk(t, map[string]string{"a/b/x.md": "# X\n"}))
	held := mustApply(t, s, plan.Batch{Origin: byAgent, Ops: []plan.Op{{Type: plan.OpAdd, Path: "a/b", Title: "New",
		Content: format.Content{Lists: format.Lists{Tags: []string{"t"}}}, Reason: "r"}}})
	rejected, err := s.Reject(t.Context(), held.Batch, "ada", "no")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(t.Context(), rejected.Batch, "ada", "yes"); err != nil {
		t.Fatal(err)
	}
	list, err := s.Reviews.List()
	if err != nil || len(list) != 1 || list[0].Origin.Kind != format.OriginAgent || !list[0].Items[0].Held {
		t.Errorf("%+v, %v", list, err)
	}
}

func FuzzProvenance(f *testing.F) {
	f.Add("provenance: [by model, model gpt-5, via brv-lsp, commit 1a2b, first by human, approved by ada, edited by bo]", "gpt, [5]",
		"ada")
	f.Add("provenance: by agent", "'", "\"")
	f.Add("provenance:\n- by agent\n- approved by x # y", "a: b", "\u202e")
	f.Add("provenance: {by: model}", "&a *a !b", "-")
	f.Add("provenance: [", "by ", "approved by x")
	f.Fuzz(func(t *testing.T, line, model, by string) {
		e := format.Parse("a/b/c.md", "---\ntitle: T\n"+line+"\n---\n# T\n")
		said, _ := e.Provenance()
		_ = said.String()
		p := format.Provenance{Origin: format.Origin{Kind: format.OriginModel, Model: model, Tool: by}, ApprovedBy: by}
		signed, ok := e.Signed(p)
		if !ok {
			if signed.Text != e.Text {
				t.Fatalf("%q changed to %q", e.Text, signed.Text)
			}
			return
		}
		want := format.Provenance{Origin: p.Origin.Named(), ApprovedBy: format.Name(by)}
		got, ok := signed.Provenance()
		if !ok || got != want {
			t.Fatalf("%q: %+v, want %+v", signed.Text, got, want)
		}
		if again, _ := signed.Signed(p); again.Text != signed.Text {
			t.Fatalf("twice: %q, %q", signed.Text, again.Text)
		}
	})
}
