package refactor

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// frontmatter removes the field that a problem is about: one whose value has the wrong type for its key, or one
// whose key occurs twice. Invalid YAML has no fix, since its meaning is unknown.
func (d editing) frontmatter(problem format.Problem) (out []Fix) {
	drop := func(id, title string, f format.Field) {
		if ed := d.entry.RemoveField(f); ed != (markdown.Edit{}) {
			out = append(out, d.edit(id, title, ed))
		}
	}
	of := map[string][]format.Field{} // earlier fields, by key
	for _, f := range d.entry.Fields {
		before := of[f.Key]
		of[f.Key] = append(before, f)
		value := f.At
		if len(f.Items) == 1 {
			value = f.Items[0].At
		}
		switch {
		case problem.Severity == format.SeverityWarning && problem.At == value:
			drop("remove", "Remove `"+d.fieldText(f)+"`", f)
		case problem.Severity == format.SeverityError && problem.At == f.KeyAt && len(before) > 0:
			which := "second"
			if len(before) > 1 {
				which = "repeated"
			}
			drop("remove", "Remove the "+which+" `"+f.Key+"`", f)
			if before[0].At.Of(d.entry.Text) != f.At.Of(d.entry.Text) { // if they differ, the user has to choose which one to remove
				drop("first", "Remove the first `"+f.Key+"`, which is not used", before[0])
			}
		}
	}
	if len(out) == 1 {
		out[0].Preferred = true
	}
	return out
}

// maxSaid bounds the text of a field that a title repeats, in bytes.
const maxSaid = 60

// fieldText returns a field as it is written. It returns only the key if the value is long, empty or a secret.
func (d editing) fieldText(f format.Field) string {
	if len(f.Items) != 1 || f.Items[0].Value == "" {
		return f.Key
	}
	text := f.Key + ": " + f.Items[0].At.Of(d.entry.Text)
	if len(text) > maxSaid || strings.ContainsAny(text, "\r\n") || len(secrets.Scan(text)) > 0 {
		return f.Key
	}
	return text
}

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
				unclear = "another line could also separate the two sides; resolve the conflict yourself"
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
