package markdown

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

var (
	emptyLink   = lazyregexp.New(`\]:\s*(?:#|<>)`)
	commentOpen = lazyregexp.New(`\\.|<!--|\{/\*|%%`)
	blankLine   = lazyregexp.New(`\n[ \t\r]*\n`)
	commentEnds = map[string]string{"<!--": "-->", "{/*": "*/}", "%%": "%%"}
)

// Said returns a text with its comments replaced by blanks, so that all positions stay. It knows comments of HTML
// (<!-- … -->), of MDX ({/* … */}), of Obsidian (%% … %%), and definitions that lead nowhere ([//]: # (…)). A
// comment that begins in a paragraph ends in it. Text before from stays as it is. Said takes linear time, and
// returns the text itself if it has no comment.
func Said(text string, from int) string {
	has := func(sign string) bool { return strings.Contains(text, sign) }
	if !has("<!--") && !has("{/*") && !has("%%") && !(has("]:") && emptyLink().MatchString(text)) {
		return text
	}
	out, ends, done := []byte(text), map[string]int{}, 0
	blank := func(at, end int) {
		for done = max(done, end); at < end; at++ {
			if out[at] != '\n' && out[at] != '\r' {
				out[at] = ' '
			}
		}
	}
	next := func(key string, from int, find func(s string) int) int { // each text is searched only once
		at, known := ends[key]
		if !known || at < from {
			if at = find(text[min(from, len(text)):]) + from; at < from {
				at = len(text)
			}
			ends[key] = at
		}
		return at
	}
	behind := func(sign string, from int) int { // position after the next mark; 0 if the paragraph ends before it
		at := next(sign, from, func(s string) int { return strings.Index(s, sign) })
		if at == len(text) || at > next("", from, func(s string) int { return append(blankLine().FindStringIndex(s), -1)[0] }) {
			return 0
		}
		return at + len(sign)
	}
	scan(text, from, func(l Line) bool {
		begin := l.text
		if begin >= l.At.End { // it continues a paragraph
			begin = l.At.Start
		}
		rest, s := text[begin:l.At.End], l.At.Of(text)
		_, to, ok := Definition(rest)
		switch {
		case l.Fence == Comment:
			blank(l.At.Start, l.At.End)
		case l.Fence != FenceNone:
		case ok && (to.Of(rest) == "#" || to.Of(rest) == "<>"):
			blank(begin, l.At.End)
			title := strings.TrimSpace(rest[to.End:])
			if end := strings.Replace(title[:min(1, len(title))], "(", ")", 1); title != "" && (len(title) == 1 || !strings.HasSuffix(title, end)) {
				blank(begin, behind(end, begin+to.End+2))
			}
		default:
			code := CodeSpans(s)
			for _, m := range commentOpen().FindAllStringIndex(s, -1) {
				until, at := commentEnds[s[m[0]:m[1]]], l.At.Start+m[0]
				inWord := until == "%%" && at > begin && s[m[0]-1] != ' ' && s[m[0]-1] != '\t'
				if until == "" || inWord || at < done || code.Holds(m[0]) {
					continue
				}
				if end := behind(until, at+2); until != "%%" || at == begin || end <= l.At.End {
					blank(at, end)
				}
			}
		}
		return true
	})
	return string(out)
}
