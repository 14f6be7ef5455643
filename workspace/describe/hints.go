package describe

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Hint is a word that an editor shows in an entry though it does not stand there.
type Hint struct {
	At     int    // byte offset that it is shown behind
	Text   string // one line
	Target string // of a title: path in the tree of the entry
	Field  string // of a value: the key
}

// HintKinds say which hints are wanted.
type HintKinds struct {
	Titles bool // what an entry is called, behind the path of a relation to it
	Values bool // what a signal has become, behind the value that is stated
}

// maxHint bounds a title in a hint, in runes: it stands in the middle of a line of text.
const maxHint = 48

// Hints lists the hints for what stands in a part of an entry, in order of place. A title
// is left out where the path, or the text of a link, says as much.
func Hints(v *workspace.View, p string, within markdown.Span, kinds HintKinds) []Hint {
	entry, ok := v.EntryPath(p)
	if !ok {
		return nil
	}
	e, ok := v.Entry(entry)
	if !ok {
		return nil
	}
	var out []Hint
	if kinds.Values {
		out = valueHints(v, e, within)
	}
	if kinds.Titles {
		for _, r := range v.Trees().Relations(entry) {
			if at := hintPlace(e.Text, r); within.Contains(at) {
				out = append(out, titleHint(v, r, at)...)
			}
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
	return []Hint{{At: at, Text: sanitize.Short(title, maxHint), Target: r.Target}}
}

// sameName reports whether a path's last name is a title in other spelling.
func sameName(raw, title string) bool {
	return format.SameHeading(title, strings.TrimSuffix(path.Base(raw), ".md"))
}

// hintPlace is where a relation ends for the eye: behind its quote or brackets. It is
// outside of every text for a link that has words of its own.
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
	return behindQuote(text, r.At.End)
}

// behindQuote is the place behind the quote that closes a value, where one does.
func behindQuote(text string, end int) int {
	if end < len(text) && (text[end] == '"' || text[end] == '\'') {
		return end + 1
	}
	return end
}

// valueHints say what importance has become since the entry was updated.
func valueHints(v *workspace.View, e *format.Entry, within markdown.Span) []Hint {
	if e.UpdatedAt.IsZero() {
		return nil
	}
	var out []Hint
	now := v.Trees().Signals(e.Path, v.Now())
	const key = "importance"
	f, ok := e.Field(key)
	if !ok || f.List || len(f.Items) != 1 {
		return nil
	}
	at := behindQuote(e.Text, f.Items[0].At.End)
	if today := fmt.Sprintf("%.0f", now.Importance); within.Contains(at) && today != fmt.Sprintf("%.0f", e.Signals.Importance) {
		out = append(out, Hint{At: at, Text: "now " + today, Field: key})
	}
	return out
}

// HintInfo explains a hint of an entry's file: the entry whose title it
// shows, or the meaning of the key. nil if that is gone.
func HintInfo(v *workspace.View, p string, h Hint) *Info {
	if _, ok := v.Entry(h.Target); ok {
		return &Info{Kind: KindRelation, Name: h.Target, Entries: []Entry{short(v, h.Target, "")}}
	}
	entry, _ := v.EntryPath(p)
	e, ok := v.Entry(entry)
	if !ok {
		return nil
	}
	f, ok := e.Field(h.Field)
	if doc := format.FieldDoc(h.Field); ok && doc != "" {
		return &Info{At: f.KeyAt, Kind: KindField, Name: f.Key, Field: &Field{Key: f.Key, Doc: doc, Value: fieldToday(v, e, f)}}
	}
	return nil
}
