package workspace

import (
	"context"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// planInputs is the store's [store.Options.Inputs]: what is open with unsaved text, and, if they are asked
// for, the comments of code that name entries and the links of documents to them, as the open buffers have them.
func (t *treeState) planInputs(marks bool) (in plan.Inputs) {
	in.Unsaved = t.Unsaved()
	if v := t.View(); v != nil && marks {
		in.Marks, in.Pages = codeMarks(v.ForFile(t.ctx, TreeDir+"/")), pageLinks(t.ctx, v)
	}
	return in
}

// codeMarks lists the comments of code that name entries.
func codeMarks(v *View) (marks []tree.CodeMark) {
	for _, c := range v.Code().Marked() {
		text, ok := v.Text(c.Path)
		line, at := 1, 0 // of the mark before: they stand in order
		for _, m := range c.Marks() {
			if ok && m.At.End <= len(text) && strings.HasPrefix(text[m.At.Start:m.At.End], tree.MarkSign+m.Target) {
				line, at = line+strings.Count(text[min(at, m.At.Start):m.At.Start], "\n"), m.At.Start
				marks = append(marks, tree.CodeMark{Path: c.Path, Line: line, Target: m.Target})
			}
		}
	}
	return marks
}

// pageLinks lists the links of documents to entries and folders of the tree, by the tree path of these.
func pageLinks(ctx context.Context, v *View) map[string][]relink.PageLink {
	out := map[string][]relink.PageLink{}
	set, err := v.Documents(ctx)
	if err != nil {
		return out
	}
	for _, e := range set.Pages().Entries() {
		for _, f := range e.Files {
			if at, ok := strings.CutPrefix(f.Path, TreeDir+"/"); ok {
				out[at] = append(out[at], relink.PageLink{Page: e.Path, Text: e.Text, At: f.At, To: f.Path})
			}
		}
	}
	return out
}
