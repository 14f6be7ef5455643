// Package describe describes briefly the tree's knowledge about a place or an entry, as shown in a hover, a
// hint or the line over an entry. It does not ask a model, and does not guess.
package describe

import (
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Place decides what a hover shows: the target of the relation, or of the mark in a comment of code, under
// the cursor, the folder under the cursor in its path, the meaning of a frontmatter key, the code that an
// entry or document names, or the entries and documents linked to a code symbol. A retrieved answer is added
// only if retrieval is sure of it. nil means that there is nothing to show; it does not guess, and does not
// ask a model.
func Place(ctx context.Context, v *workspace.View, req Request) (*Info, error) {
	if entry, ok := v.EntryPath(req.Path); ok {
		a := aboutEntry(ctx, v, entry, req.Offset)
		markStale(ctx, v, a)
		usedIn(v, a)
		return a, nil
	}
	if workspace.IsTreePath(req.Path) {
		return nil, nil
	}
	a, err := aboutCode(ctx, v, req)
	markStale(ctx, v, a)
	usedIn(v, a)
	return a, err
}

// markStale marks the entries of a hover that no longer fit the code, as far as that is known.
func markStale(ctx context.Context, v *workspace.View, a *Info) {
	if a == nil || !v.CodeRead() {
		return
	}
	short, cancel := v.Within(ctx, workspace.Glance)
	defer cancel()
	stale := drift.NewLookup(short, v)
	var entries []string
	for _, e := range a.Entries {
		entries = append(entries, e.Path)
	}
	if a.Answer != nil && len(a.Answer.Hits) > 0 && !slices.Contains(entries, a.Answer.Hits[0].Path) {
		entries = append(entries, a.Answer.Hits[0].Path)
	}
	stale.Expect(entries)
	for _, p := range entries {
		if s, ok := staleness(v, p, stale.Of(p)); ok {
			a.Stale = append(a.Stale, s)
		}
	}
}

// staleness describes the drift of an entry.
func staleness(v *workspace.View, entry string, found []link.Drift) (s Staleness, ok bool) {
	e, ok := v.Entry(entry)
	if !ok || len(found) == 0 {
		return s, false
	}
	changed := slices.ContainsFunc(found, func(d link.Drift) bool { return d.Kind == link.Changed })
	return Staleness{Entry: entry, Title: e.Redacted().Title, Line: drift.Worst(found), Changed: changed}, true
}

// usedIn records the use of the entries that a hover's answer is made of.
func usedIn(v *workspace.View, a *Info) {
	if a == nil {
		return
	}
	if len(a.Entries) == 1 { // with several entries, none is the answer
		drift.Used(v, a.Entries[0].Path)
	}
	if a.Answer != nil && len(a.Answer.Hits) > 0 {
		drift.Used(v, a.Answer.Hits[0].Path)
	}
}

// Followed records that a definition led to one entry, which counts as a use.
func Followed(v *workspace.View, targets []navigate.Target) {
	if len(targets) != 1 {
		return
	}
	if entry, ok := v.EntryPath(targets[0].Path); ok {
		drift.Used(v, entry)
	}
}

func aboutEntry(ctx context.Context, v *workspace.View, entry string, offset int) *Info {
	e, ok := v.Entry(entry)
	if !ok {
		return nil
	}
	if r, ok := navigate.RelationAt(v, entry, offset); ok {
		a := aboutRelation(v, r, workspace.Unmet(v, r))
		a.Folder = aboutFolder(v, e.Text, r, offset)
		return a
	}
	if f, at, ok := fieldAt(e, offset); ok {
		if doc := format.FieldDoc(f.Key); doc != "" {
			return &Info{At: at, Kind: KindField, Name: f.Key, Field: &Field{Key: f.Key, Doc: doc, Value: fieldToday(v, e, f)}}
		}
		return nil
	}
	return aboutNamedCode(v.ForFile(ctx, v.FilePath(entry)), entry, e, offset)
}

// aboutNamedCode describes the code file or symbol that an entry names at offset.
func aboutNamedCode(v *workspace.View, entry string, e *format.Entry, offset int) *Info {
	for _, c := range v.Links().Of(entry) {
		if !navigate.NamedAt(offset)(c) {
			continue
		}
		return aboutRef(v, c, e.Text)
	}
	return nil
}
