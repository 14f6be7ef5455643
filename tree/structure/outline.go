package structure

import (
	"cmp"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Kind is the kind of a symbol.
type Kind string

// The kinds of symbols.
const (
	Frontmatter Kind = "frontmatter"
	Key         Kind = "key" // of the frontmatter
	Heading     Kind = "heading"
	FactItem    Kind = "fact"
)

// Symbol is a named part of an entry.
type Symbol struct {
	Kind     Kind
	Name     string        // one line, never blank
	Detail   string        // one line: a key's value, what a fact says; may be ""
	At       markdown.Span // the whole part
	NameAt   markdown.Span // what stands for it; inside At
	Children []Symbol      // in order of place, side by side inside At
}

// maxLabel bounds names and details, in characters: more does not fit a list's line.
const maxLabel = 120

// Outline is the entry's frontmatter with its keys, and its headings, each with those
// below it and the facts that stand under it.
func Outline(e *format.Entry) []Symbol {
	var out []Symbol
	if at, ok := frontmatter(e); ok {
		out = append(out, Symbol{Kind: Frontmatter, Name: "frontmatter", At: at,
			NameAt: markdown.Span{Start: at.Start, End: at.Start + len("---")}, Children: keys(e, at)})
	}
	b := outliner{facts: e.Facts, sections: e.Sections}
	return append(out, b.below(markdown.Span{Start: e.Body.Start, End: len(e.Text)})...)
}

func keys(e *format.Entry, in markdown.Span) []Symbol {
	var out []Symbol
	for _, f := range e.Fields {
		s := Symbol{Kind: Key, Name: label(f.Key), At: inside(f.At, in)}
		if s.Name == "" {
			s.Name = `""`
		}
		s.NameAt = inside(f.KeyAt, s.At)
		s.Detail = label(strings.Join(e.Values(f), ", "))
		in.Start = s.At.End
		out = append(out, s)
	}
	return out
}

// outliner takes sections and facts, both in order of place, as it walks the body.
type outliner struct {
	sections []markdown.Section
	facts    []format.Fact
}

// below takes the symbols that begin in a span.
func (b *outliner) below(in markdown.Span) []Symbol {
	var out []Symbol
	for {
		section := len(b.sections) > 0 && b.sections[0].At.Start < in.End
		fact := len(b.facts) > 0 && b.facts[0].At.Start < in.End
		switch {
		case fact && (!section || b.facts[0].At.Start < b.sections[0].At.Start):
			f := b.facts[0]
			b.facts = b.facts[1:]
			out = append(out, factSymbol(f, inside(f.At, in)))
		case section:
			s := b.sections[0]
			b.sections = b.sections[1:]
			out = append(out, b.heading(s, inside(s.At, in)))
		default:
			return out
		}
		in.Start = out[len(out)-1].At.End
	}
}

func (b *outliner) heading(s markdown.Section, at markdown.Span) Symbol {
	name := label(s.Title)
	if name == "" {
		name = strings.Repeat("#", s.Level)
	}
	return Symbol{Kind: Heading, Name: name, At: at, NameAt: inside(s.Heading, at), Children: b.below(at)}
}

func factSymbol(f format.Fact, at markdown.Span) Symbol {
	s := Symbol{Kind: FactItem, Name: label(f.Subject), Detail: label(cmp.Or(f.Statement, f.Value)), At: at, NameAt: at}
	if s.Name == "" {
		s.Name, s.Detail = s.Detail, ""
	}
	if s.Name == "" {
		s.Name = "-"
	}
	return s
}

// label is one line of bounded length.
func label(s string) string {
	return sanitize.Short(strings.Join(strings.Fields(s), " "), maxLabel)
}

// Flat lists symbols and all below them in order of place, each with the name of
// the one that holds it.
func Flat(symbols []Symbol) []Contained { return flatten(nil, symbols, "") }

// Contained is a symbol of a flat list.
type Contained struct {
	Symbol
	In string // the name of the symbol around it, "" for none
}

func flatten(out []Contained, symbols []Symbol, in string) []Contained {
	for _, s := range symbols {
		out = flatten(append(out, Contained{s, in}), s.Children, s.Name)
	}
	return out
}
