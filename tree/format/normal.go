package format

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Text that would break the structure of an entry is written so that it reads
// back as it was:
//
//   - a line of prose that would head a section, separate snippets or be a label
//     gets a backslash in front, as markdown has it, and loses it when read;
//   - a fence that is never closed is closed;
//   - a snippet with such lines is put into a fence, since a backslash has no
//     meaning in code;
//   - what stands on one line (titles, items, facts) has its line breaks and
//     runs of white space made single spaces.
//
// normal gives a content that form; control characters, which no text holds, go.
// Parse of Render of any content has the content's normal form.
func (c Content) normal() Content {
	for _, r := range Parts {
		switch {
		case r.Text != nil:
			*r.Text(&c) = r.normal(*r.Text(&c))
		case r.List != nil:
			*r.List(&c) = distinct(*r.List(&c), r.normal)
		}
	}
	c.RawConcept.Patterns = distinct(c.RawConcept.Patterns, Pattern.normal)
	c.Narrative.Diagrams = distinct(c.Narrative.Diagrams, Diagram.normal)
	c.Facts = distinct(c.Facts, Fact.normal)
	return c
}

// normal gives a text of the part, or of one of its items, its normal form.
func (r PartRow) normal(s string) string {
	switch {
	case r.Part == PartRelations:
		return relationPath(s)
	case r.Part == PartSnippets:
		return normalSnippet(s)
	case r.Words != nil || r.line:
		return OneLine(s)
	case r.List != nil:
		return itemText(s)
	}
	return normalText(s)
}

func (p Pattern) normal() Pattern {
	if p.Pattern = strings.ReplaceAll(clean(p.Pattern), "\n", `\n`); p.Pattern == "" {
		return Pattern{}
	}
	return Pattern{p.Pattern, onlyLetters(p.Flags), OneLine(p.Description)}
}

func (d Diagram) normal() Diagram {
	if d.Content = trimBlank(clean(d.Content)); d.Content == "" {
		return Diagram{}
	}
	if d.Type != diagramASCII {
		d.Type = diagramType(OneLine(d.Type))
	}
	d.Title = OneLine(d.Title)
	return d
}

// normal is the fact as it reads back: a statement that ends in what looks like
// a value or a category has one.
func (f Fact) normal() Fact {
	f = Fact{Subject: OneLine(f.Subject), Value: OneLine(f.Value), Statement: OneLine(f.Statement), Category: OneLine(f.Category)}
	return ParseFact(itemText(f.String()))
}

// normalText gives prose its normal form: lines end in LF, no blank lines around,
// no fence left open.
func normalText(s string) string {
	s = trimBlank(clean(s))
	written := escape(s, true)
	if s != "" && !slices.Equal(parts(written), parts("x\n" + written)[1:]) { // it is read in another way below a label
		s = `\` + strings.TrimLeft(s, " \t")
		written = escape(s, true)
	}
	if end := markdown.Unclosed(written); end != "" {
		s += "\n" + end
	}
	return s
}

// parts tells of each line whether it is prose.
func parts(s string) (out []markdown.FencePart) {
	for l := range markdown.Lines(s) {
		out = append(out, l.Fence)
	}
	return out
}

// itemText is the text of a list's item on one line. One that would begin code or a comment there gets a backslash.
func itemText(s string) string {
	if s = OneLine(s); s != "" && parts("- " + s)[0] != markdown.FenceNone {
		return `\` + s
	}
	return s
}

func normalSnippet(s string) string {
	s = normalText(s)
	for l := range markdown.Lines(s) {
		if line := l.At.Of(s); l.Prose() && breaks(line, false) && (l.Rule || !isRule(line)) {
			return markdown.Fenced("", s)
		}
	}
	return s
}

// distinct maps items and leaves out empty ones and those that occurred.
func distinct[T comparable](items []T, f func(T) T) []T {
	var empty T
	seen := make(map[T]bool, len(items))
	var out []T
	for _, x := range items {
		if x = f(x); x != empty && !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// breaks reports whether a line of prose, unescaped, would end its part.
func breaks(s string, labelled bool) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '#':
		level, _ := markdown.Heading(s)
		return level > 0 && level <= structural
	case '-':
		return isRule(s)
	case '*', '_', 'F', 'f', 'R', 'r':
		name, _, ok := partLabel(s)
		return labelled && ok && (labelPart(name) != "" || partAlone(name) != "")
	}
	return false
}

// escape puts a backslash before each line of normal prose that would break the
// structure, and before those that have one already.
func escape(s string, labelled bool) string {
	return markdown.MapProse(s, func(line string, rule bool) string {
		if breaks(strings.TrimLeft(line, `\`), labelled) && (rule || !isRule(line)) {
			return `\` + line
		}
		return line
	})
}

// unescape is the inverse of escape.
func unescape(s string, labelled bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	done := 0
	for l := range markdown.Lines(s) {
		line := l.At.Of(s)
		if l.Prose() && strings.HasPrefix(line, `\`) && breaks(strings.TrimLeft(line, `\`), labelled) {
			b.WriteString(s[done:l.At.Start])
			done = l.At.Start + 1
		}
	}
	return b.String() + s[done:]
}

// clean drops control characters and bytes that are no text.
func clean(s string) string {
	s = strings.ReplaceAll(UnixLines(s), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

var lineEnd = regexp.MustCompile(`\r+\n`)

// UnixLines makes line ends LF.
func UnixLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return lineEnd.ReplaceAllString(s, "\n")
}

// trimBlank cuts blank lines off both ends, and white space off the end.
func trimBlank(s string) string {
	s = strings.TrimRight(s, space)
	lead := len(s) - len(strings.TrimLeft(s, space))
	return s[strings.LastIndexByte(s[:lead], '\n')+1:]
}

// OneLine makes runs of white space single spaces. Most items are so already.
func OneLine(s string) string {
	fine := true
	for i := 0; i < len(s) && fine; i++ {
		c := s[i]
		fine = c > ' ' && c < 0x7f || c == ' ' && i > 0 && i+1 < len(s) && s[i-1] != ' '
	}
	if fine {
		return s
	}
	words := strings.FieldsFunc(clean(s), func(r rune) bool { return r <= ' ' })
	return strings.Join(words, " ")
}

// relationPath is a relation as it is written: with .md, without @.
func relationPath(s string) string {
	p, head, found := strings.Cut(strings.TrimLeft(OneLine(s), "@ "), "#")
	if p = strings.TrimRight(p, "/ "); p == "" {
		return ""
	}
	if !strings.HasSuffix(strings.ToLower(p), ".md") {
		p += ".md"
	}
	if found {
		p += "#" + head
	}
	return p
}

// relationKey is equal for the forms of one relation: with and without .md or
// context.md, with hyphens or underscores.
func relationKey(s string) string {
	p, _, _ := strings.Cut(relationPath(s), "#")
	return strings.TrimSuffix(strings.TrimSuffix(Fold(p), ".md"), "/context")
}

// inWords makes words of a file or folder name.
func inWords(name string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(name)
}
