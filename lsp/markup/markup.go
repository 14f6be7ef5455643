// Package markup writes text from entries, models and files so that an editor shows it without side effects.
// It handles text and Markdown, and does not know the protocol.
//
// An editor that shows an entry's text would load a remote image, run a command link or render HTML. So the
// text is rewritten, based on a simple parse: fences and code spans get delimiters that cannot occur inside,
// so that the editor sees as code exactly what was parsed as code here; everywhere else "<" and stray
// backticks become entities, images become links, and links keep their target only if it is plain http
// ([Harmless]). Text that is not Markdown is shown literally ([Literal], [OneLine]), and a message contains
// no link at all ([Inert]).
package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Limits of a hover: Helix shows 24 lines, and a screen has no room for more
// than 4 KB anyway.
const (
	maxHoverLines = 24
	maxHoverBytes = 4 << 10
	maxLineRunes  = 400 // of one line of an entry; longer ones are cut
)

// Harmless rewrites markdown of an entry.
func Harmless(source string) string {
	var out, code []string
	text, info, open := Clean(source), "", false
	flush := func() { out, code, open = append(out, Fenced(info, code)...), nil, false }
	before := markdown.FenceNone
	for l := range markdown.Lines(text) {
		line := l.At.Of(text)
		if before == markdown.Indented && l.Fence != before {
			flush()
		}
		before = l.Fence
		switch l.Fence {
		case markdown.FenceNone:
			out = append(out, sanitizeInline(flatHeading(CutLine(line))))
		case markdown.FenceOpen:
			_, tag := markdown.Fence(line)
			info, open = language(tag), true
		case markdown.Indented:
			info, open = "", true
			code = append(code, strings.TrimLeft(line, " \t"))
		case markdown.FenceText:
			code = append(code, line)
		case markdown.FenceClose:
			flush()
		}
	}
	if open {
		flush()
	}
	return strings.Join(out, "\n")
}

// flatHeading turns a heading into a bold line: a hover is not a document, and its own title stands above.
// The two spaces keep the following text on the next line.
func flatHeading(line string) string {
	if _, title := markdown.Heading(line); title != "" {
		return "**" + strings.ReplaceAll(title, "*", "") + "**  "
	}
	return line
}

// Fenced writes a code block that its content cannot end.
func Fenced(info string, lines []string) []string {
	delimiter := markdown.FenceFor(strings.Join(lines, "\n"))
	out := append(make([]string, 0, len(lines)+2), delimiter+info)
	for _, l := range lines {
		out = append(out, CutLine(l))
	}
	return append(out, delimiter)
}

// language keeps the part of an info string that names a language.
func language(info string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+#-_.", r) {
			return ""
		}
	}
	return word
}

// sanitizeInline rewrites one line outside of code blocks.
func sanitizeInline(line string) string {
	var b strings.Builder
	last := 0
	for _, c := range markdown.CodeSpans(line) {
		text := neutral(line[last:c.At.Start])
		if before, found := strings.CutSuffix(text, `\`); found {
			text = before + "&#92;"
		}
		b.WriteString(text + codeSpan(c.Text.Of(line)))
		last = c.At.End
	}
	return b.String() + neutral(line[last:])
}

// codeSpan writes a code span that its content cannot close.
func codeSpan(code string) string {
	delimiter := "`"
	for strings.Contains(code, delimiter) {
		delimiter += "`"
	}
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		code = " " + code + " "
	}
	return delimiter + code + delimiter
}

// neutral makes text without code harmless.
func neutral(text string) string {
	text = strings.NewReplacer("<", "&lt;", "`", "&#96;", "]:", "]&#58;").Replace(text)
	for strings.Contains(text, "![") {
		text = strings.ReplaceAll(text, "![", "[") // again: "!![" becomes "!["
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "](")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if plainHTTP(after) {
			b.WriteString("](")
		} else {
			b.WriteString("] (")
		}
		text = after
	}
}

func plainHTTP(target string) bool {
	return strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://")
}

// Literal escapes text so that markdown shows it unchanged, on one line.
func Literal(text string) string {
	runes := []rune(OneLine(text))
	var b strings.Builder
	for i, r := range runes {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case strings.ContainsRune("\\`*[]&|~", r),
			i == 0 && strings.ContainsRune("#>-+=", r),
			r == '_' && !insideWord(runes, i):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// insideWord reports whether there are letters or digits on both sides: an underscore there is not emphasis.
func insideWord(runes []rune, i int) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return i > 0 && i+1 < len(runes) && word(runes[i-1]) && word(runes[i+1])
}

// OneLine writes text on one line that is not too long.
func OneLine(text string) string { return CutLine(strings.Join(strings.Fields(Clean(text)), " ")) }

// Clean removes text that must not be shown: invisible characters, marks that change the order of text, and
// credentials.
func Clean(text string) string { return secrets.Redact(sanitize.Visible(text)) }

// CutLine shortens a line that is too long to read. A link or an address at the cut is left out: half of one
// leads elsewhere.
func CutLine(line string) string {
	if utf8.RuneCountInString(line) <= maxLineRunes {
		return line
	}
	kept := string([]rune(line)[:maxLineRunes])
	if open := strings.LastIndexByte(kept, '['); open >= 0 && openLink(line[open:], len(kept)-open) {
		kept = kept[:open]
	} else if word := strings.LastIndexAny(kept, " \t<(") + 1; strings.Contains(kept[word:], "://") {
		kept = kept[:word]
	}
	return kept + "…"
}

// openLink reports whether the Markdown link at the beginning of s goes on behind its first n
// bytes.
func openLink(s string, n int) bool {
	text := strings.IndexByte(s, ']')
	if text < 0 || !strings.HasPrefix(s[text:], "](") {
		return false
	}
	end := strings.IndexByte(s[text:], ')')
	return end >= 0 && text+end >= n
}

// Fit cuts a page at a line's end so that it stays within the limits of a hover.
// Code blocks that the cut opens are closed, and headings of which it leaves nothing else go with what they head.
func Fit(page string) string {
	page = strings.TrimSpace(page)
	lines, rest, open := 0, strings.Count(page, "\n"), ""
	for l := range markdown.Lines(page) {
		lines++
		needs := min(rest, 1) // lines for the end of a cut page: the dots, and the fence
		if rest > 0 && l.Open != "" {
			needs = 2
		}
		if lines+needs > maxHoverLines || l.At.End+1+needs*16 > maxHoverBytes {
			kept := page[:max(l.At.Start-1, 0)]
			if open != "" {
				kept += "\n" + open
			} else {
				kept = markdown.WithoutLastHeadings(kept)
			}
			return strings.TrimRight(kept, "\n ") + "\n…"
		}
		rest, open = rest-1, l.Open
	}
	return page
}

// Inert is a text for a message, without active parts from entries, models and files. By the protocol
// messages are plain text, but some editors render Markdown, and VS Code makes links, even to commands, of
// `[text](address)`, regardless of escapes.
func Inert(text string) string {
	return strings.ReplaceAll(sanitize.Disarm(Clean(text)), "](", "] (")
}

// Limits of a message: editors show messages over the text, some in one line.
const (
	maxTold      = 2000 // bytes
	maxToldLines = 12
)

// Brief cuts a text to the limits of a message.
func Brief(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	cut := ""
	if len(lines) > maxToldLines {
		lines, cut = lines[:maxToldLines], "\n…"
	}
	return sanitize.Cut(strings.Join(lines, "\n"), maxTold) + cut
}
