package describe

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// maxLinked bounds the entries that a hover shows.
const maxLinked = 3

func aboutCode(ctx context.Context, v *workspace.View, req Request) (*Info, error) {
	v, a := aboutLinked(ctx, v, req)
	if a == nil || a.Kind != KindCode || a.Code != nil {
		return a, nil
	}
	if worthAsking(v, a.Name) && v.Trees().Len() > 0 {
		answer, err := directAnswer(ctx, v, a.Name)
		if err != nil {
			return nil, err
		}
		if answer != nil && !listed(a.Entries, answer.Hits) {
			a.Answer = answer
		}
	}
	a.UsedIn = elsewhere.UsedIn(ctx, v, navigate.DefiningFiles(v, req.Path, a.Name), a.Name)
	if len(a.Entries) == 0 && len(a.Pages) == 0 && a.Answer == nil && a.UsedIn == "" {
		return nil, nil
	}
	return a, nil
}

// aboutLinked returns the entries linked to a place in code or in a document, without a search. It also
// returns the view for the file, which is expensive to make.
func aboutLinked(ctx context.Context, v *workspace.View, req Request) (*workspace.View, *Info) {
	text, ok := v.Text(req.Path)
	if !ok {
		return v, nil
	}
	v = v.ForFile(ctx, req.Path)
	if req.Selection.End <= req.Selection.Start {
		if now, pages := workspace.PagesOf(ctx, v, req.Path); pages != nil {
			if a := aboutPage(now, pages, req); a != nil {
				return v, a
			}
		}
	}
	if m, ok := navigate.MarkAt(v, req.Path, text, req.Offset); ok {
		a := aboutRelation(v, m.Relation, m.Problem)
		a.Folder = aboutFolder(v, text, m.Relation, req.Offset)
		return v, a
	}
	at := navigate.IdentifierAt(text, req.Offset)
	name := at.Of(text)
	query := name
	if sel := req.Selection; sel.End > sel.Start && sel.End <= len(text) {
		at, query = sel, sel.Of(text)
	}
	if query == "" {
		return v, nil
	}
	a := &Info{At: at, Kind: KindCode, Name: query}
	for _, r := range linkedEntries(v, req.Path, name) {
		a.Entries = append(a.Entries, short(v, r.entry, r.reason))
	}
	if name == query {
		pages := workspace.PagesWithin(ctx, v, workspace.Glance)
		a.Pages = explaining(pages, navigate.DefiningFiles(v, req.Path, name), name, req.Path)
	}
	return v, a
}

// listed reports whether the answer's entry is already shown.
func listed(entries []Entry, hits []retrieval.Hit) bool {
	return len(hits) > 0 && slices.ContainsFunc(entries, func(e Entry) bool { return e.Path == hits[0].Path })
}

type linkedEntry struct{ entry, reason string }

// linkedEntries lists the entries about a symbol: those that name it wherever it is defined, and, on the name
// of an exported definition of this file, those that name the file; on every local name these would only be
// in the way.
func linkedEntries(v *workspace.View, p, name string) []linkedEntry {
	var out []linkedEntry
	seen := map[string]bool{}
	add := func(file, symbol string) {
		for _, r := range v.Links().About(file, symbol) {
			if !seen[r.Entry] && (symbol != "" || lists(v, r.Entry, file)) {
				seen[r.Entry] = true
				out = append(out, linkedEntry{r.Entry, r.Reason})
			}
		}
	}
	for _, file := range navigate.DefiningFiles(v, p, name) {
		add(file, name)
	}
	if d, ok := navigate.DefinitionIn(v, p, name); ok && d.Exported {
		add(p, "")
	}
	return out[:min(len(out), maxLinked)]
}

// lists reports whether an entry is about a file as a whole, and not only about something in it.
func lists(v *workspace.View, entry, file string) bool {
	return slices.ContainsFunc(v.Links().Of(entry), func(c link.CodeRef) bool {
		return c.Path == file && c.Form == link.FormFile
	})
}

// worthAsking reports whether a text can be a question: several words, or a coined name (compound, or defined
// in the code). "err" is neither.
func worthAsking(v *workspace.View, query string) bool {
	if len(query) < 4 || len(query) > 200 {
		return false
	}
	if strings.ContainsAny(query, " _-") {
		return true
	}
	for i, r := range query {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return len(v.Code().Lookup(query)) > 0
}

// directAnswer asks the index and keeps only a sure answer (tier 2). Linked entries are shown in any case; an
// answer that takes long is shown by the next hover.
func directAnswer(ctx context.Context, v *workspace.View, query string) (*retrieval.Answer, error) {
	short, cancel := v.Within(ctx, workspace.Look)
	defer cancel()
	most := retrieval.TierDirect // a hover never waits for a model
	q := retrieval.Query{Text: query, Limit: 3, Now: v.Now(), MaxTier: &most}
	answer, err := consult.Answer(short, v, q)
	if err != nil || answer.OutOfDomain || answer.ForReader {
		return nil, ctx.Err()
	}
	return &answer, nil
}

// maxPages bounds the sections of documents that a hover names.
const maxPages = 3

// aboutPage describes the code in backticks at a place of a document, and the entries and other documents
// about it. Editors show the targets of Markdown links themselves.
func aboutPage(v *workspace.View, pages *workspace.Pages, req Request) *Info {
	d, _ := pages.Set.Document(req.Path)
	for _, c := range pages.Links.Of(req.Path) {
		if !navigate.NamedAt(req.Offset)(c) || !c.Exists || c.Form == link.FormFile {
			continue
		}
		a := aboutRef(v, c, d.Text)
		for _, e := range v.Links().About(c.Path, c.Symbol) {
			a.Entries = append(a.Entries, short(v, e.Entry, e.Reason))
		}
		a.Entries = a.Entries[:min(len(a.Entries), maxLinked)]
		a.Pages = explaining(pages, []string{c.Path}, c.Symbol, req.Path)
		return a
	}
	return nil
}

// explaining are the first sections that name a symbol, but for those of the document at hand.
func explaining(pages *workspace.Pages, files []string, symbol, here string) (out []navigate.Explanation) {
	if symbol == "" {
		return nil
	}
	for _, e := range navigate.Explaining(pages, files, symbol) {
		if e.Path != here && len(out) < maxPages {
			out = append(out, e)
		}
	}
	return out
}

// aboutRef describes the code that a text names.
func aboutRef(v *workspace.View, c link.CodeRef, text string) *Info {
	a := &Info{At: c.Span, Kind: KindFile, Name: c.Span.Of(text), Code: &Symbol{Path: c.Path, Missing: !c.Exists}}
	if c.Symbol != "" {
		a.Kind = KindCode
		if d, ok := navigate.DefinitionIn(v, c.Path, navigate.FullName(c)); ok {
			a.Code.Line, a.Code.Signature = d.Line, d.Signature
		}
	}
	return a
}
