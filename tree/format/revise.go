package format

import (
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Revision describes a change of an entry.
type Revision struct {
	Header  Header  // title, summary and reason; empty strings keep what is there
	Content Content // scalars replace; lists are added to what is there, facts of one subject replace each other
	Replace []Part  // lists whose present items are removed; also parts to empty, if Content does not have them
}

// Revise returns the entry's text after a revision. Only the bytes of what
// changes differ; line ends, comments, key order, unknown keys and sections stay.
// Losses lists everything of the old parts that Content does not say: list items
// that were kept, items that were dropped by Replace, and scalars that were
// overwritten (Kept false). A text that was only added to says what it said. A part of which the revision says nothing loses
// nothing. Revising twice is revising once.
//
// The Reason is replaced without a loss: the journal keeps it.
// Frontmatter that cannot be edited safely stays as it is; see [Entry.FieldEdit].
// A file whose frontmatter is never closed, or that is no UTF-8, is returned
// unchanged.
func (e *Entry) Revise(r Revision) (text string, losses []Loss) {
	v := &Reviser{E: e, header: r.Header, content: r.Content.normal(), replace: map[Part]bool{}}
	for _, p := range r.Replace {
		v.replace[p] = true
	}
	if !editable(e.Text) {
		return e.Text, nil
	}
	v.revise()
	return v.E.Text, v.losses
}

// NamesBoth reports whether the line of a name has its new name too, as in "`a.go` became `b.go`". Such a line tells
// of the renaming, and would be false with the new name alone.
func NamesBoth(text string, at markdown.Span, name string) bool {
	line := at.Lines(text)
	line = markdown.Span{Start: max(line.Start, at.Start-markdown.MaxLink), End: min(line.End, at.End+markdown.MaxLink)}
	whole := `(?:^|[^\pL\pN_./-])` + regexp.QuoteMeta(name) + `(?:[^\pL\pN_/-]|$)`
	rest := text[line.Start:at.Start] + " " + text[at.End:line.End]
	return strings.Contains(rest, name) && regexp.MustCompile(whole).MatchString(rest)
}

// Renamed returns an entry with other names of files and code, each written in its place: in the list of files and,
// where the line does not have the new name yet, in links, behind an @ and, unless only those are meant, in code of
// its text.
func Renamed(e *Entry, names map[string]string, listed bool) *Entry {
	var at []markdown.Span
	for _, f := range e.Files {
		at = append(at, f.At)
	}
	for _, m := range e.Relations {
		if said, ok := m.Said(e.Text); ok && (m.Form == FormMarkdown || m.Form == FormAt) {
			at = append(at, said)
		}
	}
	if !listed {
		at = append(at, e.Code...)
	}
	slices.SortStableFunc(at, func(a, b markdown.Span) int { return a.Start - b.Start })
	var edits []markdown.Edit
	end := 0
	for _, s := range at {
		to, ok := names[s.Of(e.Text)]
		if ok && s.Start >= end && (Listed(e, s) || !NamesBoth(e.Text, s, to)) {
			edits, end = append(edits, markdown.Edit{At: s, New: to}), s.End
		}
	}
	return Parse(e.Path, markdown.ApplyEdits(e.Text, edits))
}

// Listed reports whether a place is that of an item of the entry's files.
func Listed(e *Entry, at markdown.Span) bool {
	return slices.ContainsFunc(e.Files, func(f FileRef) bool { return f.At == at })
}

func (v *Reviser) revise() {
	v.words(PartTitle, v.header.Title)
	v.words(PartSummary, v.header.Summary)
	for _, r := range fieldRows {
		v.list(r, *r.List(&v.content))
	}
	if reason := normalText(v.header.Reason); reason != "" {
		v.prose("", reason)
	}
	for _, r := range Parts {
		switch {
		case r.key() != "":
		case r.Text != nil:
			v.prose(r.Part, *r.Text(&v.content))
		case r.Part == PartDiagrams:
			v.diagrams(v.content.Narrative.Diagrams)
		case r.Part == PartFacts:
			v.facts()
		case r.Part == PartSnippets:
			v.snippets()
		case r.List != nil:
			v.bulleted(r.Part, *r.List(&v.content))
		default:
			v.bulleted(r.Part, r.items(&v.content))
		}
	}
}

// prose revises a part that is text, or one line.
func (v *Reviser) prose(p Part, text string) {
	l := v.E.layout()
	b, ok := l.block(p)
	labelled, line := p.row().label != "" || b.Alone, p.row().line
	old := normalText(l.prose(b, labelled))
	if line {
		old = OneLine(b.Text.Of(l.text))
	}
	if old == text || (text == "" && !v.replace[p]) {
		return
	}
	if p != "" && old != "" && (line || !extends(text, old)) {
		v.addLoss(p, old, false)
	}
	if !line {
		text = escape(text, labelled)
	}
	switch {
	case text == "":
		if rest := strings.Trim(l.text[b.Text.End:max(b.Text.End, b.At.End)], space); rest != "" {
			v.addLoss(PartText, UnixLines(rest), false)
		}
		v.remove(l, b)
		v.removeEmpty("Raw Concept", "Narrative")
	case !ok:
		v.insert(l, p, text)
	case b.Text.Start == b.Text.End && line:
		v.apply(markdown.Edit{At: markdown.Span{Start: b.Head.End, End: b.Head.End}, New: " " + text})
	case !b.Inline && line:
		v.apply(markdown.Edit{At: markdown.Span{Start: b.Head.End, End: b.Text.End}, New: " " + text})
	case b.Text.Start == b.Text.End, b.Inline && !line && !besideLabel(text):
		v.apply(markdown.Edit{At: markdown.Span{Start: b.Head.End, End: b.Text.End}, New: v.native("\n" + text)})
	default:
		v.apply(markdown.TrimEdit(l.text, markdown.Edit{At: b.Text, New: v.native(text)}))
	}
}

// extends reports whether a text keeps all lines of another one in the same order. New lines may stand in
// between, and sentences may follow a complete one. A line that continues differently is a change.
func extends(text, old string) bool {
	was, is := slices.Collect(markdown.Lines(old)), slices.Collect(markdown.Lines(text))
	for k, w := range was {
		next := ""
		if k+1 < len(was) {
			next = was[k+1].At.Of(old)
		}
		line := w.At.Of(old)
		at := slices.IndexFunc(is, func(l markdown.Line) bool {
			return l.Fence == w.Fence && (l.At.Of(text) == line || isWhole(line) && strings.HasPrefix(l.At.Of(text), line+" "))
		})
		if at < 0 {
			return false
		}
		if w.Fence == markdown.FenceNone && leadsInto(text, is[:at], line) {
			return false
		}
		is = is[at+1:]
		if w.Fence == markdown.FenceNone && !isWhole(line) && len(is) > 0 && isBroken(line, is[0].At.Of(text)) &&
			is[0].At.Of(text) != next {
			return false
		}
	}
	return true
}

// leadsInto reports whether new lines change the meaning of the line behind them: they run on into it, or
// announce it.
func leadsInto(text string, added []markdown.Line, line string) bool {
	for i, l := range slices.Backward(added) {
		said := strings.TrimRight(l.At.Of(text), space)
		if said != "" {
			return strings.ContainsRune(",:;", rune(said[len(said)-1])) || i == len(added)-1 && !isWhole(said) && isBroken(said, line)
		}
	}
	return false
}

// isWhole reports whether a line ends with the end of a sentence.
func isWhole(s string) bool { return s != "" && strings.ContainsRune(".!?", rune(s[len(s)-1])) }

// isBroken reports whether a line of a paragraph or an item continues in the next line.
func isBroken(line, next string) bool {
	begins := func(s string) bool { // something of its own
		s = strings.TrimLeft(s, space)
		return s == "" || bullet(s) > 0 || markdown.FenceRun(s) != "" || strings.ContainsRune("#|>+0123456789", rune(s[0]))
	}
	return strings.Trim(line, space) != "" && line[0] != '#' && line[0] != '|' && !begins(next)
}

// AddedNote names the texts of an entry that a revision only added to.
func AddedNote(e, revised *Entry) string {
	var parts []string
	before, after := e.Content().normal(), revised.Content().normal()
	for _, r := range Parts {
		if r.Text == nil || r.line {
			continue
		}
		if was, is := *r.Text(&before), *r.Text(&after); was != "" && was != is && extends(is, was) {
			parts = append(parts, string(r.Part))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; added to " + strings.Join(parts, ", ")
}

// besideLabel reports whether a text can begin on its label's line.
func besideLabel(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return markdown.FenceRun(first) == "" && bullet(first) == 0 && strings.TrimLeft(first, space) == first
}

// diagrams revises the drawings of the Narrative.
func (v *Reviser) diagrams(wanted []Diagram) {
	if len(wanted) == 0 && !v.replace[PartDiagrams] {
		return
	}
	there := map[Diagram]bool{}
	dropped := false
	for _, d := range v.drawn() {
		normal := d.normal()
		there[normal] = true
		if normal == (Diagram{}) || slices.Contains(wanted, normal) {
			continue
		}
		v.addLoss(PartDiagrams, d.String(), !v.replace[PartDiagrams])
		if v.replace[PartDiagrams] {
			v.dropDiagram(d.Diagram)
			dropped = true
		}
	}
	var add []string
	for _, d := range wanted {
		if !there[d] {
			add = append(add, d.String())
		}
	}
	l := v.E.layout()
	b, ok := l.block(PartDiagrams)
	text := strings.Join(add, "\n\n")
	switch {
	case text != "" && !ok:
		v.insert(l, PartDiagrams, text)
	case text != "":
		v.apply(l.behind(b, v.native("\n\n"+text)))
	case dropped && b.Text.Start == b.Text.End:
		v.remove(l, b)
		v.removeEmpty("Narrative")
	}
}

func (v *Reviser) drawn() []drawn {
	l := v.E.layout()
	b, ok := l.block(PartDiagrams)
	if !ok {
		return nil
	}
	return l.diagrams(b)
}

// dropDiagram takes one diagram out, with the blank lines that set it apart.
func (v *Reviser) dropDiagram(old Diagram) {
	l := v.E.layout()
	b, _ := l.block(PartDiagrams)
	for _, d := range l.diagrams(b) {
		if d.Diagram == old {
			v.remove(l, block{Head: markdown.Span{Start: d.At.Start, End: d.At.Start},
				At: markdown.Span{Start: d.At.Start, End: l.next(d.At.End)}, Text: d.At})
			return
		}
	}
}

// snippets revises what stands behind the sections.
func (v *Reviser) snippets() {
	wanted := v.content.Snippets
	if len(wanted) == 0 && !v.replace[PartSnippets] {
		return
	}
	l := v.E.layout()
	there := map[string]bool{}
	var edits []markdown.Edit
	for _, at := range l.snippets() {
		text := normalSnippet(at.Of(l.text))
		there[text] = true
		if slices.Contains(wanted, text) {
			continue
		}
		v.addLoss(PartSnippets, text, !v.replace[PartSnippets])
		if v.replace[PartSnippets] {
			edits = append(edits, markdown.Edit{At: markdown.Span{Start: l.before(at.Start), End: at.End}})
		}
	}
	v.apply(edits...)
	var add []string
	for _, s := range wanted {
		if !there[s] {
			add = append(add, "---\n\n"+s)
		}
	}
	if len(add) > 0 {
		v.tail(strings.Join(add, "\n\n"))
	}
}
