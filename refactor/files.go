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

// Follow plans what must follow when the user moves files and folders, given by their
// workspace paths: relations and marks that lead to entries, and the paths of code that
// entries name. The moves themselves are not part of the change.
func (p Project) Follow(moves []relink.FileMove) Change {
	f := following{p: p, edits: map[string][]markdown.Edit{}, texts: map[string]string{}, origin: map[string]string{}}
	var within, outside []relink.FileMove // of entries and folders inside the tree, and of other files
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
				left = append(left, fmt.Sprintf("%s moves out of the context tree, but is still %s", m.From, n))
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

// following is the work of [Project.Follow]: each move is planned on what the ones
// before it leave, and the marks of code at the end.
type following struct {
	p      Project                    // with the tree as it becomes
	edits  map[string][]markdown.Edit // of code files, by workspace path
	texts  map[string]string          // of entries that changed or moved, by the path they have by now
	origin map[string]string          // where they stood before, by the same
}

// edit changes entries, given by the paths that they have by now.
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

// put gives an entry a text, and perhaps another path.
func (f *following) put(from, to, text string) {
	origin, ok := f.origin[from]
	if !ok {
		origin = from
	}
	delete(f.texts, from)
	delete(f.origin, from)
	f.texts[to], f.origin[to] = text, origin
}

// moveAll plans moves inside the tree, and says of which the links stay behind. One that
// leads to where another file still is waits until that one is away.
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

// ring lists the moves of files that change places, one to where the next one was, from
// one of them on; where that leads to none of them, it alone.
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

// moveRing plans one move, or those of a ring, all or none: the first by way of a name that
// nothing has, then the others from the last on.
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

// free is a path beside another one that nothing has.
func (f *following) free(beside string) string {
	name := format.Stem(beside)
	for n := 1; ; n++ {
		at := fmt.Sprintf("%s_%d%s", name, n, beside[len(name):])
		if _, taken := f.p.Tree.KindOf(at); !taken {
			return at
		}
	}
}

// moved lists the files that have another path by now.
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

// merge adds edits of the same texts; of two of one place the first counts.
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

// settle brings changed entries into the tree that further moves are planned on.
func (f *following) settle(edits map[string][]markdown.Edit, changed map[string]*format.Entry) {
	for entry := range edits {
		if _, moved := changed[entry]; !moved {
			changed[entry] = format.Parse(entry, f.texts[entry])
		}
	}
	f.p.Tree = f.p.Tree.Update(changed)
}

// all are the edits of the files as they are, by the workspace paths that they have.
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

// lineEdits are the edits that make one text of another that has as many lines: one for
// each line that differs, without what its ends have in common.
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

// Naming counts what names some files.
type Naming struct {
	Entries  int // that link to them or name them, and are not among them
	Comments int // of code
}

func (n Naming) any() bool { return n.Entries+n.Comments > 0 }

// String says what names the files, as the end of a sentence about them.
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

// Farewell says, for people, what will name files and folders that are deleted, given by
// their workspace paths; "" if nothing does.
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

// naming counts what names files and folders, or anything in them.
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
