package pack

import (
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree"
)

// form is one way to show a candidate.
type form struct {
	form  Form
	block string      // rendered, without the blank line behind it
	lines [2]int      // first and last line shown
	gain  float64     // of an entry the share of its value that it carries, of a file its value
	price int         // estimated tokens; set by the filler where it is 0
	draw  func() form // makes block and lines when they are needed; nil if they are there
}

// drawn renders a form that is not yet.
func (f *form) drawn() *form {
	if f.draw != nil {
		d := f.draw()
		f.block, f.lines, f.draw = d.block, d.lines, nil
	}
	return f
}

// What the forms carry of an entry's value. An agent that sees the title can ask
// for more.
const (
	gainSummary = 0.30
	gainPassage = 0.75
	gainFull    = 1.00
)

// What a file's forms are worth beside their excerpts, each of which counts its chance
// to be what a change touches: these count times the chance that the change touches
// the file. On 165 commits signatures worth .35 instead of .58 show 2.5 points fewer
// files in 4,096 tokens and 0.6 points more bodies; with .8 it is 1.3 points more files
// and 1.2 points fewer bodies.
const (
	gainOutline    = 0.10
	gainSignatures = 0.60 // eight of them
	gainWhole      = 0.10 // what lies between the symbols
)

// gainsSignatures are the gains of signatureCounts.
var gainsSignatures = [2]float64{0.58, gainSignatures}

// entryForms renders an entry. The frontmatter stays out: title and summary are
// said above, the rest is for machines.
func entryForms(e *tree.Entry, passage tree.Span) []form {
	source := TreeDir + e.Path
	line := "- **" + oneLine(e.Title, maxTitle) + "** " + code(source)
	if s := oneLine(e.Summary, maxSummary); s != "" {
		line += ": " + s
	}
	forms := []form{{form: FormSummary, block: line, gain: gainSummary}}
	body := trimSpan(e.Text, e.Body)
	if body.Start == body.End {
		return forms
	}
	passage = trimSpan(e.Text, lineSpan(e.Text, clip(passage, body)))
	if n := passage.End - passage.Start; n > 0 && 4*n < 3*(body.End-body.Start) {
		forms = append(forms, passageForm(e, source, passage, FormPassage, gainPassage))
	}
	return append(forms, passageForm(e, source, body, FormFull, gainFull))
}

// Longest title and summary in a one-line form, in characters. The reference
// system cuts summaries at about the same length.
const (
	maxTitle   = 120
	maxSummary = 240
)

func passageForm(e *tree.Entry, source string, at tree.Span, f Form, gain float64) form {
	lines := linesOf(e.Text, at.Start, at.End)
	head := "### " + oneLine(e.Title, maxTitle) + "\n" + code(source+":"+ranges([][2]int{lines})) + "\n"
	return form{form: f, block: head + fenced("md", at.Of(e.Text)), lines: lines, gain: gain}
}

// clip cuts a span to another; a span outside becomes empty.
func clip(s, to tree.Span) tree.Span {
	start := min(max(s.Start, to.Start), to.End)
	return tree.Span{Start: start, End: min(max(s.End, start), to.End)}
}

// lineSpan widens a span that is not empty to whole lines.
func lineSpan(text string, s tree.Span) tree.Span {
	if s.Start == s.End {
		return s
	}
	s.Start = strings.LastIndexByte(text[:s.Start], '\n') + 1
	if text[s.End-1] != '\n' {
		if i := strings.IndexByte(text[s.End:], '\n'); i >= 0 {
			s.End += i
		} else {
			s.End = len(text)
		}
	}
	return s
}

// trimSpan drops blank lines at both ends.
func trimSpan(text string, s tree.Span) tree.Span {
	content := s.Of(text)
	s.End -= len(content) - len(strings.TrimRightFunc(content, unicode.IsSpace))
	if s.End < s.Start {
		s.End = s.Start
	}
	content = s.Of(text)
	lead := content[:len(content)-len(strings.TrimLeftFunc(content, unicode.IsSpace))]
	s.Start += strings.LastIndexByte(lead, '\n') + 1
	return s
}

// linesOf returns the first and last line of a range that is not empty, 1-based.
func linesOf(text string, start, end int) [2]int {
	first := 1 + strings.Count(text[:start], "\n")
	return [2]int{first, first + strings.Count(strings.TrimRight(text[start:end], "\n"), "\n")}
}
