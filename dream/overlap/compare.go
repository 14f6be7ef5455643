package overlap

import (
	"math"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// Features measure whether two entries have the same content, each from 0 to 1. The first five are signs for
// it, the others against it.
type Features struct {
	Telling float64 // share of the names, numbers and files of the one that has fewer, that the other has
	Names   float64 // share of the names of both that both have
	Numbers float64 // the same of numbers
	Copy    float64 // how much more than usual the texts share, if their titles agree
	Prose   float64 // the same, whatever the titles, if one has hardly any names, numbers and files

	Sibling   float64 // the same, if their titles do not: pages of one template
	TitleName float64 // each title names something that is not in the other one
	TitleSwap float64 // the titles are alike except for words that the other entry does not have
	Against   float64 // in matching statements, the parts that the other entry does not have
	Turned    float64 // share of the statements that match closely except for a word such as not, only, after
	Crowd     float64 // how near other entries are to one of them, relative to how near they are to each other
}

// Vector are the features in their order.
func (f Features) Vector() [11]float64 {
	return [...]float64{f.Telling, f.Names, f.Numbers, f.Copy, f.Prose, f.Sibling, f.TitleName, f.TitleSwap, f.Against, f.Turned, f.Crowd}
}

// weights of the features, and bias: a logistic regression that may give no feature a weight
// against its meaning (own measurement, bench/dream -fit, among three sets of documents).
var weights = [11]float64{3.61, 2.92, 2.52, 2.65, 2.20, -2.24, -2.99, -3.28, -2.70, -1.00, -5.71}

const bias = -2.00

// From which probability on two entries are proposed to be merged, and from which on somebody
// should look at them; from which kinship on they are linked. By weights that had not seen the
// pair, 96 % of what says the same reaches Merge, and 3 % of look-alikes; 97 % and 6 % reach Maybe
// (own measurement, bench/dream -fit). Related is where, in this project's own tree, what was
// linked was what a reader would link.
const (
	Merge   = 0.6
	Maybe   = 0.4
	Related = 0.6
)

// unlikely is the probability below which two entries are not compared closely.
const unlikely = 0.2

// Same is the probability that two entries with these features say the same, in a tree where as
// many pairs do as only look so, and six times as many are near each other for other reasons.
func (f Features) Same() float64 {
	z := float64(bias)
	for i, v := range f.Vector() {
		z += weights[i] * v
	}
	return 1 / (1 + math.Exp(-z))
}

// What the features are measured by; only full was varied (see crowd).
const (
	few     = 5.0 // the rarity of one rare term: a share of less is small, even if it is nearly all there is
	usual   = 0.4 // share of the rarity of all they say that entries on one subject may well have in common
	oneWord = 2.0 // the rarity of one ordinary word, in titles
)

// shares sums rarities of terms that two lists have in common and that one of them has alone.
type shares struct{ both, a, b float64 }

func (s shares) plus(o shares) shares { return shares{s.both + o.both, s.a + o.a, s.b + o.b} }

// contained is the share of the smaller list that the other has, jaccard that of all.
func (s shares) contained(few float64) float64 { return ratio(s.both, s.both+min(s.a, s.b)+few) }
func (s shares) jaccard(few float64) float64   { return ratio(s.both, s.both+s.a+s.b+few) }

// apart is how much both have alone.
func (s shares) apart(few float64) float64 { return ratio(min(s.a, s.b), min(s.a, s.b)+few) }

func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// byKind are shares by the kind of terms.
type byKind [kinds]shares

// all are the shares of all that is no turning word.
func (s *byKind) all() shares {
	return s[plain].plus(s[proper]).plus(s[name]).plus(s[quantity]).plus(s[file])
}

// telling are the features of names, numbers and files.
func (s *byKind) telling() shares { return s[name].plus(s[quantity]).plus(s[file]) }

// split compares two sorted lists of terms, and calls both, if there is one, for each in common.
func (x *Index) split(a, b []term, both func(term)) (out byKind) {
	alone := func(t term, to *float64) { *to += float64(x.rarities[t.id()]) }
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		s, t := a[i], b[j]
		switch {
		case s.id() < t.id():
			alone(s, &out[s.kind()].a)
			i++
		case t.id() < s.id():
			alone(t, &out[t.kind()].b)
			j++
		default:
			s = max(s, t) // of the more telling kind
			alone(s, &out[s.kind()].both)
			if both != nil {
				both(s)
			}
			i, j = i+1, j+1
		}
	}
	for _, s := range a[i:] {
		alone(s, &out[s.kind()].a)
	}
	for _, t := range b[j:] {
		alone(t, &out[t.kind()].b)
	}
	return out
}

// apart is how far two titles differ.
func (s *byKind) apart() float64 {
	all := s.all()
	differ := (all.a + all.b) / 2
	return ratio(differ, differ+all.both/2)
}

// likeness is the share of the rarity of all that two entries say that both say.
func (s *byKind) likeness() float64 { return s.all().jaccard(0) }

// features measures what two entries have in common as bags of terms.
func (s *byKind) features() (f Features) {
	f.Telling = s.telling().contained(few)
	f.Names = s[name].jaccard(few)
	f.Numbers = s[quantity].jaccard(few)
	f.Copy = max(0, (s.likeness()-usual)/(1-usual))
	if t := s.telling(); t.both+min(t.a, t.b) < few { // of plain prose the words have to tell
		f.Prose = f.Copy
	}
	return f
}

// corresponds is from where on two statements speak of the same, and closely from where on they
// are one statement but for details: shares of their terms.
const (
	corresponds = 0.3
	closely     = 0.5
)

// compare measures two entries closely.
func (x *Index) compare(f *Features, pa, pb *profile, a, b *detail) {
	titles := x.split(a.title, b.title, nil)
	named, all := titles.telling(), titles.all()
	f.TitleName = named.apart(oneWord)
	f.Sibling = f.Copy * titles.apart()
	f.Copy -= f.Sibling
	ta, wa := x.lacks(a.title, pb.terms)
	tb, wb := x.lacks(b.title, pa.terms)
	f.TitleSwap = ratio(all.both, all.both+oneWord) * shares{a: ta + wa, b: tb + wb}.apart(oneWord)

	if len(a.statements) > len(b.statements) {
		a, b, pa, pb = b, a, pb, pa
	}
	said, matched := 0.0, 0.0
	for _, s := range a.statements {
		w := x.weight(s)
		said += w
		other, terms, most := x.counterpart(s, b.statements)
		if most < corresponds {
			continue
		}
		matched += w
		own, _ := x.lacks(s, pb.terms)
		theirs, _ := x.lacks(other, pa.terms)
		least := min(own, theirs)
		f.Against += w * ratio(least, least+terms.telling().both+1)
		if terms.all().contained(0) >= closely && turns(s) != turns(other) {
			f.Turned += w
		}
	}
	f.Against, f.Turned = ratio(f.Against, matched), ratio(f.Turned, said)
}

// counterpart is the statement that has most in common with another one.
func (x *Index) counterpart(s []term, among [][]term) (best []term, terms byKind, most float64) {
	for _, o := range among {
		split := x.split(s, o, nil)
		sum := split.all()
		if like := sum.jaccard(0) + sum.contained(0)/2; like > most {
			best, terms, most = o, split, like
		}
	}
	return best, terms, most
}

// lacks are the rarities of terms that another entry lacks altogether: of telling ones and of words.
func (x *Index) lacks(terms, other []term) (telling, word float64) {
	j := 0
	for _, t := range terms {
		for j < len(other) && other[j].id() < t.id() {
			j++
		}
		if j < len(other) && other[j].id() == t.id() {
			continue
		}
		switch k := t.kind(); {
		case k == turning:
		case k >= name:
			telling += float64(x.rarities[t.id()])
		default:
			word += float64(x.rarities[t.id()])
		}
	}
	return telling, word
}

func (x *Index) weight(s []term) float64 {
	sum := 0.0
	for _, t := range s {
		sum += float64(x.rarities[t.id()])
	}
	return sum
}

func turns(s []term) (n int) {
	for _, t := range s {
		if t.kind() == turning {
			n++
		}
	}
	return n
}

var number = lazyregexp.New(`\d(?:[\d.,:]*\d)?`)

// quantities calls emit for each number that a text states in digits, without the commas of thousands. Digits that are part of a
// name (v2, CRC-16, rotate.go:88) are no numbers.
//
// Numbers in words and units are compared as words: to know that "120 s" and "two minutes" are one found 3 to 5 more of 100 pairs, and
// took lists of words in five languages.
func quantities(text string, emit func(string)) {
	for _, m := range number().FindAllStringIndex(text, -1) {
		if !inName(text, m[0]) {
			emit(strings.ReplaceAll(text[m[0]:m[1]], ",", ""))
		}
	}
}

// inName reports whether the digits at i belong to a name.
func inName(text string, i int) bool {
	name := func(i int) bool { return i >= 0 && (text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] == '_') }
	return name(i-1) || i > 0 && strings.IndexByte("-.:/@#", text[i-1]) >= 0 && name(i-2)
}
