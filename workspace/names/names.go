// Package names finds folders, entries and facts of the tree by parts of their names.
//
// The names of a tree are prepared once, and reused while they do not change. A question is then one pass over
// them, without an index.
package names

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Kind is the kind of a named thing.
type Kind int

// The kinds of names. A fact counts if it states its subject, since a user may want to go to it. Tags and keywords
// do not count; they find their entries.
const (
	Domain Kind = iota
	Topic
	Entry
	Fact
)

// Name is a part of the tree that a user can go to by its name.
type Name struct {
	Kind  Kind
	Name  string  // the title of an entry, a folder's own name, or the subject of a fact
	In    string  // the folder; for a fact, the entry's title
	Path  string  // workspace path of the file that shows it
	Score float64 // orders the names of one question
}

// Max bounds the names for one question; a user who needs another one can type more.
const Max = 200

// Find finds domains, topics, entries and facts by their names, best first. Each word of the query must match one
// name, its path or its keywords, if only letter by letter. For an empty query, it returns the folders and the first
// entries.
func Find(v *workspace.View, query string) []Name {
	var out []Name
	for _, f := range catalogues.Of(v).of(v.Tree()).best(nameTerms(query)) {
		if shown := showing(v.Tree(), f.card); shown != "" {
			out = append(out, Name{Kind: f.card.kind, Name: f.card.name, In: f.card.in, Path: v.FilePath(shown), Score: f.score})
		}
	}
	return out
}

// Prepare prepares the names of a folder once its tree is read, so that the first question does not wait for that.
func Prepare(w *workspace.Workspace) {
	w.Go(func() {
		if w.WaitTree(w.Life()) == nil {
			v := w.View()
			catalogues.Of(v).of(v.Tree())
		}
	})
}

// best returns the names that match the terms best.
func (l *nameList) best(terms []nameText) []fitting {
	best := &shortlist{limit: Max, byPath: len(terms) == 0}
	for _, c := range l.folders {
		best.offer(c, c.fit(terms))
	}
	var needs letters
	for _, t := range terms {
		needs |= t.has
	}
	for i, has := range l.has {
		if needs&^has != 0 {
			continue
		}
		e := l.entries[i]
		if e.listed {
			best.offer(&e.card, e.fit(terms))
		}
		if len(terms) == 0 {
			continue
		}
		for i := range e.facts {
			best.offer(&e.facts[i], e.facts[i].fit(terms))
		}
	}
	return best.found()
}

// Place returns the place of a name in the file that shows it now.
func Place(v *workspace.View, n Name) (navigate.Target, bool) {
	p, ok := v.EntryPath(n.Path)
	if !ok {
		return navigate.Target{}, false
	}
	e, ok := v.Entry(p)
	if !ok {
		return navigate.Target{}, false
	}
	if n.Kind == Fact {
		for _, f := range e.Facts {
			if f.Subject == n.Name {
				return navigate.Target{Path: n.Path, At: f.At, Text: e.Text}, true
			}
		}
	}
	return navigate.EntryTarget(v, p, ""), true
}

// showing returns the entry that shows a name: a folder's overview, or else its summary, or else its first entry.
func showing(t *tree.Snapshot, c *card) string {
	if c.kind != Domain && c.kind != Topic {
		return c.path
	}
	for _, p := range []string{c.path + "/context.md", c.path + "/_index.md"} {
		if _, ok := t.Entry(p); ok {
			return p
		}
	}
	entries := t.Entries()
	i, _ := slices.BinarySearchFunc(entries, c.path+"/", func(e *format.Entry, p string) int { return strings.Compare(e.Path, p) })
	if i < len(entries) && strings.HasPrefix(entries[i].Path, c.path+"/") {
		return entries[i].Path
	}
	return ""
}

// shortlist keeps the best of the cards that it gets.
type shortlist struct {
	limit  int
	byPath bool // equal matches are ordered by path, instead of by the length of the name
	cards  []fitting
	worst  float64 // only better matches can still enter
}

type fitting struct {
	card  *card
	score float64
}

func (s *shortlist) offer(c *card, score float64) {
	if score <= s.worst {
		return
	}
	s.cards = append(s.cards, fitting{c, score})
	if len(s.cards) >= 4*s.limit {
		s.found()
		s.worst = s.cards[len(s.cards)-1].score
	}
}

// found returns the best matches, in order.
func (s *shortlist) found() []fitting {
	slices.SortFunc(s.cards, func(a, b fitting) int {
		shorter := cmp.Compare(len(a.card.name), len(b.card.name))
		if s.byPath {
			shorter = 0
		}
		return cmp.Or(cmp.Compare(b.score, a.score), shorter, cmp.Compare(a.card.path, b.card.path),
			cmp.Compare(a.card.name, b.card.name))
	})
	s.cards = s.cards[:min(len(s.cards), s.limit)]
	return s.cards
}

// folderName returns the last segment of a folder's path, and the rest.
func folderName(dir string) (name, in string) {
	in, name = path.Split(dir)
	return name, strings.TrimSuffix(in, "/")
}

// minFit is the result of [card.fit] below which the letters of a word match by chance.
const minFit = 0.16

// fitsEach returns how well terms match a card. It is 0 if one of them does not match by itself.
func (c *card) fitsEach(terms []nameText) float64 {
	sum := 0.0
	for i := range terms {
		fit := c.fit(terms[i : i+1])
		if fit < minFit {
			return 0
		}
		sum += fit
	}
	return sum / float64(len(terms))
}

// Called returns at most limit entries whose names match the typed text, best first. It returns none for an empty
// text, and leaves out generated and archived files.
func Called(v *workspace.View, typed string, limit int) []*format.Entry {
	words := strings.FieldsFunc(typed, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	terms := nameTerms(strings.Join(words, " "))
	if len(terms) == 0 {
		return nil
	}
	type fitting struct {
		entry *format.Entry
		fit   float64
	}
	var found []fitting
	var needs letters
	for i := range terms {
		needs |= terms[i].has
	}
	names := catalogues.Of(v).of(v.Tree())
	for i, has := range names.has {
		if needs&^has != 0 {
			continue
		}
		c := names.entries[i]
		if fit := c.fitsEach(terms); fit > 0 && Linkable(c.entry) {
			found = append(found, fitting{c.entry, fit})
		}
	}
	slices.SortStableFunc(found, func(a, b fitting) int { return cmp.Compare(b.fit, a.fit) })
	var out []*format.Entry
	for _, f := range found[:min(len(found), limit)] {
		out = append(out, f.entry)
	}
	return out
}

// Linkable reports whether other entries may link to an entry: it is written by people.
func Linkable(e *format.Entry) bool {
	return !e.Role.Generated() && (format.Searchable(e) || e.Role == format.RoleConflict)
}

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
