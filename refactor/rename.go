package refactor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// markSign begins a mark of code; see [codebase.Mark].
const markSign = "@brv:"

// renamePath gives an entry's file, or a folder of the tree, another name in its folder.
func (p Project) renamePath(from, name string) (Change, error) {
	to := strings.TrimPrefix(path.Join(folderOf(from), name), "/")
	if _, isEntry := p.Tree.Entry(from); isEntry {
		name = stem(name)
		to = strings.TrimPrefix(folderOf(from)+"/"+name+".md", "/")
	}
	if to == from {
		return Change{}, nil
	}
	if strings.ContainsAny(name, `/\`) {
		return Change{}, fmt.Errorf("%q: a new name cannot lead to another folder; move the file in the editor's file tree instead", name)
	}
	if err := tree.CheckName(name); err != nil {
		return Change{}, fmt.Errorf("%w; choose another name, such as %s", err, tree.Slug(name))
	}
	edits, err := p.moveEdits(from, to)
	if err != nil {
		return Change{}, fmt.Errorf("%w; choose another name, or change what stands in the way first", err)
	}
	move := tree.FileMove{From: p.FilePath(from), To: p.FilePath(to)}
	return p.assemble(Change{Title: fmt.Sprintf("Rename %s to %s", from, path.Base(to))}, edits, move), nil
}

// moveEdits are the edits of entries and code that a move of an entry or folder needs,
// by workspace path.
func (p Project) moveEdits(from, to string) (map[string][]tree.Edit, error) {
	m, err := p.Tree.Move(from, to)
	if err != nil {
		return nil, err
	}
	edits, left := p.markEdits(m.Files, sync.OnceValue(func() *tree.Snapshot { return p.moved(m.Files) }))
	if len(left) > 0 {
		return nil, errors.New(left[0])
	}
	for entry, list := range m.Edits {
		edits[p.FilePath(entry)] = list
	}
	return edits, nil
}

// markEdits are the edits of code whose marks lead to entries that move, after which the
// tree is another. left says which cannot be written.
func (p Project) markEdits(files []tree.FileMove, after func() *tree.Snapshot) (edits map[string][]tree.Edit, left []string) {
	way := map[string]string{}
	for _, f := range files {
		way[f.From] = f.To
	}
	out := map[string][]tree.Edit{}
	for _, f := range files {
		for _, ref := range p.Links.Marked(f.From) {
			at := tree.Span(ref.Mark)
			text, ok := p.Text(ref.Path)
			if !ok || at.End > len(text) || !strings.HasPrefix(at.Of(text), markSign) || slices.ContainsFunc(out[ref.Path], func(e tree.Edit) bool { return e.At.End == at.End }) {
				continue
			}
			target := at.Of(text)[len(markSign):]
			now, ok := remark(p.Tree, after(), target, way)
			if !ok {
				left = append(left, fmt.Sprintf("%s: its comment @brv:%s cannot be written so that it leads to %s; change it by hand", ref.Path, target, f.To))
			}
			if ok && now != target {
				out[ref.Path] = append(out[ref.Path], tree.Edit{At: tree.Span{Start: at.Start + len(markSign), End: at.End}, New: now})
			}
		}
	}
	return out, left
}

// Stranded is the project's [tree.Stranded]: before is a state of its tree, or one just
// before or behind it.
func (p Project) Stranded(before, after *tree.Snapshot, went map[string]string) (out []tree.Comment) {
	type place struct {
		path string
		at   int
	}
	looked := map[place]bool{}
	look := func(path string, at tree.Span) {
		text, ok := p.Text(path)
		if !ok || looked[place{path, at.Start}] || at.End > len(text) || !strings.HasPrefix(at.Of(text), markSign) {
			return
		}
		looked[place{path, at.Start}] = true
		target := at.Of(text)[len(markSign):]
		meant, _ := link.Meant(before, target)
		concerned := false
		for i, entry := range meant {
			if to, gone := went[entry]; gone {
				meant[i], concerned = to, true
			}
		}
		is, _ := link.Meant(after, target)
		if !concerned || len(is) > 0 && !slices.ContainsFunc(is, func(entry string) bool { return !slices.Contains(meant, entry) }) {
			return // of a topic, what is left of it counts
		}
		now, ok := remark(before, after, target, went)
		c := tree.Comment{Path: path, Line: 1 + strings.Count(text[:at.Start], "\n"), Text: markSign + target}
		if ok {
			c.Instead = markSign + now
		}
		out = append(out, c)
	}
	for entry := range went {
		for _, ref := range p.Links.Marked(entry) {
			look(ref.Path, tree.Span(ref.Mark))
		}
	}
	for _, l := range p.Links.Loose() { // where the links know already what happened
		look(l.Path, tree.Span(l.Mark.At))
	}
	slices.SortFunc(out, func(a, b tree.Comment) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line) })
	return out
}

// moved is the tree after files moved, with the texts as they are.
func (p Project) moved(files []tree.FileMove) *tree.Snapshot {
	changed := map[string]*tree.Entry{}
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

// remark writes a mark's target so that after a change it means what it meant before, but
// for what went to "", which is nowhere; it keeps the names that did not change as they
// are written.
func remark(before, after *tree.Snapshot, target string, way map[string]string) (string, bool) {
	all, _ := link.Meant(before, target)
	var meant, want []string
	for _, entry := range all {
		to, ok := way[entry]
		if !ok {
			to = entry
		}
		if to != "" {
			meant, want = append(meant, entry), append(want, to)
		}
	}
	slices.Sort(want)
	if want = slices.Compact(want); len(want) == 0 {
		return "", false
	}
	fits := func(target string) bool {
		now, _ := link.Meant(after, target)
		now = slices.Sorted(slices.Values(now))
		return slices.Equal(now, want)
	}
	if fits(target) {
		return target, true
	}
	said := strings.Split(target, "/")
	was, is := strings.Split(meant[0], "/"), strings.Split(want[0], "/")
	if to, ok := way[meant[0]]; ok {
		is = strings.Split(to, "/")
	}
	if len(meant) > 1 || !tree.SameName(stem(said[len(said)-1]), stem(was[len(was)-1])) {
		was, is = was[:len(was)-1], is[:len(is)-1] // the path of a folder
	}
	if last := len(is) - 1; last >= 0 && said[len(said)-1] == stem(said[len(said)-1]) {
		was[len(was)-1], is[last] = stem(was[len(was)-1]), stem(is[last])
	}
	if len(said) == len(was) && len(was) == len(is) {
		for i := range is {
			if was[i] == is[i] {
				is[i] = said[i]
			}
		}
	}
	now := strings.ReplaceAll(strings.Join(is, "/"), " ", "_")
	holds := func(r rune) bool { return strings.ContainsRune("-_./", r) || unicode.IsLetter(r) || unicode.IsDigit(r) }
	written := func(target string) bool {
		return strings.IndexFunc(target, func(r rune) bool { return !holds(r) }) < 0 && strings.TrimRight(target, "./") == target && fits(target)
	}
	if !written(now) && len(want) == 1 { // a topic's only entry comes to one that has others
		now = want[0]
	}
	return now, written(now)
}

// entryChange is a change of entries, given by their paths in the tree.
func (p Project) entryChange(c Change, edits map[string][]tree.Edit) (Change, error) {
	byFile := map[string][]tree.Edit{}
	for entry, list := range edits {
		if e, ok := p.Tree.Entry(entry); ok && e.Unmerged() != nil {
			return Change{}, e.Unmerged()
		}
		byFile[p.FilePath(entry)] = list
	}
	return p.assemble(c, byFile), nil
}

// assemble completes a change: its files with their edits, and what moves. Where several
// files change, the user is asked about all of them in one: parts of it would break
// links.
func (p Project) assemble(c Change, edits map[string][]tree.Edit, moves ...tree.FileMove) Change {
	files := map[string]*File{}
	for path, list := range edits {
		text, ok := p.Text(path)
		if !ok || len(list) == 0 {
			continue
		}
		list = slices.SortedFunc(slices.Values(list), func(a, b tree.Edit) int { return a.At.Start - b.At.Start })
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
