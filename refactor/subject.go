package refactor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Subject is a name that a user can change, found at a place of a file.
type Subject struct {
	At   markdown.Span // where the file writes the name
	Name string        // the present name; for a file or folder its own, even if the place spells it differently

	rename func(name string) (Change, error)
}

// Rename plans a new name, with changes to everything that uses it. A change without files means that the name is
// the same.
func (s Subject) Rename(name string) (Change, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Change{}, fmt.Errorf("%s: a name cannot be empty", s.Name)
	}
	if strings.ContainsAny(name, "\n\r") {
		return Change{}, fmt.Errorf("%s: a name must be one line", s.Name)
	}
	return s.rename(name)
}

// SubjectAt finds the name at a place of a file that can be changed. In an entry, that is a file or folder in a
// relation's path, a relation's heading, the title, a tag, or a heading. In code, it is a part of a mark's path.
// ok is false if there is no name. The error tells why the name at the place cannot be changed.
func SubjectAt(p Project, path string, offset int) (s Subject, ok bool, err error) {
	text, ok := p.Text(path)
	if !ok || offset > len(text) {
		return Subject{}, false, nil
	}
	entry, inTree := strings.CutPrefix(path, tree.FromProject)
	e, isEntry := p.Tree.Entry(entry)
	switch {
	case !inTree:
		return p.markSubject(path, text, offset)
	case !isEntry:
		return Subject{}, false, nil
	case e.Unmerged() != nil:
		return Subject{}, false, e.Unmerged()
	case e.Role.Generated():
		return Subject{}, false, fmt.Errorf("%s is generated or archived and cannot be edited; start the rename in an entry that "+
			"uses the name", entry)
	}
	for _, find := range []func(*format.Entry, int) (Subject, bool, error){p.relationSubject, p.tagSubject, p.titleSubject,
		p.headingSubject} {
		if s, ok, err := find(e, offset); ok || err != nil {
			return s, ok, err
		}
	}
	if e.Frontmatter.End > offset && e.Frontmatter.Start <= offset {
		// Otherwise an editor's own rename would take a list for a Markdown link, and replace it by one name.
		return Subject{}, false, fmt.Errorf("%s: in the frontmatter, only the title, tags and the targets of relations can be renamed; "+
			"edit the rest as text", entry)
	}
	return Subject{}, false, nil
}

// relationSubject returns the part of a relation at a place: a name in its path, or its heading.
func (p Project) relationSubject(e *format.Entry, offset int) (Subject, bool, error) {
	i := slices.IndexFunc(p.Tree.Relations(e.Path), func(r tree.Relation) bool { return r.At.Contains(offset) })
	if i < 0 {
		return Subject{}, false, nil
	}
	r := p.Tree.Relations(e.Path)[i]
	if problem := r.Problem(); problem != "" {
		return Subject{}, false, fmt.Errorf("%s: nothing to rename", problem)
	}
	written := strings.Index(r.At.Of(e.Text), r.Raw)
	if written < 0 {
		return Subject{}, false, fmt.Errorf("relation %s contains escapes; start the rename at a relation without them", r.Raw)
	}
	start := r.At.Start + written
	if at, ok := r.HeadingAt(e.Text); ok && offset >= at.Start {
		return p.anchorSubject(at, r)
	}
	return p.nameSubject(r.Raw, start, r.Target, offset)
}

// nameSubject returns the name at a place in a written path. The path begins at start and leads to an entry. It
// may be shortened from the left, contain "..", or name only a folder.
func (p Project) nameSubject(raw string, start int, target string, offset int) (Subject, bool, error) {
	if strings.HasPrefix(target, "_archived/") {
		return Subject{}, false, fmt.Errorf("%s is archived; restore it first", raw)
	}
	said, is := strings.Split(strings.TrimRight(raw, "/"), "/"), strings.Split(target, "/")
	named := func(said, is string) bool {
		return format.SameName(format.Stem(markdown.Unescaped(said)), format.Stem(is))
	}
	if !named(said[len(said)-1], is[len(is)-1]) {
		is = is[:len(is)-1] // the path names a folder
	}
	for i, at := len(said)-1, start+len(strings.TrimRight(raw, "/")); i >= 0; i-- {
		span := markdown.Span{Start: at - len(said[i]), End: at}
		at = span.Start - 1
		n := len(is) - (len(said) - i)
		if !span.Contains(offset) || n < 0 || said[i] == ".." || said[i] == "." {
			continue
		}
		from := strings.Join(is[:n+1], "/")
		if !named(said[i], is[n]) {
			break
		}
		if n == len(is)-1 && is[n] == "context.md" {
			return Subject{}, false, fmt.Errorf(
				"context.md is a fixed name; rename the folder instead")
		}
		span.End = span.Start + len(format.Stem(said[i]))
		return Subject{At: span, Name: format.Stem(is[n]), rename: func(name string) (Change, error) {
			return p.renamePath(from,
				name)
		}}, true, nil
	}
	return Subject{}, false, nil
}

// markSubject returns the name at a place in a mark of a code file.
func (p Project) markSubject(path, text string, offset int) (Subject, bool, error) {
	c, ok := p.Code.Chunk(path)
	if !ok {
		return Subject{}, false, nil
	}
	for _, m := range c.Marks() {
		at := markdown.Span(m.At)
		if !at.Contains(offset) || !spells(text, at, tree.MarkSign+m.Target) {
			continue
		}
		entries, _, problem := p.Tree.Meant(m.Target)
		if problem != "" {
			return Subject{}, false, fmt.Errorf("%s: nothing to rename", problem)
		}
		target := entries[0]
		if len(entries) > 1 { // the mark names a folder
			target = format.FolderOf(target) + "/context.md"
		}
		return p.nameSubject(m.Target, at.Start+len(tree.MarkSign), target, offset)
	}
	return Subject{}, false, nil
}

// spells reports whether a text contains some words at a place.
func spells(text string, at markdown.Span, words string) bool {
	return at.End <= len(text) && at.Of(text) == words
}

// tagSubject returns the tag at a place of the frontmatter.
func (p Project) tagSubject(e *format.Entry, offset int) (Subject, bool, error) {
	f, _ := e.Field("tags")
	for _, tag := range f.Items {
		if tag.At.Contains(offset) && tag.Value != "" {
			return Subject{At: tag.At, Name: tag.Value, rename: func(name string) (Change, error) {
				return p.renameTag(tag.Value,
					name)
			}}, true, nil
		}
	}
	return Subject{}, false, nil
}

// titleSubject returns the title in the frontmatter.
func (p Project) titleSubject(e *format.Entry, offset int) (Subject, bool, error) {
	f, ok := e.Field("title")
	if !ok || len(f.Items) != 1 || f.List || f.Items[0].Value == "" || !f.Items[0].At.Contains(offset) {
		return Subject{}, false, nil
	}
	return Subject{At: f.Items[0].At, Name: f.Items[0].Value,
		rename: func(name string) (Change, error) { return p.retitle(e, name) }}, true, nil
}

// headingSubject returns the heading at a place. The heading that repeats the frontmatter's title is renamed
// together with it.
func (p Project) headingSubject(e *format.Entry, offset int) (Subject, bool, error) {
	for i, s := range e.Sections {
		if !s.Heading.Contains(offset) || s.Title == "" {
			continue
		}
		if e.IsPart(s) {
			return Subject{}, false, fmt.Errorf("%s is a heading of the entry format; brv-lsp would not recognize its text under "+
				"another name", s.Title)
		}
		sub := Subject{At: headingText(e, s), Name: s.Title,
			rename: func(name string) (Change, error) { return p.renameHeading(e, i, name) }}
		if _, titled := e.Field("title"); titled && s.Title == e.Title && firstTitle(e) == i {
			sub.rename = func(name string) (Change, error) { return p.retitle(e, name) }
		}
		return sub, true, nil
	}
	return Subject{}, false, nil
}
