package refactor

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// frontmatter removes the field that a problem is about: one whose value has the wrong type for its key, or one
// whose key occurs twice. Invalid YAML has no fix, since its meaning is unknown.
func (d editing) frontmatter(problem format.Problem) (out []Fix) {
	drop := func(id, title string, f format.Field) {
		if ed := d.entry.RemoveField(f); ed != (markdown.Edit{}) {
			out = append(out, d.edit(id, title, ed))
		}
	}
	of := map[string][]format.Field{} // earlier fields, by key
	for _, f := range d.entry.Fields {
		before := of[f.Key]
		of[f.Key] = append(before, f)
		value := f.At
		if len(f.Items) == 1 {
			value = f.Items[0].At
		}
		switch {
		case problem.Severity == format.SeverityWarning && problem.At == value:
			drop("remove", "Remove `"+d.fieldText(f)+"`", f)
		case problem.Severity == format.SeverityError && problem.At == f.KeyAt && len(before) > 0:
			which := "second"
			if len(before) > 1 {
				which = "repeated"
			}
			drop("remove", "Remove the "+which+" `"+f.Key+"`", f)
			if before[0].At.Of(d.entry.Text) != f.At.Of(d.entry.Text) { // if they differ, the user has to choose which one to remove
				drop("first", "Remove the first `"+f.Key+"`, which is not used", before[0])
			}
		}
	}
	if len(out) == 1 {
		out[0].Preferred = true
	}
	return out
}

// maxSaid bounds the text of a field that a title repeats, in bytes.
const maxSaid = 60

// fieldText returns a field as it is written. It returns only the key if the value is long, empty or a secret.
func (d editing) fieldText(f format.Field) string {
	if len(f.Items) != 1 || f.Items[0].Value == "" {
		return f.Key
	}
	text := f.Key + ": " + f.Items[0].At.Of(d.entry.Text)
	if len(text) > maxSaid || strings.ContainsAny(text, "\r\n") || len(secrets.Scan(text)) > 0 {
		return f.Key
	}
	return text
}
