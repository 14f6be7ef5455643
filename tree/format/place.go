package format

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// insert writes a part that is not there, at its place in the order of the
// written dialect, with the section that holds it if that is missing too.
func (v *Reviser) insert(l *layout, p Part, text string) {
	switch {
	case p == "":
		v.insertSection(l, "Reason", text)
	case p == PartFacts:
		v.insertSection(l, "Facts", text)
	case p.row().label != "":
		v.insertPart(l, "Raw Concept", p, text)
	default:
		v.insertPart(l, "Narrative", p, text)
	}
}

// insertPart writes a part among those of its section, else at its end.
func (v *Reviser) insertPart(l *layout, section string, p Part, text string) {
	r := p.row()
	text = r.withHead(text)
	s, ok := l.section(section)
	if !ok {
		v.insertSection(l, section, text)
		return
	}
	order := slices.IndexFunc(Parts, func(o PartRow) bool { return o.Part == p })
	if v.insertAmong(l, text, order, len(Parts), func(i int) (block, bool) {
		if o := Parts[i]; (o.label == "") != (r.label == "") || (o.Headings == nil) != (r.Headings == nil) {
			return block{}, false
		}
		b, ok := l.whole(Parts[i].Part)
		return b, ok && !b.Alone
	}) {
		return
	}
	gap := "\n\n"
	if s.Text.Start == s.Text.End {
		gap = "\n"
	}
	v.apply(l.behind(s, v.native(gap+text)))
}

// insertAmong writes text at its place in an order of n blocks: behind the nearest block that comes before
// it, else before the nearest one that comes after it. It returns false if there is neither.
func (v *Reviser) insertAmong(l *layout, text string, place, n int, at func(i int) (block, bool)) bool {
	for i := place - 1; i >= 0; i-- {
		if b, ok := at(i); ok {
			v.apply(l.behind(b, v.native("\n\n"+text)))
			return true
		}
	}
	for i := place + 1; i < n; i++ {
		if b, ok := at(i); ok {
			v.apply(markdown.Edit{At: markdown.Span{Start: b.At.Start, End: b.At.Start}, New: v.native(text + "\n\n")})
			return true
		}
	}
	return false
}

// whole is a part's block with all of its text.
func (l *layout) whole(p Part) (block, bool) {
	if p.row().label != "" {
		b, ok := l.labels()[p]
		return b, ok
	}
	return l.block(p)
}

// insertSection does for sections what insertPart does for parts.
func (v *Reviser) insertSection(l *layout, name, text string) {
	text = "## " + name + "\n" + text
	if !v.insertAmong(l, text, slices.Index(sectionNames, name), len(sectionNames), func(i int) (block, bool) {
		return l.section(sectionNames[i])
	}) {
		v.apply(l.behindAll(l.end, text, v))
	}
}

// behind inserts text after the last byte of a block that is not blank.
func (l *layout) behind(b block, text string) markdown.Edit {
	end := max(b.Text.End, b.Head.End)
	if end == b.Head.End { // spaces behind a head stay on its line
		line, _ := markdown.CutLine(l.text, end)
		end += len(line)
	}
	return markdown.Edit{At: markdown.Span{Start: end, End: end}, New: l.closeFence(end, text)}
}

// closeFence closes an open fence in front of text that is written behind it.
func (l *layout) closeFence(at int, text string) string {
	if run := markdown.Unclosed(l.text[l.from:at]); run != "" {
		eol := "\n"
		if strings.HasPrefix(text, "\r") {
			eol = "\r\n"
		}
		return eol + run + text
	}
	return text
}

// before is the end of what stands in front of the separator of the snippet that
// begins at an offset.
func (l *layout) before(at int) int {
	for i := len(l.separators) - 1; i >= 0; i-- {
		if s := l.separators[i]; s.Start < at {
			return l.from + len(strings.TrimRight(l.text[l.from:s.Start], space))
		}
	}
	return at
}

// next is where the next line begins that is not blank, or the text's end.
func (l *layout) next(at int) int {
	_, at = markdown.CutLine(l.text, at)
	for at < len(l.text) {
		line, after := markdown.CutLine(l.text, at)
		if strings.Trim(line, space) != "" {
			break
		}
		at = after
	}
	return at
}

// tail writes a block at the end of the file.
func (v *Reviser) tail(text string) {
	l := v.E.layout()
	v.apply(l.behindAll(len(l.text), text, v))
}

// behindAll writes a block behind the last byte before end that is not blank.
func (l *layout) behindAll(end int, text string, v *Reviser) markdown.Edit {
	at := l.from + len(strings.TrimRight(l.text[l.from:end], space))
	if at > l.from {
		return markdown.Edit{At: markdown.Span{Start: at, End: at}, New: l.closeFence(at, v.native("\n\n"+text))}
	}
	text += "\n"
	if end < len(l.text) {
		text += "\n"
	}
	if at > 0 && l.text[at-1] != '\n' && at > len(markdown.ByteOrderMark) {
		text = "\n" + text
	}
	return markdown.Edit{At: markdown.Span{Start: at, End: at}, New: v.native(text)}
}

// remove deletes a block and the blank lines that set it apart. The heading stays if a rule above it would
// become a separator without it.
func (v *Reviser) remove(l *layout, b block) {
	if b.At.End == 0 {
		return
	}
	at := markdown.Span{Start: b.At.Start, End: b.At.End}
	if strings.Trim(l.text[at.End:], space) == "" {
		at.Start = l.from + len(strings.TrimRight(l.text[l.from:b.At.Start], space))
		at.End = l.trim(markdown.Span{Start: b.Head.End, End: b.At.End}).End
	}
	before := v.E
	v.apply(markdown.Edit{At: at})
	if len(v.E.layout().separators) > len(l.separators) {
		v.E = before
		v.apply(markdown.Edit{At: markdown.Span{Start: b.Head.End, End: l.trim(markdown.Span{Start: b.Head.End, End: b.At.End}).End}})
	}
}

// removeEmpty deletes the sections that have become empty.
func (v *Reviser) removeEmpty(names ...string) {
	for _, name := range names {
		l := v.E.layout()
		if b, ok := l.section(name); ok && b.Text.Start == b.Text.End {
			v.remove(l, b)
		}
	}
}

// SectionSign stands between a document's path and a section's title in the path of an entry that represents
// a section of a document outside of the tree (package documents). Such an entry has the whole document as
// its text, and the section as its body.
const SectionSign = " › "

// SectionOf splits the path of such an entry; ok is false for an entry of the tree.
func SectionOf(p string) (file, title string, ok bool) { return strings.Cut(p, SectionSign) }
