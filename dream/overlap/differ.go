package overlap

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// Difference are two statements, one of each entry of a pair, that say the same but for a number
// or a word that turns the meaning round.
type Difference struct{ A, B string }

// sameWords is the share of the rarity of their words that two statements have in common, so that
// they are taken for one about which two entries differ. Of 31 numbers that were changed in one of
// two entries of the set "tune" (bench/dream -contradict), 6 are found at 0.5, 9 at 0.3 and 11 at 0.2,
// where of 50 unchanged pairs none, 1 and 2 differ.
const sameWords = 0.3

// tellsEnough is how many terms a statement has of which a single not tells that two entries
// differ: "Root login is off" and "no root login" say the same. (Estimate.)
const tellsEnough = 4

// Differ lists the statements in which a pair's entries contradict each other, in the order of the
// first by path: they have the same names and files and many of the same words, but each has a number that
// the other entry does not know at all; or they have all the same words, and one is turned round.
// Values in words ("on", "off") are not compared.
func (x *Index) Differ(p Pair) (out []Difference) {
	if p.B < p.A { // the same whoever asks
		for _, d := range x.Differ(Pair{A: p.B, B: p.A}) {
			out = append(out, Difference{d.B, d.A})
		}
		return out
	}
	i, known := x.byPath[p.A]
	j, known2 := x.byPath[p.B]
	if !known || !known2 || i == j {
		return nil
	}
	r := &reader{ids: x.known, words: words.Borrow()}
	defer r.words.Return()
	a, b := x.profiles[i], x.profiles[j]
	theirs := r.statements(b)
	for _, s := range r.statements(a) {
		var best statement
		var terms byKind
		most := 0.0
		for _, o := range theirs {
			split := x.split(s.terms, o.terms, nil)
			if like := split.wording().jaccard(0); like > most {
				best, terms, most = o, split, like
			}
		}
		if d := (Difference{s.text, best.text}); most >= sameWords && x.contradict(&terms, s, best, a, b) && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// wording are the shares of all but numbers and turns.
func (s *byKind) wording() shares { return s[plain].plus(s[proper]).plus(s[name]).plus(s[file]) }

// contradict reports whether two statements with so much in common contradict each other.
func (x *Index) contradict(s *byKind, one, other statement, a, b *profile) bool {
	w, named := s.wording(), s[name].plus(s[file]).plus(s[proper])
	if named.a+named.b > 0 {
		return false
	}
	if s[quantity].a == 0 && s[quantity].b == 0 {
		return w.a+w.b == 0 && len(one.terms) >= tellsEnough && turned(one.text, other.text)
	}
	mine, theirs := x.numbersAlone(one.terms, b.terms), x.numbersAlone(other.terms, a.terms)
	return slices.ContainsFunc(mine, func(k byte) bool { return slices.Contains(theirs, k) })
}

// numbersAlone are the numbers of a statement that another entry does not have, by what they
// measure: the first letter that [quantities] gives them.
func (x *Index) numbersAlone(s, other []term) (measures []byte) {
	for _, t := range s {
		if t.kind() == quantity && !slices.ContainsFunc(other, func(o term) bool { return o.id() == t.id() }) {
			measures = append(measures, x.names[t.id()][0])
		}
	}
	return measures
}

// turned reports whether two statements of the same words mean opposites: one has a not that the
// other has not, or they have a word of time and place and its opposite.
func turned(one, other string) bool {
	a, b := turningOf(one), turningOf(other)
	opposite := func(w, not string) bool { return a[w] && b[not] && !a[not] && !b[w] }
	return a["not"] != b["not"] || opposite("before", "after") || opposite("after", "before") || opposite("above", "below") ||
		opposite("below", "above")
}

// turningOf are the words of a text that turn its meaning, all nots as one, and two of them as none.
func turningOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words.Lowered(text) {
		switch {
		case words.Negates(w):
			out["not"] = !out["not"]
		case turningWords[w]:
			out[w] = true
		}
	}
	return out
}

// statement is a statement as it is written, and its terms.
type statement struct {
	text  string
	terms []term
}

// statements are the statements of an entry, its summary first.
func (r *reader) statements(p *profile) (out []statement) {
	e := p.entry
	all := Statements(e.Body.Of(e.Text))
	if e.Summary != "" {
		all = append([]string{e.Summary}, all...)
	}
	for _, s := range all[:min(len(all), maxStatements)] {
		if ts := r.terms(s); len(ts) > 0 {
			out = append(out, statement{s, ts})
		}
	}
	return out
}
