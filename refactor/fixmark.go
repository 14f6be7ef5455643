package refactor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// MarkRepairs lists the repairs for a comment in code that leads nowhere, or to several entries. file is the
// code's workspace path, and text its text. r is the comment's mark as a relation without a source: Raw is the
// target, and At the whole mark. No links are needed.
func MarkRepairs(p Project, file, text string, r tree.Relation) (out []Fix) {
	code, targets := format.CodeAmbiguous, firstOf(r.Candidates, maxCandidates)
	clear := 0 // how many of the targets, counted from the first, are preferred
	if len(r.Candidates) == 0 || r.Escapes {
		code, targets = format.CodeBroken, nil
		found := nearest(p.Tree, "", r.Raw)
		for _, n := range found {
			targets = append(targets, n.path)
		}
		if isClear(found) || len(found) == 1 {
			clear = 1
		}
	}
	target := markdown.Span{Start: r.At.Start + len(tree.MarkSign), End: r.At.End}
	for i, entry := range targets {
		raw, ok := p.markTarget(entry, strings.HasSuffix(r.Raw, ".md"))
		if !ok {
			continue
		}
		title := "Change the comment to " + tree.MarkSign + raw
		change := Change{Title: title, Files: []File{{Path: file, Before: text, Edits: []markdown.Edit{{At: target, New: raw}}}}}
		out = append(out, Fix{ID: "lead:" + entry, Title: title, Preferred: i < clear, Plan: func() (Change, error) {
			return change,
				nil
		}})
	}
	if code == format.CodeBroken && !r.Escapes {
		out = append(out, p.createMarked(file, r))
	}
	for i := range out {
		out[i].Repairs, out[i].At = code, r.At
		out[i].ID = fmt.Sprintf("%s@%d", out[i].ID, r.At.Start)
	}
	return out
}

// markTarget returns the text of a mark that leads only to one entry. With withMD set, it names the entry's file.
// For a topic, it names the folder.
func (p Project) markTarget(entry string, withMD bool) (string, bool) {
	ways := []string{format.Stem(entry), entry}
	if withMD {
		slices.Reverse(ways)
	} else if format.RoleOf(entry) == format.RoleOverview {
		ways = slices.Insert(ways, 0, path.Dir(entry))
	}
	for _, way := range ways {
		way = strings.ReplaceAll(way, " ", "_")
		if meant, _, _ := p.Tree.Meant(way); codebase.CanMark(way) && slices.Equal(meant, []string{entry}) {
			return way, true
		}
	}
	return "", false
}

// createMarked creates the entry that a mark names.
func (p Project) createMarked(file string, r tree.Relation) Fix {
	entry, err := relink.Missing(p.Tree, "", r)
	f := Fix{ID: "create", Title: "Create missing entry " + r.Raw}
	if err != nil {
		f.Disabled = err.Error()
		return f
	}
	f.Title = "Create missing entry " + entry
	h := format.Header{Title: titleFromName(entry), Reason: "Missed by `" + strings.Join(strings.Fields(file), " ") + "`.",
		CreatedAt: p.Now}
	f.Plan = func() (Change, error) {
		return Change{Title: f.Title, Files: []File{{Path: p.FilePath(entry), Create: true,
			Text: format.Render(h, format.Content{})}}}, nil
	}
	return f
}
