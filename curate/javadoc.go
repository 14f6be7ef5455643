package curate

import (
	"cmp"
	"html"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

var (
	// docCode is a block of code in a comment of HTML.
	docCode = lazyregexp.New(`(?is)\s*<pre(?:\s[^<>]*)?>(.*?)(?:</pre>\s*|$)`)
	docLink = lazyregexp.New(`(?is)<a\s[^<>]*href="(https?://[^"\s()<>]+)"[^<>]*>(.*?)</a>`)
	// docMark matches the parts of Javadoc that Markdown writes in another way: code, by its label if it is a link that has one,
	// beginnings and ends of blocks with the blanks around them, other elements and references to characters.
	docMark = lazyregexp.New("(?is)`[^`\n]*`" +
		`|\{@link(?:plain)?\s+[^\s(){}]+(?:\([^(){}]*\))?\s+([^{}]+)\}` +
		`|\{@\w+\s+((?:[^{}]|\{[^{}]*\})*)\}` +
		`|<(?:code|tt|var|kbd|samp)>(.*?)</(?:code|tt|var|kbd|samp)>` +
		`|\s*</(?:li|dt|dd|tr|td|th)>` +
		`|\s*<(/?(?:p|div|blockquote|[uod]l|table|hr|h[1-4]|li|d[td]|tr|br))(?:\s[^<>]*)?/?>\s*` +
		`|<(/?(?:strong|b|em|i|a|cite|span|font|su[pb]|small|u|thead|tbody|caption|t[hd]))(?:\s[^<>]*)?>` +
		`|&#?\w+;`)
	blankLines = lazyregexp.New(`\n{3,}`)
)

// docSigns are the elements of HTML that have a sign in Markdown. All other blocks are paragraphs.
var docSigns = map[string]string{
	"li": "\n- ", "dt": "\n- ", "dd": "\n  ", "tr": "\n- ", "br": "\n", "td": " ", "th": " ", "b": "**", "/b": "**", "strong": "**",
	"/strong": "**", "h1": "\n\n**", "h2": "\n\n**", "h3": "\n\n**", "h4": "\n\n**", "/h1": "**\n\n", "/h2": "**\n\n",
	"/h3": "**\n\n", "/h4": "**\n\n",
}

// plainDoc is the comment of a file in Markdown. It may be written in HTML with inline tags where the file has comments as
// Javadoc reads them. What is neither stays, as type arguments do; a comment with fences is Markdown already.
func plainDoc(file, doc string) string {
	if strings.Contains(doc, "```") || !strings.Contains(file, "/**") {
		return doc
	}
	var b strings.Builder
	last := 0
	for _, at := range docCode().FindAllStringSubmatchIndex(doc, -1) {
		b.WriteString(plainDocProse(doc[last:at[0]]))
		text := strings.TrimRight(doc[at[2]:at[3]], " \n")
		if inside, ok := strings.CutPrefix(text, "{@code"); ok {
			text = strings.TrimRight(strings.TrimSuffix(inside, "}"), " \n")
		}
		text = strings.ReplaceAll(html.UnescapeString(text), "`", "'")
		b.WriteString("\n\n```\n" + strings.TrimLeft(text, "\n") + "\n```\n\n")
		last = at[1]
	}
	b.WriteString(plainDocProse(doc[last:]))
	return strings.TrimSpace(blankLines().ReplaceAllString(b.String(), "\n\n"))
}

func plainDocProse(s string) string {
	s = docLink().ReplaceAllString(s, "[$2]($1)")
	s = docMark().ReplaceAllStringFunc(s, func(found string) string {
		m := docMark().FindStringSubmatch(found)
		block, inline := strings.ToLower(m[4]), strings.ToLower(m[5])
		switch said := cmp.Or(m[1], m[2], m[3]); {
		case said != "":
			return code(oneLine(html.UnescapeString(said)))
		case found[0] == '`', found == "&lt;": // else it would begin a tag
			return found
		case found[0] == '&':
			return html.UnescapeString(found)
		case block != "" && docSigns[block] == "":
			return "\n\n"
		}
		return docSigns[block] + docSigns[inline]
	})
	return strings.ReplaceAll(s, "\n-  ", "\n- ") // a row's first cell
}
