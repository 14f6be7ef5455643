package refactor

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// renamePath changes the name of an entry's file, or of a folder in the tree, inside its folder.
func (p Project) renamePath(from, name string) (Change, error) {
	to := strings.TrimPrefix(path.Join(format.FolderOf(from), name), "/")
	if _, isEntry := p.Tree.Entry(from); isEntry {
		name = format.Stem(name)
		to = strings.TrimPrefix(format.FolderOf(from)+"/"+name+".md", "/")
	}
	if to == from {
		return Change{}, nil
	}
	if strings.ContainsAny(name, `/\`) {
		return Change{}, fmt.Errorf("%q: a new name cannot contain / or \\; to move the file, use the editor's file tree or "+
			":Brv move in Neovim", name)
	}
	if err := format.CheckName(name); err != nil {
		return Change{}, fmt.Errorf("%w; choose another name, such as %s", err, format.Slug(name))
	}
	edits, left, err := p.moveEdits(from, to)
	if err != nil {
		return Change{}, err
	}
	move := relink.FileMove{From: p.FilePath(from), To: p.FilePath(to)}
	return p.assemble(Change{Title: fmt.Sprintf("Rename %s to %s", from, path.Base(to)), Left: left}, edits, move), nil
}

// moveEdits returns the edits of entries and code for a move of an entry or folder, by workspace path.
func (p Project) moveEdits(from, to string) (edits map[string][]markdown.Edit, left []string, err error) {
	m, err := relink.PlanMove(p.Tree, from, to, p.staying(from))
	if err != nil {
		return nil, nil, err
	}
	edits, left = p.markEdits(m.Files, sync.OnceValue(func() *tree.Snapshot { return p.moved(m.Files) }))
	for entry, list := range m.Edits {
		edits[p.FilePath(entry)] = list
	}
	pages, more := p.pageEdits(append(slices.Clone(m.Files), relink.FileMove{From: from, To: to}))
	maps.Copy(edits, pages)
	return edits, slices.Concat(m.Left, left, more), nil
}

// staying returns a function that reports whether a file exists that does not move with an entry or a folder.
func (p Project) staying(from string) func(file string) bool {
	return func(file string) bool { return p.Links.Exists(file) && !strings.HasPrefix(file, p.FilePath(from)+"/") }
}

// pageEdits returns the edits of documents with links to entries and folders of the tree that move. left describes
// links that cannot be changed.
func (p Project) pageEdits(moves []relink.FileMove) (edits map[string][]markdown.Edit, left []string) {
	way, out := map[string]string{}, map[string][]markdown.Edit{}
	for _, m := range moves {
		way[p.FilePath(m.From)] = p.FilePath(m.To)
	}
	for _, e := range p.Pages {
		for _, f := range e.Files {
			to, moved := way[f.Path]
			in, ok := inTree(f.Path)
			_, folder := p.Tree.Node(in)
			for at := path.Dir(f.Path); ok && folder && !moved && at != "."; at = path.Dir(at) {
				to, moved = way[at]
				to += f.Path[len(at):]
			}
			if !moved || f.At.End > len(e.Text) {
				continue
			}
			now, written := relink.PageLink{Page: e.Path, Text: e.Text, At: f.At, To: f.Path}.Leading(to)
			if text, ok := p.Text(e.Path); !written || !ok || text != e.Text {
				left = append(left, fmt.Sprintf("%s:%d: the link %s cannot be changed to %s automatically; edit it yourself", e.Path,
					markdown.CountLines(e.Text).At(f.At.Start), f.At.Of(e.Text), to))
				continue
			}
			out[e.Path] = append(out[e.Path], markdown.Edit{At: f.At, New: now})
		}
	}
	return out, left
}

// inTree returns the tree path of a workspace path. It is false for paths outside of the tree and for the tree
// itself.
func inTree(path string) (string, bool) { return strings.CutPrefix(path, tree.FromProject) }

// markEdits returns the edits of code with marks that lead to moved entries. after returns the tree after the
// moves. left describes marks that cannot be changed.
func (p Project) markEdits(files []relink.FileMove, after func() *tree.Snapshot) (edits map[string][]markdown.Edit, left []string) {
	way := map[string]string{}
	for _, f := range files {
		way[f.From] = f.To
	}
	out := map[string][]markdown.Edit{}
	for _, f := range files {
		for _, ref := range p.Links.Marked(f.From) {
			at := markdown.Span(ref.Mark)
			text, ok := p.Text(ref.Path)
			if !ok || at.End > len(text) || !strings.HasPrefix(at.Of(text), tree.MarkSign) ||
				slices.ContainsFunc(out[ref.Path], func(e markdown.Edit) bool { return e.At.End == at.End }) {
				continue
			}
			target := at.Of(text)[len(tree.MarkSign):]
			now, ok := tree.Remark(p.Tree, after(), target, way)
			if !ok {
				left = append(left, fmt.Sprintf("%s: the comment @brv:%s cannot be changed to %s automatically; edit it yourself",
					ref.Path, target, f.To))
			}
			if ok && now != target {
				out[ref.Path] = append(out[ref.Path], markdown.Edit{At: markdown.Span{Start: at.Start + len(tree.MarkSign),
					End: at.End}, New: now})
			}
		}
	}
	return out, left
}

// moved returns the tree after files moved, with unchanged texts.
func (p Project) moved(files []relink.FileMove) *tree.Snapshot {
	changed := map[string]*format.Entry{}
	for _, f := range files {
		e, _ := p.Tree.Entry(f.From)
		there := *e
		there.Path = f.To
		changed[f.To] = &there
		if _, again := changed[f.From]; !again {
			changed[f.From] = nil
		}
	}
	return p.Tree.Update(changed)
}

// entryChange completes a change with edits of entries, given by their tree paths.
func (p Project) entryChange(c Change, edits map[string][]markdown.Edit) (Change, error) {
	byFile := map[string][]markdown.Edit{}
	for entry, list := range edits {
		if e, ok := p.Tree.Entry(entry); ok && e.Unmerged() != nil {
			return Change{}, e.Unmerged()
		}
		byFile[p.FilePath(entry)] = list
	}
	return p.assemble(c, byFile), nil
}

// assemble completes a change with its edits and moves. If several files change, the user confirms all of them at
// once, since a part of the change would break links.
func (p Project) assemble(c Change, edits map[string][]markdown.Edit, moves ...relink.FileMove) Change {
	files := map[string]*File{}
	for path, list := range edits {
		text, ok := p.Text(path)
		if !ok || len(list) == 0 {
			continue
		}
		list = slices.SortedFunc(slices.Values(list), func(a, b markdown.Edit) int { return a.At.Start - b.At.Start })
		files[path] = &File{Path: path, Before: text, Edits: list}
	}
	touched := len(files)
	for _, m := range moves {
		f, edited := files[m.From]
		if !edited {
			f = &File{Path: m.From}
			files[m.From] = f
			touched++
		}
		f.To = m.To
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := *files[path]
		if touched > 1 {
			f.Confirm = fmt.Sprintf("%s: changes %d files", c.Title, touched)
		}
		c.Files = append(c.Files, f)
	}
	return c
}

// tagSign may stand before a tag, as in Obsidian.
const tagSign = "#"

// sameTag reports whether two tags are equal without regard to letter case and the sign.
func sameTag(a, b string) bool {
	return strings.EqualFold(strings.TrimPrefix(a, tagSign), strings.TrimPrefix(b, tagSign))
}

// renameTag renames a tag in every entry, however it is written. If an entry has the new tag already, the old one
// is removed.
func (p Project) renameTag(was, is string) (Change, error) {
	if is == was {
		return Change{}, nil
	}
	edits, c := map[string][]markdown.Edit{}, Change{Title: fmt.Sprintf("Rename tag %q to %q", was, is)}
	for _, e := range p.Tree.Entries() {
		if !slices.ContainsFunc(e.Tags, func(t string) bool { return sameTag(t, was) }) || e.Role.Generated() {
			continue
		}
		if err := e.Unmerged(); err != nil {
			return Change{}, err
		} else if list, ok := retag(e, was, is); ok {
			edits[e.Path] = list
		} else {
			c.Left = append(c.Left, e.Path+": its tags cannot be edited safely; correct its frontmatter first")
		}
	}
	if len(edits) == 0 && len(c.Left) > 0 {
		return Change{}, errors.New(c.Left[0])
	}
	return p.entryChange(c, edits)
}

// retag changes a tag of one entry. It edits the tag in its place, so that quotes and comments stay, or else
// rewrites the list.
func retag(e *format.Entry, was, is string) ([]markdown.Edit, bool) {
	named := func(t string) string {
		if !sameTag(t, was) {
			return t
		}
		sign := t[:len(t)-len(strings.TrimPrefix(t, tagSign))]
		return sign + strings.TrimPrefix(is, tagSign)
	}
	var tags []string
	for _, t := range e.Tags {
		now := named(t)
		if again := func(o string) bool { return sameTag(o, now) }; now == t && !sameTag(t, is) || !slices.ContainsFunc(tags, again) {
			tags = append(tags, now)
		}
	}
	var inPlace []markdown.Edit
	for _, f := range e.Fields {
		for _, item := range f.Items {
			if now := named(item.Value); f.Key == "tags" && now != item.Value {
				inPlace = append(inPlace, item.Rewritten(e.Text, now))
			}
		}
	}
	after := format.Parse(e.Path, markdown.ApplyEdits(e.Text, inPlace))
	if len(tags) == len(e.Tags) && slices.Equal(after.Tags, tags) && len(after.Problems) <= len(e.Problems) &&
		len(after.Fields) == len(e.Fields) {
		return inPlace, true
	}
	edit := e.FieldEdit("tags", tags...)
	return []markdown.Edit{edit}, edit != (markdown.Edit{})
}
