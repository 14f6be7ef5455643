package format

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Anchor returns the text behind "#" in a link to a heading, as GitHub and editors make
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
	const emojiMarks = "\ufe0f\u20e3" // GitHub leaves them in an anchor, editors do not
	return strings.Join(strings.FieldsFunc(Anchor(s), func(r rune) bool { return strings.ContainsRune("-_"+emojiMarks, r) }), "-")
}

// Anchors tell which heading of an entry a link means.
type Anchors struct {
	own            []string       // of each section
	exact, forgive map[string]int // sections by their anchors, and the first by what [SameHeading] forgives
}

// Anchors makes the anchors of the entry's headings as GitHub and editors do: where one is
// taken by a heading before it, a heading gets -1, -2 and so on behind its own.
func (e *Entry) Anchors() Anchors {
	a := Anchors{make([]string, len(e.Sections)), make(map[string]int, len(e.Sections)), make(map[string]int, 2*len(e.Sections))}
	last := map[string]int{} // the number that a title's anchor got last
	for i, s := range e.exact().Sections {
		title, stated := markdown.StatedAnchor(s.Title)
		plain := Anchor(title)
		if _, taken := a.exact[stated]; stated != "" && !taken {
			plain = stated
		}
		own := plain
		for _, taken := a.exact[own]; taken; _, taken = a.exact[own] {
			last[plain]++
			own = plain + "-" + strconv.Itoa(last[plain])
		}
		a.own[i], a.exact[own] = own, i
		for _, key := range []string{anchorKey(title), anchorKey(s.Title), " " + strings.ToLower(title)} {
			if _, known := a.forgive[key]; !known {
				a.forgive[key] = i
			}
		}
	}
	return a
}

// Of is the anchor of a section, given by its number in [Entry.Sections].
func (a Anchors) Of(section int) string { return a.own[section] }

// Section finds the section that an anchor means, by its number in [Entry.Sections]: the one
// that has it, or else the first of that heading. Of headings one below the other, as Obsidian links to them, the last
// is meant.
func (a Anchors) Section(anchor string) (section int, ok bool) {
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	if section, ok = a.exact[anchor]; ok && anchor != "" {
		return section, true
	}
	section, ok = a.forgive[" "+strings.ToLower(anchor)]
	if key := anchorKey(anchor); key != "" {
		if first, there := a.forgive[key]; there && (!ok || first < section) {
			return first, true
		}
	}
	if ok {
		return section, true
	}
	if section, ok = a.exact[strings.ToLower(anchor)]; ok && anchor != "" {
		return section, true
	}
	if i := strings.LastIndexByte(anchor, '#'); i >= 0 {
		return a.Section(anchor[i+1:])
	}
	return 0, false
}

// OwnAnchor is a link of an entry to one of its own headings: [text](#heading), [label]: #heading or
// [[#heading]]. At is the anchor without "#".
type OwnAnchor struct {
	At   markdown.Span
	Form Form
}

var ownAnchorForms = []struct {
	open, ends string
	form       Form
}{{"](#", ") ", FormMarkdown}, {"[[#", "]|", FormWiki}}

// OwnAnchors lists the links to the entry's own headings, line by line.
func (e *Entry) OwnAnchors() (out []OwnAnchor) {
	body := e.Body.Of(e.Text)
	if !strings.Contains(body, "](#") && !strings.Contains(body, "[[#") && !strings.Contains(body, "]: #") {
		return nil
	}
	for l := range markdown.Lines(body) {
		line := l.At.Of(body)
		if l.Fence != markdown.FenceNone || !strings.Contains(line, "#") {
			continue
		}
		if _, at, ok := markdown.Definition(line); ok && line[at.Start] == '#' && at.End > at.Start+1 {
			start := e.Body.Start + l.At.Start
			out = append(out, OwnAnchor{markdown.Span{Start: start + at.Start + 1, End: start + at.End}, FormMarkdown})
		}
		for _, form := range ownAnchorForms {
			code := markdown.CodeSpans(line)
			for from := 0; ; {
				i := strings.Index(line[from:], form.open)
				if i < 0 {
					break
				}
				from += i + len(form.open)
				n := strings.IndexAny(line[from:min(len(line), from+markdown.MaxLink)], form.ends)
				if start := e.Body.Start + l.At.Start + from; n > 0 && !code.Holds(from) {
					out = append(out, OwnAnchor{markdown.Span{Start: start, End: start + n}, form.form})
				}
			}
		}
	}
	return out
}

// IsPart reports whether a section is one that the format knows, so that its heading
// says how the text below is read: a section such as Facts, or a part of the Narrative.
func (e *Entry) IsPart(s markdown.Section) bool {
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
func SameName(a, b string) bool { return Fold(a) == Fold(b) }
