package dream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// sureName is how much a symbol may differ from the one that is there instead, so that the new
// name is proposed: of 10,454 functions of this project and of Go's packages below net and go, 95 %
// differ by less from themselves under another name, and 4 % from the nearest other one of their
// folder, which besides would have to be new. See [link.Drift] for the measure.
const sureName = 0.3

// respelled plans an entry's text with the names that symbols and files have now, where the entry
// names them in code of its text: just what a check reports, spelled as it proposes. Other ways in
// which the code went on are named with it, since to approve it says that the entry is true.
func (m material) respelled(e *tree.Entry, drifts []link.Drift) (Step, bool) {
	var edits []tree.Edit
	var names, others []string
	sureness, end := movedConfidence, 0
	say := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	for _, d := range drifts {
		sure := d.Symbol == "" || d.Grade < sureName
		if !sure || d.Kind != link.Moved || d.Replace == "" || d.At.Start < end {
			say(&others, d.Reason)
			continue
		}
		edits, end, sureness = append(edits, tree.Edit{At: d.At, New: d.Replace}), d.At.End, min(sureness, 1-d.Grade)
		name := fmt.Sprintf("`%s` is `%s`", d.At.Of(e.Text), d.Replace)
		if d.Symbol != "" {
			name += " in `" + d.To + "`"
		}
		say(&names, name)
	}
	revision, ok := revisionOf(e, edits)
	if !ok {
		return Step{}, false
	}
	why := strings.Join(names[:min(len(names), maxReasons)], "; ")
	if len(others) > 0 {
		why += ". Is the rest still true? The code went on: " + strings.Join(others[:min(len(others), maxReasons)], "; ")
	}
	return Step{
		Phase: Consolidate, Action: TemporalUpdate, Inputs: []string{e.Path}, Output: e.Path, Review: true, Confidence: sureness, Key: m.driftKey(e, drifts),
		Reason: "Updated " + e.Path + " — what it names has another name: " + why,
		Ops:    []tree.Op{{Type: tree.OpUpdate, Path: e.Path, Content: revision.Content, Replace: revision.Replace}},
	}, true
}

// revisionOf says edits of an entry's text as a revision of its parts. It fails where there is
// none, or where the revision would not leave the same lines: for what stands in no part of the
// format.
func revisionOf(e *tree.Entry, edits []tree.Edit) (r tree.Revision, ok bool) {
	if len(edits) == 0 {
		return r, false
	}
	after := tree.Parse(e.Path, tree.ApplyEdits(e.Text, edits))
	was, is := e.Content(), after.Content()
	part := func(p tree.Part, same bool) bool {
		if !same {
			r.Replace = append(r.Replace, p)
		}
		return !same
	}
	if was.Narrative != nil && is.Narrative != nil {
		var n tree.Narrative
		own, old := textParts(&n), textParts(was.Narrative)
		for i, p := range textParts(is.Narrative) {
			if part(p.part, *p.text == *old[i].text) {
				*own[i].text, r.Content.Narrative = *p.text, &n
			}
		}
	}
	if was.RawConcept != nil && is.RawConcept != nil {
		var c tree.RawConcept
		old, now := was.RawConcept, is.RawConcept
		for _, t := range []struct {
			part tree.Part
			own  *string
			old  string
			now  string
		}{{tree.PartTask, &c.Task, old.Task, now.Task}, {tree.PartFlow, &c.Flow, old.Flow, now.Flow}} {
			if part(t.part, t.old == t.now) {
				*t.own, r.Content.RawConcept = t.now, &c
			}
		}
		if part(tree.PartChanges, slices.Equal(old.Changes, now.Changes)) {
			c.Changes, r.Content.RawConcept = now.Changes, &c
		}
	}
	if part(tree.PartFacts, slices.Equal(was.Facts, is.Facts)) {
		r.Content.Facts = is.Facts
	}
	if part(tree.PartSnippets, slices.Equal(was.Snippets, is.Snippets)) {
		r.Content.Snippets = is.Snippets
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
