package pack

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// itemAt is the item of a pack at a path; its form is "" where there is none.
func itemAt(p Pack, path string) Item {
	for _, i := range p.Items {
		if i.Path == path {
			return i
		}
	}
	return Item{}
}

// What is pinned is shown though nothing found it, as far as half of the budget allows, and what is dropped is not.
func TestPinnedAndDropped(t *testing.T) {
	in, _ := shop(t)
	task := Task{Text: "refresh token expires too early", Budget: 700, Offset: -1}
	before := keeps(t, in, task)
	if itemAt(before, "auth/tokens/refresh.md").Form == "" || itemAt(before, "src/auth/jwt.ts").Form == "" {
		t.Fatalf("the task finds %s", drawItems(before))
	}
	task.Pinned = []string{"cart/rules/limits.md", "src/cart/cart.ts", "gone.md"}
	task.Without = []string{"auth/tokens/refresh.md"}
	after := keeps(t, in, task)
	for path, form := range map[string]Form{"cart/rules/limits.md": FormFull, "src/cart/cart.ts": FormFull, "auth/tokens/refresh.md": ""} {
		if i := itemAt(after, path); i.Form != form || i.Pinned != (form != "") {
			t.Errorf("%s is shown as %q, pinned %v; want %q", path, i.Form, i.Pinned, form)
		}
	}
	if missed := slices.ContainsFunc(after.Missed, func(i Item) bool { return i.Path == "auth/tokens/refresh.md" }); missed {
		t.Error("what is dropped is offered")
	}
	task.Text, task.Pinned = task.Text+", also for guests", nil
	if i := itemAt(keeps(t, in, task), "cart/rules/limits.md"); i.Pinned {
		t.Errorf("what is pinned no more is %+v", i)
	}
	for budget := 1; budget < 900; budget += 7 {
		task.Budget, task.Pinned = budget, []string{"cart/rules/limits.md", "src/auth/jwt.ts", "src/cart/cart.ts"}
		keeps(t, in, task)
	}
}

// Of a file of which a symbol is pinned the symbol is shown.
func TestPinnedSymbolIsShown(t *testing.T) {
	in, _ := shop(t)
	c, _ := in.Code.Chunk("src/auth/jwt.ts")
	for _, s := range c.Symbols() {
		if s.Body.Len() == 0 {
			continue
		}
		task := Task{Text: "cart limits", Budget: 400, Offset: -1, Pinned: []string{c.Path},
			Places: []Place{{Path: c.Path, Offset: s.NameAt.Start, Kind: PlacePinned}}}
		p := keeps(t, in, task)
		if i := itemAt(p, c.Path); i.Form != FormBody && i.Form != FormFull || i.Lines[0] > s.Line || s.Line > i.Lines[1] {
			t.Errorf("%s at line %d: %+v", s.Name, s.Line, i)
		} else if i.Form == FormBody && !slices.Contains(i.Symbols, s.Name) {
			t.Errorf("%s is shown and not named: %q", s.Name, i.Symbols)
		}
	}
}

// All that is pinned is shown, however many there are.
func TestManyPinned(t *testing.T) {
	in, _ := shop(t)
	more := map[string]*format.Entry{}
	for i := range 2 * maxHits {
		p := fmt.Sprintf("many/all/e%d.md", i)
		more[p] = format.Parse(p, fmt.Sprintf("# Entry %d\n\nIt says %d.\n", i, i))
	}
	in.Tree = in.Tree.Update(more)
	task := Task{Text: "refresh token expires too early", Budget: 50_000, Offset: -1, Pinned: slices.Sorted(maps.Keys(more))}
	p := keeps(t, in, task)
	for _, path := range task.Pinned {
		if i := itemAt(p, path); !i.Pinned || i.Form != FormFull {
			t.Errorf("%s is %+v", path, i)
		}
	}
}
