package documents

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// headings returns the headings of a text after an offset, by the rules of the file's markup, which its name
// determines.
func headings(p, text string, from int) []markdown.Headline {
	switch {
	case isMarkdown(p):
		return markdown.Headings(text, from)
	case isAsciiDoc(p):
		return asciidoc(text, from)
	}
	return underlined(text, from)
}

// isMarkdown reports whether a file is Markdown, and not reStructuredText, AsciiDoc or plain text.
func isMarkdown(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".rst", ".txt", "", ".adoc", ".asciidoc":
		return false
	}
	return true
}

func isAsciiDoc(p string) bool { return strings.HasPrefix(strings.ToLower(path.Ext(p)), ".a") }

// underlined returns the headings of reStructuredText and plain text. A heading is a line above an underline: one
// repeated character, at least as long as the line. The same line may stand above it too. The order in which these
// characters first appear gives the levels.
func underlined(text string, from int) (out []markdown.Headline) {
	lines := make([]markdown.Span, 0, 64)
	for pos := from; pos < len(text); {
		l, next := markdown.CutLine(text, pos)
		lines = append(lines, markdown.Span{Start: pos, End: pos + len(l)})
		pos = next
	}
	var styles []string
	level := func(style string) int {
		if !slices.Contains(styles, style) {
			styles = append(styles, style)
		}
		return 1 + slices.Index(styles, style)
	}
	for i := 1; i < len(lines); i++ {
		rule, title := lines[i].Of(text), lines[i-1].Of(text)
		sign := ruler(rule)
		if sign == "" || ruler(title) != "" || strings.TrimSpace(title) == "" {
			continue
		}
		over := i > 1 && ruler(lines[i-2].Of(text)) == sign
		width := utf8.RuneCountInString(strings.TrimRight(rule, " \t"))
		if width < utf8.RuneCountInString(strings.TrimSpace(title)) || (title[0] == ' ' || title[0] == '\t') && !over {
			continue
		}
		h := markdown.Headline{Text: lines[i-1], At: markdown.Span{Start: lines[i-1].Start, End: lines[i].End}}
		if over {
			sign += sign
			h.At.Start = lines[i-2].Start
		} else if i > 1 && strings.TrimSpace(lines[i-2].Of(text)) != "" && !strings.HasPrefix(lines[i-2].Of(text), "..") {
			continue // this ends a paragraph or a table
		}
		h.Level = level(sign)
		out = append(out, h)
		i++
	}
	return out
}

// ruler returns the character that a line repeats, or "" if it is no underline.
func ruler(s string) string {
	s = strings.TrimRight(s, " \t")
	if len(s) < 3 || strings.IndexByte("=-`:.'\"~^_*+#<>", s[0]) < 0 || strings.Trim(s, s[:1]) != "" {
		return ""
	}
	return s[:1]
}

// asciidoc returns the lines that begin with equals signs, and single lines with an underline, except in blocks of
// code and literal text.
func asciidoc(text string, from int) (out []markdown.Headline) {
	block, above := "", markdown.Span{} // above is the previous line, if it begins a paragraph
	for pos := from; pos < len(text); {
		l, next := markdown.CutLine(text, pos)
		fence := strings.TrimRight(l, " \t")
		switch r := ruler(fence); {
		case block != "" && fence == block:
			block = ""
		case block != "":
		case above.Start < above.End && r != "" && near(above.Of(text), fence):
			level := 1 + strings.Index("=-~^+", r)
			out = append(out, markdown.Headline{Level: level, Text: above, At: markdown.Span{Start: above.Start, End: pos + len(l)}})
		case isVerbatim(fence):
			block = fence
		default:
			n := len(l) - len(strings.TrimLeft(l, "="))
			if strings.HasPrefix(l, "#") { // as in Markdown
				n, _ = markdown.Heading(l)
			}
			if n > 0 && n < 7 && len(l) > n && l[n] == ' ' {
				at := markdown.Span{Start: pos, End: pos + len(l)}
				out = append(out, markdown.Headline{Level: n, Text: markdown.Span{Start: pos + n + 1, End: at.End}, At: at})
			}
		}
		begins := above.End == 0 && block == "" && isText(l) && ruler(fence) == ""
		switch {
		case begins:
			above = markdown.Span{Start: pos, End: pos + len(l)}
		case fence == "" || len(out) > 0 && out[len(out)-1].At.End == pos+len(l) || strings.HasPrefix(l, "["):
			above = markdown.Span{}
		default:
			above = markdown.Span{Start: pos, End: pos} // a paragraph of several lines cannot have an underline
		}
		pos = next
	}
	return out
}

// isVerbatim reports whether a line of AsciiDoc begins a block of code, literal text or a comment.
func isVerbatim(line string) bool {
	return len(line) > 3 && strings.IndexByte("-.+/", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

// isText reports whether a line of AsciiDoc begins like a paragraph, and not like a block, a block's title or
// attributes.
func isText(l string) bool {
	return strings.TrimSpace(l) != "" && strings.IndexByte("=.[:/|*", l[0]) < 0
}

// near reports whether a line underlines a title: its length differs by at most one character.
func near(title, rule string) bool {
	n := utf8.RuneCountInString(strings.TrimRight(title, " \t")) - len(rule)
	return isText(title) && strings.IndexByte("=-~^+", rule[0]) >= 0 && -1 <= n && n <= 1
}

var (
	bracketAnchor = lazyregexp.New(`\s*\\?\[#([^\[\]]+)\]\s*$`)
	picture       = lazyregexp.New(`!\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|<img\s[^<>]*\balt=["']([^"'<>]*)["'][^<>]*>`)
	rstRole       = lazyregexp.New(":[a-z:-]+:`")
	asciidocLink  = lazyregexp.New(`(?:\b|_)(?:xref|link):[^\s\[\]]+\[([^\[\]]*)\]`)
	idAttribute   = lazyregexp.New(`(?m)^:id(prefix|separator):[ \t]*(\S*)`)
	bareRole      = lazyregexp.New(`(?:^|\s):[a-z:-]+:`) // without its backticks
	anchorLine    = lazyregexp.New(`^(?:\[\[([^\[\],]+)|\[(?:\w+)?#([^\[\],.%]+)|\[id=["']?([^"'\[\],]+)|\.\. _([^:]+):\s*$)`)
)

// plain returns a heading's title as people read it, and the anchor that it states (`# Title { #anchor }`). For a
// title that consists of pictures, it is their alternative texts.
func plain(s string) (title, anchor string) {
	if s, anchor = markdown.StatedAnchor(s); anchor == "" && strings.Contains(s, "[#") {
		if m := bracketAnchor().FindStringSubmatchIndex(s); m != nil {
			s, anchor = s[:m[0]], s[m[2]:m[3]]
		}
	}
	if strings.Contains(s, ":`") {
		s = rstRole().ReplaceAllString(s, "`")
	}
	s = asciidocLink().ReplaceAllString(s, "$1")
	read := func(s string) string { return strings.Join(strings.Fields(markdown.PlainTitle(s)), " ") }
	if title = read(picture().ReplaceAllString(s, "")); title == "" {
		title = read(picture().ReplaceAllString(s, "$1$2"))
	}
	return title, anchor
}

// numberedBy returns a function that makes anchors of headings as the markup's renderer does. Asciidoctor counts
// from 2 and treats dots and dashes as blanks; a page may set the prefix of ids and the separator of their words.
// docutils treats everything but letters and digits as blanks, and its anchors never begin with a digit.
func numberedBy(p, text string) func(title string, n int) string {
	words := func(title, others string) string {
		return strings.Join(strings.FieldsFunc(format.Anchor(strings.Map(func(r rune) rune {
			if strings.ContainsRune(others, r) || others == "" && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return '-'
			}
			return r
		}, title)), func(r rune) bool { return r == '-' }), "-")
	}
	switch {
	case isMarkdown(p):
		return format.Numbered
	case isAsciiDoc(p):
		begins, joins := "_", "_"
		for _, m := range idAttribute().FindAllStringSubmatch(text, 2) {
			if m[1] == "prefix" {
				begins = m[2]
			} else {
				joins = m[2]
			}
		}
		return func(title string, n int) string {
			if title = begins + strings.ReplaceAll(words(title, " .-"), "-", joins); n > 0 {
				title += joins + strconv.Itoa(n+1)
			}
			return title
		}
	}
	return func(title string, n int) string {
		return format.Numbered(strings.TrimLeft(words(bareRole().ReplaceAllString(title, " "), ""), "-0123456789"), n)
	}
}

// anchorsAbove returns the anchors that lines above a heading state for it, in AsciiDoc and reStructuredText,
// nearest first. text ends at the heading.
func anchorsAbove(text string) (out []string) {
	for len(out) < maxLabels {
		text = strings.TrimRight(text, " \t\r\n")
		line := text[strings.LastIndexByte(text, '\n')+1:]
		if m := anchorLine().FindStringSubmatch(line); m != nil {
			out = append(out, strings.Trim(strings.Join(m[1:], ""), "`"))
		} else if !strings.HasPrefix(line, "// ") && !(strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]")) {
			break
		}
		text = text[:len(text)-len(line)]
	}
	return out
}

// maxLabels bounds how many anchors the lines above a heading may state; more are an attack.
const maxLabels = 16
