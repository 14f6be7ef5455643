package tree

import (
	"slices"
	"unicode/utf8"
)

// RemoveField is the edit that takes one field out of the frontmatter with its lines, of
// several with one key that one alone. Like [Entry.FieldEdit] it changes nothing where
// that cannot be done.
func (e *Entry) RemoveField(f Field) Edit {
	i := slices.IndexFunc(e.Fields, func(g Field) bool { return g.KeyAt == f.KeyAt })
	if i < 0 || !utf8.ValidString(e.Text) {
		return Edit{}
	}
	ed := e.removal(e.Fields[i])
	after := ApplyEdits(e.Text, []Edit{ed})
	fm, body, _, closed := splitFrontmatter(after)
	if !closed || after[body.Start:] != e.Text[e.Body.Start:] {
		return Edit{}
	}
	fields, problems := parseFrontmatter(after, fm)
	rest := slices.Delete(slices.Clone(e.Fields), i, i+1)
	if len(problems) > e.yamlErrors() || !slices.EqualFunc(rest, fields, sameField) {
		return Edit{}
	}
	return ed
}
