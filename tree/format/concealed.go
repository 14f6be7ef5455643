package format

import (
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// veil takes the credentials ([CodeSecret]) of the entry's text out of what is said of it in words: title,
// summary, tags, keywords, headings, facts and problems. [Parse] ends with it, so that whoever shows one of them shows
// none. Places, paths and the values of Fields are those of the file, for edits; what stands at a place is
// shown through [Entry.Shown].
func (p *parser) veil() {
	veiled := secrets.Veil(p.Text)
	if veiled.Clean() {
		return
	}
	p.veiled = true
	without := func(all ...*string) {
		for _, s := range all {
			*s = veiled.Without(*s)
		}
	}
	without(&p.Title, &p.Summary)
	for _, r := range WordLists {
		list := *r.Words(&p.Lists)
		for i := range list {
			without(&list[i])
		}
	}
	for i := range p.Sections {
		without(&p.Sections[i].Title)
	}
	for i := range p.Facts {
		f := &p.Facts[i]
		without(&f.Subject, &f.Value, &f.Statement)
	}
	for i := range p.Problems {
		without(&p.Problems[i].Message)
	}
}

// Veiled says of an entry that was not parsed, since it is a part of a document, that the document has credentials:
// its text is shown without them.
func Veiled(e *Entry) *Entry {
	e.veiled = true
	return e
}

// Values returns the values of a field of the entry, without the credentials in them.
func (e *Entry) Values(f Field) []string {
	values := f.values()
	if e.veiled {
		veiled := secrets.Veil(e.Text)
		for i := range values {
			values[i] = veiled.Without(values[i])
		}
	}
	return values
}

// exact is the entry with the words of its file, for what is written back into files.
func (e *Entry) exact() *Entry {
	if !e.veiled {
		return e
	}
	return parse(e.Path, e.Text).Entry
}

// Redacted is the entry for whoever takes text out of it: what its text holds of credentials is replaced by
// [REDACTED:rule] before anything is cut from it, since a piece alone no longer shows what
// it is. An entry without any is itself; of another, places are not those of its file.
func (e *Entry) Redacted() *Entry {
	if !e.veiled {
		return e
	}
	if _, _, section := SectionOf(e.Path); section {
		text := e.Shown(e.Body)
		return &Entry{Path: e.Path, Role: e.Role, Title: e.Title, Summary: e.Summary, Lists: e.Lists, Signals: e.Signals,
			Text: text, Hash: e.Hash, Body: markdown.Span{End: len(text)}}
	}
	return Parse(e.Path, secrets.Redact(e.Text, nil))
}

// Shown is a part of the entry's text for whoever reads it elsewhere: [REDACTED:rule] stands
// for the credentials in it. Lines keep their numbers.
func (e *Entry) Shown(at markdown.Span) string {
	if !e.veiled {
		return at.Of(e.Text)
	}
	return secrets.Veil(e.Text).Part(at.Start, at.End)
}
