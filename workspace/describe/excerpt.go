package describe

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// excerptLines is how much of an entry's text stands in [Entry].
const excerptLines = 12

// provenance are the sections about the origin of an entry; an excerpt leaves them out if the entry has other
// text.
var provenance = []string{"Reason", "Raw Concept", "Relations"}

// Excerpt is the beginning of an entry's text, without its title heading, blank lines collapsed. An open code
// fence is closed, and the cut text does not end with a heading.
func Excerpt(e *format.Entry) string {
	if err := e.Unmerged(); err != nil {
		return "Not known: " + err.Error() + "."
	}
	body, from := "", e.Body.Start
	for _, s := range e.Sections {
		if s.Level == 2 && slices.ContainsFunc(provenance, func(name string) bool { return strings.EqualFold(name, s.Title) }) {
			body += e.Text[from:s.At.Start]
			from = s.At.End
		}
	}
	body += e.Text[from:]
	if short := firstLines(body); short != "" {
		return short
	}
	return firstLines(e.Body.Of(e.Text))
}

func firstLines(body string) string {
	var out []string
	fence := "" // that is open
	body = strings.TrimSpace(body)
	for at := range markdown.Lines(body) {
		l := strings.TrimRight(at.At.Of(body), " \t")
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		if len(out) == 0 && strings.HasPrefix(l, "# ") {
			continue
		}
		fence = at.Open
		if out = append(out, l); len(out) == excerptLines {
			break
		}
	}
	switch {
	case fence != "":
		out = append(out, fence)
	case len(out) == excerptLines:
		return markdown.WithoutLastHeadings(strings.Join(out, "\n"))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
