package pack

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// What the editor knows brings its places into the pack, and the pack says why.
func TestPlacesAreShownWithTheirReason(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	at := func(path, code string) int {
		text, err := in.Code.Read(path)
		if err != nil || !strings.Contains(text, code) {
			t.Fatalf("%s has no %q (%v)", path, code, err)
		}
		return strings.Index(text, code) + len(code)
	}
	body := func(code string) string { return code }
	for name, c := range map[string]struct {
		task   Task
		path   string
		shows  string
		reason string
	}{
		"problem": {Task{Places: []Place{{Path: "signals.go", Offset: at("signals.go", "func remember("),
			Kind: PlaceProblem, Text: "undefined: `parseFrontmatter`"}}},
			"signals.go", body("func remember("), "has a problem: undefined"},
		"edit": {Task{Places: []Place{{Path: "format/lifecycle.go", Offset: at("format/lifecycle.go", "func Tier("), Kind: PlaceEdit,
			Age: 2 * time.Minute}}},
			"format/lifecycle.go", body("func Tier("), "edited 2 min ago"},
		"reference": {Task{Places: []Place{{Path: "format/lifecycle.go", Offset: at("format/lifecycle.go", "func Tier("),
			Kind: PlaceReference}}},
			"format/lifecycle.go", body("func Tier("), "uses the symbol at the cursor"},
		"open": {Task{Places: []Place{{Path: "format/lifecycle.go", Offset: -1, Kind: PlaceOpen}}}, "format/lifecycle.go",
			"format/lifecycle.go", "open beside"},
		"visible": {Task{File: "format/lifecycle.go", Visible: syntax.Span{Start: at("format/lifecycle.go", "func Tier("),
			End: at("format/lifecycle.go", "func Tier(") + 40}},
			"format/lifecycle.go", body("func Tier("), "on the screen"},
		"cursor": {Task{File: "format/lifecycle.go", Offset: at("format/lifecycle.go", "func Tier(")}, "format/lifecycle.go",
			body("func Tier("), "at the cursor"},
	} {
		c.task.Text, c.task.Budget = "why does this happen", 3000
		if name != "cursor" {
			c.task.Offset = -1
		}
		p := keeps(t, in, c.task)
		item, i := itemOf(p, c.path)
		if i < 0 || !strings.Contains(item.Reason, c.reason) || !strings.Contains(p.Text, c.shows) {
			t.Errorf("%s: %+v\n%s", name, item, p.Text)
		}
	}
}

func TestProblemsSearchForTheirNames(t *testing.T) {
	m := &maker{task: Task{Places: []Place{{Kind: PlaceProblem,
		Text: "cannot use tree.Snapshot (type *Snapshot) as `Store` value; see parse_error."}, {Kind: PlaceEdit, Text: "NotThis"}}}}
	if got, want := m.problemWords(), "tree.Snapshot Snapshot Store parse_error"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// The open file is in every pack that shows anything, and alone in the smallest.
func TestOpenFileIsInEveryPack(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	for _, budget := range []int{14, 20, 30, 50, 80, 150, 400, 1000, 4000} {
		p := keeps(t, in, Task{Text: "fix the parser of frontmatter", Budget: budget, File: "format/lifecycle.go", Offset: -1})
		if _, i := itemOf(p, "format/lifecycle.go"); i < 0 && len(p.Items) > 0 {
			t.Errorf("budget %d: the open file is missing in %+v", budget, p.Items)
		}
	}
}

// Without an open file the best candidate is there before all others.
func TestTinyBudgetShowsTheBest(t *testing.T) {
	in, _ := shop(t)
	for _, budget := range []int{45, 60, 100} {
		p := keeps(t, in, Task{Text: "refresh token expires too early", Budget: budget, Offset: -1})
		if _, i := itemOf(p, "auth/tokens/refresh.md"); i < 0 {
			t.Errorf("budget %d: %+v", budget, p.Items)
		}
	}
}

func TestKindsAndTypesAreModes(t *testing.T) {
	in, _ := shop(t)
	for _, kind := range []Kind{KindEntry, KindCode} {
		p := keeps(t, in, Task{Text: "refresh token expires too early", Budget: 500, Offset: -1, Kinds: []Kind{kind}})
		if len(p.Items) == 0 {
			t.Errorf("%s: nothing", kind)
		}
		for _, i := range append(p.Items, p.Missed...) {
			if i.Kind != kind {
				t.Errorf("%s: %s %s", kind, i.Kind, i.Path)
			}
		}
	}
}

// Memory makes nothing different.
func TestMemoryChangesNoPack(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	with := in
	with.Memory, with.Tokenizer = NewMemory(), "o200k_base"
	for i, text := range append(tasks, tasks...) {
		task := Task{Text: text, Budget: 700 * (1 + i%5), File: "format/parse.go", Offset: 100 * i}
		if a, b := keeps(t, in, task), keeps(t, with, task); a.Text != b.Text {
			t.Errorf("task %q: with memory the pack is another:\n%s\n====\n%s", text, a.Text, b.Text)
		}
	}
}
