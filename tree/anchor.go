package tree

import (
	"net/url"
	"strings"
	"unicode"
)

// Anchor is what a link says behind "#" to mean a heading, as GitHub and editors make
// it of the title: lower case, dashes for spaces, without punctuation.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

// SameHeading reports whether an anchor means a heading of that title: the title as it
// is, its [Anchor], or something that differs from these in case, escapes and dashes
// only.
func SameHeading(title, anchor string) bool {
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	key := anchorKey(title)
	return strings.EqualFold(title, anchor) || key != "" && key == anchorKey(anchor)
}

func anchorKey(s string) string {
	return strings.Join(strings.FieldsFunc(Anchor(s), func(r rune) bool { return r == '-' || r == '_' }), "-")
}

// Anchored finds the section that an anchor means: the first of that heading, by its
// number in Sections.
func (e *Entry) Anchored(anchor string) (section int, ok bool) {
	for i, s := range e.Sections {
		if SameHeading(s.Title, anchor) {
			return i, true
		}
	}
	return 0, false
}

// IsPart reports whether a section is one that the format knows, so that its heading
// says how the text below is read: a section such as Facts, or a part of the Narrative.
func (e *Entry) IsPart(s Section) bool {
	switch s.Level {
	case 2:
		return sectionName(s.Title) != ""
	case 3:
		narrative, ok := e.layout().section("Narrative")
		return ok && narrative.At.Contains(s.Heading.Start) && partName(s.Title) != ""
	}
	return false
}

// SameName reports whether two names of files or folders are taken for one where a
// relation is resolved: equal but for letter case, Unicode form and hyphens.
func SameName(a, b string) bool { return fold(a) == fold(b) }
