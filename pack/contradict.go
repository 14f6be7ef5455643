package pack

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Two entries contradict each other if their facts differ about one subject, or if one states that it
// supersedes the other. A subject means the same in two entries of one folder, in related entries, and
// everywhere if it has two words or more: "timeout" is too common for that.

// factsOf returns the facts of the whole tree by their subjects, folded.
func (b *maker) factsOf() map[string][]factAt {
	m := b.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facts != nil && m.tree == b.in.own() {
		return m.facts
	}
	facts := map[string][]factAt{}
	for _, e := range b.in.own().Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		for _, f := range e.Facts {
			if f.Subject != "" {
				subject := folded(f.Subject)
				facts[subject] = append(facts[subject], factAt{e, saying(f)})
			}
		}
	}
	if m.tree == b.in.own() {
		m.facts = facts
	}
	return facts
}

// saying returns a fact's value for its subject, folded.
func saying(f format.Fact) string { return folded(cmp.Or(f.Value, f.Statement)) }

// folded is a text in small letters without punctuation.
func folded(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// opponent is an entry that contradicts another one.
type opponent struct {
	entry   *format.Entry
	subject string // "" where one supersedes the other
	wins    bool
	why     string // why it wins
}

// mark is the warning for the reader of the other entry.
func (o opponent) mark() string {
	out := "contradicted by " + EntryFile(o.entry.Path)
	if o.wins {
		out += ", which " + o.why
	} else {
		out += ", which ranks lower"
	}
	if o.subject != "" {
		out += ": " + o.subject
	}
	return out
}

// against lists the entries that contradict one, each once, in order of their paths.
func (b *maker) against(e *format.Entry) (out []opponent) {
	if e.Role != format.RoleEntry {
		return nil
	}
	out = b.superseding(e)
	known := func(other *format.Entry) bool {
		return slices.ContainsFunc(out, func(o opponent) bool { return o.entry == other })
	}
	for _, f := range e.Facts {
		subject := folded(f.Subject)
		if subject == "" {
			continue
		}
		for _, other := range b.factsOf()[subject] {
			if other.entry.Path == e.Path || known(other.entry) || agrees(other.value, saying(f)) ||
				!b.sameSubject(e, other.entry, subject) {
				continue
			}
			wins, why := b.outranks(other.entry, e)
			out = append(out, opponent{other.entry, oneLine(f.Subject, maxTitle), wins, why})
		}
	}
	slices.SortFunc(out, func(x, y opponent) int { return cmp.Compare(x.entry.Path, y.entry.Path) })
	return out
}

// agrees reports whether one of two values contains the other.
func agrees(x, y string) bool {
	return strings.Contains(" "+x+" ", " "+y+" ") || strings.Contains(" "+y+" ", " "+x+" ")
}

// sameSubject reports whether a subject means the same in two entries.
func (b *maker) sameSubject(x, y *format.Entry, subject string) bool {
	_, pathX, _ := format.CutTree(x.Path)
	_, pathY, _ := format.CutTree(y.Path)
	if strings.Contains(subject, " ") || path.Dir(pathX) == path.Dir(pathY) {
		return true
	}
	related := func(from, to *format.Entry) bool {
		return slices.ContainsFunc(b.in.Tree.Relations(from.Path), func(r tree.Relation) bool { return r.Target == to.Path })
	}
	return related(x, y) || related(y, x)
}

// outranks reports whether x outranks y, and why. The criteria in order: it is of the folder's own tree, its
// maturity, its last update, its path.
func (b *maker) outranks(x, y *format.Entry) (bool, string) {
	_, _, farX := format.CutTree(x.Path)
	if _, _, farY := format.CutTree(y.Path); farX != farY {
		return farY, "is in this folder's own tree"
	}
	ofX, atX := b.in.Tree.Counted(x.Path)
	ofY, atY := b.in.Tree.Counted(y.Path)
	if d := slices.Index(format.Tiers, ofX.Maturity) - slices.Index(format.Tiers, ofY.Maturity); d != 0 {
		return d > 0, "is " + format.TierName(x, ofX.Maturity)
	}
	if d := atX.Compare(atY); d != 0 {
		return d > 0, "is newer"
	}
	return x.Path < y.Path, "says otherwise"
}

// superseding lists the entries that an entry states it supersedes, and those that supersede it, by their
// statement or its own.
func (b *maker) superseding(e *format.Entry) (out []opponent) {
	for _, r := range b.in.Tree.Relations(e.Path) {
		if other, ok := b.in.Tree.Entry(r.Target); ok && other.Role == format.RoleEntry && other != e {
			if newer, older := supersedes(e.Text, r.At.Start); newer || older {
				out = append(out, opponent{other, "", older, "supersedes it"})
			}
		}
	}
	for _, l := range b.in.Tree.Backlinks(e.Path) {
		if other, ok := b.in.Tree.Entry(l.From); ok && other.Role == format.RoleEntry && other != e {
			if newer, older := supersedes(other.Text, l.At.Start); newer || older {
				out = append(out, opponent{other, "", newer, "supersedes it"})
			}
		}
	}
	return slices.CompactFunc(out, func(x, y opponent) bool { return x.entry == y.entry })
}

// latestFirst moves the latest of the entries that decide a task to the front: the one that most often
// announces a change of earlier statements, and among equals the one whose file changed last.
func (b *maker) latestFirst(entries []*candidate) {
	var latest *candidate
	for _, c := range entries {
		if c.governs && (latest == nil || b.isLater(c, latest)) {
			latest = c
		}
	}
	for _, c := range entries {
		if c.governs && c != latest && c.behind == nil && latest.behind != c {
			c.behind = latest
		}
	}
}

func (b *maker) isLater(x, y *candidate) bool {
	if d := retrieval.Amends(x.entry.Body.Of(x.entry.Text)) - retrieval.Amends(y.entry.Body.Of(y.entry.Text)); d != 0 {
		return d > 0
	}
	days := func(c *candidate) float64 {
		if h := b.in.Code.History(); h != nil {
			if age, ok := h.Age(EntryFile(c.path)); ok {
				return age
			}
		}
		return math.Inf(1)
	}
	return days(x) < days(y)
}

// before is the distance within which the word that describes a relation stands in front of it.
const before = 40 // bytes

// supersedes reads the words in front of a relation and tells whether the entry with the relation is the
// newer or the older one.
func supersedes(text string, at int) (newer, older bool) {
	line := text[max(0, at-before):at]
	line = strings.ToLower(line[strings.LastIndexByte(line, '\n')+1:])
	for _, word := range []string{"supersede", "replace", "obsolete"} {
		if i := strings.LastIndex(line, word); i >= 0 {
			if strings.Contains(line[i:], "by") {
				return false, true
			}
			return strings.HasPrefix(line[i+len(word):], "s"), false
		}
	}
	return false, false
}
