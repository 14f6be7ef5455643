package workspace

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Target is a place in a file.
type Target struct {
	Path   string    // workspace path
	At     tree.Span // in Text
	Text   string    // the file's text that At refers to
	Origin tree.Span // the place asked about that leads here
}

// DocLink is a link that stands in an entry, or in a comment of code.
type DocLink struct {
	At      tree.Span
	Target  string // workspace path, "" if it leads nowhere
	Tooltip string
}

// Definition leads from a relation, or a mark in a comment of code, to its entry, and
// from a file or symbol that an entry names to the code. Definitions within code are the business of the
// language's own server.
func (w *Workspace) Definition(ctx context.Context, v *View, p string, offset int) ([]Target, error) {
	v = v.quickly(ctx)
	entry, ok := v.EntryPath(p)
	if !ok {
		text, _ := v.Text(p)
		m, _ := v.markAt(p, text, offset)
		return w.relationTargets(v, m.Relation), nil
	}
	if r, ok := relationAt(v, entry, offset); ok {
		return w.relationTargets(v, r), nil
	}
	var out []Target
	for _, c := range v.Links().Of(entry) {
		if c.Span.Contains(offset) && c.Exists && !c.Folder {
			if t, ok := codeTarget(v, c.Path, fullName(c)); ok {
				t.Origin = c.Span
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// relationTargets are the entries that a relation leads to, or that fit.
func (w *Workspace) relationTargets(v *View, r tree.Relation) (out []Target) {
	found := r.Candidates
	if r.Target != "" {
		found = []string{r.Target}
		w.used(r.Target)
	}
	for _, c := range found {
		t := entryTarget(v, c, r.Heading)
		t.Origin = r.At
		out = append(out, t)
	}
	return out
}

// References lists the places that mention a thing: of an entry (asked on a relation or
// mark that leads to it, on its title or on a heading) the relations and marks that do,
// of a code symbol the entries that name it, or that a mark at it names. The entry's own
// title is added when the declaration is asked for too.
func (w *Workspace) References(ctx context.Context, v *View, p string, offset int, declaration bool) ([]Target, error) {
	v = v.quickly(ctx)
	target := ""
	if entry, ok := v.EntryPath(p); !ok {
		text, _ := v.Text(p)
		m, ok := v.markAt(p, text, offset)
		if !ok {
			return codeReferences(v, p, offset), nil
		}
		target = m.Target
	} else if r, ok := relationAt(v, entry, offset); ok {
		target = r.Target
	} else if e, ok := v.Tree().Entry(entry); ok && onTitle(e, offset) {
		target = entry
	}
	if target == "" {
		return nil, nil
	}
	var out []Target
	if declaration {
		out = append(out, entryTarget(v, target, ""))
	}
	for _, b := range v.Tree().Backlinks(target) {
		from, _ := v.Tree().Entry(b.From)
		out = append(out, Target{Path: v.FilePath(b.From), At: b.At, Text: from.Text})
	}
	return append(out, v.markedBy(target)...), nil
}

// codeReferences lists where entries name the symbol at a place of a code file, and the
// titles of those that only a mark at it names.
func codeReferences(v *View, p string, offset int) []Target {
	text, ok := v.Text(p)
	if !ok {
		return nil
	}
	name := identifierAt(text, offset).Of(text)
	if name == "" {
		return nil
	}
	files := map[string]bool{}
	for _, d := range v.Code().Lookup(name) {
		files[d.Path] = true
	}
	var out []Target
	for file := range files {
		for _, r := range v.Links().About(file, name) {
			t, before := entryTarget(v, r.Entry, ""), len(out)
			for _, c := range v.Links().Of(r.Entry) {
				if c.Path == file && c.Symbol == name {
					out = append(out, Target{Path: t.Path, At: c.Span, Text: t.Text})
				}
			}
			if len(out) == before {
				out = append(out, t)
			}
		}
	}
	slices.SortFunc(out, func(a, b Target) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.At.Start - b.At.Start
	})
	return slices.CompactFunc(out, func(a, b Target) bool { return a.Path == b.Path && a.At == b.At })
}

// Links lists the relations and named files of an entry, and the marks of a code file.
func (w *Workspace) Links(ctx context.Context, v *View, p string) ([]DocLink, error) {
	var out []DocLink
	entry, ok := v.EntryPath(p)
	if !ok {
		v = v.quickly(ctx)
		text, _ := v.Text(p)
		for _, m := range v.marksIn(p, text) {
			out = append(out, relationLink(v, m.Relation, m.problem))
		}
		return out, nil
	}
	for _, r := range v.Tree().Relations(entry) {
		out = append(out, relationLink(v, r, r.Problem()))
	}
	for _, c := range v.Links().Of(entry) {
		if c.Exists && !c.Folder && c.Symbol == "" {
			out = append(out, DocLink{At: c.Span, Target: c.Path, Tooltip: c.Path})
		}
	}
	slices.SortStableFunc(out, func(a, b DocLink) int { return a.At.Start - b.At.Start })
	return slices.CompactFunc(out, func(next, kept DocLink) bool { return next.At.Start < kept.At.End }), nil
}

// relationLink is the link that a relation is.
func relationLink(v *View, r tree.Relation, problem string) DocLink {
	l := DocLink{At: r.At, Tooltip: problem}
	if target, ok := v.Tree().Entry(r.Target); ok {
		l.Target, l.Tooltip = v.FilePath(r.Target), target.Title
		if target.Signals.Maturity != "" {
			l.Tooltip += " · " + string(target.Signals.Maturity)
		}
	}
	return l
}

// entryTarget is the place that shows an entry: the heading asked for, its
// title, or its beginning.
func entryTarget(v *View, entry, heading string) Target {
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return Target{Path: v.FilePath(entry)}
	}
	t := Target{Path: v.FilePath(entry), Text: e.Text}
	for _, s := range e.Sections {
		if heading != "" && (strings.EqualFold(s.Title, heading) || slug(s.Title) == slug(heading)) {
			t.At = s.Heading
			return t
		}
	}
	t.At, _ = titleOf(e)
	return t
}

// titleOf is where an entry states its title.
func titleOf(e *tree.Entry) (tree.Span, bool) {
	if f, ok := e.Field("title"); ok && len(f.Items) == 1 {
		return f.Items[0].At, true
	}
	if len(e.Sections) > 0 && e.Sections[0].Level == 1 {
		return e.Sections[0].Heading, true
	}
	return tree.Span{Start: e.Body.Start, End: e.Body.Start}, false
}

// onTitle reports whether a place stands for the whole entry: its title line or
// any heading.
func onTitle(e *tree.Entry, offset int) bool {
	if f, ok := e.Field("title"); ok && f.At.Contains(offset) {
		return true
	}
	return slices.ContainsFunc(e.Sections, func(s tree.Section) bool { return s.Heading.Contains(offset) })
}

// slug makes heading anchors comparable: letters and digits, dashes between.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "-")
}

// codeTarget is the place of a symbol, or the beginning of a file.
func codeTarget(v *View, p, symbol string) (Target, bool) {
	text, ok := v.Text(p)
	if !ok {
		return Target{}, false
	}
	t := Target{Path: p, Text: text}
	if d, ok := definitionIn(v, p, symbol); ok && d.NameAt.End <= len(text) {
		t.At = tree.Span(d.NameAt)
	}
	return t, true
}

// fullName is the name of the symbol that a link leads to, with its container,
// "" for a file.
func fullName(c link.CodeRef) string {
	if c.Symbol != "" && c.Container != "" {
		return c.Container + "." + c.Symbol
	}
	return c.Symbol
}

// definitionIn finds a symbol of one file by its name, or its container and name.
func definitionIn(v *View, p, symbol string) (syntax.Symbol, bool) {
	c, ok := v.Code().Chunk(p)
	if !ok || symbol == "" {
		return syntax.Symbol{}, false
	}
	for _, s := range c.Symbols() {
		if s.Name == symbol || s.Container+"."+s.Name == symbol {
			return s, true
		}
	}
	return syntax.Symbol{}, false
}

// languageOf is the code fence's info string for a file.
func languageOf(p string) string {
	if l := syntax.LanguageOf(p); l != "" {
		return string(l)
	}
	return strings.TrimPrefix(path.Ext(p), ".")
}
