package format

import (
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// veil removes the credentials ([CodeSecret]) from the entry's derived texts: title, summary, tags, keywords,
// headings, facts and problems. [Parse] calls it last, so code that shows these texts cannot leak a
// credential. Places, paths and the values of Fields keep the file's content, which edits need; to show the
// text at a place, use [Entry.Shown].
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

// Veiled marks an entry whose document has credentials, so that its text is shown without them. It is for
// entries that are a part of a document, and so were not parsed.
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

// exact is the entry with its texts as the file has them, for text that is written back into files.
func (e *Entry) exact() *Entry {
	if !e.veiled {
		return e
	}
	return parse(e.Path, e.Text).Entry
}

// Redacted is the entry for code that cuts pieces out of its text: each credential is replaced by
// [REDACTED:rule] first, since a piece of a credential can no longer be recognised. An entry without
// credentials is returned as it is. Otherwise places in the result are not places in the file.
func (e *Entry) Redacted() *Entry {
	if !e.veiled {
		return e
	}
	if _, _, section := SectionOf(e.Path); section {
		text := e.Shown(e.Body)
		return &Entry{Path: e.Path, Role: e.Role, Title: e.Title, Summary: e.Summary, Lists: e.Lists, Signals: e.Signals,
			Text: text, Hash: e.Hash, Body: markdown.Span{End: len(text)}}
	}
	return Parse(e.Path, secrets.Redact(e.Text))
}

// Shown is a part of the entry's text for display elsewhere, with [REDACTED:rule] in place of credentials.
// Lines keep their numbers.
func (e *Entry) Shown(at markdown.Span) string {
	if !e.veiled {
		return at.Of(e.Text)
	}
	return secrets.Veil(e.Text).Part(at.Start, at.End)
}
