package describe

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Summary describes an entry in one line: who relates to it and its present importance; and the place of the
// entry's title. ok is false for generated and archived files.
func Summary(v *workspace.View, entry string) (line string, at markdown.Span, ok bool) {
	e, ok := v.Entry(entry)
	if !ok || e.Role != format.RoleEntry {
		return "", at, false
	}
	parts := []string{words.Counted(len(navigate.MentionPlaces(v, entry, "", false)), "backlink", "backlinks")}
	if counted, _ := v.Trees().Counted(entry); counted.Has {
		s := v.Trees().Signals(entry, v.Now())
		parts = append(parts, fmt.Sprintf("importance %.0f (%s)", s.Importance, format.TierName(e, s.Maturity)))
	}
	at, _ = e.TitleAt()
	return strings.Join(parts, " · "), at, true
}

// NamedLine is the text over a line of a code file that entries name.
type NamedLine struct {
	Symbol string // "" for the file
	Title  string
	At     markdown.Span
}

// Named returns, for a code file and for each of its definitions that entries name, how many entries name it
// or which one, and how many of them no longer fit the code, as far as that is known soon.
func Named(ctx context.Context, v *workspace.View, p string) (out []NamedLine) {
	if _, entry := v.EntryPath(p); entry {
		return nil
	}
	v = v.ForFile(ctx, p)
	refs := v.Links().About(p, "")
	if len(refs) == 0 {
		return nil
	}
	all := make([]string, len(refs))
	for i, ref := range refs {
		all[i] = ref.Entry
	}
	stale := map[string]bool{}
	if v.CodeRead() {
		short, cancel := v.Within(ctx, workspace.Glance)
		defer cancel()
		lookup := drift.NewLookup(short, v)
		lookup.Expect(all)
		for _, e := range all {
			stale[e] = len(lookup.Of(e)) > 0
		}
	}
	out = append(out, NamedLine{Title: counted(v, all, stale, false)})
	for _, symbol := range namedIn(v, p, all) {
		d, ok := navigate.DefinitionIn(v, p, symbol)
		if !ok {
			continue
		}
		var about []string
		for _, ref := range v.Links().About(p, symbol) {
			about = append(about, ref.Entry)
		}
		out = append(out, NamedLine{Symbol: symbol, Title: counted(v, about, stale, true), At: markdown.Span(d.NameAt)})
	}
	return out
}

// namedIn lists the symbols of a file that entries name.
func namedIn(v *workspace.View, p string, entries []string) (symbols []string) {
	for _, entry := range entries {
		for _, c := range v.Links().Of(entry) {
			if name := navigate.FullName(c); c.Path == p && name != "" && !slices.Contains(symbols, name) {
				symbols = append(symbols, name)
			}
		}
	}
	return symbols
}

// maxLensTitle bounds the title of an entry over a line of code, in runes.
const maxLensTitle = 48

// counted describes a number of entries, or of a single one, if wanted, its title, and how many are stale.
func counted(v *workspace.View, entries []string, stale map[string]bool, name bool) string {
	left := 0
	for _, e := range entries {
		if stale[e] {
			left++
		}
	}
	text := words.Counted(len(entries), "entry", "entries")
	if e, ok := v.Entry(entries[0]); ok && name && len(entries) == 1 {
		text = sanitize.Short(workspace.OneLine(e.Redacted().Title), maxLensTitle)
	}
	switch {
	case left == 0:
		return text
	case len(entries) == 1:
		return text + " · stale"
	}
	return fmt.Sprintf("%s · %d stale", text, left)
}

// StaleAt lists the entries that no longer fit the code, as far as that is known soon: of those about the
// symbol at a place of a code file, or else of those counted in the lines over its line ([Named]).
func StaleAt(ctx context.Context, v *workspace.View, p string, offset int) []Staleness {
	text, ok := v.Text(p)
	if !ok || offset > len(text) {
		return nil
	}
	v = v.ForFile(ctx, p)
	var entries []string
	if name := navigate.IdentifierAt(text, offset).Of(text); name != "" {
		for _, l := range linkedEntries(v, p, name) {
			entries = append(entries, l.entry)
		}
	}
	if len(entries) == 0 {
		entries = countedOn(v, p, markdown.Span{Start: offset, End: offset}.Lines(text))
	}
	a := &Info{}
	for _, e := range entries[:min(len(entries), maxLinked)] {
		a.Entries = append(a.Entries, Entry{Path: e})
	}
	markStale(ctx, v, a)
	return a.Stale
}

// countedOn are the entries about what is defined on a line of a code file, and on its first those about the file.
func countedOn(v *workspace.View, p string, line markdown.Span) (entries []string) {
	var all []string
	for _, ref := range v.Links().About(p, "") {
		all = append(all, ref.Entry)
	}
	if line.Start == 0 {
		return all
	}
	for _, symbol := range namedIn(v, p, all) {
		if d, ok := navigate.DefinitionIn(v, p, symbol); ok && line.Contains(d.NameAt.Start) {
			for _, ref := range v.Links().About(p, symbol) {
				entries = append(entries, ref.Entry)
			}
		}
	}
	return entries
}

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
