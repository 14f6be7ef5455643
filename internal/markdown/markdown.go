package markdown

import "strings"

// Heading returns the level and title of an ATX heading line, 0 if it is none.
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

// Sections lists the headings outside code with the text that belongs to each.
func Sections(text string, ls []Line) []Section {
	var out []Section
	var open []int // indexes into out of the sections that still run
	closeTo := func(level, end int) {
		for len(open) > 0 && out[open[len(open)-1]].Level >= level {
			out[open[len(open)-1]].At.End = end
			open = open[:len(open)-1]
		}
	}
	for _, l := range ls {
		if l.Fence != FenceNone {
			continue
		}
		level, title := Heading(l.At.Of(text))
		if level == 0 {
			continue
		}
		closeTo(level, l.At.Start)
		open = append(open, len(out))
		out = append(out, Section{Title: title, Level: level, Heading: l.At, At: l.At})
	}
	closeTo(0, len(text))
	return out
}

// CodeSpans reports the inline code spans of one line: the byte ranges, relative
// to s, between equal runs of backticks. Runs that find no partner are text.
// Partners are found from the back, so that the cost stays linear.
func CodeSpans(s string) []Span {
	if strings.IndexByte(s, '`') < 0 {
		return nil
	}
	var runs []Span
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
		n := runs[i].End - runs[i].Start
		partner[i] = seen[n] // 0 is no partner: a partner stands behind
		seen[n] = i
	}
	var out []Span
	for i := 0; i < len(runs); i++ {
		if p := partner[i]; p > i {
			out = append(out, Span{runs[i].Start, runs[p].End})
			i = p
		}
	}
	return out
}

// Within reports whether off lies inside the first of the spans.
func Within(spans []Span, off int) bool {
	return len(spans) > 0 && spans[0].Start <= off && off < spans[0].End
}
