package markdown

import "strings"

// Said is a text with blanks in place of its comments, so that all else keeps its place: those of HTML (<!-- … -->), of MDX
// ({/* … */}), of Obsidian (%% … %%), and definitions that lead nowhere ([//]: # (…)). One that begins within a paragraph ends
// in it. What stands before from is left as it is. It is linear in the text, which it is itself where nothing is a comment.
func Said(text string, from int) string {
	if !strings.Contains(text, "<!--") && !strings.Contains(text, "{/*") && !strings.Contains(text, "%%") &&
		!strings.Contains(text, "]: #") && !strings.Contains(text, "]: <>") {
		return text
	}
	c := commented{text: text, out: []byte(text), ends: map[string]int{}}
	scan(text, from, func(l Line) bool {
		if l.Fence == Comment {
			c.blank(l.At.Start, l.At.End)
		} else if l.Fence == FenceNone {
			c.line(l)
		}
		return true
	})
	return string(c.out)
}

// commented is a text of which the comments are looked for.
type commented struct {
	text string
	out  []byte
	ends map[string]int // the next place of what ends a comment, and of a blank line, as far as it was looked for
	done int            // the end of the last comment
}

// line looks at a line of prose.
func (c *commented) line(l Line) {
	begin := l.text
	if begin >= l.At.End { // it goes on with a paragraph
		begin = l.At.Start
	}
	if label, at, ok := Definition(c.text[begin:l.At.End]); ok && label != "" {
		to, title := at.Of(c.text[begin:l.At.End]), strings.TrimSpace(c.text[begin+at.End:l.At.End])
		if end := l.At.End; to == "#" || to == "<>" {
			if n := len(title); n > 0 && (n == 1 || closes[title[:1]] != title[n-1:]) {
				end = max(end, c.end(closes[title[:1]], begin+at.End+2))
			}
			c.blank(begin, end)
			return
		}
	}
	code := CodeSpans(c.text[l.At.Start:l.At.End])
	for i := max(begin, c.done); i < l.At.End; i++ {
		rest, end, until := c.text[i:], -1, ""
		switch c.text[i] {
		case '\\':
			i++
			continue
		case '<':
			until = opens(rest, "<!--", "-->")
		case '{':
			until = opens(rest, "{/*", "*/}")
		case '%':
			if until = opens(rest, "%%", "%%"); i > begin && c.text[i-1] != ' ' && c.text[i-1] != '\t' {
				until = ""
			}
		}
		if until == "" || code.Holds(i-l.At.Start) {
			continue
		}
		if end = c.end(until, i+2); end > 0 && (until != "%%" || i == begin || end <= l.At.End) {
			c.blank(i, end)
			i = end - 1
		}
	}
}

// closes has the sign that ends a title.
var closes = map[string]string{"(": ")", "\"": "\"", "'": "'"}

func opens(s, begin, end string) string {
	if strings.HasPrefix(s, begin) {
		return end
	}
	return ""
}

// end is the place behind the next sign from a place on, 0 where a blank line comes before.
func (c *commented) end(sign string, from int) int {
	next := func(key string, find func(from int) int) int {
		at, known := c.ends[key]
		if !known || at < from {
			at = find(from)
			c.ends[key] = at
		}
		return at
	}
	at := next(sign, func(from int) int {
		if n := strings.Index(c.text[min(from, len(c.text)):], sign); n >= 0 {
			return from + n
		}
		return len(c.text) + 1
	})
	blank := next("", func(from int) int {
		for from < len(c.text) {
			n := strings.IndexByte(c.text[from:], '\n')
			if n < 0 {
				break
			}
			from += n + 1
			if line, _ := CutLine(c.text, from); strings.TrimSpace(line) == "" {
				return from
			}
		}
		return len(c.text)
	})
	if at > blank || at > len(c.text) {
		return 0
	}
	return at + len(sign)
}

// blank takes a comment out.
func (c *commented) blank(from, to int) {
	for i := from; i < to; i++ {
		if c.out[i] != '\n' && c.out[i] != '\r' {
			c.out[i] = ' '
		}
	}
	c.done = max(c.done, to)
}
