package dream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// SureName is how much a symbol may differ from the one that is there instead, so that the new
// name is proposed: of 10,454 functions of this project and of Go's packages below net and go, 95 %
// differ by less from themselves under another name, and 4 % from the nearest other one of their
// folder, which besides would have to be new. See [link.Drift] for the measure.
const SureName = 0.3

// respelled plans an entry's text with the names that symbols and files have now, where the entry
// names them in code of its text: just what a check reports, spelled as it proposes. Other ways in
// which the code went on are named with it, since to approve it says that the entry is true.
func (m material) respelled(e *format.Entry, drifts []link.Drift) (Step, bool) {
	var edits []markdown.Edit
	var names, others []string
	sureness, end := movedConfidence, 0
	say := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	for _, d := range drifts {
		sure := d.Symbol == "" || d.Grade < SureName
		if !sure || d.Kind != link.Moved || d.Replace == "" || d.At.Start < end {
			say(&others, d.Reason)
			continue
		}
		edits, end, sureness = append(edits, markdown.Edit{At: d.At, New: d.Replace}), d.At.End, min(sureness, 1-d.Grade)
		name := fmt.Sprintf("`%s` is `%s`", d.At.Of(e.Text), d.Replace)
		if d.Symbol != "" {
			name += " in `" + d.To + "`"
		}
		say(&names, name)
	}
	revision, ok := RevisionOf(e, edits)
	if !ok {
		return Step{}, false
	}
	why := few(names)
	if len(others) > 0 {
		why += ". Is the rest still true? The code has changed: " + few(others)
	}
	return m.drifted(e, drifts, sureness, "Updated "+e.Path+" — symbols were renamed: "+why,
		plan.Op{Type: plan.OpUpdate, Path: e.Path, Content: revision.Content, Replace: revision.Replace, Renames: Renames(e, edits)}), true
}

// Renames are the names that edits of an entry's text replace, with the new ones; see [plan.Op].
func Renames(e *format.Entry, edits []markdown.Edit) (out []plan.Rename) {
	for _, edit := range edits {
		out = append(out, plan.Rename{From: edit.At.Of(e.Text), To: edit.New})
	}
	return out
}

// RevisionOf says edits of an entry's text as a revision of its parts. It fails where there is
// none, or where the revision would not leave the same lines: for what stands in no part of the
// format.
func RevisionOf(e *format.Entry, edits []markdown.Edit) (r format.Revision, ok bool) {
	if len(edits) == 0 {
		return r, false
	}
	after := format.Parse(e.Path, markdown.ApplyEdits(e.Text, edits))
	was, is := e.Content(), after.Content()
	for _, p := range format.Parts {
		switch {
		case p.Text != nil && *p.Text(&was) != *p.Text(&is):
			*p.Text(&r.Content) = *p.Text(&is)
		case p.Part == format.PartFacts && !slices.Equal(was.Facts, is.Facts):
			r.Content.Facts = is.Facts
		case (p.Part == format.PartChanges || p.Part == format.PartSnippets) && !slices.Equal(*p.List(&was), *p.List(&is)):
			*p.List(&r.Content) = *p.List(&is)
		default:
			continue
		}
		r.Replace = append(r.Replace, p.Part)
	}
	text, _ := e.Revise(r)
	return r, slices.Equal(sortedLines(text), sortedLines(after.Text))
}

// sortedLines are the lines of a text that say something: a list may come in another order.
func sortedLines(text string) []string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	slices.Sort(lines)
	return lines
}
