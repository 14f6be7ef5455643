package describe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
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
