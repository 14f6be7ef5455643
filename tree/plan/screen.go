package plan

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// What operations say is screened before anything is planned, so that neither an entry nor
// the journal, a review or the audit log ever holds it otherwise:
//
//   - Credentials are redacted, whoever wrote them. They can still be written into a file by
//     hand, and are a problem of it then.
//   - Characters that nobody sees go. An operation of a person says so; one of an agent or a
//     model fails, since there is no honest reason for them.
//   - Links that run something and pictures from elsewhere become text and links in what
//     agents and models write. A person may write them, and they are a problem of the entry.
//
// And what agents and models propose is held as a whole or refused as a whole: one path that
// cannot be, and nobody is asked to review the rest.

// Screen screens the batch, so that it can be planned and kept.
func (b Batch) Screen() Batch {
	b.Author, b.Origin = ClearText(b.Author), b.Origin.Named()
	if !b.Origin.Human() {
		b.Hold, b.Author = HoldAll, format.Name(b.Author) // an agent chooses its own name
	}
	ops := make([]Op, len(b.Ops))
	b.found = make([]screened, len(b.Ops))
	for i, op := range b.Ops {
		ops[i], b.found[i] = op.screen(b.Origin)
	}
	b.Ops = ops
	return b
}

// ClearText is a name or a reason in a form that may be kept.
func ClearText(s string) string { return secrets.Redact(sanitize.Visible(s)) }

// Texts replaces each text of an operation with the result of f; field is its place as in JSON,
// "content.facts[0].value". Slices and pointers are copied first.
func (op *Op) Texts(f func(field, text string) string) { mapTexts(reflect.ValueOf(op).Elem(), "", f) }

// screen is the operation without the texts that must not be kept.
func (op Op) screen(o format.Origin) (Op, screened) {
	var found screened
	if op.Text != "" && !o.Human() {
		found.err = Failed(FailInvalid, "only a person can give the text of a whole file; give its parts in `content`")
	}
	redact := func(text string) string {
		out := secrets.Redact(text)
		if out != text {
			found.redacted += len(secrets.Scan(text))
		}
		return out
	}
	op.Texts(func(field, text string) string {
		if !isPath(field) || !o.Human() {
			shown := text
			if c, what := firstHidden(text); what != "" {
				if !o.Human() && found.err == nil {
					found.path = isPath(field)
					found.err = Failed(FailInvalid, "%s contains U+%04X, an invisible %s; remove it", field, c, what)
				}
				shown = sanitize.Visible(format.UnixLines(text))
				if field == "text" && strings.HasPrefix(text, markdown.ByteOrderMark) {
					shown = markdown.ByteOrderMark + shown
				}
				found.hidden += len([]rune(text)) - len([]rune(shown))
			}
			text = shown
		}
		text = redact(text)
		if !o.Human() && isMarkdown(field) {
			safe := sanitize.Disarm(text)
			found.disarmed = found.disarmed || safe != text
			text = safe
		}
		return text
	})
	for i, f := range op.Content.Facts { // a name and its secret may be two parts of one line
		line := format.OneLine(f.String())
		if safe := redact(line); safe != line {
			op.Content.Facts[i] = format.ParseFact(safe)
		}
	}
	return op, found
}

// firstHidden is the first character of a text that is not allowed in it.
func firstHidden(text string) (r rune, what string) {
	if c, ok := sanitize.Control(text); ok {
		return c.Rune, c.What
	}
	for c := range sanitize.Hidden(text) {
		return c.Rune, c.What
	}
	return 0, ""
}

// isPath reports whether a field names an existing or new entry; its value may be any name.
func isPath(field string) bool {
	return field == "path" || field == "to" || field == "mergeTarget" || field == "mergeTargetTitle"
}

// isMarkdown reports whether a field's text is shown as Markdown, and not as code or a name.
func isMarkdown(field string) bool {
	_, inner, _ := strings.Cut(field, "].")
	return !isPath(field) && field != "type" && inner != "pattern" && inner != "flags" && inner != "value" &&
		!(strings.HasPrefix(field, "content.narrative.diagrams") && inner == "content")
}

// mapTexts replaces all texts in a value, fields to come included. What is shared with other
// values is copied.
func mapTexts(v reflect.Value, name string, f func(field, text string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(f(name, v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			mapTexts(c.Elem(), name, f)
			v.Set(c)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			for i := range c.Len() {
				mapTexts(c.Index(i), fmt.Sprintf("%s[%d]", name, i), f)
			}
			v.Set(c)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			switch {
			case key == "-":
				continue
			case key == "": // an embedded struct
				key = name
			case name != "":
				key = name + "." + key
			}
			mapTexts(v.Field(i), key, f)
		}
	}
}

// misplaced returns the error for each operation with a wrong path, by its index.
func (p *Plan) misplaced(b Batch) map[int]string {
	out := map[int]string{}
	for i, op := range b.Ops {
		if i < len(b.found) && b.found[i].path {
			out[i] = b.found[i].err.Error()
		}
		for _, raw := range []string{op.Path, op.To, op.MergeTarget} {
			if reason := p.wrongPath(raw); reason != "" && out[i] == "" && (raw != "" || raw == op.Path) {
				out[i] = reason
			}
		}
	}
	return out
}

// wrongPath returns the reason why an agent or a model must not name a path, "" if it may: it leaves the
// tree, it is not the path of an entry or folder, or it leads through a link.
func (p *Plan) wrongPath(raw string) string {
	at, err := cleanPath(raw)
	if err != nil {
		return err.Error()
	}
	if p.Before.Linked(at) {
		return fmt.Sprintf("path %q leads through a symbolic link, and symbolic links are not followed", raw)
	}
	if e, ok := p.After.Entry(at); ok && e.Role == format.RoleEntry && !format.Archived(at) {
		return ""
	}
	here := ""
	names := strings.Split(at, "/")
	for i, name := range names {
		here = path.Join(here, name)
		name, isFile := strings.CutSuffix(name, ".md")
		if isFile && i < len(names)-1 {
			return fmt.Sprintf("path %q: %s.md is not a folder", raw, name)
		}
		stem, _, _ := strings.Cut(name, ".")
		if format.GeneratedName(stem) {
			return fmt.Sprintf("path %q: %q is reserved for generated files", raw, names[i])
		}
		if _, there := p.After.Node(here); there && !format.Hidden(here) {
			continue
		}
		if reason := format.RefusedName(name); reason != "" {
			return fmt.Sprintf("path %q: %s", raw, reason)
		}
	}
	if depth := len(names); depth > 4 || depth > 3 && !strings.HasSuffix(at, ".md") {
		return fmt.Sprintf("path %q: an entry's path is domain/topic/name.md or domain/topic/subtopic/name.md", raw)
	}
	return ""
}

// refuseMisplaced makes all operations fail because of the wrong paths of some.
func (p *Plan) refuseMisplaced(b Batch, wrong map[int]string) {
	for i, op := range b.Ops {
		r := Result{Type: op.Type.Normal(), Path: op.Path, Reason: op.Reason, Confidence: op.Confidence, Impact: op.Impact,
			Status: StatusFailed,
			Code:   FailAtomic, Message: "not done because another operation of the batch has an invalid path"}
		if wrong[i] != "" {
			r.Code, r.Message = FailInvalid, wrong[i]
		}
		p.Results = append(p.Results, r)
		p.Summary.count(r, false)
	}
}
