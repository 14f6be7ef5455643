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

// DocLink is a link that stands in an entry.
type DocLink struct {
	At      tree.Span
	Target  string // workspace path, "" if it leads nowhere
	Tooltip string
}

// Definition leads from a relation to its entry, and from a file or symbol that
// an entry names to the code. Definitions within code are the business of the
// language's own server.
func (w *Workspace) Definition(_ context.Context, v *View, p string, offset int) ([]Target, error) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return nil, nil
	}
	if r, ok := relationAt(v, entry, offset); ok {
		found := r.Candidates
		if r.Target != "" {
			found = []string{r.Target}
			w.used(r.Target)
		}
		var out []Target
		for _, c := range found {
			t := entryTarget(v, c, r.Heading)
			t.Origin = r.At
			out = append(out, t)
		}
		return out, nil
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

// References lists the places that mention a thing: of an entry (asked on a
// relation to it, on its title or on a heading) the relations that lead to it,
// of a code symbol the entries that name it. The entry's own title is added
// when the declaration is asked for too.
func (w *Workspace) References(_ context.Context, v *View, p string, offset int, declaration bool) ([]Target, error) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return codeReferences(v, p, offset), nil
	}
	target := ""
	if r, ok := relationAt(v, entry, offset); ok {
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
	return out, nil
}

// codeReferences lists where entries name the symbol at a place of a code file.
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
			e, ok := v.Tree().Entry(r.Entry)
			if !ok {
				continue
			}
			for _, c := range v.Links().Of(r.Entry) {
				if c.Path == file && c.Symbol == name {
					out = append(out, Target{Path: v.FilePath(r.Entry), At: c.Span, Text: e.Text})
				}
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

// Links lists the relations and named files of an entry.
func (w *Workspace) Links(_ context.Context, v *View, p string) ([]DocLink, error) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return nil, nil
	}
	var out []DocLink
	for _, r := range v.Tree().Relations(entry) {
		l := DocLink{At: r.At, Tooltip: r.Problem()}
		if target, ok := v.Tree().Entry(r.Target); ok {
			l.Target, l.Tooltip = v.FilePath(r.Target), target.Title
			if target.Signals.Maturity != "" {
				l.Tooltip += " · " + string(target.Signals.Maturity)
			}
		}
		out = append(out, l)
	}
	for _, c := range v.Links().Of(entry) {
		if c.Exists && !c.Folder && c.Symbol == "" {
			out = append(out, DocLink{At: c.Span, Target: c.Path, Tooltip: c.Path})
		}
	}
	slices.SortStableFunc(out, func(a, b DocLink) int { return a.At.Start - b.At.Start })
	return slices.CompactFunc(out, func(next, kept DocLink) bool { return next.At.Start < kept.At.End }), nil
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
