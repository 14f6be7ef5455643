// Package names finds folders, entries and facts of the tree by what somebody types of their names.
//
// The names of a tree are made ready once, and taken over for what did not change; a question is then
// one pass over them, without an index. What the search says of entries only orders them.
package names

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Kind is the kind of thing that a name stands for.
type Kind int

// The kinds of names. A fact counts where it says what it is about: then it is a thing
// to go to. Tags and keywords are not, they find the entries that have them.
const (
	Domain Kind = iota
	Topic
	Entry
	Fact
)

// Name is something of the tree that can be gone to by its name.
type Name struct {
	Kind  Kind
	Name  string  // title of an entry, a folder's own name, what a fact is about
	In    string  // the folder, of a fact the entry's title
	Path  string  // workspace path of the file that shows it
	Score float64 // orders the names of one question
}

// Max is how many names a question gets at most; who wants another one types more.
const Max = 200

// minRanked is how long a question is, in bytes, that the search is asked: shorter ones
// are the beginning of many words.
const minRanked = 3

// Find finds domains, topics, entries and facts by their names, the best first. Each word
// of the query must stand in one name, its path or its keywords, if only letter by letter;
// what the search finds for the whole query comes in too, and earlier. An empty query gets
// the folders and the first entries.
func Find(ctx context.Context, v *workspace.View, query string) []Name {
	var out []Name
	for _, f := range catalogues.Of(v).of(v.Tree()).best(nameTerms(query), ranks(ctx, v, query)) {
		if shown := showing(v.Tree(), f.card); shown != "" {
			out = append(out, Name{Kind: f.card.kind, Name: f.card.name, In: f.card.in, Path: v.FilePath(shown), Score: f.score})
		}
	}
	return out
}

// Prepare makes the names of a folder ready to be compared once its tree is read, so that the
// first question does not wait for them.
func Prepare(w *workspace.Workspace) {
	w.Go(func() {
		if w.WaitTree(w.Life()) == nil {
			v := w.View()
			catalogues.Of(v).of(v.Tree())
		}
	})
}

// best are the names that fit the terms best, with what the search says of entries.
func (l *nameList) best(terms []nameText, ranks map[string]float64) []fitting {
	best := &shortlist{limit: Max, byPath: len(terms) == 0}
	for _, c := range l.folders {
		best.offer(c, c.fit(terms))
	}
	var needs letters
	for _, t := range terms {
		needs |= t.has
	}
	found := l.ranked(ranks)
	for i, has := range l.has {
		rank := 0.0
		if len(found) > 0 && found[0].at == i {
			rank, found = found[0].rank, found[1:]
		}
		if needs&^has != 0 && rank == 0 {
			continue
		}
		e := l.entries[i]
		if e.listed {
			fit := e.fit(terms)
			best.offer(&e.card, fit+rank*(1-fit))
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

// ranked is one entry with the search's score.
type ranked struct {
	at   int // in nameList.entries
	rank float64
}

// ranked finds the few entries that the search speaks for: to ask for the path of each entry takes
// as long as to compare all names.
func (l *nameList) ranked(ranks map[string]float64) []ranked {
	out := make([]ranked, 0, len(ranks))
	for p, rank := range ranks {
		i, ok := slices.BinarySearchFunc(l.entries, p, func(c *entryCard, p string) int { return strings.Compare(c.path, p) })
		if ok {
			out = append(out, ranked{i, rank})
		}
	}
	slices.SortFunc(out, func(a, b ranked) int { return cmp.Compare(a.at, b.at) })
	return out
}

// Place is where a name stands in the file that shows it now.
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

// ranks says, between 0 and 1, how much the search speaks for entries. The best counts as
// much as a name of beginnings: a name that fits well stays in front of it.
func ranks(ctx context.Context, v *workspace.View, query string) map[string]float64 {
	if len(query) < minRanked {
		return nil
	}
	short, cancel := v.Within(ctx, workspace.Glance)
	defer cancel()
	last := v.LatestSearch(short)
	if last == nil {
		return nil
	}
	found, err := last.Search(short, retrieval.Query{Text: query, Limit: retrieval.MaxLimit, Now: v.Now()})
	if err != nil || found.OutOfDomain {
		return nil
	}
	ranks := make(map[string]float64, len(found.Hits))
	for i, h := range found.Hits {
		then, _ := last.Tree.Entry(h.Path)
		now, _ := v.Entry(h.Path)
		if h.Via == "" && then == now { // else what it is related to matches, or it is another text now
			ranks[h.Path] = fitsInitials / (1 + float64(i)/4)
		}
	}
	return ranks
}

// showing is the entry that shows a name: a folder's overview, else its summary, else the
// first entry in it.
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

// shortlist keeps the best cards that are offered.
type shortlist struct {
	limit  int
	byPath bool // order of what fits as well: by path, not the shortest name first
	cards  []fitting
	worst  float64 // what does not fit better cannot enter any more
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

// found are the best, in order.
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

// folderName is the last segment of a folder's path.
func folderName(dir string) (name, in string) {
	in, name = path.Split(dir)
	return name, strings.TrimSuffix(in, "/")
}

// minFit is the fit (see [card.fit]) under which the letters of a word stand in a name by
// chance.
const minFit = 0.16

// fitsEach is how well terms fit a card if each of them does by itself, else 0.
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

// Called returns at most limit entries that are called as is typed, what fits best first;
// none where nothing is typed. Generated and archived files have no place in it.
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

// Linkable reports whether entries may name an entry: one that people write.
func Linkable(e *format.Entry) bool {
	return !e.Role.Generated() && (format.Searchable(e) || e.Role == format.RoleConflict)
}
