package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var withoutPlaces = cmpopts.IgnoreFields(Fact{}, "At")

// readsBack checks that what Render writes has the content's normal form, is
// written the same again, and has no defects.
func readsBack(t *testing.T, h Header, c Content) {
	t.Helper()
	text := Render(h, c)
	e := Parse("a/b/c.md", text)
	want := c.normal()
	if diff := cmp.Diff(want, e.Content(), withoutPlaces); diff != "" {
		t.Fatalf("(-normal +read back):\n%s\n%s\n%v", diff, text, e.Problems)
	}
	if title := OneLine(h.Title); title != "" && e.Title != title || e.Summary != OneLine(h.Summary) ||
		e.Reason() != normalText(h.Reason) {
		t.Fatalf("title %q, summary %q or reason %q is not that of %+v\n%s", e.Title, e.Summary, e.Reason(), h, text)
	}
	if !e.UpdatedAt.Equal(h.UpdatedAt) {
		t.Fatalf("updated at %v\n%s", e.UpdatedAt, text)
	}
	if diff := cmp.Diff(want, want.normal(), withoutPlaces); diff != "" {
		t.Fatalf("the normal form is not normal (-once +twice):\n%s", diff)
	}
	for _, p := range e.Problems {
		if p.Severity <= SeverityWarning && p.Code != CodeInvisible && p.Code != CodeUnsafe {
			t.Fatalf("%s: %s at %q\n%s", p.Code, p.Message, p.At.Of(text), text)
		}
	}
}

func TestRenderReadsBack(t *testing.T) {
	for seed := range int64(1500) {
		r := newChance(seed)
		readsBack(t, r.header(), r.content())
	}
}

func FuzzRender(f *testing.F) {
	for i, s := range hazards {
		f.Add(int64(i), s, "x\n"+s)
	}
	f.Fuzz(func(t *testing.T, seed int64, a, b string) {
		if len(a)+len(b) > 4<<10 {
			return // frontmatter has a limit
		}
		r := newChance(seed, a, b)
		readsBack(t, r.header(), r.content())
	})
}
