package format

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Anchor returns the text behind "#" in a link to a heading, as GitHub and editors derive it from the title:
// lower case, dashes for spaces, without punctuation.
func Anchor(title string) string {
	title = strings.ReplaceAll(title, "İ", "i\u0307") // as Unicode has it in lower case
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

// SameHeading reports whether an anchor means a heading of that title: it is the title itself, its [Anchor],
// or differs from these only in case, escapes and dashes.
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

// Anchors finds the place in a text that a link with an anchor leads to.
type Anchors struct {
	starts  []int          // of its sections
	own     []string       // of each section
	exact   map[string]int // places by their anchors
	forgive map[string]int // the first place for anchors that are the same by [SameHeading]
}

// element is an element of HTML, or a list of attributes, with a name that links can lead to.
var element = lazyregexp.New(`(?:<[A-Za-z][^<>]*\s|\{[^{}]*\b)(?:id|name)\s*=\s*["']?([^\s"'<>{}]+)|\{\s*:?\s*#([^\s{}]+)[^{}]*\}`)

// Anchors reads the anchors of the entry's headings, elements and lists of attributes.
func (e *Entry) Anchors() Anchors {
	var starts []int
	for _, s := range e.Sections {
		starts = append(starts, s.Heading.Start)
	}
	a := NewAnchors(e.Text, markdown.Headings(e.Text, e.Body.Start), starts, Numbered)
	a.Elements(e.Text, e.Body.Start)
	return a
}

// Numbered is the anchor of the n-th heading after the first of those with a title, as GitHub and editors have it.
func Numbered(title string, n int) string {
	if title = Anchor(title); n == 0 {
		return title
	}
	return title + "-" + strconv.Itoa(n)
}

// NewAnchors makes the anchors of headings. A heading whose anchor is already taken gets a number, see
// [Numbered]. Sections are given by their start.
func NewAnchors(text string, heads []markdown.Headline, starts []int, numbered func(title string, n int) string) Anchors {
	a := Anchors{starts, make([]string, len(starts)), make(map[string]int, len(heads)), make(map[string]int, 2*len(heads))}
	last := map[string]int{} // the number that a title's anchor got last
	for _, h := range heads {
		written := h.Text.Of(text)
		title, stated := markdown.StatedAnchor(written)
		title = markdown.PlainTitle(title)
		own, plain := stated, numbered(title, 0)
		if _, taken := a.exact[stated]; stated == "" || taken {
			own = plain
		}
		for _, taken := a.exact[own]; taken; _, taken = a.exact[own] {
			last[plain]++
			own = numbered(title, last[plain])
		}
		for _, name := range append(h.Stated, own) {
			a.exact[name] = h.At.Start
		}
		if i, ok := slices.BinarySearch(starts, h.At.Start); ok {
			a.own[i] = own
		}
		for _, key := range []string{anchorKey(title), anchorKey(written), anchorKey(own), " " + strings.ToLower(title), " " + strings.ToLower(written)} {
			if _, known := a.forgive[key]; !known {
				a.forgive[key] = h.At.Start
			}
		}
	}
	return a
}

// Elements adds the anchors of HTML elements and lists of attributes. One on the line above a heading stands
// for the heading.
func (a Anchors) Elements(text string, from int) {
	var above []string
	for l := range markdown.Lines(text[from:]) {
		line, start := l.At.Of(text[from:]), from+l.At.Start
		if _, ok := slices.BinarySearch(a.starts, start); ok {
			for _, name := range above {
				a.exact[name] = start
			}
		}
		if strings.TrimSpace(line) != "" {
			above = nil
		}
		if l.Fence != markdown.FenceNone || !strings.ContainsAny(line, "<{") {
			continue
		}
		code := markdown.CodeSpans(line)
		for _, m := range element().FindAllStringSubmatchIndex(line, -1) {
			name := line[max(m[2], m[4]):max(m[3], m[5])]
			if _, taken := a.exact[name]; !taken && !code.Holds(m[0]) {
				a.exact[name], above = start, append(above, name)
			}
		}
	}
}

// Of is the anchor of a section, given by its number.
func (a Anchors) Of(section int) string { return a.own[section] }

// Section returns the number of the section that contains the place of an anchor.
func (a Anchors) Section(anchor string) (section int, ok bool) {
	at, ok := a.Place(anchor)
	section, exact := slices.BinarySearch(a.starts, at)
	if !exact {
		section--
	}
	return max(section, 0), ok && section >= 0
}

// Place returns the place of an anchor: the heading or element that has it, or else the first heading that is
// the same by [SameHeading]. For a path of headings, as Obsidian writes it, the last one counts.
func (a Anchors) Place(anchor string) (at int, ok bool) {
	if plain, err := url.PathUnescape(anchor); err == nil {
		anchor = plain
	}
	if anchor == "" {
		return 0, false
	}
	if at, ok = a.exact[anchor]; ok {
		return at, true
	}
	at, ok = a.forgive[" "+strings.ToLower(anchor)]
	if key := anchorKey(anchor); key != "" {
		if first, there := a.forgive[key]; there && (!ok || first < at) {
			return first, true
		}
	}
	if ok {
		return at, true
	}
	if at, ok = a.exact[strings.ToLower(anchor)]; ok {
		return at, true
	}
	if i := strings.LastIndexByte(anchor, '#'); i >= 0 {
		return a.Place(anchor[i+1:])
	}
	return 0, false
}

// OwnAnchor is a link of an entry to one of its own headings: [text](#heading), [label]: #heading or
// [[#heading]]. At is the anchor without "#".
type OwnAnchor struct {
	At   markdown.Span
	Form Form
}

// OwnAnchors lists the links to the entry's own headings, in order of place.
func (e *Entry) OwnAnchors() (out []OwnAnchor) {
	if strings.IndexByte(e.Body.Of(e.Text), '#') < 0 {
		return nil
	}
	for _, l := range markdown.Links(e.Text, e.Body.Start) {
		own := OwnAnchor{At: l.Target(e.Text), Form: FormMarkdown}
		said := own.At.Of(e.Text)
		if l.Kind == markdown.WikiLink {
			said, _, _ = strings.Cut(said, "|")
			own.At.End, own.Form = own.At.Start+len(said), FormWiki
		}
		if own.At.Start++; l.Kind != markdown.LinkUse && len(said) > 1 && said[0] == '#' {
			out = append(out, own)
		}
	}
	return out
}

// IsPart reports whether the format knows a section and so defines how the text below is read: a section such
// as Facts, or a part of the Narrative.
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

// SameName reports whether relations treat two names of files or folders as equal: they differ only in letter
// case, Unicode form and hyphens.
func SameName(a, b string) bool { return Fold(a) == Fold(b) }
