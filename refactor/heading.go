package refactor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// anchorSubject returns the heading that a relation names.
func (p Project) anchorSubject(at markdown.Span, r tree.Relation) (Subject, bool, error) {
	e, _ := p.Tree.Entry(r.Target)
	i, ok := e.Anchors().Section(r.Heading)
	if !ok {
		return Subject{}, false, fmt.Errorf("%s has no heading %q: nothing to rename", r.Target, r.Heading)
	}
	s, ok, err := p.headingSubject(e, e.Sections[i].Heading.Start)
	s.At = at
	return s, ok, err
}

// headingText returns the span of a heading without its # signs.
func headingText(e *format.Entry, s markdown.Section) markdown.Span {
	line := s.Heading.Of(e.Text)
	start := s.Heading.Start + s.Level + strings.Index(line[s.Level:], s.Title)
	return markdown.Span{Start: start, End: start + len(s.Title)}
}

// firstTitle returns the index of the entry's first heading of level 1, or -1.
func firstTitle(e *format.Entry) int {
	return slices.IndexFunc(e.Sections, func(s markdown.Section) bool { return s.Level == 1 })
}

// retitle changes an entry's title in the frontmatter, and in the heading at its top if that is equal. The file
// keeps its name, so that no path changes.
func (p Project) retitle(e *format.Entry, title string) (Change, error) {
	if title == e.Title {
		return Change{}, nil
	}
	c := Change{Title: fmt.Sprintf("Rename %q to %q", e.Title, title)}
	edits := map[string][]markdown.Edit{}
	field := e.FieldEdit("title", title)
	if field == (markdown.Edit{}) {
		return Change{}, fmt.Errorf("%s: the title cannot be written into the frontmatter; correct the frontmatter first", e.Path)
	}
	if i := firstTitle(e); i >= 0 && e.Sections[i].Title == e.Title {
		var err error
		if edits, c.Left, err = p.headingEdits(e, i, title); err != nil {
			return Change{}, err
		}
	}
	edits[e.Path] = append([]markdown.Edit{field}, edits[e.Path]...)
	return p.entryChange(c, edits)
}

// renameHeading changes a heading, and each anchor that leads to it.
func (p Project) renameHeading(e *format.Entry, section int, title string) (Change, error) {
	s := e.Sections[section]
	if title == s.Title {
		return Change{}, nil
	}
	edits, left, err := p.headingEdits(e, section, title)
	if err != nil {
		return Change{}, err
	}
	return p.entryChange(Change{Title: fmt.Sprintf("Rename heading %q to %q", s.Title, title), Left: left}, edits)
}

// headingEdits returns the edits that change a heading and the links to it. left describes the links that cannot
// be changed.
func (p Project) headingEdits(e *format.Entry, section int, title string) (edits map[string][]markdown.Edit, left []string, err error) {
	s := e.Sections[section]
	for i, other := range e.Sections {
		if i != section && !format.SameHeading(s.Title, title) && format.SameHeading(other.Title, title) {
			return nil, nil, fmt.Errorf("%s already has a heading %q, and links could not tell the two apart; choose another name", e.Path,
				other.Title)
		}
	}
	edits = map[string][]markdown.Edit{e.Path: {{At: headingText(e, s), New: title}}}
	retitled := format.Parse(e.Path, markdown.ApplyEdits(e.Text, edits[e.Path]))
	if len(retitled.Sections) != len(e.Sections) || retitled.Sections[section].Title != title {
		return nil, nil, fmt.Errorf("%q cannot be a heading because Markdown reads it as something else", title)
	}
	anchors, after := e.Anchors(), retitled.Anchors()
	// anew returns the new text of a link to one of the headings. ok is false for other links.
	anew := func(form format.Form, anchor string) (now string, ok bool) {
		i, known := anchors.Section(anchor)
		if j, still := after.Section(anchor); !known || i != section && still && j == i {
			return anchor, true
		}
		if i == section {
			if now, ok = reanchor(form, anchor, s.Title, title); ok {
				if j, leads := after.Section(now); leads && j == i {
					return now, true
				}
			}
		}
		return after.Of(i), after.Of(i) != ""
	}
	for _, b := range p.Tree.Backlinks(e.Path) {
		if b.Heading == "" {
			continue
		}
		from, _ := p.Tree.Entry(b.From)
		at, ok := b.HeadingAt(from.Text)
		now, fits := anew(b.Form, b.Heading)
		if now == b.Heading && fits {
			continue
		}
		if !ok || !fits {
			left = append(left, leftLink(from, b.At, title))
			continue
		}
		edits[b.From] = append(edits[b.From], markdown.Edit{At: at, New: now})
	}
	for _, a := range e.OwnAnchors() {
		said := a.At.Of(e.Text)
		now, fits := anew(a.Form, said)
		if !fits {
			left = append(left, leftLink(e, a.At, title))
		} else if now != said {
			edits[e.Path] = append(edits[e.Path], markdown.Edit{At: a.At, New: now})
		}
	}
	return edits, append(left, p.dropMisread(edits, e.Path, title)...), nil
}

// leftLink describes a link to a heading that stays as it is.
func leftLink(e *format.Entry, at markdown.Span, title string) string {
	return fmt.Sprintf("%s:%d: the link %s cannot be changed to the heading %q automatically; edit it yourself", e.Path,
		markdown.CountLines(e.Text).At(at.Start), at.Of(e.Text), title)
}

// dropMisread drops edits of links in an entry that would change its other relations.
func (p Project) dropMisread(edits map[string][]markdown.Edit, own, title string) (left []string) {
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		before, _ := p.Tree.Entry(path)
		after := format.Parse(path, markdown.ApplyEdits(before.Text, edits[path]))
		if path != own && (len(after.Relations) != len(before.Relations) || len(after.Problems) > len(before.Problems)) {
			for _, edit := range edits[path] {
				left = append(left, leftLink(before, edit.At, title))
			}
			delete(edits, path)
		}
	}
	return left
}

// reanchor writes an anchor to a renamed heading in the form of the present one: the heading's title, if that is
// possible here, or its [format.Anchor].
func reanchor(form format.Form, now, was, title string) (string, bool) {
	anchor := format.Anchor(title)
	if now != was && now == format.Anchor(was) || !strings.EqualFold(now, was) || !canHold(form, title) {
		return anchor, anchor != ""
	}
	return title, true
}

// canHold reports whether an anchor in a form can have that text. It is strict in the frontmatter, where only
// plain words need no quotes.
func canHold(form format.Form, s string) bool {
	plain := func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
	}
	return strings.IndexFunc(s, func(r rune) bool {
		switch form {
		case format.FormWiki:
			return strings.ContainsRune("[]|#", r)
		case format.FormAt, format.FormMarkdown:
			return !plain(r)
		}
		return !plain(r) && r != ' '
	}) < 0
}
