package format

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// drawn is a diagram and the place that it takes.
type drawn struct {
	Diagram
	At   markdown.Span // the title through the closing fence
	code markdown.Span // the lines between the fences
}

// diagrams lists the fenced blocks of a block, each with the bold line right above it.
func (l *layout) diagrams(b block) []drawn {
	var all []drawn
	title, start := "", -1
	for _, ln := range l.lines(markdown.Span{Start: b.Head.End + 1, End: b.At.End}) {
		s := strings.TrimRight(ln.At.Of(l.text), space)
		switch ln.Fence {
		case markdown.FenceOpen:
			if start < 0 {
				start = ln.At.Start
			}
			_, info := markdown.Fence(s)
			next := l.after(ln)
			all = append(all, drawn{Diagram: Diagram{Type: diagramType(info), Title: title},
				At: markdown.Span{Start: start, End: ln.At.End}, code: markdown.Span{Start: next, End: next}})
			title, start = "", -1
		case markdown.FenceText:
			all[len(all)-1].code.End, all[len(all)-1].At.End = ln.At.End, ln.At.End
		case markdown.FenceClose:
			all[len(all)-1].At.End = ln.At.End
		case markdown.FenceNone:
			if title, start = boldLine(s), ln.At.Start; title == "" {
				start = -1
			}
		}
	}
	out := all[:0]
	for _, d := range all {
		if d.Content = trimBlank(UnixLines(d.code.Of(l.text))); d.Content != "" {
			out = append(out, d)
		}
	}
	return out
}

func diagramType(info string) string {
	word, _, _ := strings.Cut(strings.ToLower(info), " ")
	switch word {
	case diagramMermaid, diagramPlantUML:
		return word
	case "":
		return diagramASCII
	}
	return diagramOther
}

// boldLine is the text of a line that is bold as a whole.
func boldLine(s string) string {
	if len(s) < 5 || !strings.HasPrefix(s, "**") || !strings.HasSuffix(s, "**") {
		return ""
	}
	return strings.Trim(s[2:len(s)-2], space)
}

// String writes the diagram as it stands in an entry.
func (d Diagram) String() string {
	info := map[string]string{diagramASCII: "", diagramOther: "text"}
	language, ok := info[d.Type]
	if !ok {
		language = d.Type
	}
	s := markdown.Fenced(language, d.Content)
	if d.Title != "" {
		s = "**" + d.Title + "**\n" + s
	}
	return s
}
