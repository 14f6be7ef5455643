package overlap

import (
	"math"
)

// Features are what decides whether two entries say the same, each from 0 to 1.
type Features struct {
	Words     float64 // share of the words of the one that says less, by rarity, that the other has
	WordsBoth float64 // share of all their words
	Names     float64 // the same of telling tokens
	NamesBoth float64
	Title     float64 // share of the titles' words
	Against   float64 // of statements that correspond, the share in which each has telling tokens that the other lacks
	Apart     float64 // telling tokens that only the one has, and that only the other has: the smaller of the two, beside those in common
	Turned    float64 // words that turn a meaning round in one of corresponding statements
	Files     float64 // share of listed files; .5 where one lists none
	Matched   float64 // share of the statements of the one that says less that correspond to one of the other
	Enough    float64 // how much there is in common at all: two empty entries say nothing, not the same
}

// Vector are the features in the order of weights.
func (f Features) Vector() []float64 {
	return []float64{f.Words, f.WordsBoth, f.Names, f.NamesBoth, f.Title, f.Against, f.Apart, f.Turned, f.Files, f.Matched, f.Enough}
}

// shares sums rarities of terms that two lists have in common and that one of them has alone.
type shares struct{ both, a, b float64 }

func (s shares) contained() float64 { return ratio(s.both, s.both+min(s.a, s.b)) }
func (s shares) jaccard() float64   { return ratio(s.both, s.both+s.a+s.b) }

func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// split compares two sorted lists of terms.
func (x *Index) split(a, b []term) (words, telling shares) {
	add := func(k kind, id uint32, where func(*shares) *float64) {
		s := &words
		if k.telling() {
			s = &telling
		}
		*where(s) += x.rarity(id)
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].id < b[j].id:
			add(a[i].kind, a[i].id, func(s *shares) *float64 { return &s.a })
			i++
		case i == len(a) || b[j].id < a[i].id:
			add(b[j].kind, b[j].id, func(s *shares) *float64 { return &s.b })
			j++
		default:
			add(max(a[i].kind, b[j].kind), a[i].id, func(s *shares) *float64 { return &s.both })
			i, j = i+1, j+1
		}
	}
	return words, telling
}

// corresponds is from where on two statements speak of the same: the share of their words.
const corresponds = 0.3

// enoughHalf is the sum of rarities in common, some six rare words, at which Enough is a half.
// Below worthALook of words in common statements are not compared: nothing that says the same
// is there.
const (
	enoughHalf = 40.0
	worthALook = 0.2
)

// compare measures two entries.
func (x *Index) compare(a, b *profile) Features {
	var f Features
	plainWords, telling := x.split(a.terms, b.terms)
	f.Words, f.WordsBoth = plainWords.contained(), plainWords.jaccard()
	f.Names, f.NamesBoth = telling.contained(), telling.jaccard()
	f.Apart = ratio(min(telling.a, telling.b), telling.both+min(telling.a, telling.b))
	tw, tn := x.split(a.title, b.title)
	f.Title = ratio(tw.both+tn.both, tw.both+tn.both+tw.a+tw.b+tn.a+tn.b)
	f.Files = filesOf(a, b)
	both := plainWords.both + telling.both
	f.Enough = both / (both + enoughHalf)
	if max(f.Words, f.Names) < worthALook {
		return f
	}
	if len(a.statements) > len(b.statements) {
		a, b = b, a
	}
	all, matched, against, turned := 0.0, 0.0, 0.0, 0.0
	for _, s := range a.statements {
		w := x.weight(s)
		all += w
		var bestTelling shares
		most := 0.0
		var other []term
		for _, o := range b.statements {
			ws, ts := x.split(s, o)
			if j := ratio(ws.both+ts.both, ws.both+ts.both+ws.a+ws.b+ts.a+ts.b); j > most {
				most, bestTelling, other = j, ts, o
			}
		}
		if most < corresponds {
			continue
		}
		matched += w
		if least := min(bestTelling.a, bestTelling.b); least > 0 {
			against += w * ratio(least, least+bestTelling.both)
		}
		if turns(s) != turns(other) {
			turned += w
		}
	}
	f.Matched, f.Against, f.Turned = ratio(matched, all), ratio(against, matched), ratio(turned, matched)
	return f
}

func (x *Index) weight(s []term) float64 {
	sum := 0.0
	for _, t := range s {
		sum += x.rarity(t.id)
	}
	return sum
}

func turns(s []term) (n int) {
	for _, t := range s {
		if t.kind == turning {
			n++
		}
	}
	return n
}

// filesOf is the share of the files that two entries list.
func filesOf(a, b *profile) float64 {
	if len(a.files) == 0 || len(b.files) == 0 {
		return 0.5
	}
	both := 0
	for _, f := range a.files {
		for _, g := range b.files {
			if f == g {
				both++
			}
		}
	}
	return float64(both) / float64(min(len(a.files), len(b.files)))
}

// weights of the features, and bias: a logistic regression on labelled pairs.
var weights = []float64{4.06, 0.77, 3.47, 3.71, -4.30, -1.51, -3.47, -0.75, 0.38, 1.58, 0}

const bias = -3.17

// Same is the probability that two entries with these features say the same.
func (f Features) Same() float64 {
	z := float64(bias)
	for i, v := range f.Vector() {
		z += weights[i] * v
	}
	return 1 / (1 + math.Exp(-z))
}

// From which probability on two entries are proposed to be merged, and from which on somebody
// should look at them; from which kinship on they are linked.
const (
	Merge   = 0.8
	Maybe   = 0.5
	Related = 0.6
)
