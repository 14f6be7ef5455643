package pack

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The headings of a pack's three parts.
const (
	knowledge = "## Knowledge"
	codePart  = "## Code"
	alsoPart  = "## Also relevant"
)

// render draws the chosen forms: entries in full, then as a list, then code, then
// the paths of what did not fit better.
func render(chosen []*slot) string { return strings.Join(runs(chosen), "") }

// runs are the headings and blocks of a pack with the line ends behind them; together
// they are its text. Each begins a line, with a sign.
func runs(chosen []*slot) []string {
	var entries, entryLines, files, fileLines []string
	for _, s := range chosen {
		block := s.shown().drawn().block
		switch {
		case s.kind == KindEntry && s.shown().form == FormSummary:
			entryLines = append(entryLines, block)
		case s.kind == KindEntry:
			entries = append(entries, block)
		case s.shown().form == FormOutline:
			fileLines = append(fileLines, block)
		default:
			files = append(files, block)
		}
	}
	var out []string
	part := func(heading string, blocks, lines []string) {
		if len(blocks)+len(lines) == 0 {
			return
		}
		out = append(out, heading+"\n\n")
		for _, block := range blocks {
			out = append(out, block+"\n\n")
		}
		for i, line := range lines {
			if i == len(lines)-1 {
				line += "\n"
			}
			out = append(out, line+"\n")
		}
	}
	part(knowledge, entries, entryLines)
	part(codePart, files, nil)
	part(alsoPart, nil, fileLines)
	if last := len(out) - 1; last >= 0 {
		out[last] = strings.TrimSuffix(out[last], "\n")
	}
	return out
}

// fenced quotes a text in a fence that nothing in it can close.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(clean(text), "\n") + "\n" + fence
}

// code is inline code that survives back-ticks in a path.
func code(s string) string {
	s = oneLine(s, utf8.RuneCountInString(s))
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// clean makes text valid UTF-8: what an agent receives as JSON must be what was
// counted.
func clean(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// oneLine replaces white space and control characters by single spaces, and cuts
// at that many characters.
func oneLine(s string, most int) string {
	words := strings.FieldsFunc(clean(s), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	s = strings.Join(words, " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

// ranges writes line ranges as in path:10-40,80-95.
func ranges(rs [][2]int) string {
	var out []string
	for _, r := range rs {
		out = append(out, fmt.Sprintf("%d-%d", r[0], r[1]))
	}
	return strings.Join(out, ",")
}
