package refactor

import (
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// sides are the ways to end a merge conflict.
var sides = []struct {
	side     format.Side
	id, what string
}{
	{format.Ours, "ours", "ours, the part above ======="},
	{format.Theirs, "theirs", "theirs, the part below ======="},
	{format.Both, "both", "both, ours first"},
}

// Resolutions offers the sides of each merge conflict at a place of a file. If the file has several conflicts, it
// also offers a side for all of them. A fix deletes the other side and changes no other byte.
func Resolutions(p Project, entry string, at markdown.Span) (out []Fix) {
	e, ok := p.Tree.Entry(entry)
	if !ok {
		return nil
	}
	offer := func(id, title string, side format.Side, chosen ...format.Conflict) {
		var edits []markdown.Edit
		unclear := ""
		for _, c := range chosen {
			edits = append(edits, c.Accept(side)...)
			if !c.Certain {
				unclear = "another line could also separate the two sides; resolve it yourself"
			}
		}
		f := editing{Project: p, entry: e}.edit(id, title, edits...)
		f.Repairs, f.At, f.Disabled = format.CodeConflict, chosen[0].At, unclear
		out = append(out, f)
	}
	touched := false
	for _, c := range e.Conflicts {
		if at.Start >= c.At.End || at.End < c.At.Start {
			continue
		}
		touched = true
		for _, s := range sides {
			offer(fmt.Sprintf("%s@%d", s.id, c.At.Start), "Accept "+s.what, s.side, c)
		}
	}
	if n := len(e.Conflicts); touched && n > 1 {
		for _, s := range sides {
			offer(s.id, fmt.Sprintf("Accept %s in all %d conflicts", s.what, n), s.side, e.Conflicts...)
		}
	}
	return out
}
