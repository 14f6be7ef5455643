package pack

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// block is the content of a form, before it is written.
type block struct {
	kind     Kind
	form     Form
	source   string   // a path that an agent can open
	title    string   // of an entry
	symbols  []string // of a file, that it shows
	summary  string   // of an entry
	marks    []string // what the reader is warned of
	why      string   // why it is here, where the task asks for reasons
	lines    [][2]int // the lines that text holds, word for word; none of a line, nor of signatures
	extent   [2]int   // first and last line that it speaks of; zero: those of lines
	language string
	text     string // quoted as it is; of an outline what follows the source
}

// part is where a block stands.
type part uint8

const (
	knowledge part = iota
	codePart
	alsoPart
)

// headings of the parts.
var headings = [...]string{"## Knowledge", "## Code", "## Also relevant"}

func partOf(b *block) part {
	switch {
	case b.form.OneLine():
		return alsoPart
	case b.kind == KindEntry:
		return knowledge
	}
	return codePart
}

// written is a block as text, with the part that it stands in.
type written struct {
	part  part
	text  string // without the line ends behind it
	ended string // with a blank line behind it
}

// headingTokens estimates the cost of a file's heading and fence.
const headingTokens = 22

// markdown writes one block: a heading with its source above a fenced text. Nothing in it can end it.
func (b *block) markdown() string {
	source := b.source
	if len(b.lines) > 0 {
		source += ":" + ranges(b.lines)
	}
	var out strings.Builder
	switch {
	case b.form == FormSkeleton:
		out.WriteString("- " + code(source+":"+strconv.Itoa(b.extent[0])))
	case b.form == FormOutline:
		out.WriteString("- " + code(source))
	case b.form.OneLine():
		out.WriteString("- **" + inline(b.title) + "** " + code(source))
		for _, m := range b.marks {
			out.WriteString(" (" + inline(m) + ")")
		}
	case b.kind == KindEntry:
		out.WriteString("### " + inline(b.title) + "\n" + code(source) + "\n")
		if b.summary != "" {
			out.WriteString("> " + sentence(b.summary) + "\n")
		}
		for _, m := range b.marks {
			out.WriteString("> " + inline(m) + "\n")
		}
	default:
		out.WriteString("### " + code(source) + "\n")
	}
	switch {
	case b.why != "" && b.form.OneLine():
		out.WriteString(" (" + inline(b.why) + ")")
	case b.why != "":
		out.WriteString("> " + inline(b.why) + "\n")
	}
	switch {
	case !b.form.OneLine():
		out.WriteString(markdown.Fenced(b.language, strings.TrimRight(b.text, "\n")))
	case b.text+b.summary != "":
		out.WriteString(": " + sentence(b.text+b.summary)) // it has one of the two
	}
	return out.String()
}

// runsOf writes a pack: the blocks with what stands around them. Each run begins a
// line, with a sign, so that tokens of runs add up; together they are the text. What
// stands before the last block does not depend on it.
func runsOf(blocks []written) []string {
	out := make([]string, 0, len(blocks)+len(headings))
	for i, w := range blocks {
		if i == 0 || blocks[i-1].part != w.part {
			out = append(out, headings[w.part]+"\n\n")
		}
		run := w.ended
		if i == len(blocks)-1 || w.part == alsoPart && blocks[i+1].part == alsoPart {
			run = run[:len(run)-1]
		}
		out = append(out, run)
	}
	return out
}

// code is inline code that survives back-ticks in a path.
func code(s string) string {
	s = oneLine(s, utf8.RuneCountInString(s))
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// inline is text of a line that can open nothing: no code, no link, no HTML.
var inline = strings.NewReplacer("\\", "\\\\", "`", "\\`", "<", "\\<", "[", "\\[", "*", "\\*").Replace

// sentence is inline text that may hold whole pieces of code.
func sentence(s string) string {
	if strings.Count(s, "`")%2 == 0 {
		return aroundCode(s)
	}
	return inline(s)
}

var aroundCode = strings.NewReplacer("<", "\\<", "[", "\\[").Replace
