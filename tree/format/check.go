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

// check reports what is readable but not as its author may think.
func (p *parser) check() {
	if len(p.Text) > MaxFileSize { // an open buffer: from the disk it is not read
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

// CapProblems cuts a list to MaxProblems and says how many more there are.
func CapProblems(ps []Problem) []Problem {
	if len(ps) <= MaxProblems {
		return ps
	}
	more, at := len(ps)-MaxProblems+1, ps[MaxProblems-1].At
	return append(ps[:MaxProblems-1:MaxProblems-1], Problem{
		Code: CodeMore, Severity: SeverityInfo, Message: fmt.Sprintf("%d more problems in this entry are not listed", more), At: at,
	})
}

// checkFields reports keys that no specification defines; they are kept. A key
// that is one of the format's but for its spelling is named.
func (p *parser) checkFields() {
	if _, ok := p.Field(ImportedFromKey); ok {
		return // what other programs know by its keys is theirs to check
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

// TitleAt is where an entry states its title; ok is false, and the place the beginning
// of its body, where it states none.
func (e *Entry) TitleAt() (at markdown.Span, ok bool) {
	if f, found := e.Field("title"); found && len(f.Items) == 1 {
		return f.Items[0].At, true
	}
	if len(e.Sections) > 0 && e.Sections[0].Level == 1 {
		return e.Sections[0].Heading, true
	}
	return markdown.Span{Start: e.Body.Start, End: e.Body.Start}, false
}

// TitleKey is equal for equal titles: without letter case and the width of spaces.
// It is "" for what states no title.
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
	return fmt.Sprintf("%d bytes, the limit is %d: larger files are not read. Divide it into several entries", size, MaxFileSize)
}

// checkInvisible reports text that people do not see and models read, or that shows in
// another order than it is written ([sanitize.Hidden]). The first of each line counts.
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

// checkUnsafe reports what a Markdown renderer may run or fetch ([sanitize.Unsafe]), in what people write.
func (p *parser) checkUnsafe() {
	if p.Role == RoleSummary { // generated: what is wrong is wrong in the entries that it sums up
		return
	}
	for i, u := range sanitize.Unsafe(p.Text) {
		if i == maxInvisible {
			return
		}
		at, _ := slices.BinarySearchFunc(p.Relations, u.Start, func(m Mention, start int) int { return m.At.Start - start })
		if at < len(p.Relations) && p.Relations[at].At.End <= u.End && inOtherTree(p.Relations[at].Raw) {
			continue // whether that tree is known is not known here
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

// Invisible lists all of a text that [CodeInvisible] is about, also what is not reported because
// its line has been.
func Invisible(text string) (out []markdown.Span) {
	for c := range sanitize.Hidden(text) {
		out = append(out, markdown.Span{Start: c.Start, End: c.End})
	}
	return out
}
