package format

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Content returns the parts of an entry as its file has them. It is read when asked for, in time
// linear in the text.
func (e *Entry) Content() Content {
	e = e.exact()
	l := e.layout()
	c := Content{Tags: slices.Clone(e.Tags), Keywords: slices.Clone(e.Keywords), Questions: slices.Clone(e.Questions), Facts: slices.Clone(e.Facts),
		RawConcept: l.rawConcept(), Narrative: l.narrative()}
	if f, ok := e.LastField("related"); ok {
		for _, v := range f.values() {
			c.Relations = append(c.Relations, strings.TrimLeft(v, "@ "))
		}
	}
	for _, at := range l.snippets() {
		c.Snippets = append(c.Snippets, UnixLines(at.Of(e.Text)))
	}
	return c.compact()
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

func (l *layout) narrative() *Narrative {
	var n Narrative
	for _, p := range NarrativeParts {
		b, _ := l.block(p.Part)
		*p.Of(&n) = l.prose(b, false)
	}
	if b, ok := l.part("Diagrams"); ok {
		for _, d := range l.diagrams(b) {
			n.Diagrams = append(n.Diagrams, d.Diagram)
		}
	}
	return &n
}

func (l *layout) rawConcept() *RawConcept {
	labels := l.labels()
	line := func(p Part) string { return OneLine(l.paragraph(labels[p]).Of(l.text)) }
	r := RawConcept{
		Task: l.prose(labels[PartTask], true), Flow: l.prose(labels[PartFlow], true),
		Timestamp: line(PartTimestamp), Author: line(PartAuthor),
	}
	list := func(p Part) (out []string) {
		for _, x := range l.listItems(p, labels[p]) {
			out = append(out, x.text)
		}
		return out
	}
	r.Changes, r.Files = list(PartChanges), list(PartFiles)
	for _, p := range l.patterns(labels[PartPatterns]) {
		r.Patterns = append(r.Patterns, p.Pattern)
	}
	return &r
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

// compact leaves out what is empty, so that equal contents compare equal.
func (c Content) compact() Content {
	none := func(s []string) []string {
		if len(s) == 0 {
			return nil
		}
		return s
	}
	for _, list := range []*[]string{&c.Tags, &c.Keywords, &c.Questions, &c.Relations, &c.Snippets} {
		*list = none(*list)
	}
	if len(c.Facts) == 0 {
		c.Facts = nil
	}
	if r := c.RawConcept; r != nil && r.Task+r.Flow+r.Timestamp+r.Author == "" && len(r.Changes)+len(r.Files)+len(r.Patterns) == 0 {
		c.RawConcept = nil
	}
	if n := c.Narrative; n != nil && n.Structure+n.Dependencies+n.Highlights+n.Rules+n.Examples == "" && len(n.Diagrams) == 0 {
		c.Narrative = nil
	}
	return c
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
