package digest

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// passage is one sentence, list item or fact of an entry.
type passage struct {
	text string // plain prose, one line
	kind passageKind
}

// passageKind is the part of the format in which a passage stands.
type passageKind int

const (
	inProse passageKind = iota
	inTask
	inChanges
	inFlow
	inPatterns
	inStructure
	inDependencies
	inHighlights
	inRules
	inFacts
	inIncluded
	inExcluded
	inUsage
	nowhere // says nothing about the subject, or is not prose
)

// passageWorth weighs kinds against each other: rules and facts bind whoever works
// there, changes are history. Judged by reading summaries of the sample trees.
var passageWorth = [...]float64{
	inProse: 1, inTask: 1, inChanges: 0.5, inFlow: 0.8, inPatterns: 0.7, inStructure: 1.1, inDependencies: 0.9,
	inHighlights: 1.1, inRules: 1.4, inFacts: 1.3, inIncluded: 1.1, inExcluded: 1.6, inUsage: 0.7,
}

var headingKinds = map[string]passageKind{
	"raw concept": inProse, "narrative": inProse, "structure": inStructure, "dependencies": inDependencies,
	"highlights": inHighlights, "features": inHighlights, "rules": inRules, "facts": inFacts, "flow": inFlow, "task": inTask,
	"reason": nowhere, "examples": nowhere, "diagrams": nowhere, "relations": nowhere, "related": nowhere, "related topics": nowhere,
	"key concepts": inIncluded, "usage": inUsage, "ownership": nowhere,
}

var labelKinds = map[string]passageKind{
	"task": inTask, "changes": inChanges, "flow": inFlow, "patterns": inPatterns,
	"files": nowhere, "timestamp": nowhere, "author": nowhere,
}

// Limits in bytes on what is one passage: less says nothing, more is not a
// sentence but a dump.
const (
	minPassage = 12
	maxPassage = 600
)

// passages reads the entry's body sentence by sentence, without code, tables,
// headings and what only says who wrote it when.
func passages(e *format.Entry) []passage {
	r := passageReader{out: make([]passage, 0, 16)}
	for _, l := range markdown.Split(e.Text, e.Body.Start) {
		r.line(l.At.Of(e.Text), l.Fence != 0)
	}
	r.flush()
	for _, f := range e.Facts {
		text := f.Statement
		if f.Subject != "" {
			text = f.Subject + ": " + text
		}
		r.add(text, inFacts)
	}
	return r.out
}

// passageReader joins wrapped lines and cuts the result into sentences.
type passageReader struct {
	out    []passage
	joined []byte
	item   bool // joined is a list item
	kind   passageKind
	under  passageKind // kind of the heading
}

func (r *passageReader) line(s string, fence bool) {
	t := strings.TrimLeft(strings.TrimSpace(s), "> ")
	switch {
	case fence, t == "", t[0] == '|', strings.HasPrefix(t, "<!--"), strings.Trim(t, "-=*_ ") == "":
		r.flush()
		return
	case t[0] == '#':
		if level, title := markdown.Heading(t); level > 0 {
			r.flush()
			r.under = headingKinds[strings.ToLower(title)]
			r.kind = r.under
			return
		}
	case strings.HasPrefix(t, "**"):
		if name, rest, ok := format.Label(t); ok && r.label(name, t[rest:]) {
			return
		}
	case strings.HasSuffix(t, ":") && r.scope(t):
		return
	}
	if rest, ok := cutMarker(t); ok {
		r.flush()
		r.item, t = true, rest
	}
	if len(r.joined) > 0 {
		r.joined = append(r.joined, ' ')
	}
	r.joined = append(r.joined, t...)
}

// label takes up a `**Task:**` of the format; others end one and are prose.
func (r *passageReader) label(name, rest string) bool {
	r.flush()
	kind, ok := labelKinds[strings.ToLower(name)]
	if !ok {
		r.kind = r.under
		return false
	}
	r.kind, r.joined = kind, append(r.joined, rest...)
	return true
}

// scope takes up the two lines that divide a domain's Scope.
func (r *passageReader) scope(t string) bool {
	switch strings.ToLower(t) {
	case "included in this domain:":
		r.flush()
		r.kind = inIncluded
	case "excluded from this domain:":
		r.flush()
		r.kind = inExcluded
	default:
		return false
	}
	return true
}

// flush ends a paragraph or list item.
func (r *passageReader) flush() {
	s, item := format.OneLine(string(r.joined)), r.item
	r.joined, r.item = r.joined[:0], false
	switch {
	case s == "" || r.kind == nowhere || r.kind == inFacts:
	case item && len(s) <= maxPassage/3, r.kind == inFlow:
		r.add(s, r.kind)
	default:
		for _, sentence := range markdown.Sentences(s) {
			r.add(sentence, r.kind)
		}
	}
}

func (r *passageReader) add(s string, kind passageKind) {
	s = plainProse(s)
	if len(s) < minPassage && kind != inIncluded && kind != inExcluded || len(s) > maxPassage || strings.HasSuffix(s, ":") ||
		markdown.FenceRun(s) != "" {
		return
	}
	r.out = append(r.out, passage{s, kind})
}

// cutMarker takes the marker off a list item.
func cutMarker(t string) (rest string, ok bool) {
	at := markdown.Item(t)
	if at == 0 || at == len(t) {
		return t, false
	}
	return strings.TrimPrefix(strings.TrimPrefix(t[at:], "[ ] "), "[x] "), true
}
