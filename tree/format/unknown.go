package format

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// chunk is a section, or a part of the Narrative, that the format does not name,
// with its heading.
type chunk struct {
	text        string
	inNarrative bool
}

// unknown lists the unknown sections. A second section of a known name, and the text in front of the first
// heading, get headings made from the entry's title.
func (l *layout) unknown(title string) []chunk {
	var out []chunk
	alone := l.alone()
	add := func(head string, at markdown.Span, inNarrative bool) {
		said := ""
		for _, b := range alone {
			if b.At.Start < at.End && b.At.End > at.Start {
				said += l.text[at.Start:max(at.Start, b.At.Start)]
				at.Start = min(b.At.End, at.End)
			}
		}
		if text := normalText(said + l.trim(at).Of(l.text)); text != "" {
			out = append(out, chunk{head + "\n" + text, inNarrative})
		}
	}
	var heads []markdown.Section
	for _, s := range l.sections {
		if s.Level <= structural {
			heads = append(heads, s)
		}
	}
	first := l.end
	if len(heads) > 0 {
		first = heads[0].At.Start
	}
	add("## "+OneLine(title), markdown.Span{Start: l.from, End: first}, false)
	seen := map[string]bool{}
	inside := "" // the known section that a third-level heading stands in
	for i, s := range heads {
		level := max(2, s.Level)
		end := l.end
		for _, next := range heads[i+1:] {
			if next.Level <= level {
				end = next.At.Start
				break
			}
		}
		name := sectionName(s.Title)
		switch {
		case level == 2 && s.Level == 2 && name != "" && !seen[name]:
			inside, seen[name] = name, true
			if name == "Narrative" {
				add("### "+OneLine(title), markdown.Span{Start: s.Heading.End, End: headEnd(heads[i+1:], end)}, true)
			}
		case level == 2:
			inside = ""
			head := s.Title
			if name != "" {
				head += " of " + OneLine(title)
			}
			add("## "+head, markdown.Span{Start: s.Heading.End, End: end}, false)
		case inside == "Narrative":
			part := partName(s.Title)
			head := s.Title
			if part != "" && seen[part] {
				head += " of " + OneLine(title)
			}
			if part == "" || seen[part] {
				add("### "+head, markdown.Span{Start: s.Heading.End, End: end}, true)
			}
			seen[part] = true
		}
	}
	return out
}

// alone are the parts outside of the sections of the format, by place.
func (l *layout) alone() (out []block) {
	for p, b := range l.labels() {
		if section, _ := l.block(p); b.Alone && section.Alone {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b block) int { return a.At.Start - b.At.Start })
	return out
}

// headEnd is where the text under a heading ends: at the next one.
func headEnd(rest []markdown.Section, end int) int {
	if len(rest) > 0 {
		return min(end, rest[0].At.Start)
	}
	return end
}

// strays lists the text of known sections that belongs to none of their parts.
func (l *layout) strays() []string {
	var out []string
	if b, ok := l.section("Raw Concept"); ok {
		out = l.uncovered(out, b, l.coveredRaw())
	}
	if b, ok := l.block(PartFacts); ok {
		out = l.uncovered(out, b, l.places(PartFacts, b))
	}
	if b := l.labels()[PartFiles]; b.Alone {
		out = l.uncovered(out, b, l.places(PartFiles, b))
	}
	if b, ok := l.part("Diagrams"); ok {
		var covered []markdown.Span
		for _, d := range l.diagrams(b) {
			covered = append(covered, d.At)
		}
		out = l.uncovered(out, b, covered)
	}
	if b, ok := l.section("Relations"); ok {
		out = l.uncovered(out, b, l.bareRelations(b))
	}
	return out
}

// places are the items of a list.
func (l *layout) places(p Part, b block) (out []markdown.Span) {
	for _, x := range l.listItems(p, b) {
		out = append(out, x.At)
	}
	return out
}

func (l *layout) coveredRaw() []markdown.Span {
	var covered []markdown.Span
	for p, b := range l.labels() {
		if b.Alone {
			continue
		}
		covered = append(covered, b.Head)
		switch p {
		case PartTask, PartFlow:
			covered = append(covered, b.Text)
		case PartTimestamp, PartAuthor:
			covered = append(covered, l.paragraph(b))
		default:
			covered = append(covered, l.places(p, b)...)
		}
	}
	slices.SortFunc(covered, func(a, b markdown.Span) int { return a.Start - b.Start })
	return covered
}

// bareRelations are the lines that hold a relation and nothing else.
func (l *layout) bareRelations(b block) []markdown.Span {
	var out []markdown.Span
	for _, ln := range l.lines(markdown.Span{Start: b.Head.End + 1, End: b.At.End}) {
		s := strings.TrimLeft(ln.At.Of(l.text), " -*")
		if strings.HasPrefix(s, "@") && !strings.Contains(strings.TrimRight(s, space), " ") {
			out = append(out, ln.At)
		}
	}
	return out
}

// uncovered adds the runs of lines of a block that no span touches; the spans
// are sorted.
func (l *layout) uncovered(out []string, b block, covered []markdown.Span) []string {
	var run markdown.Span // the lines that are not covered yet
	finish := func() {
		if run.End > run.Start {
			out = append(out, UnixLines(run.Of(l.text)))
		}
		run = markdown.Span{}
	}
	for _, ln := range l.lines(markdown.Span{Start: b.Head.End + 1, End: b.At.End}) {
		for len(covered) > 0 && covered[0].End <= ln.At.Start {
			covered = covered[1:]
		}
		blank := strings.Trim(ln.At.Of(l.text), space) == ""
		if blank || (len(covered) > 0 && covered[0].Start < ln.At.End) {
			finish()
			continue
		}
		if run.End == 0 {
			run.Start = ln.At.Start
		}
		run.End = ln.At.End
	}
	finish()
	return out
}
