package format

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Content returns the parts of an entry as its file has them. It is read when asked for, in time
// linear in the text.
func (e *Entry) Content() Content {
	e = e.exact()
	l := e.layout()
	c := Content{Facts: append([]Fact(nil), e.Facts...)}
	for _, r := range Parts {
		b, _ := l.block(r.Part)
		switch {
		case r.Words != nil:
			*r.List(&c) = append([]string(nil), *r.Words(&e.Lists)...)
		case r.line:
			*r.Text(&c) = OneLine(b.Text.Of(l.text))
		case r.Text != nil:
			*r.Text(&c) = l.prose(b, r.label != "")
		case r.label != "" && r.List != nil:
			for _, x := range l.listItems(r.Part, b) {
				*r.List(&c) = append(*r.List(&c), x.text)
			}
		}
	}
	if f, ok := e.LastField("related"); ok {
		for _, v := range f.values() {
			c.Relations = append(c.Relations, strings.TrimLeft(v, "@ "))
		}
	}
	patterns, _ := l.block(PartPatterns)
	for _, p := range l.patterns(patterns) {
		c.RawConcept.Patterns = append(c.RawConcept.Patterns, p.Pattern)
	}
	if b, ok := l.block(PartDiagrams); ok {
		for _, d := range l.diagrams(b) {
			c.Narrative.Diagrams = append(c.Narrative.Diagrams, d.Diagram)
		}
	}
	for _, at := range l.snippets() {
		c.Snippets = append(c.Snippets, UnixLines(at.Of(e.Text)))
	}
	return c
}

// Reason returns the text of the Reason section.
func (e *Entry) Reason() string {
	l := e.layout()
	b, _ := l.section("Reason")
	return l.prose(b, false)
}

// LastField is the field that counts where a key occurs twice.
func (e *Entry) LastField(key string) (Field, bool) {
	for i := len(e.Fields) - 1; i >= 0; i-- {
		if e.Fields[i].Key == key {
			return e.Fields[i], true
		}
	}
	return Field{}, false
}

// listed is a pattern and the item that holds it.
type listed struct {
	Pattern
	item
}

func (l *layout) patterns(b block) (out []listed) {
	if b.At.End == 0 {
		return nil
	}
	for _, it := range l.items(b, listPlain) {
		if p, ok := parsePattern(it.At.Of(l.text)); ok {
			out = append(out, listed{p, it})
		}
	}
	return out
}

// prose reads a block of text as its author wrote it; see escape.
func (l *layout) prose(b block, labelled bool) string {
	return unescape(UnixLines(b.Text.Of(l.text)), labelled || b.Alone)
}

// parsePattern reads the text of one item:
//
//	`expression` (flags: i) - description
func parsePattern(s string) (Pattern, bool) {
	spans := markdown.CodeSpans(s)
	if len(spans) == 0 || spans[0].At.Start != 0 {
		return Pattern{}, false
	}
	p := Pattern{Pattern: spans[0].Text.Of(s)}
	if spans[0].Text.Start > 1 {
		p.Pattern = strings.TrimSuffix(strings.TrimPrefix(p.Pattern, " "), " ") // see codeSpan
	}
	rest := OneLine(s[spans[0].At.End:])
	if flags, ok := strings.CutPrefix(rest, "(flags:"); ok {
		if flags, after, ok := strings.Cut(flags, ")"); ok {
			p.Flags, rest = onlyLetters(flags), strings.TrimLeft(after, " ")
		}
	}
	p.Description = strings.TrimLeft(strings.TrimPrefix(rest, "-"), " ")
	return p, p.Pattern != "" && !strings.Contains(p.Pattern, "\n")
}

func onlyLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r|0x20 < 'a' || r|0x20 > 'z' {
			return -1
		}
		return r
	}, s)
}

// String writes the pattern as an item of the Patterns list, without the bullet.
func (p Pattern) String() string {
	s := codeSpan(p.Pattern)
	if p.Flags != "" {
		s += " (flags: " + p.Flags + ")"
	}
	if p.Description != "" {
		s += " - " + p.Description
	}
	return s
}

// listItems lists the items of a part, each with its normal text.
func (l *layout) listItems(p Part, b block) []listItem {
	var out []listItem
	switch p {
	case PartPatterns:
		for _, x := range l.patterns(b) {
			if p := x.Pattern.normal(); p != (Pattern{}) {
				out = append(out, listItem{item: x.item, text: p.String()})
			}
		}
	case PartFacts:
		out = l.facts(b, l.text)
		for i := range out {
			out[i].fact = out[i].fact.normal()
			out[i].text = out[i].fact.String()
		}
	default:
		kind := listPlain
		if p == PartFiles {
			kind = listFiles
		}
		for _, it := range l.items(b, kind) {
			out = append(out, listItem{item: it, text: OneLine(it.At.Of(l.text))})
		}
	}
	return out
}
