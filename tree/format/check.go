package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// MaxProblems is how many problems of one entry are published; an entry with
// more has something wrong as a whole, and editors show lists of hundreds badly.
const MaxProblems = 200

func (p *parser) report(code string, severity Severity, message string, at markdown.Span) {
	p.Problems = append(p.Problems, Problem{Code: code, Severity: severity, Message: message, At: at})
}

// check reports text that can be read, but perhaps not as its author meant it.
func (p *parser) check() {
	if len(p.Text) > MaxFileSize { // only an open buffer can be this large: such a file is not read from the disk
		p.report(CodeTooLarge, SeverityWarning, TooLarge(len(p.Text)), markdown.Span{})
	}
	if p.Role == RoleEntry {
		p.checkFields()
	}
	p.checkTwice()
	p.checkInvisible()
	p.checkUnsafe()
	p.Problems = CapProblems(p.Problems)
}

// CapProblems cuts a list to MaxProblems and reports how many were left out.
func CapProblems(ps []Problem) []Problem {
	if len(ps) <= MaxProblems {
		return ps
	}
	more, at := len(ps)-MaxProblems+1, ps[MaxProblems-1].At
	return append(ps[:MaxProblems-1:MaxProblems-1], Problem{
		Code: CodeMore, Severity: SeverityInfo, Message: fmt.Sprintf("%d more problems in this entry are not listed", more), At: at,
	})
}

// checkFields reports keys that no specification defines; they are kept. If a key is a misspelt key of the
// format, the message names that one.
func (p *parser) checkFields() {
	if _, ok := p.Field(ImportedFromKey); ok {
		return // keys of other programs are left to those programs
	}
	for _, f := range p.Fields {
		if _, known := fieldSpecs[f.Key]; known {
			continue
		}
		message := "unknown key " + f.Key + " is kept but not used"
		if key := SimilarKey(f.Key); key != "" {
			message = "unknown key " + f.Key + "; did you mean " + key + "?"
		}
		p.report(CodeField, SeverityHint, message, f.KeyAt)
	}
}

// SimilarKey is the written key that differs in case, separators or plural only,
// "" if there is none.
func SimilarKey(key string) string {
	bare := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s)), "s")
	}
	for _, k := range FieldKeys {
		if bare(k) == bare(key) {
			return k
		}
	}
	return ""
}

// checkTwice reports the second of two sections, parts of the Narrative or labels
// of one name: only the first is read.
func (p *parser) checkTwice() {
	seen := map[string]bool{}
	first := false // inside the first Narrative
	for _, s := range p.Sections {
		var name string
		switch {
		case s.Level > structural:
			continue
		case s.Level < structural:
			if name = ""; s.Level == 2 {
				name = sectionName(s.Title)
			}
			first = name == "Narrative" && !seen[name]
		case first:
			name = partName(s.Title)
		}
		if name != "" && seen[name] {
			p.report(CodeTwice, SeverityWarning, "second section "+s.Title+": only the first is read", s.Heading)
		}
		seen[name] = true
	}
	for _, at := range p.layout.duplicates {
		name, _, _ := partLabel(at.Of(p.Text))
		p.report(CodeTwice, SeverityWarning, "second label "+strings.Trim(name, "#*_: ")+": only the first is read", at)
	}
}

// MaxOthers bounds the other entries that one problem names.
const MaxOthers = 8

// TitleAt returns the place of an entry's title. Without a title, ok is false and the place is the beginning
// of its body.
func (e *Entry) TitleAt() (at markdown.Span, ok bool) {
	if f, found := e.Field("title"); found && len(f.Items) == 1 {
		return f.Items[0].At, true
	}
	if len(e.Sections) > 0 && e.Sections[0].Level == 1 {
		return e.Sections[0].Heading, true
	}
	return markdown.Span{Start: e.Body.Start, End: e.Body.Start}, false
}

// TitleKey is equal for equal titles: it ignores letter case and the width of spaces. It is "" for a title
// without letters.
func TitleKey(e *Entry) string {
	if e == nil || e.Role != RoleEntry {
		return ""
	}
	if _, ok := e.TitleAt(); !ok {
		return ""
	}
	return strings.ToLower(strings.Join(strings.Fields(e.Title), " "))
}

// GeneratedEdited is the problem of a generated file that somebody edits.
func GeneratedEdited(e *Entry) Problem {
	at := markdown.Span{Start: e.Body.Start, End: e.Body.Start}
	if len(e.Sections) > 0 {
		at = e.Sections[0].Heading
	}
	return Problem{Code: CodeEdited, Severity: SeverityWarning, At: at,
		Message: "this file is generated: edits are lost when it is written again. Change the entries that it is made from"}
}

// TooLarge is the message about a file of a size, in bytes.
func TooLarge(size int) string {
	return fmt.Sprintf("the file has %d bytes (limit: %d): larger files are not read. Divide it into several entries", size, MaxFileSize)
}

// checkInvisible reports text that people do not see but models read, or that is shown in another order than
// it is written ([sanitize.Hidden]). Only the first of each line is reported.
func (p *parser) checkInvisible() {
	reported, line := 0, 0 // line: where the next one begins
	for c := range sanitize.Hidden(p.Text) {
		if c.Start < line {
			continue
		}
		p.report(CodeInvisible, SeverityWarning, fmt.Sprintf("invisible text: %s U+%04X", c.What, c.Rune),
			markdown.Span{Start: c.Start, End: c.End})
		if reported++; reported == maxInvisible {
			return
		}
		_, line = markdown.CutLine(p.Text, c.Start)
	}
}

// checkUnsafe reports Markdown in hand-written files that a renderer may run or fetch ([sanitize.Unsafe]).
func (p *parser) checkUnsafe() {
	if p.Role == RoleSummary { // a generated file repeats the problems of the entries that it sums up
		return
	}
	for i, u := range sanitize.Unsafe(p.Text) {
		if i == maxInvisible {
			return
		}
		at, _ := slices.BinarySearchFunc(p.Relations, u.Start, func(m Mention, start int) int { return m.At.Start - start })
		if at < len(p.Relations) && p.Relations[at].At.End <= u.End && inOtherTree(p.Relations[at].Raw) {
			continue // this package does not know whether the other tree exists
		}
		p.report(CodeUnsafe, SeverityWarning, u.What+": brv-lsp shows it as text. Remove it, or put it in backticks",
			markdown.Span{Start: u.Start, End: u.End})
	}
}

// StatedHash is the hash of what it covers that a generated summary states, "" if it states none.
func StatedHash(e *Entry) string {
	f, _ := e.Field("children_hash")
	return f.Value()
}

// maxInvisible is how many lines with invisible text, and how many unsafe links, are
// reported per entry: enough to see what it is, without flooding a file that is full of it.
const maxInvisible = 20

// Invisible lists all problems of [CodeInvisible] in a text, including those that are not reported because
// another one of their line is.
func Invisible(text string) (out []markdown.Span) {
	for c := range sanitize.Hidden(text) {
		out = append(out, markdown.Span{Start: c.Start, End: c.End})
	}
	return out
}
