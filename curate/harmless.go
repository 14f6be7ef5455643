package curate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// harmless makes a model's Markdown safe to show anywhere: the model may repeat a malicious text, which
// editors, hovers and prompts would show later.
func harmless(text string) string {
	return format.WithoutMarkers(sanitize.Disarm(secrets.Redact(clean(text))))
}

// plainWords is a model's text as a line of plain words.
func plainWords(text string) string {
	return strings.TrimSpace(harmless(strings.Join(strings.Fields(clean(text)), " ")))
}

// Tame makes all texts of a model's operation harmless and limits their length. note is called for removed
// parts, except credentials, which are counted.
func Tame(op *plan.Op, note func(format string, args ...any)) (redacted int) {
	redacted = len(secrets.Scan(textOf(op)))
	title := op.Title
	if op.Title = sanitize.First(plainWords(title), maxTitle); op.Title != strings.Join(strings.Fields(title), " ") {
		note("the title was changed to %q: it was too long, or had characters that a title cannot have", op.Title)
	}
	op.MergeTargetTitle = sanitize.First(plainWords(op.MergeTargetTitle), maxTitle)
	eachText(op, harmless)
	op.Reason = sanitize.First(plainWords(op.Reason), maxReason)
	if s := plainWords(op.Summary); utf8.RuneCountInString(s) > maxSummary {
		op.Summary = sanitize.Short(s, maxSummary)
		note("the summary was cut to %d characters", maxSummary)
	} else {
		op.Summary = s
	}
	tameFacts(op, note)
	for _, r := range format.WordLists {
		list := *r.List(&op.Content)
		for j := range list {
			list[j] = oneLine(list[j])
		}
	}
	return redacted
}

// Plain is a model's text as one harmless line of at most so many characters, for notes and
// reasons.
func Plain(text string, most int) string { return sanitize.First(plainWords(text), most) }

// textOf is all that an operation says.
func textOf(op *plan.Op) string {
	var b strings.Builder
	copied := *op
	b.WriteString(op.Title + "\n")
	eachText(&copied, func(s string) string { b.WriteString(s + "\n"); return s })
	return b.String()
}

// tameFacts leaves out facts without a statement, and of others categories that are none
// and values that are a credential by what stands before them.
func tameFacts(op *plan.Op, note func(format string, args ...any)) {
	n := len(op.Content.Facts)
	op.Content.Facts = slices.DeleteFunc(op.Content.Facts, func(f format.Fact) bool { return strings.TrimSpace(f.Statement) == "" })
	if gone := n - len(op.Content.Facts); gone > 0 {
		note("facts without a statement were left out: %d", gone)
	}
	for i := range op.Content.Facts {
		f := &op.Content.Facts[i]
		f.Subject, f.Statement, f.Value = plainWords(f.Subject), plainWords(f.Statement), plainWords(f.Value)
		if f.Category != "" && !slices.Contains(format.Categories, f.Category) {
			note("%s is not a category of facts", quoted(f.Category))
			f.Category = ""
		}
		if len(secrets.Scan(f.Subject+" "+f.Statement+" = "+f.Value)) > 0 || len(secrets.Scan(f.Subject+"="+f.Value)) > 0 {
			f.Value = "[REDACTED]"
			note("the value of a fact was redacted")
		}
	}
}

// eachText calls f with each text of an operation that is no name, path or choice, and drops items of lists
// that become empty.
func eachText(op *plan.Op, f func(s string) string) {
	op.Texts(func(field, text string) string {
		whole, _, _ := strings.Cut(field, "[")
		if unsaid[whole] || strings.HasSuffix(field, "].category") {
			return text
		}
		return f(text)
	})
	for _, r := range format.Parts {
		if r.List != nil {
			*r.List(&op.Content) = slices.DeleteFunc(*r.List(&op.Content), func(s string) bool { return strings.TrimSpace(s) == "" })
		}
	}
}

// unsaid are the fields of an operation that name the entry or choose the action, and the title, which is one
// line.
var unsaid = map[string]bool{"type": true, "path": true, "title": true, "to": true, "replace": true, "mergeTarget": true,
	"mergeTargetTitle": true,
	"confidence":       true, "impact": true, "content.relations": true, "content.rawConcept.files": true, "synthesis.sources": true}
