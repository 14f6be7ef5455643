package tree

import "github.com/brv-lsp/brv-lsp/internal/secrets"

// Redacted is the entry for what is taken out of it and shown elsewhere, in generated
// files and in hovers: what its text holds of credentials ([CodeSecret]) is replaced by
// [REDACTED:rule] before anything is cut from it, since a piece alone no longer shows what
// it is. An entry without any is itself; of another, places are not those of its file.
func (e *Entry) Redacted() *Entry {
	text := secrets.Redact(e.Text, nil)
	if text == e.Text {
		return e
	}
	return Parse(e.Path, text)
}

// Shown is a part of the entry's text for whoever reads it elsewhere: [REDACTED:rule] stands
// for the credentials in it. Lines keep their numbers.
func (e *Entry) Shown(at Span) string { return secrets.Veil(e.Text).Part(at.Start, at.End) }
