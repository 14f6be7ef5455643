package pack

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// block is the content of a form, before it is written in a format.
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

// oneLine reports whether the block is a line of a list.
func (b *block) oneLine() bool { return b.form == FormSummary || b.form == FormOutline }

// part is where a block stands.
type part uint8

const (
	knowledge part = iota
	codePart
	alsoPart
)

// headings of the parts, in markdown.
var headings = [...]string{"## Knowledge", "## Code", "## Also relevant"}

func partOf(b *block) part {
	switch {
	case b.oneLine():
		return alsoPart
	case b.kind == KindEntry:
		return knowledge
	}
	return codePart
}

// written is a block in the pack's format, with the part that it stands in.
type written struct {
	part  part
	text  string // without the line ends behind it
	ended string // with a blank line behind it
}

// writer is a format.
type writer interface {
	// block writes one block. Nothing in it can end it.
	block(b *block) string
	// runs writes a pack: the blocks with what stands around them. Each run begins a
	// line, with a sign, so that tokens of runs add up; together they are the text. What
	// stands before the last block does not depend on it.
	runs(blocks []written) []string
	// prices returns the cost of a file's heading in tokens, and the cost of a token of text.
	prices() (heading int, factor float64)
}

func writerOf(f Format) (writer, error) {
	switch f {
	case Markdown, "":
		return markdownWriter{}, nil
	case XML:
		return xmlWriter{}, nil
	case JSON:
		return jsonWriter{}, nil
	}
	return nil, fmt.Errorf("no format %q; there are md, xml and json", f)
}

// markdownWriter writes a heading with its source above each fenced text.
type markdownWriter struct{}

// prices: a heading and a fence cost some 20 tokens.
func (markdownWriter) prices() (int, float64) { return 22, 1 }

func (markdownWriter) block(b *block) string {
	source := b.source
	if len(b.lines) > 0 {
		source += ":" + ranges(b.lines)
	}
	var out strings.Builder
	switch {
	case b.form == FormOutline:
		out.WriteString("- " + code(source))
	case b.oneLine():
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
	case b.why != "" && b.oneLine():
		out.WriteString(" (" + inline(b.why) + ")")
	case b.why != "":
		out.WriteString("> " + inline(b.why) + "\n")
	}
	switch {
	case !b.oneLine():
		out.WriteString(markdown.Fenced(b.language, strings.TrimRight(b.text, "\n")))
	case b.text+b.summary != "":
		out.WriteString(": " + sentence(b.text+b.summary)) // it has one of the two
	}
	return out.String()
}

func (markdownWriter) runs(blocks []written) []string {
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

// xmlWriter writes <entry> and <file> elements with their texts as CDATA, which costs
// code fewer tokens than escapes do.
type xmlWriter struct{}

func (xmlWriter) prices() (int, float64) { return 34, 1 }

var attribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", " ", "\t", " ").Replace

func (xmlWriter) block(b *block) string {
	name := "file"
	if b.kind == KindEntry {
		name = "entry"
	}
	var out strings.Builder
	out.WriteString("<" + name)
	set := func(key, value string) {
		if value != "" {
			out.WriteString(" " + key + `="` + attribute(clean(value)) + `"`)
		}
	}
	set("source", b.source)
	set("lines", ranges(b.lines))
	set("form", string(b.form))
	set("title", b.title)
	set("summary", b.summary)
	set("marks", strings.Join(b.marks, "; "))
	set("reason", b.why)
	switch {
	case !b.oneLine():
		text := strings.ReplaceAll(b.text, "]]>", "]]]]><![CDATA[>")
		out.WriteString("><![CDATA[\n" + strings.TrimRight(text, "\n") + "\n]]></" + name + ">")
	case b.text != "":
		out.WriteString(">" + attribute(b.text) + "</" + name + ">")
	default:
		out.WriteString("/>")
	}
	return out.String()
}

func (xmlWriter) runs(blocks []written) []string {
	if len(blocks) == 0 {
		return nil
	}
	out := []string{"<pack>\n"}
	for _, w := range blocks {
		out = append(out, w.ended[:len(w.ended)-1])
	}
	return append(out, "</pack>\n")
}

// jsonWriter writes one document, with a line for each item.
type jsonWriter struct{}

// prices: line ends, tabs and quotes are escaped.
func (jsonWriter) prices() (int, float64) { return 34, 1.2 }

// jsonItem is an item of the document.
type jsonItem struct {
	Kind    Kind     `json:"kind"`
	Source  string   `json:"source"`
	Lines   string   `json:"lines,omitempty"`
	Form    Form     `json:"form"`
	Title   string   `json:"title,omitempty"`
	Summary string   `json:"summary,omitempty"`
	Marks   []string `json:"marks,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Text    string   `json:"text,omitempty"`
}

func (jsonWriter) block(b *block) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	text := strings.TrimRight(b.text, "\n")
	item := jsonItem{b.kind, clean(b.source), ranges(b.lines), b.form, b.title, b.summary, b.marks, clean(b.why), text}
	if err := e.Encode(item); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func (jsonWriter) runs(blocks []written) []string {
	if len(blocks) == 0 {
		return nil
	}
	out := []string{"{\"items\":[\n"}
	for i, w := range blocks {
		comma := ","
		if i == 0 {
			comma = ""
		}
		out = append(out, comma+w.text+"\n")
	}
	return append(out, "]}\n")
}
