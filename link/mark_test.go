package link

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

func TestMarksLinkBothWays(t *testing.T) {
	archive := txtar.Parse([]byte(`
-- code/src/a.go --
package a

// @brv:auth/tokens says why.

// Sign signs.
// @brv:auth/tokens/how_to.md
func Sign() {
	// @brv:ops here too
}

// @brv:auth/loose
// @brv:../outside
type Key struct{}
-- tree/auth/tokens/how-to.md --
# How
-- tree/auth/tokens/why.md --
# Why
-- tree/ops/context.md --
# Ops
-- tree/ops/on-call.md --
# On call
`))
	texts := map[string]string{}
	for _, f := range archive.Files {
		if p, ok := strings.CutPrefix(f.Name, "code/"); ok {
			texts[p] = string(f.Data)
		}
	}
	s, m := workspace(t, archive)
	code := &markedMap{m, texts}
	l := Build(s, code)
	about := func(symbol string) (out []string) {
		for _, r := range l.About("src/a.go", symbol) {
			out = append(out, fmt.Sprintf("%s %.2f %s", r.Entry, r.Strength, r.Reason))
		}
		return out
	}
	topic, exact, folder := "mentioned as @brv:auth/tokens in a comment", "mentioned as @brv:auth/tokens/how_to.md in a comment",
		"mentioned as @brv:ops in a comment"
	want := map[string][]string{
		"": {
			"auth/tokens/how-to.md 1.00 " + exact, "ops/context.md 1.00 " + folder, "auth/tokens/why.md 0.60 " + topic,
		},
		"Sign": {"auth/tokens/how-to.md 1.00 " + exact, "ops/context.md 1.00 " + folder},
		"Key":  nil,
	}
	for symbol, want := range want {
		if diff := cmp.Diff(want, about(symbol)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", symbol, diff)
		}
	}
	var marked []string
	for _, r := range l.Marked("auth/tokens/how-to.md") {
		marked = append(marked, fmt.Sprintf("%s %s %s %q", r.Form, r.Path, r.Symbol, texts[r.Path][r.Mark.Start:r.Mark.End]))
	}
	if want := []string{`comment src/a.go  "@brv:auth/tokens"`, `comment src/a.go  "@brv:auth/tokens/how_to.md"`,
		`comment src/a.go Sign "@brv:auth/tokens/how_to.md"`}; !slices.Equal(marked, want) {
		t.Errorf("marked %q", marked)
	}
	if of := l.Of("auth/tokens/how-to.md"); len(of) != 0 {
		t.Errorf("the entry itself says %v", of)
	}
	var loose []string
	for _, x := range l.Loose() {
		loose = append(loose, x.Path+": "+x.Reason)
	}
	if want := []string{"src/a.go: @brv:auth/loose does not name an entry of the context tree",
		"src/a.go: @brv:../outside leads out of the context tree"}; !slices.Equal(loose, want) {
		t.Errorf("loose %q", loose)
	}
	s = s.With("auth/loose.md", "# Not any more")
	if l = l.Update(s, code); len(l.Loose()) != 1 || len(l.Marked("auth/loose.md")) != 2 {
		t.Errorf("after the entry was written: loose %v, marked %v", l.Loose(), l.Marked("auth/loose.md"))
	}
}

// markedMap is a map with marks, which it finds by their text.
type markedMap struct {
	*codebase.RepoMap
	texts map[string]string
}

func (m *markedMap) Marks(p string) (out []codebase.Mark) {
	text := m.texts[p]
	for i := 0; ; {
		k := strings.Index(text[i:], "@brv:")
		if k < 0 {
			return out
		}
		start := i + k
		end := start + strings.IndexAny(text[start:], " \n")
		out = append(out, codebase.Mark{Target: text[start+len("@brv:") : end], At: syntax.Span{Start: start, End: end}})
		i = end
	}
}
