package alike

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

// reader cuts lexemes into the phrases of a question.
type reader struct {
	*reading
	lexemes   []lexeme
	requested bool     // a request stood before them: "do you know if"
	i         int      // the lexeme read
	open      int      // the phrase that words go into
	helpers   int      // seen so far
	late      []lexeme // relations that belong to the verb: "on what port", "what port … on"
}

func (r *reader) read() {
	r.phrases = []phrase{{}}
	for ; r.i < len(r.lexemes); r.i++ {
		switch l := r.lexemes[r.i]; {
		case l.code:
			r.add(l)
		case isQuestionWord(l.low):
			r.ask()
		case isHelper(l.low):
			r.help()
		case r.isSmall():
		case looseRelations[l.low] || firmRelations[l.low]:
			r.relate()
		default:
			if l.low == "or" || l.low == "nor" {
				r.join()
			}
			r.add(l)
		}
		if r.lexemes[r.i].ends {
			r.open = 0
		}
	}
	r.open = 0
	r.phrases = slices.DeleteFunc(r.phrases, func(p phrase) bool {
		empty := p.relation != "" && len(p.words) == 0
		if empty && p.relation != "of" { // "in my"
			r.late = append(r.late, lexeme{raw: p.relation, low: p.relation, initial: true})
		}
		return empty
	})
	for _, l := range r.late {
		r.add(l)
	}
}

// next is the lexeme n places on in the same part of the sentence, "" if there is none.
func (r *reader) next(n int) string {
	for i := r.i; i < r.i+n; i++ {
		if i+1 >= len(r.lexemes) || r.lexemes[i].ends {
			return ""
		}
	}
	return r.lexemes[r.i+n].low
}

// previous is the lexeme before, "" at the start.
func (r *reader) previous() string {
	if r.i == 0 {
		return ""
	}
	return r.lexemes[r.i-1].low
}

// isSmall reads a word that is no content, and reports whether it was one.
func (r *reader) isSmall() bool {
	l := r.lexemes[r.i]
	w, before := l.low, r.previous()
	switch {
	case w == "one":
		return isHelper(before) && !beForms[before]
	case w == "you":
		return isHelper(before) || speakers[r.next(1)]
	case w == "not" && (isHelper(before) || r.helper == "do" && r.helpers == 1):
		r.negated++
		return true
	case w == "am":
		return before == "i" // and not 2 am
	case fillers[w]:
		return isHelper(before) || isQuestionWord(before) || idleWords[before]
	case w == "a" && (l.raw == "A" && !l.initial || r.next(1) == ""), // plan A
		w == "i" && r.next(1) == "" && before != "" && !isHelper(before), // part I
		w == "it" && r.isAcronym(l.raw):
		return false
	case idleWords[w]:
		return true
	case w == "and" || w == "&":
		r.join()
		return true
	case w == "my" || w == "our":
		r.hints[0] += w + " "
		return true
	case w == "this" || w == "that" || w == "these" || w == "those":
		r.hints[1] += w + " "
		return true
	case w == "any":
		r.hints[2] += w + " "
		return true
	}
	return false
}

// isAcronym reports whether a word in capitals stands out from its text.
func (r *reader) isAcronym(raw string) bool {
	return raw == strings.ToUpper(raw) && slices.ContainsFunc(r.lexemes, func(o lexeme) bool { return hasLower(o.raw) })
}

// join notes an "and" in the open phrase.
func (r *reader) join() {
	p := &r.phrases[r.open]
	p.joints = append(p.joints, len(p.words))
}

// ask reads a question word: the question's own, or one that joins a clause.
func (r *reader) ask() {
	w, next := r.lexemes[r.i].low, r.next(1)
	switch w {
	case "what", "which", "who", "whom", "whose":
		if r.mood != "" {
			if w != "which" && w != "who" { // these two go on about what was named
				r.add(r.lexemes[r.i])
			}
			return
		}
	default: // when, where, why, how
		asks := isHelper(next) || next == "to" || next == "" || w == "how" && degreeWords[next] || len(r.words) == 0 && !r.asksLater()
		switch {
		case r.mood == "" && asks:
		case w == "how", w == "why" && r.mood != "":
			r.add(r.lexemes[r.i])
			return
		default:
			r.start(w)
			return
		}
	}
	r.open = 0
	switch w {
	case "whom":
		r.mood = "who"
	case "which":
		r.mood = "what"
	case "how":
		r.askHow(next)
		return
	default:
		r.mood = w
	}
	if next == "to" { // what to do
		r.helper = "do"
		r.i++
	} else if w == "where" && (next == "can" || next == "could") && speakers[r.next(2)] {
		r.helper = "do"
		r.i += 2
	}
}

// askHow reads what follows "how": a degree, or whoever wants to know how to.
func (r *reader) askHow(next string) {
	r.mood = "how"
	switch {
	case degreeWords[next]:
		r.i++
		r.add(lexeme{raw: "how_" + next, low: "how_" + next, initial: true})
	case next == "come":
		r.mood = "why"
		r.i++
	case next == "to", speakers[next]:
		r.mood = "howto"
		r.i++
	case isHelper(next) && speakers[r.next(2)] && next != "did" && next != "was" && next != "were" && next != "will":
		r.mood = "howto"
		r.i += 2
	}
}

// asksLater reports whether another question word follows.
func (r *reader) asksLater() bool {
	return slices.ContainsFunc(r.lexemes[r.i+1:], func(o lexeme) bool { return isQuestionWord(o.low) })
}

// help reads a helper verb. Whoever else than the speaker it helps acts.
func (r *reader) help() {
	w, next := r.lexemes[r.i].low, r.next(1)
	if doForms[w] && r.helpers > 0 && (next == "" || looseRelations[next] || firmRelations[next]) {
		r.add(r.lexemes[r.i]) // "what does it do": a verb of its own
		return
	}
	r.helpers++
	if r.mood == "" && len(r.phrases[0].words) == 0 {
		r.mood = "whether"
	}
	if w == "was" || w == "were" || w == "did" {
		r.tense += "past "
	}
	if m := modals[w]; m != "" {
		r.tense += m + " "
	}
	acts := !speakers[next]
	if beForms[w] {
		acts = acts && (r.mood == "how" || r.mood == "why" || r.mood == "whether")
		if r.helper == "" {
			r.helper = "be"
		}
	} else {
		r.helper = "do"
	}
	r.ordered = r.ordered || acts
	if !clauseRelations[r.phrases[r.open].relation] {
		r.open = 0
	}
}

// start opens a phrase.
func (r *reader) start(relation string) {
	r.phrases = append(r.phrases, phrase{relation: relation, head: len(r.words)})
	r.open = len(r.phrases) - 1
}

// relate reads a relation. One that governs nothing is part of the verb before it:
// "log in".
func (r *reader) relate() {
	l, next := r.lexemes[r.i], r.next(1)
	w := l.low
	switch {
	case isQuestionWord(next) && r.mood == "" && !clauseRelations[w] && next != "how":
		r.late = append(r.late, l)
		return
	case (w == "in" || w == "on") && phrasalVerbs[words.Stem(r.previous())]:
		r.add(l)
		return
	case firmRelations[w] && next == "of": // instead of
		r.i++
	}
	switch {
	case !r.governs(w):
		if w != "of" {
			r.add(l)
		}
	case (w == "whether" || w == "if" && r.requested) && r.i == 0 && !r.asksLater():
		r.mood, r.ordered = "whether", true
	default:
		r.start(w)
	}
}

// governs reports whether words of content follow that a relation can be to.
func (r *reader) governs(relation string) bool {
	for n := 1; ; n++ {
		w := r.next(n)
		if idleWords[w] {
			continue
		}
		if clauseRelations[relation] && isHelper(w) {
			return true
		}
		return w != "" && !isHelper(w) && !isQuestionWord(w) && !looseRelations[w] && !firmRelations[w]
	}
}

// add puts a word of content into the open phrase.
func (r *reader) add(l lexeme) {
	w := readWord(l)
	if w.term == "" {
		return
	}
	if w.numeric {
		r.numbers++
	}
	if l.possesses {
		r.owners = append(r.owners, w.term)
	}
	r.words = append(r.words, w)
	r.phrases[r.open].words = append(r.phrases[r.open].words, w)
}

func isQuestionWord(w string) bool {
	switch w {
	case "what", "which", "who", "whom", "whose", "when", "where", "why", "how":
		return true
	}
	return false
}

func isHelper(w string) bool { return beForms[w] || doForms[w] || modals[w] != "" }
