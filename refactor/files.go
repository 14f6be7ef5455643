package refactor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// Follow plans the changes after the user moved files and folders, given by their workspace paths: relations and
// marks that lead to entries, and the paths of code that entries name. The moves themselves are not part of the
// change.
func (p Project) Follow(moves []relink.FileMove) Change {
	f := following{p: p, edits: map[string][]markdown.Edit{}, texts: map[string]string{}, origin: map[string]string{}}
	var within, outside []relink.FileMove // of entries and folders in the tree, and of other files
	named := map[string][]markdown.Edit{}
	var left []string
	for _, m := range moves {
		from, wasEntry := inTree(m.From)
		to, isEntry := inTree(m.To)
		switch {
		case wasEntry && isEntry:
			within = append(within, relink.FileMove{From: from, To: to})
		case wasEntry:
			if n := p.naming(m.From); n.any() {
				left = append(left, fmt.Sprintf("%s moves out of the context tree, but is still %s; correct these links, or move it back", m.From, n))
			}
		case !isEntry:
			outside = append(outside, m)
		}
	}
	if len(outside) > 0 {
		named = p.Links.Follow(outside)
	}
	f.edit(named)
	if len(within) > 0 {
		f.settle(named, map[string]*format.Entry{})
		left = append(left, f.moveAll(within)...)
		marks, unmarked := p.markEdits(f.moved(), func() *tree.Snapshot { return f.p.Tree })
		merge(f.edits, marks)
		pages, unwritten := p.pageEdits(append(f.moved(), within...))
		merge(f.edits, pages)
		left = slices.Concat(left, unmarked, unwritten)
	}
	title := "Follow " + moves[0].From
	if len(moves) > 1 {
		title = fmt.Sprintf("Update links to %d moved files", len(moves))
	}
	return p.assemble(Change{Title: title, Left: left}, f.all())
}

// following is the state of [Project.Follow]. Each move is planned on the result of the moves before it. The marks
// of code are planned at the end.
type following struct {
	p      Project                    // with the tree after the moves planned so far
	edits  map[string][]markdown.Edit // of code files, by workspace path
	texts  map[string]string          // of entries that changed or moved, by their present path
	origin map[string]string          // their original paths, by present path
}

// edit edits entries, given by their present paths.
func (f *following) edit(edits map[string][]markdown.Edit) {
	for entry, list := range edits {
		f.put(entry, entry, markdown.ApplyEdits(f.text(entry), list))
	}
}

func (f *following) text(entry string) string {
	if text, ok := f.texts[entry]; ok {
		return text
	}
	e, _ := f.p.Tree.Entry(entry)
	return e.Text
}

// put sets the text of an entry, and may give it another path.
func (f *following) put(from, to, text string) {
	origin, ok := f.origin[from]
	if !ok {
		origin = from
	}
	delete(f.texts, from)
	delete(f.origin, from)
	f.texts[to], f.origin[to] = text, origin
}

// moveAll plans moves inside the tree, and returns the moves after which links could not be updated. A move to a
// path that another file still has waits until that file has moved.
func (f *following) moveAll(moves []relink.FileMove) (left []string) {
	waiting := slices.Clone(moves)
	for len(waiting) > 0 {
		i := slices.IndexFunc(waiting, func(m relink.FileMove) bool {
			return !slices.ContainsFunc(waiting, func(o relink.FileMove) bool { return o != m && format.SameName(o.From, m.To) })
		})
		together := ring(waiting, 0)
		if i >= 0 {
			together = waiting[i : i+1]
		}
		stays, err := f.moveRing(slices.Clone(together))
		if left = append(left, stays...); err != nil {
			left = append(left, fmt.Sprintf("links to %s were not changed: %v", sanitize.Name(together[0].From), sanitize.OneLine(err.Error())))
		}
		done := slices.Clone(together)
		waiting = slices.DeleteFunc(waiting, func(m relink.FileMove) bool { return slices.Contains(done, m) })
	}
	return left
}

// ring lists the moves of files that exchange their paths in a circle, from one of them on. If there is no circle,
// it returns only that move.
func ring(moves []relink.FileMove, first int) []relink.FileMove {
	out := []relink.FileMove{moves[first]}
	for len(out) <= len(moves) {
		i := slices.IndexFunc(moves, func(m relink.FileMove) bool { return m.From == out[len(out)-1].To })
		if i < 0 || i != first && slices.Contains(out, moves[i]) {
			break
		}
		if i == first {
			return out
		}
		out = append(out, moves[i])
	}
	return out[:1]
}

// moveRing plans one move, or all moves of a ring. If one fails, none is made. The first file of a ring goes to a
// free path, then the others move, starting with the last.
func (f *following) moveRing(ring []relink.FileMove) (left []string, err error) {
	if len(ring) > 1 {
		aside := f.free(ring[0].From)
		ring = append(ring, relink.FileMove{From: ring[0].From, To: aside})
		ring[0].From = aside
	}
	texts, origin, before := maps.Clone(f.texts), maps.Clone(f.origin), f.p.Tree
	for _, m := range slices.Backward(ring) {
		stays, err := f.move(m)
		if err != nil {
			f.texts, f.origin, f.p.Tree = texts, origin, before
			return nil, err
		}
		left = append(left, stays...)
	}
	return left, nil
}

// free returns a path next to another one that no file has.
func (f *following) free(beside string) string {
	name := format.Stem(beside)
	for n := 1; ; n++ {
		at := fmt.Sprintf("%s_%d%s", name, n, beside[len(name):])
		if _, taken := f.p.Tree.KindOf(at); !taken {
			return at
		}
	}
}

// moved lists the files that have another path now.
func (f *following) moved() (files []relink.FileMove) {
	for _, now := range slices.Sorted(maps.Keys(f.origin)) {
		if was := f.origin[now]; was != now {
			files = append(files, relink.FileMove{From: was, To: now})
		}
	}
	return files
}

// move plans one move inside the tree.
func (f *following) move(m relink.FileMove) (left []string, err error) {
	plan, err := relink.Follow(f.p.Tree, m.From, m.To, f.p.staying(m.From))
	if err != nil {
		return nil, err
	}
	f.edit(plan.Edits)
	changed := map[string]*format.Entry{}
	for _, file := range plan.Files {
		f.put(file.From, file.To, f.text(file.From))
		changed[file.From] = nil
	}
	for _, file := range plan.Files {
		changed[file.To] = format.Parse(file.To, f.texts[file.To])
	}
	f.settle(plan.Edits, changed)
	return plan.Left, nil
}

// merge adds edits to edits of the same texts. Of two at the same place, the first counts.
func merge(edits, more map[string][]markdown.Edit) {
	for path, list := range more {
		for _, edit := range list {
			if !slices.ContainsFunc(edits[path], func(e markdown.Edit) bool {
				return e.At.Start < edit.At.End &&
					edit.At.Start < e.At.End
			}) {
				edits[path] = append(edits[path], edit)
			}
		}
	}
}

// settle updates the tree, on which further moves are planned.
func (f *following) settle(edits map[string][]markdown.Edit, changed map[string]*format.Entry) {
	for entry := range edits {
		if _, moved := changed[entry]; !moved {
			changed[entry] = format.Parse(entry, f.texts[entry])
		}
	}
	f.p.Tree = f.p.Tree.Update(changed)
}

// all returns the edits of all files in their original state, by their original workspace paths.
func (f *following) all() map[string][]markdown.Edit {
	out := f.edits
	for entry, text := range f.texts {
		path := f.p.FilePath(f.origin[entry])
		if before, ok := f.p.Text(path); ok && before != text {
			out[path] = lineEdits(before, text)
		}
	}
	return out
}

// lineEdits returns the edits that turn one text into another with as many lines: one edit for each line that
// differs, without the line's common beginning and end.
func lineEdits(before, after string) (out []markdown.Edit) {
	was, is := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	if len(was) != len(is) {
		was, is = []string{before}, []string{after}
	}
	at := 0
	for i, line := range was {
		if line != is[i] {
			out = append(out, markdown.TrimEdit(before,
				markdown.Edit{At: markdown.Span{Start: at, End: at + len(line)}, New: is[i]}))
		}
		at += len(line)
	}
	return out
}

// Naming counts the places that name some files.
type Naming struct {
	Entries  int // other entries that link to them or name them
	Comments int // in code
}

func (n Naming) any() bool { return n.Entries+n.Comments > 0 }

// String describes the places, as the end of a sentence about the files.
func (n Naming) String() string {
	var parts []string
	if n.Entries > 0 {
		parts = append(parts, words.Counted(n.Entries, "entry", "entries"))
	}
	if n.Comments > 0 {
		parts = append(parts, words.Counted(n.Comments, "comment in code", "comments in code"))
	}
	return "named by " + strings.Join(parts, " and ") + ", whose links will break"
}

// Farewell describes, for people, the places that will still name files and folders after their deletion. paths
// are workspace paths. It is "" if there are none.
func (p Project) Farewell(paths []string) string {
	n := p.naming(paths...)
	if !n.any() {
		return ""
	}
	what := paths[0] + " is"
	if len(paths) > 1 {
		what = fmt.Sprintf("these %d are", len(paths))
	}
	return fmt.Sprintf("%s %s", what, n)
}

// naming counts the places that name files and folders, or anything in them.
func (p Project) naming(paths ...string) Naming {
	gone := func(path string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
	}
	naming := map[string]bool{}
	type mark struct {
		path string
		at   int
	}
	marks := map[mark]bool{}
	for _, e := range p.Tree.Entries() {
		if !gone(p.FilePath(e.Path)) {
			for _, ref := range p.Links.Of(e.Path) {
				naming[e.Path] = naming[e.Path] || ref.Exists && ref.Symbol == "" && gone(ref.Path)
			}
			continue
		}
		for _, b := range p.Tree.Backlinks(e.Path) {
			naming[b.From] = naming[b.From] || !gone(p.FilePath(b.From))
		}
		for _, ref := range p.Links.Marked(e.Path) {
			marks[mark{ref.Path, ref.Mark.Start}] = true
		}
	}
	n := Naming{Comments: len(marks)}
	for _, names := range naming {
		if names {
			n.Entries++
		}
	}
	return n
}
