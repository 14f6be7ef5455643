package describe

import (
	"cmp"
	"context"
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// HereRequest is a place in a file of the folder.
type HereRequest struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"` // in bytes
}

// HereResponse lists what is known about a place, beginning with its symbol.
type HereResponse struct {
	Symbol string `json:"symbol,omitempty"` // the symbol at the place, if something is known about it
	Items  []Here `json:"items"`
}

// Here is an entry, a section of a document or a code file about a place.
type Here struct {
	About    string `json:"about"` // symbol, file, relation or code
	Title    string `json:"title"`
	FilePath string `json:"filePath"`
	Line     int    `json:"line,omitempty"` // 1-based
	Summary  string `json:"summary,omitempty"`
	Why      string `json:"why,omitempty"`   // what links it to the place
	Stale    string `json:"stale,omitempty"` // what changed since the entry was updated, if it is stale
	// Changed is true if the entry is stale and a confirmation ends that.
	Changed bool `json:"changed,omitempty"`
}

// What a thing at a place is about.
const (
	hereSymbol   = "symbol"
	hereFile     = "file"
	hereRelation = "relation"
	hereCode     = "code"
)

// maxHere bounds each part of what is listed at a place.
const maxHere = 50

// Known lists what is known about a file and the symbol at a place in it. It counts as no use of an entry: the
// editor asks while the cursor moves.
func Known(ctx context.Context, v *workspace.View, req HereRequest) (*HereResponse, error) {
	r := &HereResponse{Items: []Here{}}
	if entry, ok := v.EntryPath(req.Path); ok {
		r.aroundEntry(v.ForFile(ctx, req.Path), entry)
		return r, nil
	}
	text, ok := v.Text(req.Path)
	if !ok || req.Offset < 0 || req.Offset > len(text) {
		return r, nil
	}
	place := Request{Path: req.Path, Offset: req.Offset}
	v, a := aboutLinked(ctx, v, place)
	if !a.known() { // else the text need not be parsed
		for _, s := range navigate.DefinitionsAround(v.Symbols(ctx, req.Path, text), req.Offset) {
			place.Offset = s.NameAt.Start
			if v, a = aboutLinked(ctx, v, place); a.known() {
				break
			}
		}
	}
	markStale(ctx, v, a)
	if a != nil {
		for _, e := range a.Entries {
			r.add(hereOf(hereSymbol, e, a))
		}
		for _, p := range a.Pages {
			r.add(Here{About: hereSymbol, Title: p.Called, FilePath: p.Path, Line: p.Line})
		}
		if len(r.Items) > 0 {
			r.Symbol = a.Name
		}
	}
	rest := &Info{}
	for _, ref := range v.Links().About(req.Path, "") {
		rest.Entries = append(rest.Entries, short(v, ref.Entry, ref.Reason))
	}
	rest.Entries = rest.Entries[:min(len(rest.Entries), maxHere)]
	markStale(ctx, v, rest)
	for _, e := range rest.Entries {
		r.add(hereOf(hereFile, e, rest))
	}
	pages := navigate.Explaining(workspace.PagesWithin(ctx, v, workspace.Glance), []string{req.Path}, "")
	for _, p := range pages[:min(len(pages), maxHere)] {
		r.add(Here{About: hereFile, Title: p.Called, FilePath: p.Path, Line: p.Line})
	}
	if now, page := workspace.PagesOf(ctx, v, req.Path); page != nil {
		r.aroundPage(now, page.Links.Of(req.Path), text)
	}
	return r, nil
}

// known reports whether an entry or a document speaks of what stands there.
func (a *Info) known() bool { return a != nil && len(a.Entries)+len(a.Pages) > 0 }

// add lists a thing that is not listed yet.
func (r *HereResponse) add(h Here) {
	if !slices.ContainsFunc(r.Items, func(o Here) bool { return o.FilePath == h.FilePath && o.Line == h.Line }) {
		r.Items = append(r.Items, h)
	}
}

func hereOf(about string, e Entry, a *Info) Here {
	h := Here{About: about, Title: e.Title, FilePath: e.FilePath, Summary: e.Lead, Why: e.Reason}
	for _, s := range a.Stale {
		if s.Entry == e.Path {
			h.Stale, h.Changed = s.Line, s.Changed
		}
	}
	return h
}

// named lists what a text names, if that is there.
func (r *HereResponse) named(v *workspace.View, c link.CodeRef, text string) {
	if c.Exists && len(r.Items) < maxHere {
		a := aboutRef(v, c, text)
		r.add(Here{About: hereCode, Title: cmp.Or(c.Symbol, path.Base(c.Path)), FilePath: c.Path, Line: a.Code.Line, Why: c.Reason})
	}
}

// aroundPage lists what a document names, and the entries that speak of it too.
func (r *HereResponse) aroundPage(v *workspace.View, names []link.CodeRef, text string) {
	for _, c := range names {
		r.named(v, c, text)
	}
	for _, c := range names {
		for _, e := range v.Links().About(c.Path, c.Symbol) {
			if len(r.Items) < 2*maxHere {
				r.add(hereOf(hereRelation, short(v, e.Entry, e.Reason), &Info{}))
			}
		}
	}
}

// aroundEntry lists the code that an entry names and the entries that it is related to, in either direction.
func (r *HereResponse) aroundEntry(v *workspace.View, entry string) {
	for _, c := range v.Links().Of(entry) {
		if c.Form != link.FormComment {
			r.named(v, c, tree.TextAt(v.Tree(), entry))
		}
	}
	related := func(target, why string) {
		if target != "" && len(r.Items) < 2*maxHere {
			r.add(hereOf(hereRelation, short(v, target, why), &Info{}))
		}
	}
	for _, rel := range v.Trees().Relations(entry) {
		related(rel.Target, "named in this entry's relations")
	}
	for _, b := range v.Trees().Backlinks(entry) {
		related(b.From, "names this entry in its relations")
	}
}
