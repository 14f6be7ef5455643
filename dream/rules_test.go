package dream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// plain is a material without a store.
func plain(files map[string]string) material {
	entries := map[string]*format.Entry{}
	for p, text := range files {
		entries[p] = format.Parse(p, text)
	}
	never := func(string) bool { return false }
	return material{tree: (&tree.Snapshot{}).Update(entries), now: now, refused: never, busy: never,
		looked: &looked{open: map[string]bool{}}, note: func(string, ...any) {}}
}

// TestCodeThatWentOn renames what git saw move, in the entry's list alone, takes out of it what is
// gone, and asks whether an entry is still true where what it names is another.
func TestCodeThatWentOn(t *testing.T) {
	m := plain(map[string]string{
		"a/b/one.md":   entry("One", "## Raw Concept\n**Files:**\n- `src/a.go` - signs\n- lib/src/a.go"),
		"a/b/two.md":   entry("Two", "## Raw Concept\n**Files:**\n- src/gone.go"),
		"a/b/three.md": entry("Three", "## Raw Concept\n**Files:**\n- src/b.go"),
		"a/b/four.md":  entry("Four", "What `src/gone.go` did."),
		"a/b/core.md": entry("Core", "## Raw Concept\n**Files:**\n- src/a.go",
			"importance: 95\nrecency: 1\nmaturity: core\naccessCount: 9\nupdateCount: 1\n"),
	})
	moved := func(p string) link.Drift {
		e, _ := m.tree.Entry(p)
		return link.Drift{Kind: link.Moved, At: e.Files[0].At, Path: "src/a.go", To: "pkg/sign/a.go", Replace: "pkg/sign/a.go",
			Reason: "src/a.go is now pkg/sign/a.go since 1a2b3c"}
	}
	changed := link.Drift{Kind: link.Changed, Path: "src/b.go", Reason: "`src/b.go` is 40 % different"}
	gone := link.Drift{Kind: link.Vanished, Path: "src/gone.go", Reason: "src/gone.go is gone since 1a2b3c"}
	var got []string
	for _, s := range m.temporal(map[string][]link.Drift{
		"a/b/one.md": {moved("a/b/one.md")}, "a/b/core.md": {moved("a/b/core.md")},
		"a/b/two.md": {changed, gone}, "a/b/three.md": {changed, changed},
		"a/b/four.md": {changed, gone},
	}) {
		op := s.Ops[0]
		files := "none"
		if c := op.Content.RawConcept; op.Upkeep {
			files = fmt.Sprint(c.Files, op.Renames)
		}
		got = append(got, fmt.Sprintf("%s waits=%v upkeep=%v files=%s %s", op.Type, s.Review, op.Upkeep, files, s.text()))
	}
	want := []string{
		"UPDATE waits=true upkeep=true files=[] [{src/a.go pkg/sign/a.go}] [dream/consolidate] Updated " +
			"a/b/core.md — files were moved: src/a.go is now pkg/sign/a.go",
		"UPDATE waits=false upkeep=true files=[] [{src/a.go pkg/sign/a.go}] [dream/consolidate] Updated " +
			"a/b/one.md — files were moved: src/a.go is now pkg/sign/a.go",
		"UPDATE waits=true upkeep=true files=[] [] [dream/consolidate] Updated a/b/two.md — it listed files that do not exist: src/gone.go is " +
			"gone since 1a2b3c",
		"CONFIRM waits=true upkeep=false files=none [dream/consolidate] Is a/b/four.md still true? The code has changed: `src/b.go` " +
			"is 40 % different. If the entry is true, approve it; if not, edit and approve it",
		"CONFIRM waits=true upkeep=false files=none [dream/consolidate] Is a/b/three.md still true? The code has changed: `src/b.go` " +
			"is 40 % different. If the entry is true, approve it; if not, edit and approve it",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCoreEntriesGetRelationsOneByOne holds each relation of a core entry by itself, so that one
// that is refused is not proposed again with others.
func TestCoreEntriesGetRelationsOneByOne(t *testing.T) {
	signals := "importance: %d\nrecency: 1\nmaturity: %s\naccessCount: 9\nupdateCount: 1\n"
	for _, tier := range []struct {
		importance int
		maturity   format.Maturity
		steps      int
	}{{95, format.Core, 2}, {70, format.Validated, 1}} {
		m := plain(map[string]string{
			"a/t/new.md": strings.Replace(entry("New", "", fmt.Sprintf(signals, tier.importance, tier.maturity)),
				"createdAt: '2026-11-01", "createdAt: '2026-11-20", 1),
			"a/t/two.md": entry("Two", ""), "a/t/three.md": entry("Three", ""),
		})
		near := []overlap.Pair{{A: "a/t/two.md", B: "a/t/new.md", Akin: 0.9, Common: []string{"shard"}},
			{A: "a/t/three.md", B: "a/t/new.md", Akin: 0.8}}
		steps := m.references(near, nil)
		if len(steps) != tier.steps {
			t.Fatalf("%s: %v", tier.maturity, steps)
		}
		want := "[dream/consolidate] Linked a/t/new.md to a/t/two.md"
		if s := steps[0]; s.Review != (tier.maturity == format.Core) || !strings.HasPrefix(s.text(), want) ||
			s.Key != m.key(CrossReference, s.Inputs...) {
			t.Errorf("%s: review %v: %s", tier.maturity, s.Review, s.text())
		}
	}
}

// TestSymbolsThatWereRenamed writes new names of symbols where an entry has the old ones in code of
// its text, whatever part that is, and asks where the code is not sure.
func TestSymbolsThatWereRenamed(t *testing.T) {
	const body = "## Raw Concept\n**Task:**\nSay how `sign` works\n**Changes:**\n- `sign` was added\n- x\n**Files:**\n- " +
		"src/a.go\n**Flow:**\n`sign` -> out\n\n" +
		"## Narrative\n### Rules\n- `jwt.sign` signs; a sign is none.\n\n```go\nsign(x)\n```\n### Highlights\n`sign` twice: " +
		"`sign`\n\n## Facts\n- **ttl**: `sign` takes 2 s [project]\n- `sign` is slow\n- **other**: x"
	drift := func(text, old, to string, grade float64) (out []link.Drift) {
		for i := 0; ; {
			n := strings.Index(text[i:], "`"+old+"`")
			if n < 0 {
				return out
			}
			at := markdown.Span{Start: i + n + 1, End: i + n + 1 + len(old)}
			out = append(out, link.Drift{Kind: link.Moved, At: at, Path: "src/a.go", Symbol: "sign", To: "src/b.go",
				ToSymbol: "issue", Replace: to, Grade: grade, Reason: "`sign` of `src/a.go` is gone; `issue` in `src/b.go` is the same"})
			i = at.End
		}
	}
	changed := link.Drift{Kind: link.Changed, At: markdown.Span{Start: 1 << 20}, Path: "src/b.go", Reason: "`src/b.go` is 40 % different"}
	one := entry("One", body)
	planned := func(text string, drifts []link.Drift) []Step {
		slices.SortFunc(drifts, func(a, b link.Drift) int { return a.At.Start - b.At.Start })
		return plain(map[string]string{"a/b/one.md": text}).temporal(map[string][]link.Drift{"a/b/one.md": drifts})
	}
	steps := planned(one, append(slices.Concat(drift(one, "sign", "issue", 0.2), drift(one, "jwt.sign", "jwt.issue", 0.1)), changed))
	if len(steps) != 1 {
		t.Fatal(steps)
	}
	const why = "[dream/consolidate] Updated a/b/one.md — symbols were renamed: `sign` is now `issue` in `src/b.go`; " +
		"`jwt.sign` is now `jwt.issue` in `src/b.go`. Is the rest still true? The code has changed: `src/b.go` is 40 % different"
	if s := steps[0]; s.text() != why || !s.Review || s.Confidence != 0.8 {
		t.Errorf("%v %v %s", s.Review, s.Confidence, s.text())
	}
	h, _, _ := place(t, map[string]string{"a/b/one.md": one})
	op := steps[0].Ops[0]
	op.Reason = "r"
	if _, err := h.Store.Apply(t.Context(), plan.Batch{Ops: []plan.Op{op}}); err != nil {
		t.Fatal(err)
	}
	got, _ := h.Store.Snapshot().Entry("a/b/one.md")
	if was := format.Parse("a/b/one.md", one).Reason(); got.Reason() != was {
		t.Errorf("the reason %q is %q", was, got.Reason())
	}
	text := strings.NewReplacer("`sign`", "`issue`", "`jwt.sign`", "`jwt.issue`").Replace(body)
	if _, is, _ := strings.Cut(got.Text, "## Raw Concept"); is != strings.TrimPrefix(text, "## Raw Concept")+"\n" {
		t.Error(gocmp.Diff(text, got.Text))
	}

	const perhaps = "Is a/b/one.md still true? The code has changed: `sign` of `src/a.go` is gone; `issue` in `src/b.go` is the same. " +
		"If the entry is true, approve it; if not, edit and approve it"
	gone := link.Drift{Kind: link.Vanished, Path: "src/a.go", Symbol: "sign", Reason: "`sign` is no longer defined"}
	file := link.Drift{Kind: link.Vanished, Path: "src/x.go", Reason: "`src/x.go` is gone"}
	if steps := planned(one, []link.Drift{gone, file}); len(steps) != 1 ||
		!strings.Contains(steps[0].Reason, "still true? The code has changed: `sign` is no longer defined. If the entry is true, approve") {
		t.Errorf("of a symbol that is gone: %v", steps)
	}
	if steps := planned(one, []link.Drift{file}); len(steps) != 0 {
		t.Errorf("of a path in the text that is gone: %v", steps)
	}
	for name, steps := range map[string][]Step{
		"too different":        planned(one, drift(one, "sign", "issue", 0.4)),
		"no spelling leads to": planned(one, drift(one, "sign", "", 0.1)),
	} {
		if len(steps) != 1 || steps[0].Reason != perhaps || steps[0].Ops[0].Type != plan.OpConfirm {
			t.Errorf("%s: %v", name, steps)
		}
	}
}
