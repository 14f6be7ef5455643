package tree

import "strings"

// parsePattern reads the text of one item:
//
//	`expression` (flags: i) - description
func parsePattern(s string) (Pattern, bool) {
	spans := codeSpans(s)
	if len(spans) == 0 || spans[0].Start != 0 {
		return Pattern{}, false
	}
	n := run(s, 0)
	p := Pattern{Pattern: s[n : spans[0].End-n]}
	if n > 1 {
		p.Pattern = strings.TrimSuffix(strings.TrimPrefix(p.Pattern, " "), " ") // see codeSpan
	}
	rest := oneLine(s[spans[0].End:])
	if flags, ok := strings.CutPrefix(rest, "(flags:"); ok {
		if flags, after, ok := strings.Cut(flags, ")"); ok {
			p.Flags, rest = onlyLetters(flags), strings.TrimLeft(after, " ")
		}
	}
	p.Description = strings.TrimLeft(strings.TrimPrefix(rest, "-"), " ")
	return p, p.Pattern != "" && !strings.Contains(p.Pattern, "\n")
}

func onlyLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r|0x20 < 'a' || r|0x20 > 'z' {
			return -1
		}
		return r
	}, s)
}

// String writes the pattern as an item of the Patterns list, without the bullet.
func (p Pattern) String() string {
	s := codeSpan(p.Pattern)
	if p.Flags != "" {
		s += " (flags: " + p.Flags + ")"
	}
	if p.Description != "" {
		s += " - " + p.Description
	}
	return s
}
