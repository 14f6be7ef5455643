package retrieval

import (
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// linksIn lists the links of a text. A link's text is about the page that it leads to. The description of an
// image is not a link, and [x](y) right after a word is code.
func linksIn(text string) []markdown.Span {
	var out []markdown.Span
	for from := 0; ; {
		at := strings.Index(text[from:], "](")
		if at < 0 {
			return out
		}
		at += from
		start := at
		if open := strings.LastIndexByte(text[from:at], '['); open >= 0 {
			start = from + open
		}
		end := strings.IndexByte(text[at:], ')')
		if end < 0 {
			return out
		}
		end += at
		switch {
		case start > 0 && text[start-1] < utf8.RuneSelf && words.IsWordRune(rune(text[start-1])):
		case start > 0 && text[start-1] == '!':
			out = append(out, markdown.Span{Start: at, End: end})
		default:
			out = append(out, markdown.Span{Start: start, End: end})
		}
		from = end
	}
}
