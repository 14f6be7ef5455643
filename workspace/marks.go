package workspace

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// planInputs is the store's [store.Options.Inputs]: what is open with unsaved text, and, if they are asked
// for, the comments of code that name entries and the links of documents to them, as the open buffers have them.
func (t *treeState) planInputs(marks bool) (in plan.Inputs) {
	in.Unsaved = t.Unsaved()
	if v := t.View(); v != nil && marks {
		in.Marks = codeMarks(v.ForFile(t.ctx, TreeDir+"/"))
		if set, err := v.Documents(t.ctx); err == nil {
			in.Pages = plan.PageLinks(set.Pages().Entries(), TreeDir+"/")
		}
		in.Beside = map[string]bool{}
		for _, e := range v.Tree().Entries() {
			for _, k := range tree.Outlinks(v.Tree(), e) {
				_, err := v.Files().Lstat(k.Ways[0])
				in.Beside[k.Ways[0]] = err == nil
			}
		}
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
