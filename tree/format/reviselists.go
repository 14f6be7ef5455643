package format

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// itemKey is equal for items that mean the same file, with or without backticks and description.
func itemKey(p Part, s string) string {
	if p != PartFiles {
		return s
	}
	if f, ok := fileOf(s, 0); ok {
		s = f.At.Of(s)
	}
	return strings.TrimPrefix(s, "./")
}

// bulleted revises a list of the Raw Concept.
func (v *Reviser) bulleted(p Part, wanted []string) {
	if len(wanted) == 0 && !v.replace[p] {
		return
	}
	v.inPlace(p, wanted)
	l := v.E.layout()
	b, ok := l.block(p)
	said, there := map[string]bool{}, map[string]bool{}
	for _, w := range wanted {
		said[itemKey(p, w)] = true
	}
	drop := map[string]bool{}
	if ok {
		for _, x := range l.listItems(p, b) {
			there[itemKey(p, x.text)], there[x.text] = true, true
			if !said[itemKey(p, x.text)] {
				v.addLoss(p, x.text, !v.replace[p])
				drop[x.text] = v.replace[p]
			}
		}
	}
	var add []string
	for _, w := range wanted {
		if k := itemKey(p, w); !there[k] {
			add = append(add, w)
			there[k] = true
		} else if v.merging && !there[w] && undescribed(w) != w {
			v.addLoss(p, w, false)
		}
	}
	v.change(p, nil, add, drop)
}

// inPlace replaces the items of a list one by one if the new list is as long as the old one. So the order and
// the text below each item stay.
func (v *Reviser) inPlace(p Part, wanted []string) {
	items := v.listItems(p)
	if !v.replace[p] || len(items) != len(wanted) {
		return
	}
	was, will := map[string]bool{}, map[string]bool{}
	for i, x := range items {
		was[itemKey(p, x.text)], will[itemKey(p, wanted[i])] = true, true
	}
	var edits []markdown.Edit
	for i, x := range items {
		if was[itemKey(p, wanted[i])] || will[itemKey(p, x.text)] {
			continue
		}
		ed := markdown.TrimEdit(x.text, markdown.Edit{At: markdown.Span{End: len(x.text)}, New: wanted[i]})
		if !strings.HasPrefix(x.At.Of(v.E.Text), x.text[:ed.At.End]) {
			continue // the item is not written as it was parsed
		}
		v.addLoss(p, x.text, false)
		ed.At.Start, ed.At.End = x.At.Start+ed.At.Start, x.At.Start+ed.At.End
		edits = append(edits, ed)
	}
	v.apply(edits...)
}

// change replaces, adds and drops items of a list in the body. New items are added first, so that they can
// copy the style of the old ones.
func (v *Reviser) change(p Part, edits []markdown.Edit, add []string, drop map[string]bool) {
	v.apply(edits...)
	if len(add) > 0 {
		v.append(p, add)
	}
	if len(drop) == 0 {
		return
	}
	stays := map[string]bool{}
	for _, x := range v.listItems(p) {
		if !drop[x.text] {
			stays[x.text] = true
		}
	}
	for {
		var out []listItem
		items := v.listItems(p)
		for _, x := range items {
			if stays[x.text] {
				continue
			}
			if !drop[x.text] {
				v.addLoss(PartText, x.text, false) // this text is now parsed as an item
			}
			out = append(out, x)
		}
		if len(out) == 0 {
			return
		}
		v.apply(v.drop(out)...)
		if len(out) == len(items) {
			v.removeList(p)
			return
		}
	}
}

// listItems lists a part's items as they stand now.
func (v *Reviser) listItems(p Part) []listItem {
	l := v.E.layout()
	b, ok := l.block(p)
	if !ok {
		return nil
	}
	return l.listItems(p, b)
}

// removeList removes the head of a list that has become empty. Text behind a label is removed with it; text
// between facts stays.
func (v *Reviser) removeList(p Part) {
	l := v.E.layout()
	b, ok := l.block(p)
	rest := b.Text.Of(l.text)
	if !ok || (rest != "" && p == PartFacts) {
		return
	}
	if rest != "" {
		v.addLoss(PartText, UnixLines(rest), false)
	}
	v.remove(l, b)
	v.removeEmpty("Raw Concept")
}

// drop takes items out: whole lines, and of a list in one line what follows up to
// the next item.
func (v *Reviser) drop(items []listItem) []markdown.Edit {
	var edits []markdown.Edit
	for _, x := range items {
		at := x.Lines
		if at.End == 0 {
			rest := v.E.Text[x.At.End:]
			at = markdown.Span{Start: x.At.Start, End: len(v.E.Text) - len(strings.TrimLeft(rest, " \t,;"))}
		}
		edits = append(edits, markdown.Edit{At: at})
	}
	return edits
}

// append adds items behind the last one, in its style.
func (v *Reviser) append(p Part, add []string) {
	l := v.E.layout()
	b, ok := l.block(p)
	if !ok {
		v.insert(l, p, bullets(add))
		return
	}
	items := l.listItems(p, b)
	if len(items) == 0 {
		gap := "\n"
		if b.Text.Start < b.Text.End {
			gap = "\n\n" // behind text that is no item
		}
		v.apply(l.behind(b, v.native(gap+bullets(add))))
		return
	}
	last := items[len(items)-1]
	if last.Lines.End == 0 && p == PartFiles && !slices.ContainsFunc(add, oddPath) {
		v.apply(markdown.Edit{At: markdown.Span{Start: last.At.End, End: last.At.End}, New: ", " + strings.Join(add, ", ")})
		return
	}
	mark, gap := "- ", "\n"
	if last.Row {
		gap = "\n\n"
	} else if last.Lines.End > 0 {
		line, _ := markdown.CutLine(l.text, last.Mark)
		mark = line[:bullet(line)]
	}
	for i := len(items) - 1; i > 0 && p == PartFacts && strings.IndexByte(" \t", mark[0]) >= 0; i-- { // that of the list around
		mark = l.text[items[i-1].Mark:items[i-1].At.Start]
	}
	at := l.nested(last.At.End)
	text := gap + mark + strings.Join(add, "\n"+mark)
	_, next := markdown.CutLine(l.text, at)
	if below, _ := markdown.CutLine(l.text, next); goesOn(below, p) {
		text += "\n" // a blank line, or what is below would
	}
	v.apply(markdown.Edit{At: markdown.Span{Start: at, End: at}, New: v.native(text)})
}

// goesOn reports whether a line below an item would continue it.
func goesOn(s string, p Part) bool {
	if strings.Trim(s, space) == "" || bullet(s) > 0 || markdown.FenceRun(s) != "" {
		return false
	}
	level, _ := markdown.Heading(s)
	return level == 0 && (p == PartFacts || !ends(s))
}

// oddPath reports whether a file's path cannot stand in a list on one line.
func oddPath(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsAny(s, ",;") || !(r == '.' || r == '/' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// nested is the end of the line at an offset, or of what is indented below it.
func (l *layout) nested(at int) int {
	line, next := markdown.CutLine(l.text, at)
	at += len(line)
	for _, ln := range l.lines(markdown.Span{Start: next, End: len(l.text)}) {
		s := ln.At.Of(l.text)
		indented := s != "" && (s[0] == ' ' || s[0] == '\t') && strings.Trim(s, space) != ""
		switch {
		case ln.Fence == markdown.FenceText || ln.Fence == markdown.FenceOpen && indented: // counts if it is closed
		case ln.Fence == markdown.FenceClose || ln.Fence == markdown.FenceNone && indented:
			at = ln.At.End
		default:
			return at
		}
	}
	return at
}

// facts revises the Facts: equal facts stay, and a fact with the subject of a new one is replaced in its
// place.
func (v *Reviser) facts() {
	wanted := v.content.Facts
	if len(wanted) == 0 && !v.replace[PartFacts] {
		return
	}
	l := v.E.layout()
	var there []listItem
	if b, ok := l.block(PartFacts); ok {
		there = l.listItems(PartFacts, b)
	}
	has := map[Fact]bool{}
	for _, x := range there {
		has[x.fact] = true
	}
	said := map[Fact]bool{}
	missing := map[string][]Fact{} // by subject
	subjects := map[string]bool{}
	var add []string
	for _, w := range wanted {
		said[w] = true
		subject := v.subject(w)
		subjects[subject] = subject != ""
		if !has[w] {
			missing[subject] = append(missing[subject], w)
		}
	}
	drop := map[string]bool{}
	var edits []markdown.Edit
	for _, x := range there {
		subject := v.subject(x.fact)
		switch {
		case said[x.fact]:
		case subjects[subject] && len(missing[subject]) > 0:
			edits = append(edits, markdown.Edit{At: x.At, New: missing[subject][0].in(x)})
			has[missing[subject][0]] = true
			missing[subject] = missing[subject][1:]
			v.addLoss(PartFacts, x.text, false)
		case subjects[subject] || v.replace[PartFacts]:
			drop[x.text] = true
			v.addLoss(PartFacts, x.text, false)
		case !v.merging:
			v.addLoss(PartFacts, x.text, true)
		}
	}
	for _, w := range wanted {
		if !has[w] {
			add = append(add, w.String())
		}
	}
	v.change(PartFacts, edits, add, drop)
}

// subject returns the common subject of facts that replace each other, "" if there is none.
func (v *Reviser) subject(f Fact) string {
	if v.merging {
		return ""
	}
	return strings.ToLower(f.Subject)
}
