package tree

import "strings"

// line is one line of a body with what the scanner knows about it.
type line struct {
	At    Span // without the line end
	Fence bool // inside a fenced code block, or a fence itself
}

// lines splits text[from:] into lines and marks fenced code. It is linear in
// the text: every byte is looked at a constant number of times.
func lines(text string, from int) []line {
	var out []line
	fence := "" // the opening fence's run while inside a block
	for pos := from; pos < len(text); {
		end := strings.IndexByte(text[pos:], '\n')
		next := len(text)
		if end >= 0 {
			next = pos + end + 1
			end += pos
		} else {
			end = len(text)
		}
		stop := end
		if stop > pos && text[stop-1] == '\r' {
			stop--
		}
		run := fenceRun(text[pos:stop])
		l := line{At: Span{pos, stop}, Fence: fence != "" || run != ""}
		switch {
		case fence == "":
			fence = run
		case run != "" && run[0] == fence[0] && len(run) >= len(fence) && strings.TrimSpace(strings.TrimLeft(strings.TrimLeft(text[pos:stop], " "), run[:1])) == "":
			fence = ""
		}
		out = append(out, l)
		pos = next
	}
	return out
}

// fenceRun returns the run of backticks or tildes that makes s a fence line, ""
// if it is none. A backtick fence's info string holds no backtick (CommonMark
// 0.31, section 4.5).
func fenceRun(s string) string {
	t := strings.TrimLeft(s, " ")
	if len(s)-len(t) > 3 || len(t) < 3 || (t[0] != '`' && t[0] != '~') {
		return ""
	}
	n := 0
	for n < len(t) && t[n] == t[0] {
		n++
	}
	if n < 3 || (t[0] == '`' && strings.IndexByte(t[n:], '`') >= 0) {
		return ""
	}
	return t[:n]
}

// heading returns the level and title of an ATX heading line, 0 if it is none.
func heading(s string) (level int, title string) {
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

// sections lists the headings outside code with the text that belongs to each.
func sections(text string, ls []line) []Section {
	var out []Section
	var open []int // indexes into out of the sections that still run
	closeTo := func(level, end int) {
		for len(open) > 0 && out[open[len(open)-1]].Level >= level {
			out[open[len(open)-1]].At.End = end
			open = open[:len(open)-1]
		}
	}
	for _, l := range ls {
		if l.Fence {
			continue
		}
		level, title := heading(l.At.Of(text))
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

// codeSpans reports the inline code spans of one line: the byte ranges, relative
// to s, between equal runs of backticks. Runs that find no partner are text.
// Partners are found from the back, so that the cost stays linear.
func codeSpans(s string) []Span {
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

// within reports whether off lies inside the first of the spans.
func within(spans []Span, off int) bool {
	return len(spans) > 0 && spans[0].Start <= off && off < spans[0].End
}
