package curate

import (
	"bytes"
	"html"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// element is a tag of HTML: whether it closes, its name, and where a link leads.
var element = lazyregexp.New(`^<(/?)([A-Za-z][A-Za-z0-9]*)(?:\s(?:[^<>]*?href="(https?://[^"\s()<>]+)")?[^<>]*)?/?>`)

const (
	paragraph = "\n\n"
	fence     = "```"
	cell      = " | " // its end
)

// markup is what the elements of HTML that comments have begin and end with in Markdown.
var markup = map[string][2]string{
	"p": {paragraph, paragraph}, "div": {paragraph, paragraph}, "blockquote": {paragraph, paragraph}, "hr": {paragraph},
	"ul": {paragraph, paragraph}, "ol": {paragraph, paragraph}, "dl": {paragraph, paragraph}, "br": {"\n"},
	"li": {"\n- "}, "dt": {"\n- "}, "dd": {"\n  "},
	"table": {paragraph, paragraph}, "thead": {}, "tbody": {}, "caption": {paragraph, paragraph},
	"tr": {"\n| "}, "td": {"", cell}, "th": {"", cell},
	"h1": {paragraph + "**", "**" + paragraph}, "h2": {paragraph + "**", "**" + paragraph},
	"h3": {paragraph + "**", "**" + paragraph}, "h4": {paragraph + "**", "**" + paragraph},
	"pre": {paragraph + fence + "\n", "\n" + fence + paragraph}, "a": {},
	"code": {"`", "`"}, "tt": {"`", "`"}, "var": {"`", "`"}, "kbd": {"`", "`"}, "samp": {"`", "`"},
	"strong": {"**", "**"}, "b": {"**", "**"},
	"em": {}, "i": {}, "cite": {}, "span": {}, "font": {}, "sup": {}, "sub": {}, "small": {}, "u": {},
}

// plainDoc is the comment of a file in Markdown. It may be written in HTML with inline tags where the file has comments as
// Javadoc reads them. What is neither stays, as type arguments do; a comment with fences is Markdown already.
func plainDoc(file, doc string) string {
	if strings.Contains(doc, fence) || !strings.Contains(file, "/**") {
		return doc
	}
	var d docWriter
	for doc != "" {
		if name, said, n := inlineTag(doc); n > 0 {
			d.tag(name, said)
			doc = doc[n:]
			continue
		}
		if m := element().FindStringSubmatch(doc); m != nil {
			if marks, ok := markup[strings.ToLower(m[2])]; ok {
				d.element(strings.ToLower(m[2]), m[1] != "", m[3], marks)
				doc = doc[len(m[0]):]
				continue
			}
		}
		end := 1 + strings.IndexAny(doc[1:]+"<", "<{`")
		if code := strings.IndexByte(doc[1:], '`') + 2; doc[0] == '`' && code > 1 {
			end = code
		}
		d.text(doc[:end])
		doc = doc[end:]
	}
	d.element("pre", true, "", markup["pre"])
	return strings.TrimSpace(string(d.out))
}

// docWriter writes a comment in Markdown.
type docWriter struct {
	out       []byte
	href      string // of the link that is open
	pre, code bool   // what is open
	fresh     bool   // nothing stands in the line yet
	cells     int    // of the row that is open
	headed    bool   // the table that is open has its first row
}

// mark writes a sign; one that begins a line or a cell takes away the blanks before and behind it.
func (d *docWriter) mark(sign string) {
	was := d.fresh
	if d.fresh = strings.ContainsAny(sign, "\n|"); d.fresh {
		apart := was && bytes.HasSuffix(d.out, []byte(paragraph))
		if d.out = bytes.TrimSpace(d.out); apart && !strings.HasPrefix(sign, paragraph) {
			sign = "\n" + sign
		}
	}
	d.out = append(d.out, sign...)
}

func (d *docWriter) text(s string) {
	switch {
	case d.fresh && d.pre:
		s = strings.TrimLeft(s, "\r\n")
	case d.fresh:
		s = strings.TrimLeft(s, " \t\r\n")
	}
	if plain := html.UnescapeString(s); d.pre || d.code {
		s = strings.ReplaceAll(plain, "`", "'") // which would end the code
	} else if strings.Count(plain, "<") == strings.Count(s, "<") { // else it would be a tag
		s = plain
	}
	if d.code {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	d.fresh = d.fresh && s == ""
	d.out = append(d.out, s...)
}

func (d *docWriter) element(name string, closes bool, href string, marks [2]string) {
	sign := marks[0]
	if closes {
		sign = marks[1]
	}
	switch {
	case name == "pre" && d.pre != closes, name != "pre" && d.pre: // closed or opened already; signs mean nothing in code
		return
	case name == "pre":
		d.pre = !closes
	case name == "a" && closes && d.href != "":
		sign, d.href = "]("+d.href+")", ""
	case name == "a" && href != "" && d.href == "":
		sign, d.href = "[", href
	case sign == "`":
		d.code = !closes
	case name == "table":
		d.headed = false
	case name == "tr" && !closes:
		d.cells = 0
	case name == "tr" && !d.headed && d.cells > 0:
		sign, d.headed = "\n|"+strings.Repeat("---|", d.cells), true
	case sign == cell:
		d.cells++
	}
	if sign != "" {
		d.mark(sign)
	}
}

func (d *docWriter) tag(name, said string) {
	switch {
	case d.pre:
		said = strings.TrimRight(said, " \t\r\n")
	case d.code:
	case name == "link", name == "linkplain":
		said = "`" + linkLabel(oneLine(said)) + "`"
	default:
		said = "`" + oneLine(said) + "`"
	}
	d.text(said)
}

// inlineTag is a tag of Javadoc at the beginning of a text, {@code x}; braces in it come in pairs. n is its length, 0 where
// there is none.
func inlineTag(s string) (name, said string, n int) {
	if !strings.HasPrefix(s, "{@") {
		return "", "", 0
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			at := strings.IndexAny(s[:i], " \t\r\n")
			if at < 0 {
				return "", "", 0
			}
			return s[2:at], s[at+1 : i], i + 1
		}
	}
	return "", "", 0
}

// linkLabel is what a link of Javadoc says: its label, or else what it leads to.
func linkLabel(said string) string {
	depth := 0
	for i, r := range said {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ' ':
			if depth == 0 {
				return said[i+1:]
			}
		}
	}
	return said
}
