package relink

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Move holds the changes for a new path of an entry or a folder.
type Move struct {
	Files []FileMove                 // every file that moves, sorted
	Edits map[string][]markdown.Edit // by the path before the move; relations keep their form and style
	Left  []string                   // for each relation that cannot be rewritten, the reason
}

// FileMove is the move of one file.
type FileMove struct{ From, To string }

// PlanMove plans a new path for an entry, or for a folder with its content. Afterwards, each relation to a moved
// entry leads to it, in whatever form it is written. Each other relation leads where it led before. Relations that
// are still right are not edited. Relative links of moved entries are kept right, including those to files outside
// the tree. PlanMove fails if `to` is not a possible path, or is taken.
//
// Entries that were archived from a folder stay in _archived/, below the folder's old path, since a stub names its
// full text itself. stays reports whether the project has a file at a path that does not move along.
func PlanMove(s *tree.Snapshot, from, to string, stays func(p string) bool) (Move, error) {
	m, torn, err := planMove(s, FileMove{from, to}, format.RefusedName, stays)
	return m, cmp.Or(err, torn)
}

// Follow is like [PlanMove] for a move that is made elsewhere. It also accepts names that are not allowed for new
// entries.
func Follow(s *tree.Snapshot, from, to string, stays func(p string) bool) (Move, error) {
	m, _, err := planMove(s, FileMove{from, to}, format.Unlinkable, stays)
	return m, err
}

// planMove plans a move. refused returns the reason why a name is not allowed, or "". torn is the first merge
// conflict that contains a relation to rewrite.
func planMove(s *tree.Snapshot, way FileMove, refused func(name string) string, stays func(p string) bool) (plan Move, torn, err error) {
	files, err := filesMoving(s, way.From, way.To, refused)
	if err != nil {
		return Move{}, nil, err
	}
	m := &moving{before: s, stays: stays, way: map[string]string{}, edits: map[string][]markdown.Edit{}, doubtful: map[string][]doubt{}}
	changed := map[string]*format.Entry{}
	for _, f := range files {
		m.way[f.From] = f.To
		e, _ := s.Entry(f.From)
		if err := e.Unmerged(); err != nil {
			return Move{}, nil, err
		}
		moved := *e
		moved.Path = f.To
		changed[f.From], changed[f.To] = nil, &moved
	}
	m.after = s.Update(changed)
	sources := s.Concerned(changed)
	for _, f := range files {
		sources[f.From] = true
	}
	for _, p := range slices.Sorted(maps.Keys(sources)) {
		m.correct(p)
	}
	m.verify()
	return Move{Files: files, Edits: m.edits, Left: m.left}, m.torn, nil
}

// filesMoving lists the files that move, or returns why they cannot.
func filesMoving(s *tree.Snapshot, from, to string, refused func(name string) string) ([]FileMove, error) {
	e, isEntry := s.Entry(from)
	_, isFolder := s.Node(from)
	switch {
	case from == "" || !isEntry && !isFolder:
		return nil, fmt.Errorf("%s: no such entry or folder in the context tree", from)
	case to == from:
		return nil, fmt.Errorf("%s: this is the current path; choose another name", to)
	case format.Archived(from):
		return nil, fmt.Errorf("%s is archived and cannot be moved; restore it first", from)
	case isEntry && e.Role == format.RoleOverview:
		return nil, fmt.Errorf("%s describes its folder; move the folder instead", from)
	case isEntry && e.Unmerged() != nil:
		return nil, e.Unmerged()
	case isEntry && e.Role != format.RoleEntry:
		return nil, fmt.Errorf("%s is generated and cannot be moved", from)
	}
	if err := legal(s, from, to, isEntry, refused); err != nil {
		return nil, err
	}
	if err := free(s, from, to); err != nil {
		return nil, err
	}
	if isEntry {
		return []FileMove{{from, to}}, nil
	}
	return below(s, from, to)
}

// legal checks the form of a new path. Existing names need not be allowed: those of existing folders above it, and
// the last one if it does not change.
func legal(s *tree.Snapshot, from, to string, entry bool, refused func(name string) string) error {
	if to != path.Clean(to) {
		return fmt.Errorf("%s is not a valid path in the context tree", to)
	}
	stem, isFile := strings.CutSuffix(to, ".md")
	levels := strings.Count(to, "/")
	switch {
	case entry && (!isFile || levels < 2 || levels > 3):
		return fmt.Errorf("%s: %w", to, format.ErrLevel)
	case !entry:
		stem = to
		if levels > 2 {
			return format.CheckFolderPath(to)
		}
	}
	if format.FoldCase(to) != format.FoldCase(from) && strings.HasPrefix(format.FoldCase(to)+"/", format.FoldCase(from)+"/") {
		return fmt.Errorf("%s: lies inside %s", to, from)
	}
	names := strings.Split(stem, "/")
	for i, name := range names {
		known := i+1 == len(names) && path.Base(to) == path.Base(from)
		if i+1 < len(names) {
			_, known = s.Node(strings.Join(names[:i+1], "/"))
		}
		if reason := refused(name); !known && reason != "" {
			return fmt.Errorf("%s: %q: %s", to, name, reason)
		}
	}
	if format.Archived(to) {
		return fmt.Errorf("%s belongs to the archive; choose another path", to)
	}
	return nil
}

// free checks that nothing exists at a new path, nor at a path that some systems treat as the same. The source
// itself may, so that letter case can change.
func free(s *tree.Snapshot, from, to string) error {
	for dir := format.FolderOf(to); dir != ""; dir = format.FolderOf(dir) {
		if _, ok := s.Node(dir); ok {
			continue
		}
		if twins := s.Twins(dir); len(twins) > 0 {
			return fmt.Errorf("%s: %s exists, and some systems treat it and %s as the same name", to, twins[0], dir)
		}
		if s.Taken(dir) {
			return fmt.Errorf("%s: %s is a file", to, dir)
		}
	}
	twins := slices.DeleteFunc(s.Twins(to), func(q string) bool { return q == from })
	if len(twins) > 0 {
		return fmt.Errorf("%s: %s exists, and some systems cannot tell the two names apart", to, twins[0])
	}
	if _, ok := s.KindOf(to); ok || len(s.Twins(to)) == 0 && s.Taken(to) {
		return fmt.Errorf("%s: already exists; choose another name, or move the other file first", to)
	}
	return nil
}

// below lists the files of a folder that moves.
func below(s *tree.Snapshot, from, to string) ([]FileMove, error) {
	for _, k := range s.Skipped() {
		if strings.HasPrefix(k.Path, from+"/") {
			return nil, fmt.Errorf("%s cannot be moved because %s was not read: %s", from, k.Path, k.Reason)
		}
	}
	var files []FileMove
	start, _ := slices.BinarySearchFunc(s.Entries(), from+"/", func(e *format.Entry, p string) int { return strings.Compare(e.Path, p) })
	for _, e := range s.Entries()[start:] {
		rest, ok := strings.CutPrefix(e.Path, from)
		if !ok || rest[0] != '/' {
			break
		}
		f := FileMove{e.Path, to + rest}
		was, is := strings.Count(f.From, "/"), strings.Count(f.To, "/")
		if is > max(was, 3) {
			return nil, fmt.Errorf("%s: %s would be too deep; a topic with subtopics cannot become a subtopic", to, f.To)
		}
		if e.Role == format.RoleEntry && is < min(was, 2) {
			return nil, fmt.Errorf("%s: %w", f.To, format.ErrLevel)
		}
		files = append(files, f)
	}
	return files, nil
}

// moving is the state of a move that is planned.
type moving struct {
	before, after *tree.Snapshot    // after has the new paths and the old texts
	way           map[string]string // of every moved file
	stays         func(p string) bool
	edits         map[string][]markdown.Edit
	doubtful      map[string][]doubt
	left          []string
	torn          error // the first merge conflict
}

// doubt is an edit of a relation that may change other relations too.
type doubt struct {
	markdown.Edit
	relation format.Mention
}

// to returns an entry's path after the move.
func (m *moving) to(p string) string {
	if q, ok := m.way[p]; ok {
		return q
	}
	return p
}

// correct plans the edits of one entry.
func (m *moving) correct(p string) {
	e, _ := m.before.Entry(p)
	here, links := m.to(p), importedLinks(e)
	var wrong []leading
	for _, r := range m.before.Relations(p) {
		if r.Target == "" {
			continue
		}
		want := m.to(r.Target)
		now, exact := m.after.ResolveExact(here, r.Form, r.Raw)
		fine := now.Target == want
		if fine && (exact || want == r.Target || !m.wasExact(p, r)) {
			continue
		}
		if err := e.UnmergedWith(r.Target); err == nil {
			wrong = append(wrong, leading{r, want, fine})
		} else if !fine {
			m.left, m.torn = append(m.left, err.Error()), cmp.Or(m.torn, err)
		}
	}
	if len(wrong) > 0 && format.Full(e) {
		m.left = append(m.left, p+" has more relations than brv-lsp reads, and the rest would not be updated; divide the entry first")
	}
	for _, r := range links.lead(m.before, wrong) {
		edit, ok := respell(e, r.Relation, spelling{p, here, r.Target, r.to}, func(raw string) bool {
			return m.after.Resolve(here, r.Form, raw).Target == r.to
		})
		if !ok && !r.fine {
			m.leave(e, r.Mention)
		}
		if ok && edit.At.Of(e.Text) != edit.New {
			m.add(p, edit, r.Mention)
		}
	}
	if edits := links.edits(m.edits[p]); len(edits) > 0 {
		m.edits[p] = edits
	}
	if here != p && links == nil { // pictures of an imported text stay at their place
		m.correctOutward(e, here)
	}
}

// leave records that a relation stays as it is.
func (m *moving) leave(e *format.Entry, r format.Mention) {
	to := m.to(m.before.Resolve(e.Path, r.Form, r.Raw).Target)
	m.left = append(m.left, fmt.Sprintf("%s:%d: the relation %s cannot be changed to %s automatically; edit it yourself", e.Path,
		markdown.CountLines(e.Text).At(r.At.Start), r.Raw, to))
}

func (m *moving) wasExact(p string, r tree.Relation) bool {
	_, exact := m.before.ResolveExact(p, r.Form, r.Raw)
	return exact
}

func (m *moving) add(p string, edit rewriting, r format.Mention) {
	if edit.doubtful {
		m.doubtful[p] = append(m.doubtful[p], doubt{edit.Edit, r})
	} else {
		m.edits[p] = append(m.edits[p], edit.Edit)
	}
}

// correctOutward corrects a moved entry's relative links to files that are no entries, such as code and pictures.
// Inside the tree, a path counts as relative only if its file exists there; otherwise it may start at the top of
// the project.
func (m *moving) correctOutward(e *format.Entry, here string) {
	for _, k := range tree.Outlinks(m.before, e) {
		said, place := k.Path(), k.Ways[0]
		if strings.HasPrefix(said, "/") || strings.HasPrefix(place, tree.FromProject) && !m.stays(place) {
			continue
		}
		raw := RelativeTo(tree.FromProject+format.FolderOf(here), place)
		if strings.HasPrefix(said, "./") && !tree.Climbs(raw) {
			raw = "./" + raw
		}
		if strings.HasSuffix(said, "/") {
			raw += "/"
		}
		if path.Clean(raw) == path.Clean(said) {
			continue
		}
		if raw = k.Spelled(e.Text, raw); m.after.Resolve(here, k.Form, raw).Target != "" {
			continue
		}
		if edit, ok := spell(e, k.Mention, raw); ok {
			m.add(e.Path, edit, k.Mention)
		}
	}
}

// maxDoubts bounds how often one entry is parsed to find the edits that do not give the planned relations.
const maxDoubts = 64

// verify parses the entries with doubtful edits in their new text, and drops the edits that do not give the
// planned relations.
func (m *moving) verify() {
	for _, p := range slices.Sorted(maps.Keys(m.doubtful)) {
		e, _ := m.before.Entry(p)
		doubts, all := m.doubtful[p], slices.Clone(m.edits[p])
		for _, d := range doubts {
			all = append(all, d.Edit)
		}
		if m.reads(e, all) {
			m.edits[p] = all
			continue
		}
		for i, d := range doubts {
			if with := append(slices.Clone(m.edits[p]), d.Edit); i < maxDoubts && m.reads(e, with) {
				m.edits[p] = with
			} else {
				m.leave(e, d.relation)
			}
		}
	}
}

// reads reports whether an entry has the same relations after the edits, and whether the changed ones lead to
// their new targets.
func (m *moving) reads(e *format.Entry, edits []markdown.Edit) bool {
	now := format.Parse(m.to(e.Path), markdown.ApplyEdits(e.Text, edits))
	ok := len(now.Relations) == len(e.Relations) && len(now.Problems) <= len(e.Problems)
	for i := 0; ok && i < len(now.Relations); i++ {
		was, is := e.Relations[i], now.Relations[i]
		target := m.before.Resolve(e.Path, was.Form, was.Raw).Target
		ok = was.Form == is.Form && was.Heading == is.Heading &&
			(target == "" || is.Raw == was.Raw || m.after.Resolve(now.Path, is.Form, is.Raw).Target == m.to(target))
	}
	return ok
}
