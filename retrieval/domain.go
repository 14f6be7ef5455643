package retrieval

import (
	"math"
	"strings"
)

// Whether the tree knows anything about a question is told by three signs: how
// much of the question, by rarity, it knows at all; how much of it the best passage
// or summary holds together; and how long the question is, since a long one is never held in
// full. In a large tree chance brings more words together, so more is asked for.
// Nothing else counts — no signals, no number of entries to begin with — so the
// verdict is the same in a tree of five entries and in a much-used one.
//
// The weights are a logistic regression over the queries of seven data sets and the
// foreign queries of ood-queries, every set counted alike, rounded to one decimal.
const (
	domainBase    = -12.2
	domainPassage = 15.1 // share of the query in the best passage or summary, 0–1
	domainKnown   = 3.5  // share of the query that the tree knows, 0–1
	domainWords   = 2.3  // ln of the number of words
	domainSize    = -0.7 // ln of the tree's size in units of sizeUnit, from smallSize up

	// domainCut refuses what is in the domain with less than one chance in five: a
	// refusal hides what the tree knows, letting one through only lists passages
	// that are marked as no answer.
	domainCut = 0.2

	// generalWeight is what is left of a general word that no entry holds. Of 0, 0.1,
	// 0.2, 0.3, 0.4, 0.6 and 1, tried on four of the sets, it is the largest at which none
	// has more of its own questions refused than before there was a list. Large trees
	// hold nearly all these words, so there it changes next to nothing.
	generalWeight = 0.3
)

// sizeUnit is the unit of a tree's size, in tokens of its bodies; under smallSize
// of it, a third of the smallest set fitted, trees are taken to be that size.
const (
	sizeUnit  = 100_000
	smallSize = 0.1
)

// outOfDomain reports whether the tree has nothing on the query.
func (r *ranking) outOfDomain(all []finalist) bool {
	if len(all) == 0 {
		return true
	}
	if r.clauses[0].stop {
		return false // nothing but stop words: only names can match, and one did
	}
	held := 0.0
	for _, c := range all {
		if r.names(c) {
			return false
		}
		held = max(held, c.passage.held)
	}
	mass, words := r.telling()
	evidence := domainBase + domainPassage*min(1, held*r.mass/mass) + domainKnown*min(1, r.known/mass) +
		domainWords*math.Log(words) + domainSize*r.logSize()
	return logistic(evidence) < domainCut
}

// names reports whether an entry holds every word that tells what the query is
// about, one of them in its title or path: "security", "encoding negotiation".
// Such an entry is about the question, however small the share of a passage.
func (r *ranking) names(c finalist) bool {
	all, inName := 0.0, c.titled > 0
	place := strings.ToLower(r.docs[c.doc].entry.Path)
	for i := range r.clauses {
		cl := &r.clauses[i]
		if !cl.counts || cl.absent() && cl.isGeneral() {
			continue
		}
		all += cl.value()
		inName = inName || strings.Contains(place, strings.ToLower(cl.text))
	}
	return inName && all > 0 && c.covered >= all*(1-1e-9)
}

// telling is the query's idf mass and its number of words, as far as they tell what
// it is about: a general word that no entry holds tells next to nothing.
func (r *ranking) telling() (mass, words float64) {
	mass = r.mass
	for i := range r.clauses {
		switch c := &r.clauses[i]; {
		case c.counts && c.absent() && c.isGeneral():
			mass -= (1 - generalWeight) * c.value()
		case c.counts:
			words++
		}
	}
	return max(mass, math.SmallestNonzeroFloat64), max(1, words)
}

// share is a part of the query's idf mass, 0–1.
func (r *ranking) share(mass float64) float64 {
	if r.mass <= 0 {
		return 0
	}
	return min(1, mass/r.mass)
}

// logWords is the logarithm of the number of words that count.
func (r *ranking) logWords() float64 {
	n := 0
	for i := range r.clauses {
		if r.clauses[i].counts {
			n++
		}
	}
	return math.Log(float64(max(1, n)))
}

// logSize is the logarithm of the size of what is searched.
func (r *ranking) logSize() float64 {
	return math.Log(max(smallSize, float64(r.pop.tokens)/sizeUnit))
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
