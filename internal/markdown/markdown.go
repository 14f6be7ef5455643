package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Heading returns the level and title of an ATX heading line. The level is 0 if the line is none.
func Heading(s string) (level int, title string) {
	for level < len(s) && s[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || (level < len(s) && s[level] != ' ' && s[level] != '\t') {
		return 0, ""
	}
	title = strings.TrimSpace(s[level:])
	if t := strings.TrimRight(title, "#"); t != title && (t == "" || strings.HasSuffix(t, " ")) {
		title = strings.TrimSpace(t)
	}
	return level, title
}

// WithoutLastHeadings removes headings, and bold lines that serve as headings, from the end of a text, where no
// content follows them. The text must not end inside a code block.
func WithoutLastHeadings(text string) string {
	for {
		text = strings.TrimRight(text, "\n ")
		start := strings.LastIndexByte(text, '\n') + 1
		level, _ := Heading(text[start:])
		bold, isBold := strings.CutPrefix(text[start:], "**")
		if level == 0 && (!isBold || strings.Index(bold, "**") != len(bold)-len("**")) {
			return text
		}
		text = text[:start]
	}
}

// Sections lists the headings outside code with the text that belongs to each.
func Sections(text string, ls []Line) []Section {
	var out []Section
	for _, l := range ls {
		if !l.Prose() {
			continue
		}
		if level, title := Heading(l.At.Of(text)); level > 0 {
			out = append(out, Section{Title: title, Level: level, Heading: l.At, At: l.At})
		}
	}
	Nest(out, len(text))
	return out
}

// Nest ends each section before the next one of the same or a higher level, or at the end of the text.
func Nest(sections []Section, end int) {
	var open []int // indexes of the open sections
	for i, s := range sections {
		for len(open) > 0 && sections[open[len(open)-1]].Level >= s.Level {
			sections[open[len(open)-1]].At.End = s.At.Start
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		sections[i].At.End = end
	}
}

// Item returns where the text of a list item begins in a line without indentation, 0 if the line begins no item.
// The text follows -, * or +, or a number with a full stop or a parenthesis, and white space. An item may be
// empty. Numbers have at most three digits, since a year at the end of a sentence begins no item.
func Item(s string) (text int) {
	rest := strings.TrimLeft(s, "0123456789")
	switch n := len(s) - len(rest); {
	case rest == "", n > 3, n > 0 && rest[0] != '.' && rest[0] != ')', n == 0 && strings.IndexByte("-*+", rest[0]) < 0:
		return 0
	}
	after := strings.TrimLeft(rest[1:], " \t")
	if len(after) == len(rest)-1 && after != "" {
		return 0
	}
	return len(s) - len(after)
}

// Code is inline code: At includes the runs of backticks, and Text is the text between them.
type Code struct{ At, Text Span }

// Codes holds the inline code of a line, in order.
type Codes []Code

// Holds reports whether a position is in inline code. Call it in order of position, since it drops earlier spans.
func (c *Codes) Holds(off int) bool {
	for len(*c) > 0 && (*c)[0].At.End <= off {
		*c = (*c)[1:]
	}
	return len(*c) > 0 && (*c)[0].At.Start <= off
}

// CodeSpans finds the inline code of one line, between equal runs of backticks. Runs without a partner are text.
// So is the first backtick of a run after a backslash, except in a run that ends code. Partners are searched from
// the back, so that the time stays linear.
func CodeSpans(s string) Codes {
	if strings.IndexByte(s, '`') < 0 {
		return nil
	}
	runs := make([]Span, 0, strings.Count(s, "`"))
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		start := i
		for i < len(s) && s[i] == '`' {
			i++
		}
		runs = append(runs, Span{start, i})
	}
	partner := make([]int, len(runs))
	seen := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		n, before := runs[i].End-runs[i].Start, s[:runs[i].Start]
		runs[i].Start += (len(before) - len(strings.TrimRight(before, `\`))) % 2
		partner[i] = seen[runs[i].End-runs[i].Start] // 0 means no partner, since a partner comes later
		seen[n] = i
	}
	out := make(Codes, 0, len(runs)/2)
	for i := 0; i < len(runs); i++ {
		if p := partner[i]; p > i {
			end := runs[p].End - (runs[i].End - runs[i].Start)
			out = append(out, Code{Span{runs[i].Start, runs[p].End}, Span{runs[i].End, end}})
			i = p
		}
	}
	return out
}

// abbreviations holds words whose full stop does not end a sentence.
var abbreviations = map[string]bool{"e.g": true, "i.e": true, "etc": true, "vs": true, "cf": true, "approx": true, "no": true,
	"fig": true, "resp": true, "incl": true}

// Sentences splits a paragraph after full stops, question marks and exclamation marks, if a new sentence may begin
// there. It does not split inline code.
func Sentences(s string) []string {
	var out []string
	code, start := CodeSpans(s), 0
	for i, mark := range s {
		if mark != '.' && mark != '!' && mark != '?' && mark != '。' && mark != '！' && mark != '？' {
			continue
		}
		end := i + utf8.RuneLen(mark)
		if !code.Holds(i) && endsSentence(s[start:i], mark, s[end:]) {
			out = append(out, strings.TrimSpace(s[start:end]))
			start = end
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

func endsSentence(before string, mark rune, behind string) bool {
	if mark > unicode.MaxASCII {
		return behind != ""
	}
	if behind == "" || behind[0] != ' ' && behind[0] != '\n' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind[1:], "\"'(*_"))
	word := strings.ToLower(strings.TrimLeft(before[strings.LastIndexAny(before, " \n")+1:], "(\"'"))
	return !unicode.IsLower(next) && !(mark == '.' && (abbreviations[word] || utf8.RuneCountInString(word) == 1))
}
