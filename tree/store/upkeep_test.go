package store

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestUpkeepSaysNothing gives an upkeep every field of an operation in turn: all that would change
// more than where the entry stands is refused.
func TestUpkeepSaysNothing(t *testing.T) {
	allowed := map[string]bool{"Renames": true,
		"Type": true, "Path": true, "Reason": true, "Upkeep": true, "Confidence": true, "Impact": true, "Content.Relations": true,
		"Content.RawConcept.Files": true,
		"Lineage":                  true,
		"DomainContext":            true,
		"TopicContext":             true, "SubtopicContext": true, // without effect on an UPDATE
	}
	base := plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Reason: "r", Upkeep: true,
		Content: format.Content{Relations: []string{"a/b/y.md"}}}
	text := "---\ntitle: X\nupdatedAt: '2026-01-01T00:00:00.000Z'\n---\n# X\n"
	seen := 0
	var each func(at string, field func(op *plan.Op) reflect.Value)
	each = func(at string, field func(op *plan.Op) reflect.Value) {
		op := base
		op.Content.Relations = []string{"a/b/y.md"}
		v := field(&op)
		switch {
		case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[format.Fact]():
			for i := range v.NumField() {
				name := strings.TrimPrefix(at+"."+v.Type().Field(i).Name, ".")
				each(name, func(op *plan.Op) reflect.Value { return field(op).Field(i) })
			}
			return
		case v.Kind() == reflect.Pointer && strings.HasPrefix(at, "Content."):
			for i := range v.Type().Elem().NumField() {
				each(at+"."+v.Type().Elem().Field(i).Name, func(op *plan.Op) reflect.Value {
					p := field(op)
					if p.IsNil() {
						p.Set(reflect.New(p.Type().Elem()))
					}
					return p.Elem().Field(i)
				})
			}
			return
		case v.Kind() == reflect.String:
			v.SetString("low")
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		case v.Kind() == reflect.Slice:
			s := reflect.MakeSlice(v.Type(), 1, 1)
			switch {
			case s.Index(0).Kind() == reflect.String:
				s.Index(0).SetString("facts")
			case s.Index(0).Type() == reflect.TypeFor[plan.Rename]():
				s.Index(0).Set(reflect.ValueOf(plan.Rename{From: "src/a.go", To: "src/b.go"}))
			}
			v.Set(s)
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		default:
			t.Fatalf("%s: a %v", at, v.Kind())
		}
		op.Type, op.Path, op.Reason = base.Type, base.Path, base.Reason
		p := plan.New(tree.NewSnapshot([]*format.Entry{format.Parse("a/b/x.md", text), format.Parse("a/b/y.md", "# Y\n")}, nil),
			plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldNone}, plan.Inputs{Now: plan.Stamp(testNow)})
		if failed := p.Results[0].Status == plan.StatusFailed; failed == allowed[at] {
			t.Errorf("%s: %s %s", at, p.Results[0].Status, p.Results[0].Message)
		}
		seen++
	}
	each("", func(op *plan.Op) reflect.Value { return reflect.ValueOf(op).Elem() })
	if seen < 30 {
		t.Errorf("only %d fields", seen)
	}
}

// standing is what an upkeep must not change of an entry, however its strings look.
func standingOf(e *format.Entry) string {
	c := e.Content()
	c.Relations, c.RawConcept.Files = nil, nil
	p, _ := e.Provenance()
	return fmt.Sprintf("%q %q %v %v %+v %v %v\n%+v %+v %+v\n%v", e.Title, e.Summary, e.Tags, e.Keywords, e.Signals, e.CreatedAt,
		e.UpdatedAt, c.RawConcept, c.Narrative, c.Facts, p)
}

// TestUpkeepPassesNothing sends upkeep, KEEP and lineage as an agent would: everything waits for a
// review, nothing but relations and files changes, whatever the strings hold, and nobody
// answers for the text because of it.
func TestUpkeepPassesNothing(t *testing.T) {
	evil := []string{
		"a/b/y.md", "a/b/y.md]\nimportance: 100", "a/b/y.md\nmaturity: core", "x\n---\n# Body", "'", "\"", "a: b", "[a/b/y.md",
		"a/b/y.md, title: x", "../../etc/passwd", "@a/b/y.md", "{a: b}", "&a", "*a", "!!str a", "| a", "# a",
		"a/b/y.md\r\nupdatedAt: '2030-01-01'", "provenance: [by human]", "\u2028title: y", "a/b/y.md\x00",
	}
	files := map[string]string{
		"a/b/x.md": "---\ntitle: X\nsummary: S\ntags: [t]\nkeywords: [k]\nimportance: 20\nrecency: 0.5\nmaturity: " +
			"draft\naccessCount: 1\nupdateCount: 1\ncreatedAt: '2026-01-01T00:00:00.000Z'\nupdatedAt: " +
			"'2026-01-01T00:00:00.000Z'\nprovenance: [by agent, via x]\n---\n## Raw Concept\n\n**Files:**\n- a.go\n\n## Facts\n- f\n",
		"a/b/y.md":    "# Y\n",
		"a/b/core.md": "---\ntitle: C\nimportance: 95\nmaturity: core\n---\n# C\n",
	}
	for _, s := range evil {
		for _, op := range []plan.Op{
			{Type: plan.OpUpdate, Upkeep: true, Content: format.Content{Relations: []string{s}}},
			{Type: plan.OpUpdate, Upkeep: true, Renames: []plan.Rename{{From: "a.go", To: s}}},
			{Type: plan.OpUpdate, Upkeep: true, Content: format.Content{RawConcept: format.RawConcept{Files: []string{s}}}},
			{Type: plan.OpUpdate, Upkeep: true, Content: format.Content{RawConcept: format.RawConcept{Files: []string{s}}},
				Replace: []format.Part{format.PartFiles}},
			{Type: plan.OpUpdate, Upkeep: true, Content: format.Content{Relations: []string{s}},
				Replace: []format.Part{format.PartRelations}},
			{Type: plan.OpKeep},
		} {
			op.Path, op.Reason = "a/b/x.md", s
			st := opened(t, onDisk(t, files))
			before, _ := st.Snapshot().Entry("a/b/x.md")
			r, err := st.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}, Origin: byAgent, Author: "dream drm-1", Hold: plan.HoldNone})
			if err != nil {
				t.Fatal(err)
			}
			if r.Results[0].Status == plan.StatusSuccess && !r.Results[0].Unchanged {
				t.Fatalf("%+v was done at once", op)
			}
			if now, _ := st.Snapshot().Entry("a/b/x.md"); now.Text != before.Text ||
				!st.Snapshot().Counters()["a/b/x.md"].KeptAt.IsZero() {
				t.Fatalf("%+v changed something before it was approved", op)
			}
			for _, human := range []bool{false, true} { // approved, and of a person's own
				if human {
					r, err = st.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldNone})
				} else if r.Summary.Pending == 1 {
					r, err = st.Approve(t.Context(), r.Batch, "ada", plan.Decision{})
				}
				if err != nil {
					t.Fatal(err)
				}
				after, _ := st.Snapshot().Entry("a/b/x.md")
				got, want := standingOf(after), standingOf(before)
				if !human { // the agent and who approved it sign for the change
					got, want = got[:strings.LastIndex(got, "\n")], want[:strings.LastIndex(want, "\n")]
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%+v, human %v (-before +after):\n%s\n%s", op, human, diff, after.Text)
				}
				before = after
			}
		}
	}
	st := opened(t, onDisk(t, files))
	for _, op := range []plan.Op{{Type: plan.OpUpdate, Path: "a/b/core.md", Upkeep: true,
		Content: format.Content{Relations: []string{"a/b/y.md"}}, Reason: "r"},
		{Type: plan.OpMerge, Path: "a/b/y.md", MergeTarget: "a/b/x.md", Lineage: true, Reason: "r"}} {
		if r := mustApply(t, st, plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldRisky}); r.Summary.Pending != 1 {
			t.Errorf("%+v does not wait: %+v", op, r.Results)
		}
	}
	r := mustApply(
		t, st, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Upkeep: true,
			Content: format.Content{Relations: []string{"a/b/y.md"}}, Reason: "r"}}, Author: "dream drm-1"})
	if e, _ := st.Snapshot().Entry("a/b/x.md"); r.Summary.Updated != 1 || vouched(e) {
		t.Errorf("upkeep made somebody answer for it:\n%s", e.Text)
	}
	r = mustApply(t, st, plan.Batch{Ops: []plan.Op{{Type: plan.OpMerge, Path: "a/b/y.md", MergeTarget: "a/b/x.md", Lineage: true,
		Reason: "r"}}, Author: "dream drm-1", Hold: plan.HoldAll})
	if _, err := st.Approve(t.Context(), r.Batch, "ada", plan.Decision{}); err != nil {
		t.Fatal(err)
	}
	if got := provenanceOf(t, st, "a/b/x.md"); got != "by agent, via x, approved by ada" {
		t.Error(got)
	}
}

// TestBase refuses a batch that was made for entries which are others by now, also where they
// change while it is done.
func TestBase(t *testing.T) {
	files := map[string]string{"a/b/x.md": "# X\n", "a/b/y.md": "# Y\n"}
	st := opened(t, onDisk(t, files))
	x, _ := st.Snapshot().Entry("a/b/x.md")
	op := plan.Op{Type: plan.OpUpdate, Path: "a/b/x.md", Content: format.Content{Facts: []format.Fact{{Statement: "f"}}}, Reason: "r"}
	for _, test := range []struct {
		base map[string]string
		want string
	}{
		{map[string]string{"a/b/x.md": "another"}, "not done because a/b/x.md changed in the meantime"},
		{map[string]string{"a/b/x.md": x.Hash, "a/b/none.md": ""}, "not done because a/b/none.md changed in the meantime"},
		{map[string]string{"a/b/x.md": x.Hash, "a/b/y.md": ""}, "Updated a/b/x.md"},
		{map[string]string{"a/b/x.md": x.Hash}, "not done because a/b/x.md changed in the meantime"},
	} {
		r, err := st.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldNone, Base: test.base})
		if err != nil || r.Results[0].Message != test.want || (r.Results[0].Status == plan.StatusFailed) != (r.Batch == 0) {
			t.Errorf("%v: %+v %v", test.base, r, err)
		}
	}
	other := opened(t, st.root.Dir()) // whose snapshot is older than the disk
	y, _ := other.Snapshot().Entry("a/b/y.md")
	mustApply(t, st, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/y.md", Content: op.Content, Reason: "r"}},
		Hold: plan.HoldNone})
	op.Path = "a/b/y.md"
	r, err := other.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}, Hold: plan.HoldNone, Base: map[string]string{"a/b/y.md": y.Hash}})
	if err != nil || r.Results[0].Code != plan.FailConflict {
		t.Errorf("%+v %v", r, err)
	}
}

// TestUndoOfKeepAfterAUse takes a KEEP back though its entry was used since: the use stays, and
// staleness counts from where it did.
func TestUndoOfKeepAfterAUse(t *testing.T) {
	st := opened(t, onDisk(t, map[string]string{"a/b/x.md": "# X\n"}))
	r := mustApply(t, st, plan.Batch{Ops: []plan.Op{{Type: plan.OpKeep, Path: "a/b/x.md", Reason: "r"}}})
	if err := st.Credit(t.Context(), "a/b/x.md"); err != nil {
		t.Fatal(err)
	}
	if u := st.Snapshot().Counters()["a/b/x.md"]; u.KeptAt.IsZero() || u.Access != 1 {
		t.Fatal(u)
	}
	if _, err := st.Undo(t.Context(), r.Batch, "", ""); err != nil {
		t.Fatal(err)
	}
	if u := st.Snapshot().Counters()["a/b/x.md"]; !u.KeptAt.IsZero() || u.Access != 1 {
		t.Error(u)
	}
}

// TestADreamCanBeTakenBack takes a change back after as many others as a dream at its bounds, what
// is decided of it, and taking it back.
func TestADreamCanBeTakenBack(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/b/x.md": "# X\n", "a/b/y.md": "# Y\n"})
	st, err := Open(t.Context(), dir, Options{Now: func() time.Time { return testNow }, Through: quick})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	fact := format.Content{Facts: []format.Fact{{Statement: "f"}}}
	first := mustApply(t, st, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/x.md", Content: fact, Reason: "r"}},
		Hold: plan.HoldNone})
	for i := range 340 {
		fact := format.Content{Facts: []format.Fact{{Statement: fmt.Sprint("f", i)}}}
		mustApply(t, st, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/y.md", Content: fact, Reason: "r"}},
			Hold: plan.HoldNone})
	}
	if _, err := st.Undo(t.Context(), first.Batch, "", ""); err != nil {
		t.Error(err)
	}
}

// vouched reports whether a person answers for an entry.
func vouched(e *format.Entry) bool {
	p, ok := e.Provenance()
	return !ok || p.Vouched()
}
