package alike

import (
	"slices"
	"strings"
)

// agree reports whether two questions ask the same. It is symmetric. Three things
// must hold, and a doubt is a no: a question too many is only asked again.
//
//  1. The same words: every word of content, as often; see reading.go for what
//     is none. The same question word, tense and helper.
//  2. The same phrases, in any order: "from mysql to postgres" is not "from
//     postgres to mysql". A loose relation (of, in, on, at, for, with, about) may
//     be dissolved into a compound, where its words come before what they
//     described: "expiry of refresh tokens", "refresh token expiry"; or be
//     left out, unless it stands by the first word: "install on docker".
//  3. The same order of words within a phrase, if somebody acts there ("does auth
//     call billing"), if several numbers stand there or the text is not plain
//     English; else order is free.
func agree(a, b *reading) bool {
	return a.bag == b.bag && len(a.words) == len(b.words) &&
		sameWords(a.sorted, b.sorted) && sameKind(a, b) && sameNumber(a, b) &&
		sameOwners(a, b) && sameQuotes(a, b) && samePhrases(a, b)
}

// sameWords compares words sorted by term. A name in code or in capitals is not
// its plural, and an identifier not one that is cut elsewhere.
func sameWords(a, b []word) bool {
	for i, v := range a {
		w := b[i]
		switch {
		case v.term != w.term,
			(v.exact || w.exact) && v.plain != w.plain,
			v.parts != w.parts && (v.joined || w.joined || v.parts != "" && w.parts != ""),
			v.code != w.code && v.code != "" && w.code != "":
			return false
		}
	}
	return true
}

// sameKind compares what is asked about the words. Bare words may stand for a
// question with what, how or whether in the present.
func sameKind(a, b *reading) bool {
	for i, h := range a.hints {
		if o := b.hints[i]; h != o && h != "" && o != "" {
			return false
		}
	}
	if a.negated != b.negated {
		return false
	}
	if a.tense != b.tense && !(a.mood == "howto" && b.mood == "howto" && onlyPresent(a.tense) && onlyPresent(b.tense)) {
		return false
	}
	if a.mood != b.mood {
		if a.mood != "" && b.mood != "" {
			return false
		}
		switch a.mood + b.mood {
		case "what", "howto", "how", "whether":
			return true
		}
		return false
	}
	return a.mood == "howto" || a.helper == b.helper || a.helper == "" || b.helper == ""
}

func onlyPresent(tense string) bool {
	return !strings.Contains(tense, "past") && !strings.Contains(tense, "will")
}

// sameNumber asks for the same neighbour of the one number of two questions:
// "python 3 and java" is not "python and java 3".
func sameNumber(a, b *reading) bool {
	if a.numbers != 1 || b.numbers != 1 {
		return a.numbers == b.numbers
	}
	al, ar := a.beside()
	bl, br := b.beside()
	switch {
	case al != "" && bl != "":
		return al == bl
	case ar != "" && br != "":
		return ar == br
	}
	return al+ar == bl+br
}

// beside returns the words left and right of the first number.
func (q *reading) beside() (left, right string) {
	i := slices.IndexFunc(q.words, func(w word) bool { return w.numeric })
	if i > 0 {
		left = q.words[i-1].term
	}
	if i+1 < len(q.words) {
		right = q.words[i+1].term
	}
	return left, right
}

// sameOwners lets one question say more of who has what, but not otherwise:
// Anna's brother's wife is not Anna's wife's brother.
func sameOwners(a, b *reading) bool {
	return holdsAll(a.owners, b.owners) || holdsAll(b.owners, a.owners)
}

func holdsAll(all, some []string) bool {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return false
		}
	}
	return true
}

// sameQuotes looks for what one question quotes in the other, to the letter.
func sameQuotes(a, b *reading) bool {
	in := func(quotes []string, text string) bool {
		for _, s := range quotes {
			if !strings.Contains(text, " "+s+" ") {
				return false
			}
		}
		return true
	}
	return in(a.quotes, b.text) && in(b.quotes, a.text)
}

// samePhrases compares the phrases of two questions that have the same words.
func samePhrases(a, b *reading) bool {
	ordered := a.ordered || b.ordered
	restA, restB, ok := matchPhrases(a, b, ordered)
	switch {
	case !ok || len(restA) > 0 && len(restB) > 0:
		return false
	case len(restA) > 0:
		a, b, restB = b, a, restA
	}
	core := slices.Clone(a.phrases[0].words)
	for _, p := range restB {
		if core, ok = dissolve(core, p, a, b, ordered); !ok {
			return false
		}
	}
	if ordered {
		return sameTerms(core, b.phrases[0].words)
	}
	return len(restB) > 0 || a.phrases[0].same(b.phrases[0], false)
}

// matchPhrases pairs the phrases of two questions, first those of one relation, and
// returns those that are left, all of them loose. Phrases of one relation keep
// their order, since each may describe the one before: "size of the cache of the
// index".
func matchPhrases(a, b *reading, ordered bool) (restA, restB []phrase, ok bool) {
	restA, restB = a.phrases[1:], slices.Clone(b.phrases[1:])
	for _, paired := range []func(a, b string) bool{func(a, b string) bool { return a == b }, akin} {
		var left []phrase
		latest := map[string]int{}
		for _, p := range restA {
			at := slices.IndexFunc(restB, func(o phrase) bool { return paired(p.relation, o.relation) && p.same(o, ordered) })
			if at < 0 {
				left = append(left, p)
				continue
			}
			head := restB[at].head
			if head < latest[p.relation] {
				return nil, nil, false
			}
			latest[p.relation] = head
			restB = slices.Delete(restB, at, at+1)
		}
		restA = left
	}
	firm := func(p phrase) bool { return !looseRelations[p.relation] }
	if slices.ContainsFunc(restA, firm) || slices.ContainsFunc(restB, firm) {
		return nil, nil, false
	}
	return restA, restB, true
}

// akin reports whether two different loose relations say the same.
func akin(a, b string) bool {
	if !looseRelations[a] || !looseRelations[b] {
		return false
	}
	place := func(s string) bool { return s == "in" || s == "on" || s == "at" }
	return a == b || a == "of" || b == "of" || place(a) && place(b)
}

// dissolve takes the words of a loose phrase of b out of a core of a's, if they
// stand where a compound or a left out relation would have them.
func dissolve(core []word, p phrase, a, b *reading, ordered bool) ([]word, bool) {
	first := indexTerm(core, p.words[0].term)
	if first < 0 || ordered && (first+len(p.words) > len(core) || !sameTerms(core[first:first+len(p.words)], p.words)) {
		return nil, false
	}
	if p.head > 0 { // something is described
		head := indexTerm(a.words, b.words[p.head-1].term)
		for _, w := range p.words {
			if indexTerm(a.words, w.term) < head {
				continue
			}
			if ordered || p.head == 1 && p.relation != "of" {
				return nil, false
			}
		}
	}
	for _, w := range p.words {
		at := indexTerm(core, w.term)
		if at < 0 {
			return nil, false
		}
		core = slices.Delete(core, at, at+1)
	}
	return core, true
}

func indexTerm(in []word, term string) int {
	return slices.IndexFunc(in, func(w word) bool { return w.term == term })
}

func sameTerms(a, b []word) bool {
	return slices.EqualFunc(a, b, func(v, w word) bool { return v.term == w.term })
}

// same compares the words of two phrases; their order counts if ordered. Where "and" joins
// several words with several, each side must be the same.
func (p phrase) same(o phrase, ordered bool) bool {
	if ordered || len(p.words) != len(o.words) {
		return sameTerms(p.words, o.words)
	}
	mine, others := p.sides(), o.sides()
	if len(mine) == 1 || len(others) == 1 {
		mine, others = []string{sideOf(p.words)}, []string{sideOf(o.words)}
	}
	return slices.Equal(mine, others)
}

// sides cuts a phrase at each "and" that has two words or more to both sides.
func (p phrase) sides() []string {
	var out []string
	from := 0
	for i, joint := range p.joints {
		end := len(p.words)
		if i+1 < len(p.joints) {
			end = p.joints[i+1]
		}
		if joint-from >= 2 && end-joint >= 2 {
			out = append(out, sideOf(p.words[from:joint]))
			from = joint
		}
	}
	out = append(out, sideOf(p.words[from:]))
	slices.Sort(out)
	return out
}

func sideOf(side []word) string {
	terms := make([]string, len(side))
	for i, w := range side {
		terms[i] = w.term
	}
	slices.Sort(terms)
	return strings.Join(terms, " ")
}
