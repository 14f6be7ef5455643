package state

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/uri"
)

func TestChangeIsWhatLiesBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		before := strings.Repeat("ab", rng.IntN(3*blockBytes))
		from := rng.IntN(len(before) + 1)
		to := from + rng.IntN(min(10, len(before)-from)+1)
		after := before[:from] + strings.Repeat("ba", rng.IntN(4)) + before[to:]
		start, removed, added := change(before, after)
		if before[:start] != after[:start] || before[start+removed:] != after[start+added:] || removed > to-from || start < from &&
			removed+added > 0 && start+min(removed, added) < from {
			t.Fatalf("%d bytes, %d:%d: change at %d, -%d +%d", len(before), from, to, start, removed, added)
		}
	}
}

func TestEditsMoveWithTheText(t *testing.T) {
	var e Edits
	u := uri.File("/w/a.go")
	text := strings.Repeat("0123456789\n", 500)
	edit := func(at int, insert string) {
		next := text[:at] + insert + text[at:]
		e.Note(u, text, next, time.Unix(int64(at), 0))
		text = next
	}
	edit(4000, "FOO")
	edit(2000, "BAR BAR")
	edit(2007, "BAZ") // goes on where the last one ended: the same edit
	e.Note(u, text, text, time.Unix(9, 0))
	var got []string
	for _, m := range e.All() {
		got = append(got, text[m.Offset-3:m.Offset])
	}
	if strings.Join(got, " ") != "FOO BAZ" {
		t.Errorf("edits behind %q", got)
	}
	for i := range 3 * maxEdits {
		e.Note(uri.File("/w/b.go"), "", "x", time.Unix(0, 0))
		e.Note(uri.File("/w/"+strings.Repeat("c", i+1)), "", "x", time.Unix(0, 0))
	}
	if n := len(e.All()); n != maxEdits {
		t.Errorf("%d edits are remembered", n)
	}
	e.Forget(uri.File("/w/b.go"))
	if n := len(e.All()); n != maxEdits-1 {
		t.Errorf("%d edits after one document was forgotten", n)
	}
}
