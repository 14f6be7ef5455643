// Package vault turns folders of notes that were written for other programs into entries of the tree, and the tree
// into such folders: Obsidian and zk vaults, Serena's memories, memory banks, decision records, the reference
// system's trees in both of its dialects, and plain folders of Markdown.
//
//	plan, err := vault.Import(vault.Folder{Name: "notes", Files: files}, snapshot, vault.Options{})
//	report, err := store.Apply(ctx, plan.Batch("ann"))
//	files := vault.Export(snapshot, vault.Markdown)
//
// It is pure: files in, a batch of operations out, with what was left out and why.
//
// # Nothing is lost
//
// An entry is the author's file byte for byte, with lines added that say where it comes from
// ([format.Imported]); without them the file is there again, which is what [Export] writes. Only topics in HTML are
// converted, element by element, since an entry's parts are the same.
//
// # Where it goes
//
// Two folders above a note are its domain and topic, a third and all below it the subtopic. Notes of the top folder,
// and folders with nothing below them, stand under the name of the whole. All of it can be said otherwise
// ([Options.Map]). A name that is taken gets a number.
//
// # Links
//
// A link leads where it led in its own program: to the note that the path or the name means there, or one of its
// aliases. Where the tree would read the same words otherwise, the entry says so itself. Links that led nowhere are
// reported, and nothing is made for them.
package vault

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Dialect is the kind of a folder of notes.
type Dialect string

// The dialects.
const (
	Markdown   Dialect = "markdown" // any folder of Markdown files
	Obsidian   Dialect = "obsidian"
	Zk         Dialect = "zk"
	Serena     Dialect = "serena"
	MemoryBank Dialect = "memory-bank"
	Decisions  Dialect = "adr"
	ByteRover  Dialect = "byterover" // its trees of Markdown
	Topics     Dialect = "bv-topic"  // its trees of HTML
)

// Dialects are all of them.
var Dialects = []Dialect{Markdown, Obsidian, Zk, Serena, MemoryBank, Decisions, ByteRover, Topics}

// File is a file of the folder.
type File struct {
	Path string // slash path in the folder
	Text string
}

// Folder is a folder of notes.
type Folder struct {
	Root   string   // its path in the project, or its name alone where it is outside
	Files  []File   // notes, sorted by path
	Others []string // paths of all other files and hidden folders: pictures, settings
}

// Options say how a folder is read.
type Options struct {
	Dialect Dialect           // "": by the folder's shape
	Map     map[string]string // folder of the vault ("." for the whole) → domain, domain/topic or domain/topic/subtopic
}

// Plan is what an import would do.
type Plan struct {
	Dialect Dialect   `json:"dialect"`
	Root    string    `json:"root"`
	Folders []Mapping `json:"folders"` // sorted by From
	Ops     []plan.Op `json:"-"`
	Links   int       `json:"links"`  // that lead to a note, each place once
	Broken  []Link    `json:"broken"` // that led nowhere
	Left    []Left    `json:"left"`   // files that are not imported
	Others  int       `json:"others"` // files that are no notes
}

// Mapping is where the notes of one folder go.
type Mapping struct {
	From  string `json:"from"` // "." for the top
	To    string `json:"to"`
	Notes int    `json:"notes"`
}

// Link is a link that leads nowhere.
type Link struct {
	Path string `json:"path"` // of the note
	Line int    `json:"line"`
	Text string `json:"text"` // what it says
}

// Left is a file that is not imported.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Batch is the batch that does it.
func (p *Plan) Batch(author string) plan.Batch { return plan.Batch{Ops: p.Ops, Author: author} }

// Detect tells a folder's dialect by its shape.
func Detect(f Folder) Dialect {
	has := func(name string) bool { return slices.Contains(f.Others, name) }
	count := func(is func(File) bool) (n int) {
		for _, file := range f.Files {
			if is(file) {
				n++
			}
		}
		return n
	}
	most := func(n int) bool { return n > 0 && 2*n > len(f.Files) }
	named := func(names ...string) func(File) bool {
		return func(file File) bool { return slices.Contains(names, path.Base(file.Path)) }
	}
	switch {
	case most(count(func(file File) bool { return isTopic(file) })):
		return Topics
	case has(".obsidian"):
		return Obsidian
	case has(".zk"):
		return Zk
	case strings.HasSuffix(f.Root, ".serena/memories"):
		return Serena
	case count(named("projectbrief.md", "activeContext.md", "productContext.md")) > 1:
		return MemoryBank
	case path.Base(f.Root) == tree.Dir, has("_manifest.json"), count(named("context.md", "_index.md")) > 1:
		return ByteRover
	case most(count(func(file File) bool { return isRecord(path.Base(file.Path)) })):
		return Decisions
	}
	return Markdown
}

// isRecord reports whether a file is named as decision records are, by number: 0007-use-postgres.md.
func isRecord(name string) bool {
	digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
	return digits >= 3 && digits <= 5 && len(name) > digits && (name[digits] == '-' || name[digits] == '_')
}

// importer plans one import.
type importer struct {
	Plan
	tree   *tree.Snapshot
	notes  []*note
	index  index
	taken  map[string]bool // paths that notes have got, folded
	known  map[string]string
	others map[string]bool // paths, and names, of files that are no notes
}

// note is one file on its way to an entry.
type note struct {
	File
	entry *format.Entry // the author's text, read as an entry at its new path
	at    string        // tree path
}

// Import plans how a folder becomes entries of a tree.
func Import(f Folder, t *tree.Snapshot, o Options) (*Plan, error) {
	im := &importer{tree: t, taken: map[string]bool{}}
	im.Dialect, im.Root, im.Others = o.Dialect, f.Root, len(f.Others)
	im.others = map[string]bool{}
	for _, p := range f.Others {
		im.others[p], im.others[path.Base(p)] = true, true
	}
	if im.Dialect == "" {
		im.Dialect = Detect(f)
	}
	if !slices.Contains(Dialects, im.Dialect) {
		return nil, fmt.Errorf("no dialect %q; there are %v", im.Dialect, Dialects)
	}
	places, err := newPlaces(f, im.Dialect, o.Map)
	if err != nil {
		return nil, err
	}
	im.known = importedAlready(t, f.Root)
	counts := map[[2]string]int{}
	for _, file := range f.Files {
		why := im.refused(file)
		if why != "" {
			im.Left = append(im.Left, Left{file.Path, why})
			continue
		}
		from := path.Dir(file.Path)
		dir := places.of(from)
		n := &note{File: file, at: im.free(dir, path.Base(file.Path))}
		if n.at == "" {
			im.Left = append(im.Left, Left{file.Path, "the folder has a description already"})
			continue
		}
		n.entry = format.Parse(n.at, file.Text)
		im.notes = append(im.notes, n)
		counts[[2]string{from, dir}]++
	}
	for k, n := range counts {
		im.Folders = append(im.Folders, Mapping{k[0], k[1], n})
	}
	slices.SortFunc(im.Folders, func(a, b Mapping) int { return strings.Compare(a.From, b.From) })
	im.write()
	slices.SortStableFunc(im.Ops, func(a, b plan.Op) int { // what describes a folder comes before what would have it made
		first := func(op plan.Op) string { return strings.TrimSuffix(op.Path, "context.md") }
		return strings.Compare(first(a), first(b))
	})
	return &im.Plan, nil
}

// refused says why a file is not imported.
func (im *importer) refused(f File) string {
	role := format.RoleOf(f.Path)
	hash, known := im.known[f.Path]
	switch {
	case known && hash == format.SourceHash(f.Text):
		return "imported already"
	case known:
		return "imported already, and changed since: remove the entry to import it anew"
	case im.Dialect == ByteRover && (role == format.RoleSummary || role == format.RoleAbstract || format.Archived(f.Path)):
		return "generated by the other program"
	case strings.TrimSpace(f.Text) == "":
		return "empty"
	case len(f.Text) > format.MaxFileSize:
		return fmt.Sprintf("%d bytes, an entry has at most %d", len(f.Text), format.MaxFileSize)
	case len(format.Conflicts(f.Text)) > 0:
		return "a merge conflict stands in it"
	}
	return ""
}

// importedAlready are the files of a root that the tree has, with the hash of each.
func importedAlready(t *tree.Snapshot, root string) map[string]string {
	out := map[string]string{}
	for _, e := range t.Entries() {
		if im, ok := e.Imported(); ok && im.Root == root {
			out[im.From] = im.Hash
		}
	}
	return out
}

// free is a path for a note that nothing stands at; "" where there can be but one.
func (im *importer) free(dir, name string) string {
	stem := strings.TrimSuffix(name, path.Ext(name))
	described := im.Dialect == ByteRover && name == "context.md"
	if !described && (im.Dialect != ByteRover || format.CheckName(stem) != nil) { // whose names are the tree's own
		stem = format.Slug(stem)
	}
	for n := 1; ; n++ {
		at := dir + "/" + stem + ".md"
		if n > 1 {
			at = fmt.Sprintf("%s/%s_%d.md", dir, stem, n)
		}
		r := im.tree.Resolve("", format.FormRelated, at)
		switch key := tree.KeyOf(at); {
		case !im.taken[key] && r.Target == "" && len(r.Candidates) == 0:
			im.taken[key] = true
			return at
		case described:
			return ""
		}
	}
}

// write makes the operations of all notes.
func (im *importer) write() {
	im.index = newIndex(im.Dialect, im.notes)
	after := map[string]*format.Entry{}
	for _, n := range im.notes {
		after[n.at] = n.entry
	}
	joined := im.tree.Update(after)
	for _, n := range im.notes {
		from := format.Imported{From: n.Path, Root: im.Root, Hash: format.SourceHash(n.Text), Links: im.links(n, joined)}
		text, err := from.Into(n.at, n.Text)
		if err != nil && len(from.Links) > 0 { // too many of them for what frontmatter may hold
			from.Links = nil
			text, err = from.Into(n.at, n.Text)
		}
		if err != nil {
			im.Left = append(im.Left, Left{n.Path, "it cannot be an entry"})
			continue
		}
		im.Ops = append(im.Ops, plan.Op{Type: plan.OpAdd, Path: n.at, Text: text, Reason: "imported from " + path.Join(im.Root, n.Path)})
	}
}

// places says where the notes of a folder go.
type places struct {
	whole    []string // of notes that stand in no folder
	name     string
	sections map[string]bool // top folders with folders below them
	said     map[string]string
	same     bool // the folders are a tree's own
}

func newPlaces(f Folder, d Dialect, said map[string]string) (*places, error) {
	p := &places{sections: map[string]bool{}, said: map[string]string{}, same: d == ByteRover}
	parts := strings.FieldsFunc(f.Root, func(r rune) bool { return r == '/' })
	if p.name = "notes"; len(parts) > 0 {
		p.name = format.Slug(parts[len(parts)-1])
	}
	if p.whole = []string{p.name, "notes"}; len(parts) > 1 {
		p.whole = []string{format.Slug(parts[len(parts)-2]), p.name}
	}
	there := map[string]bool{".": true}
	for _, file := range f.Files {
		for dir := path.Dir(file.Path); dir != "."; dir = path.Dir(dir) {
			there[dir] = true
			if top, _, deeper := strings.Cut(dir, "/"); deeper {
				p.sections[top] = true
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(said)) {
		to := strings.Trim(said[from], "/")
		at := path.Clean(strings.Trim(from, "/"))
		if !there[at] {
			return nil, fmt.Errorf("map %s=%s: there are no notes in %s", from, to, from)
		}
		if err := format.CheckFolderPath(to); err != nil {
			return nil, fmt.Errorf("map %s=%s: %w", from, to, err)
		}
		p.said[at] = to
	}
	return p, nil
}

// of is the tree's folder for notes of a folder.
func (p *places) of(dir string) string {
	for up := dir; ; up = path.Dir(up) {
		if to, ok := p.said[up]; ok {
			rest := strings.TrimPrefix(strings.TrimPrefix(dir, up), "/")
			if up == "." && dir != "." {
				rest = dir
			}
			return p.levels(append(strings.Split(to, "/"), split(rest)...))
		}
		if up == "." {
			break
		}
	}
	parts := split(dir)
	switch {
	case len(parts) == 0:
		return strings.Join(p.whole, "/")
	case len(parts) == 1 && p.sections[parts[0]]:
		return p.levels([]string{parts[0], "notes"})
	case len(parts) == 1:
		return p.levels([]string{p.name, parts[0]})
	}
	return p.levels(parts)
}

// TopicOf is the tree's folder for what stands below a path of the project.
func TopicOf(dir string) string { return (&places{}).levels(split(dir)) }

func split(dir string) []string {
	if dir == "." || dir == "" {
		return nil
	}
	return strings.Split(dir, "/")
}

// levels brings names into the tree's three levels, of which two are needed.
func (p *places) levels(names []string) string {
	if len(names) == 1 {
		names = append(names, "notes")
	}
	if len(names) > 3 {
		names = append(names[:2:2], strings.Join(names[2:], "_"))
	}
	out := make([]string, len(names))
	for i, name := range names {
		if out[i] = format.Slug(name); p.same && format.CheckName(name) == nil {
			out[i] = name
		}
	}
	return strings.Join(out, "/")
}
