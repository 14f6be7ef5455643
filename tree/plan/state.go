package plan

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// state is the tree after the operations so far; the next operation is planned on it. Planning changes
// nothing: it returns an [effect], which [Plan.add] may apply.
type state struct {
	tree  *tree.Snapshot
	usage map[string]tree.Usage
	now   time.Time

	beside map[string]bool // [Inputs.Beside]
}

// cleanPath normalises a path of an operation.
func cleanPath(raw string) (string, error) {
	p, ok := tree.InTree(tree.GivenPath(raw))
	switch {
	case !ok:
		if name, inner, other := format.CutTree(raw); other {
			return "", Failed(FailInvalid, "%q is in another tree; use `--tree %s` and the path %s", raw, name, inner)
		}
		return "", Failed(FailInvalid, "path %q is outside the context tree", raw)
	case p == "" || p == ".":
		return "", Failed(FailInvalid, "the path is empty; give domain/topic, domain/topic/subtopic or an entry's path with .md")
	}
	return p, nil
}

// locate finds the entry that an operation's path and title name. Where there is
// none, it returns nil and the path that it would have.
func (s state) locate(raw, title string) (string, *format.Entry, error) {
	at, err := cleanPath(raw)
	if err != nil {
		return "", nil, err
	}
	if strings.HasSuffix(at, ".md") {
		found, e, err := s.existing(at)
		if e == nil && err == nil {
			if dir := format.FolderOf(at); dir != "" {
				found = s.folder(dir) + "/" + path.Base(at)
			}
			return s.existing(found)
		}
		return found, e, err
	}
	if strings.TrimSpace(title) == "" {
		if found, e, err := s.existing(at + ".md"); e != nil && err == nil {
			return found, e, nil
		}
		return "", nil, Failed(FailInvalid, "%q names a folder; give a title, or an entry's path that ends in .md", raw)
	}
	dir := s.folder(at)
	found, e, err := s.existing(dir + "/" + format.Slug(title) + ".md")
	if err != nil || e != nil && !otherSubject(e.Title, title) {
		return found, e, err
	}
	if e != nil {
		found = s.tree.FreePath(dir, title)
	}
	if n, ok := s.tree.Node(dir); ok {
		for _, entry := range n.Entries { // its file may have a name that does not follow from the title
			if e, _ := s.tree.Entry(entry); (e.Role == format.RoleEntry || e.Role == format.RoleConflict) &&
				format.Fold(e.Title) == format.Fold(title) {
				return entry, e, nil
			}
		}
	}
	return found, nil, nil
}

// otherSubject reports whether two titles give the same file name though they differ in signs that names
// leave out, as "C++" and "C#" do.
func otherSubject(a, b string) bool {
	said := func(title string) string {
		return strings.TrimRight(strings.Join(strings.Fields(strings.ReplaceAll(format.Fold(title), "_", " ")), " "), "!?.…")
	}
	return format.Slug(a) == format.Slug(b) && said(a) != said(b)
}

// existing finds the entry at a path, in any spelling that relations accept.
func (s state) existing(at string) (string, *format.Entry, error) {
	if e, ok := s.tree.Entry(at); ok {
		return at, e, nil
	}
	stem := func(p string) string { return format.Fold(strings.TrimSuffix(p, ".md")) }
	r := s.tree.Resolve("", format.FormRelated, at)
	if len(r.Candidates) > 0 && stem(r.Candidates[0]) == stem(at) {
		return "", nil, Failed(FailInvalid, "%q matches several entries: %s", at, strings.Join(r.Candidates, ", "))
	}
	if r.Target != "" && stem(r.Target) == stem(at) {
		e, _ := s.tree.Entry(r.Target)
		return r.Target, e, nil
	}
	return at, nil, nil
}

// folder spells a folder's path as the tree does; parts that are new become
// snake_case.
func (s state) folder(at string) string {
	dir := ""
	for seg := range strings.SplitSeq(at, "/") {
		dir = s.child(dir, seg)
	}
	return dir
}

func (s state) child(dir, seg string) string {
	want := path.Join(dir, seg)
	if _, ok := s.tree.Node(want); ok {
		return want
	}
	if n, ok := s.tree.Node(dir); ok {
		for _, f := range n.Folders {
			if format.Fold(path.Base(f)) == format.Fold(seg) {
				return f
			}
		}
	}
	return path.Join(dir, format.Slug(seg))
}

// mustFind is locate for operations that need an entry.
func (s state) mustFind(op OpType, raw, title string) (string, *format.Entry, error) {
	at, e, err := s.locate(raw, title)
	switch {
	case err != nil:
		return "", nil, err
	case e == nil:
		return "", nil, Failed(FailMissing, "%s: no such entry; `brv-lsp search` finds entries", at)
	case e.Role == format.RoleConflict:
		return "", nil, e.Unmerged()
	case e.Role == format.RoleOverview && op != OpDelete:
		return "", nil, Failed(FailInvalid, "cannot change %s, which describes its folder; edit it yourself", at)
	case e.Role != format.RoleEntry && e.Role != format.RoleOverview:
		return "", nil, Failed(FailInvalid, "%s is generated; %s works only on entries", at, op)
	case title != "" && strings.HasSuffix(raw, ".md") && title != e.Title && op != OpUpdate && op != OpUpsert:
		return "", nil, Failed(FailInvalid, "%s cannot change the title of %s to %q; omit the title, or use UPDATE to change it",
			op, at, title)
	}
	return at, e, nil
}

// free returns the reason why no entry can be made at a path, nil if one can.
func (s state) free(at string) error {
	if err := format.CheckEntryPath(at); err != nil {
		return Failed(FailInvalid, "%v", err)
	}
	return s.vacant(at)
}

// vacant returns an error that names the file or folder at a path, nil if the path is free.
func (s state) vacant(at string) error {
	if e, ok := s.tree.Entry(at); ok {
		return occupied(e, at+" already exists; to change it, use UPDATE; to add a second entry, use another title")
	}
	if twin, ok := s.twin(at); ok {
		e, _ := s.tree.Entry(twin) // nil for a folder
		return occupied(e, fmt.Sprintf("%s: %s exists, and some systems cannot tell the two names apart", at, twin))
	}
	for _, k := range s.tree.Skipped() {
		if k.Path == at {
			return Failed(FailExists, "%s already exists but cannot be read: %s", at, k.Reason)
		}
	}
	return nil
}

// occupied returns the error for a path that is in use. It includes the text of an entry there, unless that
// is in conflict.
func occupied(e *format.Entry, message string) error {
	if e == nil {
		return Failed(FailExists, "%s", message)
	}
	if err := e.Unmerged(); err != nil {
		return err
	}
	return &failure{FailExists, message, e.Text}
}

// twin returns a file at a path, or a folder above it, that some systems cannot tell from it.
func (s state) twin(at string) (string, bool) {
	for ; at != ""; at = format.FolderOf(at) {
		if _, there := s.tree.Node(at); there {
			return "", false
		}
		if twin, ok := s.tree.Twin(at); ok {
			return twin, true
		}
	}
	return "", false
}

// overviews makes the context.md of every folder that is new with the entry at
// path.
func (s state) overviews(files map[string]*format.Entry, at string, op Op) (made []string) {
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		if _, ok := s.tree.Node(dir); ok {
			break
		}
		file := dir + "/context.md"
		kind := min(format.Kind(1+strings.Count(dir, "/")), format.KindSubtopic)
		if files[file] == nil {
			files[file] = format.Parse(file, format.RenderOverview(dir, op.overview(kind)))
			made = append(made, file)
		}
	}
	slices.Sort(made)
	return made
}

// emptied removes the overviews and generated files of folders that have no entry left, from the folders of
// the given paths upwards. It also lists the relations to them, which then lead nowhere.
func (s state) emptied(files map[string]*format.Entry, paths []string) (gone, dangling []string) {
	dirs := map[string]bool{}
	for _, at := range paths {
		for dir := path.Dir(at); dir != "." && !format.Archived(dir); dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	after := s.tree.Update(files)
	deepest := slices.SortedFunc(maps.Keys(dirs), func(a, b string) int {
		return cmp.Or(strings.Count(b, "/")-strings.Count(a, "/"), strings.Compare(a, b))
	})
	for _, dir := range deepest {
		n, ok := after.Node(dir)
		if !ok || !hollow(after, dir) {
			continue
		}
		for _, e := range n.Entries {
			if format.RoleOf(e) != format.RoleSummary { // summaries are not journalled: they are generated anew
				files[e] = nil
				gone = append(gone, e)
			}
		}
		after = after.Update(files)
	}
	for _, at := range gone {
		for _, b := range s.tree.Backlinks(at) {
			e, ok := after.Entry(b.From)
			for _, r := range after.Relations(b.From) {
				if m := mentionAt(e, r.Mention); ok && r.Target == "" && r.Raw == b.Raw && !slices.Contains(dangling, m) {
					dangling = append(dangling, m)
				}
			}
		}
	}
	return gone, dangling
}

// hollow reports whether a folder and its subfolders hold no knowledge: only descriptions and summaries of
// knowledge that is gone.
func hollow(s *tree.Snapshot, dir string) bool {
	n, ok := s.Node(dir)
	if !ok {
		return true
	}
	for _, k := range s.Skipped() {
		if format.FolderOf(k.Path) == dir {
			return false // a file that cannot be read may be knowledge
		}
	}
	for _, e := range n.Entries {
		if r := format.RoleOf(e); r != format.RoleOverview && r != format.RoleSummary && r != format.RoleAbstract {
			return false
		}
	}
	for _, f := range n.Folders {
		if !hollow(s, f) {
			return false
		}
	}
	return true
}
