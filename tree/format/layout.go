package format

import (
	"sort"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// layout has the places of the parts of a body: known sections, the parts of the Narrative, the labels of the
// Raw Concept, list items and snippets. All code that reads or edits a body uses it, so that both agree on
// the extent of a part. All offsets count from the start of the text.
type layout struct {
	text       string
	from       int // where the body begins
	ls         []markdown.Line
	sections   []markdown.Section
	separators []markdown.Span // lines of only ---, behind the last structural heading
	end        int             // where the last section's text ends: before the snippets
	found      map[Part]block  // see labels
	duplicates []markdown.Span // labels that stand twice, after a call of labels
}

// block is a headed piece of a body.
type block struct {
	Head   markdown.Span // the heading's line, or the label without what follows it
	At     markdown.Span // the head through the end of what belongs to it
	Text   markdown.Span // what belongs to it, without blank lines around; empty at Head.End
	Inline bool          // Text begins on the head's line
	Alone  bool          // it stands outside of the section that the format has for it
}

// structural is the deepest heading that ends a part: "###" heads the parts of
// the Narrative, and deeper ones are their authors' own.
const structural = 3

func newLayout(text string, from int, ls []markdown.Line, sections []markdown.Section) *layout {
	l := &layout{text: text, from: from, ls: ls, sections: sections, end: len(text)}
	for _, s := range sections {
		if s.Level <= structural {
			from = s.Heading.End
		}
	}
	for _, ln := range l.lines(markdown.Span{Start: from, End: len(text)}) {
		if ln.Rule && isRule(ln.At.Of(text)) {
			l.separators = append(l.separators, ln.At)
		}
	}
	if len(l.separators) > 0 {
		l.end = l.separators[0].Start
	}
	return l
}

// layout reads an entry's body again.
func (e *Entry) layout() *layout {
	return newLayout(e.Text, e.Body.Start, markdown.Split(e.Text, e.Body.Start), e.Sections)
}

// isRule reports whether a line is one that separates snippets.
func isRule(s string) bool {
	return strings.HasPrefix(s, "---") && strings.TrimRight(s[3:], " \t") == ""
}

// lines returns the lines that begin in a span.
func (l *layout) lines(at markdown.Span) []markdown.Line {
	from := sort.Search(len(l.ls), func(i int) bool { return l.ls[i].At.Start >= at.Start })
	rest := l.ls[from:]
	return rest[:sort.Search(len(rest), func(i int) bool { return rest[i].At.Start >= at.End })]
}

// section finds the first section of a known name, compared without case.
func (l *layout) section(name string) (block, bool) {
	for _, s := range l.sections {
		if s.Level == 2 && sameTitle(s.Title, name) {
			return l.headed(s), true
		}
	}
	return block{}, false
}

// part finds the part of the Narrative that has one of the names.
func (l *layout) part(names ...string) (block, bool) {
	narrative, ok := l.section("Narrative")
	if !ok {
		return block{}, false
	}
	for _, s := range l.sections {
		if s.Level != 3 || !narrative.At.Contains(s.Heading.Start) {
			continue
		}
		for _, name := range names {
			if sameTitle(s.Title, name) {
				return l.headed(s), true
			}
		}
	}
	return block{}, false
}

// sameTitle reports whether a heading is a name of the format, whatever marks it has.
func sameTitle(title, name string) bool {
	return len(title) >= len(name) && strings.EqualFold(strings.Trim(title, "*_`: "), name)
}

func (l *layout) headed(s markdown.Section) block {
	b := block{Head: s.Heading, At: markdown.Span{Start: s.At.Start, End: max(s.Heading.End, min(s.At.End, l.end))}}
	b.Text = l.trim(markdown.Span{Start: b.Head.End, End: b.At.End})
	return b
}

// space holds the characters that are cut off the ends of texts, and those of a blank line.
const space = " \t\r\n\v\f"

// trim cuts blank lines off both ends of a span, and white space off its end. A blank span becomes an empty
// one at its start.
func (l *layout) trim(at markdown.Span) markdown.Span {
	s := at.Of(l.text)
	lead := len(s) - len(strings.TrimLeft(s, space))
	if lead == len(s) {
		return markdown.Span{Start: at.Start, End: at.Start}
	}
	for lead > 0 && s[lead-1] != '\n' {
		lead--
	}
	return markdown.Span{Start: at.Start + lead, End: at.Start + len(strings.TrimRight(s, space))}
}

// labelPart is the part that a label heads, "" if it is none of the format's.
func labelPart(name string) Part {
	for _, r := range Parts {
		if r.label != "" && (sameTitle(name, r.label) || sameTitle(name, strings.TrimSuffix(r.label, "s"))) {
			return r.Part
		}
	}
	return ""
}

// block finds where a part of the body stands; "" is the Reason.
func (l *layout) block(p Part) (block, bool) {
	r := p.row()
	switch {
	case p == "":
		return l.section("Reason")
	case p == PartFacts:
		if b, ok := l.section("Facts"); ok {
			return b, true
		}
	case r.label == "":
		if b, ok := l.part(r.Headings...); ok || p != PartRules {
			return b, ok
		}
	}
	b, ok := l.labels()[p]
	if ok && r.line {
		b.Text = l.paragraph(b)
	}
	return b, ok
}

// Label reads a line that begins with **Name:** or **Name**:; rest is where what follows it
// begins.
func Label(s string) (name string, rest int, ok bool) {
	name, after, ok := cutSubject(s)
	bold := strings.HasPrefix(s, "**") || strings.HasPrefix(s, "__")
	if !ok || !bold || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ") != "" {
		return "", 0, false
	}
	return name, len(s) - len(after), true
}

// cutSubject splits a subject in bold or code from what a colon separates it from, as in **subject**: rest. The
// colon may be bold too.
func cutSubject(s string) (subject, rest string, ok bool) {
	mark := ""
	for _, m := range []string{"*", "_", "**", "__", "`"} {
		if strings.HasPrefix(s, m) {
			mark = m
		}
	}
	if mark == "" {
		return "", "", false
	}
	for at := len(mark); ; at += len(mark) {
		n := strings.Index(s[at:], mark)
		if n < 0 {
			return "", "", false
		}
		at += n
		inner, after := strings.Trim(s[len(mark):at], " \t"), s[at+len(mark):]
		subject, inside := cutColon(inner, strings.CutSuffix)
		rest, behind := cutColon(strings.TrimLeft(after, " \t"), strings.CutPrefix)
		for _, dash := range []string{" — ", " – ", " - ", " → ", " -> "} {
			if t, ok := strings.CutPrefix(after, dash); ok && len(mark) == 2 && !inside {
				rest, behind = t, true
			}
		}
		if t, ok := strings.CutPrefix(after, " = "); ok && !behind && !inside {
			rest, behind = t, true
			if strings.HasPrefix(t, "`") { // a value
				rest = "= " + t
			}
		}
		switch {
		case subject == "" || mark == "`" && inside:
			return "", "", false
		case behind:
			if code := strings.Trim(inner, "` "); code != "" {
				inner = code
			}
			return inner, rest, true
		case inside:
			return strings.TrimRight(subject, " \t"), after, true
		case mark == "`":
			return "", "", false
		}
	}
}

// cutColon takes a colon off one end of a text.
func cutColon(s string, cut func(s, colon string) (string, bool)) (rest string, ok bool) {
	for _, colon := range []string{":", "："} {
		if rest, ok = cut(s, colon); ok {
			return rest, true
		}
	}
	return s, false
}

// partAlone is the part that a name heads outside of the sections of the format.
func partAlone(name string) Part {
	for _, p := range []Part{PartFiles, PartFacts, PartRules} {
		if sameTitle(name, string(p)) {
			return p
		}
	}
	return ""
}

// partLabel is [Label], also of a name in bold that stands alone, and of what [partAlone] knows without marks.
func partLabel(s string) (name string, rest int, ok bool) {
	if name, rest, ok = Label(s); ok {
		return name, rest, true
	}
	if n := len("Files"); len(s) > n && partAlone(s[:n]) != "" { // all have its length
		after, is := cutColon(s[n:], strings.CutPrefix)
		return s[:n], len(s) - len(after), is && (strings.Trim(after, space) == "" || partAlone(s[:n]) == PartFiles)
	}
	bare := strings.TrimRight(s, space)
	name = strings.Trim(bare, "*_")
	return name, len(s), len(bare) == len(name)+len("****") && (strings.HasPrefix(bare, "**") || strings.HasPrefix(bare, "__"))
}

// labels finds the labels of the Raw Concept, and Files, Facts and Rules that stand outside of all sections of the format. Of two
// with one name the first counts. A bold line that is no label of the format is text like any other.
func (l *layout) labels() map[Part]block {
	if l.found != nil {
		return l.found
	}
	l.found = map[Part]block{}
	if raw, ok := l.section("Raw Concept"); ok {
		l.find(markdown.Span{Start: raw.Head.End, End: raw.At.End}, false)
	}
	from := l.from
	for _, s := range l.sections {
		if s.Level == 2 && sectionName(s.Title) != "" {
			l.find(markdown.Span{Start: from, End: s.At.Start}, true)
			from = s.At.End
		}
	}
	l.find(markdown.Span{Start: from, End: l.end}, true)
	return l.found
}

// find adds the parts that stand in a stretch of the body under a label or a heading with their name.
func (l *layout) find(in markdown.Span, alone bool) {
	var open Part
	var b block
	level := structural           // of the heading that is open, more for a label
	listed, blank := false, false // items came before; the line before is blank
	finish := func(end int) {
		p := open
		b.At.End, open = end, ""
		_, twice := l.found[p]
		if !twice && alone && p == PartFacts {
			_, twice = l.section("Facts")
		}
		switch {
		case p == "", alone && !l.countsAlone(p, &b), twice && p == PartRules:
		case twice:
			l.duplicates = append(l.duplicates, b.Head)
		default:
			l.found[p] = l.labelled(b)
		}
	}
	for _, ln := range l.lines(in) {
		if !ln.Prose() {
			continue
		}
		s := ln.At.Of(l.text)
		if s == "" {
			blank = true
			continue
		}
		if alone && open != PartRules && strings.TrimLeft(s, space) == s && bullet(s) == 0 && listed && blank && level > structural {
			finish(ln.At.Start) // text below a list
		}
		listed, blank = listed || bullet(s) > 0, false
		name, rest, ok := partLabel(s)
		depth, title := markdown.Heading(s)
		if depth > 0 && depth <= structural {
			if depth <= level {
				finish(ln.At.Start)
			}
			name, rest, ok = title, len(s), depth > 1 || l.from > 0 || len(l.sections) > 0 && l.sections[0].At.Start < ln.At.Start // else a title
		}
		is := labelPart
		if alone {
			is = partAlone
		}
		if p := is(name); ok && p != "" {
			finish(ln.At.Start)
			if open, level, listed = p, structural+1, false; depth > 0 {
				level = depth
			}
			b = block{Head: markdown.Span{Start: ln.At.Start, End: ln.At.Start + rest}, At: markdown.Span{Start: ln.At.Start}, Alone: alone}
		}
	}
	finish(in.End)
}

// countsAlone reports whether a list outside of the sections of the format is one; its block ends with its last item. Under a
// heading items have bullets.
func (l *layout) countsAlone(p Part, b *block) bool {
	if p == PartRules {
		return true // it is text
	}
	found := l.labelled(*b)
	items := l.items(found, listFacts)
	if p == PartFiles {
		items = l.items(found, listFiles)
	}
	if len(items) == 0 || l.text[b.Head.Start] == '#' && items[0].Lines.End == 0 {
		return false
	}
	last := items[len(items)-1]
	b.At.End = max(last.Lines.End, last.At.End)
	return true
}

func (l *layout) labelled(b block) block {
	b.Text = l.trim(markdown.Span{Start: b.Head.End, End: b.At.End})
	rest, _ := markdown.CutLine(l.text[:b.At.End], b.Head.End)
	if t := strings.TrimLeft(rest, space); t != "" {
		b.Inline, b.Text.Start = true, b.Head.End+len(rest)-len(t)
	}
	return b
}

// paragraph is the part of a block's text up to its first blank line, label or code.
func (l *layout) paragraph(b block) markdown.Span {
	for _, ln := range l.lines(markdown.Span{Start: b.Text.Start, End: b.Text.End}) {
		if s := ln.At.Of(l.text); ln.Fence != markdown.FenceNone || strings.Trim(s, space) == "" ||
			(ln.At.Start > b.Text.Start && ends(s)) {
			return l.trim(markdown.Span{Start: b.Text.Start, End: ln.At.Start})
		}
	}
	return b.Text
}

// snippets are the texts behind the sections, between the separators.
func (l *layout) snippets() []markdown.Span {
	var out []markdown.Span
	for i, s := range l.separators {
		end := len(l.text)
		if i+1 < len(l.separators) {
			end = l.separators[i+1].Start
		}
		if at := l.trim(markdown.Span{Start: s.End, End: end}); at.Start < at.End {
			out = append(out, at)
		}
	}
	return out
}

// sectionNames are the known sections in the order in which they are written.
var sectionNames = []string{"Reason", "Relations", "Raw Concept", "Narrative", "Facts"}

func sectionName(title string) string {
	for _, name := range sectionNames {
		if sameTitle(title, name) {
			return name
		}
	}
	return ""
}

// partName is the written name of a part of the Narrative.
func partName(title string) string {
	for _, r := range Parts {
		for _, name := range r.Headings {
			if sameTitle(title, name) {
				return r.Headings[0]
			}
		}
	}
	return ""
}
