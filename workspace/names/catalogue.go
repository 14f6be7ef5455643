package names

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// catalogue keeps the names of the last requested tree, prepared for comparison. For an edited entry only its own
// card is made again.
type catalogue struct {
	mu   sync.Mutex // held while names are prepared; guards last
	last *nameList
}

// catalogues holds the catalogues of the open folders.
var catalogues = workspace.NewMemory(func(*workspace.Workspace) *catalogue { return &catalogue{} })

// nameList holds the names of one snapshot. It is immutable.
type nameList struct {
	tree    *tree.Snapshot
	folders []*card // in order of path
	entries []*entryCard
	has     []letters // for each entry, the letters of all its names
}

// entryCard holds the names of an entry.
type entryCard struct {
	card
	entry  *format.Entry
	listed bool // false for generated and archived files, and for overviews, whose folder is listed
	facts  []card
	has    letters // the letters of all of these
}

// card is a name, prepared for comparison.
type card struct {
	kind     Kind
	name, in string
	path     string // in the tree: of the entry or folder
	title    nameText
	place    nameText
	words    nameText
}

// of returns the names of a snapshot.
func (c *catalogue) of(t *tree.Snapshot) *nameList {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = &nameList{}
	}
	if c.last.tree != t {
		c.last = c.last.next(t)
	}
	return c.last
}

// next returns the names of another snapshot. It reuses those of unchanged entries.
func (l *nameList) next(t *tree.Snapshot) *nameList {
	n := &nameList{tree: t, entries: make([]*entryCard, 0, t.Len()), has: make([]letters, 0, t.Len())}
	old := l.entries
	for _, e := range t.Entries() {
		for len(old) > 0 && old[0].entry != e && old[0].entry.Path < e.Path {
			old = old[1:]
		}
		var c *entryCard
		if len(old) > 0 && old[0].entry == e {
			c, old = old[0], old[1:]
		} else {
			c = newEntryCard(e)
		}
		n.entries, n.has = append(n.entries, c), append(n.has, c.has)
	}
	n.addFolders(t, "")
	slices.SortFunc(n.folders, func(a, b *card) int { return strings.Compare(a.path, b.path) })
	return n
}

// addFolders adds the folders below dir, without those with generated content.
func (n *nameList) addFolders(t *tree.Snapshot, dir string) {
	node, ok := t.Node(dir)
	if !ok {
		return
	}
	for _, f := range node.Folders {
		if strings.HasPrefix(path.Base(f), "_") {
			continue
		}
		overview, _ := t.Entry(f + "/context.md")
		n.folders = append(n.folders, newFolderCard(f, overview))
		n.addFolders(t, f)
	}
}

func newFolderCard(dir string, overview *format.Entry) *card {
	name, in := folderName(dir)
	c := &card{kind: Topic, name: name, in: in, path: dir, title: readName(name), place: readName(dir)}
	if in == "" {
		c.kind = Domain
	}
	if overview != nil {
		c.words = readName(overview.Title + "\n" + overview.Terms(false))
	}
	return c
}

func newEntryCard(e *format.Entry) *entryCard {
	in := strings.TrimSuffix(e.Path[:strings.LastIndexByte(e.Path, '/')+1], "/")
	c := &entryCard{entry: e, listed: e.Role == format.RoleEntry, card: card{kind: Entry, name: e.Title, in: in, path: e.Path}}
	if e.Role != format.RoleEntry && e.Role != format.RoleOverview {
		return c
	}
	c.title, c.place = readName(e.Title), readName(strings.TrimSuffix(e.Path, ".md"))
	c.words = readName(e.Terms(false))
	c.has = c.title.has | c.place.has | c.words.has
	for _, f := range e.Facts {
		if f.Subject != "" {
			c.facts = append(c.facts, card{kind: Fact, name: f.Subject, in: e.Title, path: e.Path, title: readName(f.Subject)})
			c.has |= c.facts[len(c.facts)-1].title.has
		}
	}
	return c
}
