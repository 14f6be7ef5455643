package pack

import (
	"cmp"
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The strength of a connection: the chance that the task needs the linked candidate, if it needs the linking
// one.
const (
	fileToEntry  = 0.35
	coreToEntry  = 0.55 // the entry is of core maturity
	entryToFile  = 0.6
	viaRelation  = 0.15
	symbolToItem = 0.5 // the entry names the symbol at the cursor
)

// leading is the number of best candidates of one kind whose links are followed.
const leading = 8

// push is a part of a chance that is passed to another candidate.
type push struct {
	path, reason string
	chance       float64
	from         string
}

// connect passes the chances of the best files and entries to each other, and then those of the entries along
// their relations. Each step starts from the chances before it, so the order does not matter.
func (b *maker) connect(entries, files scores) {
	var toEntries, toFiles, related []push
	for _, c := range files.best(leading) {
		refs := b.in.Links.About(c.path, "")
		many := 1 + math.Log(float64(max(1, len(refs))))
		for _, r := range refs {
			via := fileToEntry
			if s, _ := b.in.Tree.Counted(r.Entry); s.Maturity == format.Core {
				via = coreToEntry
			}
			toEntries = append(toEntries, push{r.Entry, c.path + ": " + r.Reason, c.chance * r.Strength * via / many, c.path})
		}
	}
	for _, c := range entries.best(leading) {
		toFiles = append(toFiles, b.namedBy(c)...)
	}
	entries.take(KindEntry, toEntries)
	if b.task.wants(KindCode) {
		files.take(KindCode, toFiles)
	}
	for _, c := range entries.best(leading) {
		for _, r := range b.in.Tree.Relations(c.path) {
			if r.Target != "" && r.Target != c.path {
				related = append(related, push{r.Target, "related to " + c.path, c.chance * viaRelation, ""})
			}
		}
	}
	entries.take(KindEntry, related)
}

// namedBy lists the files that an entry names, each once.
func (b *maker) namedBy(c *candidate) (out []push) {
	said := map[string]float64{}
	for _, r := range b.in.Links.Of(c.path) {
		if r.Exists && !r.Folder && b.wanted(r.Path) {
			said[r.Path] = max(said[r.Path], r.Strength)
		}
	}
	many := math.Sqrt(float64(max(1, len(said))))
	for path, strength := range said {
		out = append(out, push{path, "named by " + c.path, c.chance * strength * entryToFile / many, ""})
	}
	return out
}

// take adds pushes in a fixed order, since sums of floats depend on it.
func (s scores) take(kind Kind, pushes []push) {
	slices.SortFunc(pushes, func(a, b push) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(b.chance, a.chance), cmp.Compare(a.reason, b.reason))
	})
	for _, p := range pushes {
		c := s.get(kind, p.path)
		c.add(p.chance, p.reason)
		if p.from != "" {
			c.about = append(c.about, p.from)
		}
	}
}
