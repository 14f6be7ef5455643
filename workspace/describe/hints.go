package describe

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Hint is the title of an entry, which an editor shows behind a relation to it as additional text.
type Hint struct {
	At   int    // byte offset that it is shown behind
	Text string // one line
}

// maxHint bounds a title in a hint, in runes: it is shown in the middle of a line of text.
const maxHint = 48

// Hints lists the hints in a part of an entry, in order of place. A title is left out if the path, or the
// text of a link, already tells it.
func Hints(v *workspace.View, p string, within markdown.Span) (out []Hint) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return nil
	}
	e, ok := v.Entry(entry)
	if !ok {
		return nil
	}
	for _, r := range v.Trees().Relations(entry) {
		if at := hintPlace(e.Text, r); within.Contains(at) {
			out = append(out, titleHint(v, r, at)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Hint) int { return cmp.Compare(a.At, b.At) })
	return out
}

// titleHint is the hint of a relation, if there is one.
func titleHint(v *workspace.View, r tree.Relation, at int) []Hint {
	target, ok := v.Entry(r.Target)
	if !ok {
		return nil
	}
	title := strings.Join(strings.Fields(target.Title), " ")
	if sameName(r.Raw, title) || title == "" {
		return nil
	}
	return []Hint{{At: at, Text: sanitize.Short(title, maxHint)}}
}

// sameName reports whether a path's last name is a title in other spelling.
func sameName(raw, title string) bool {
	return format.SameHeading(title, strings.TrimSuffix(path.Base(raw), ".md"))
}

// hintPlace is the visual end of a relation: behind its quote or brackets. For a link with text of its own it
// is outside of every text.
func hintPlace(text string, r tree.Relation) int {
	switch r.Form {
	case format.FormMarkdown:
		return -1
	case format.FormWiki:
		if !strings.HasPrefix(text[r.At.End:], "]]") {
			return -1
		}
		return r.At.End + len("]]")
	case format.FormAt:
		return r.At.End
	}
	if end := r.At.End; end < len(text) && (text[end] == '"' || text[end] == '\'') {
		return end + 1
	}
	return r.At.End
}
