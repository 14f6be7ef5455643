package retrieval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Three signs together tell whether the tree knows anything about a question: the share of it, by rarity,
// that one passage or summary contains; the number of neighbouring words of the question that are neighbours
// there too; and whether its words are the tree's own, used more often than elsewhere, or common ones, or
// unknown. No other signs count, such as signals or the number of entries, so the verdict is the same in a
// tree of five entries and in a much-used one. If an entry has the question as its name, the tree knows it
// (Named).
//
// The weights are a logistic regression, fitted by leaving whole families of data sets out;
// bench/retrieval/fit does it again and docs/ranking.md has its figures. Without the third sign half of the
// foreign questions pass. Other signs were tried and left out, since they improved no set left out: the
// number of words present or missing, the best raw score, the share of known words, the surprise that chance
// would bring so many words into one entry; and the tree's size, which misjudges trees larger than those it
// was fitted on.
const (
	domainBase   = -4.0
	domainHeld   = 6.3 // share of the query in the best passage or summary, 0–1
	domainBeside = 1.6 // pairs of neighbours, up to besideMost
	domainTheme  = 1.3 // root of the log likelihood ratio, signed

	// domainCut is the evidence below which a question is refused: so little that at most 3 % of the own
	// questions of a set left out are lost.
	domainCut = -0.6

	// domainSure is the evidence from which the tree surely knows the subject, which a direct answer
	// requires. Without this bound, a tree of a few entries about work that contain must, before and new
	// would answer every question with such words (docs/ranking.md).
	domainSure = 2.5

	// namelessSure is how much of a question an entry contains, as for sectionSure, if the tree is sure of it
	// although no name of the entry has a word of the question. All words look rare in a small tree, so that two
	// of a sentence seem to be its subject. Entries without telling names, such as transcripts, need it.
	namelessSure = 1.5

	// besideMost bounds the pairs that count, since any long question has many.
	besideMost = 2
)

// Sections of documents are shorter than entries, and have more common words. So one passage is a weaker
// sign, and a word that neither they nor technical English have is a stronger one. The same regression, on
// questions about eight repositories that are not those reported (docs/ranking.md).
const (
	sectionBase   = -1.5
	sectionHeld   = 3.0
	sectionBeside = 1.0
	sectionTheme  = 0.9
	sectionAlien  = -1.1 // words of the question that occur nowhere

	// sectionSure is how much of a question one passage contains if documents surely cover it: its share of the
	// question times the number of the question's words there. A name alone, such as that of a product, says
	// nothing of what was asked about it (docs/ranking.md).
	sectionSure = 0.8
)

// neighbourhood is the greatest distance of neighbours, in words other than stop words: one word may stand
// between them.
const neighbourhood = 2

// Evidence lists the signs that a question is about the tree.
type Evidence struct {
	Held       float64  // 0–1: share of the question, by rarity, that one passage or summary contains
	Neighbours int      // pairs of neighbours that are neighbours in the best entry's passage too
	Theme      float64  // above 0: its words are the tree's own; below: common or unknown ones
	About      bool     // there is enough evidence, and what names the first hit has a word of the question
	Named      bool     // an entry has all significant words of the question, some of them in its name
	Asked      int      // words of the question that count
	Words      []string // those of them in the best entry's passage, summary or title
	Like       float64  // with an encoder: by how many standard deviations the nearest entry is nearer than all are on average
	Carried    bool     // a word that the question is about occurs somewhere, or an entry is near
	Sure       bool     // the tree surely knows the subject; otherwise it may be about something else
	Sum        float64  // log odds; the question is refused below domainCut
}

// inDomain is the verdict.
func (e Evidence) inDomain() bool { return e.Named || e.Sum >= domainCut }

// String is the evidence in one line.
func (e Evidence) String() string {
	if e.Named {
		return "the name of an entry matches the question"
	}
	return fmt.Sprintf("score %.1f (%.1f is needed): the best passage has %.0f%% of the question (%s) and %d of its word pairs; theme %+.1f",
		e.Sum, domainCut, 100*e.Held, strings.Join(e.Words, ", "), e.Neighbours, e.Theme)
}

// Refusal explains why a question is refused, given its words that no entry has.
func (e Evidence) Refusal(unknown []string) string {
	var b strings.Builder
	if len(unknown) > 0 {
		fmt.Fprintf(&b, "No entry mentions: %s. ", strings.Join(unknown, ", "))
	}
	switch {
	case len(e.Words) == e.Asked:
		if e.Asked > 0 {
			b.WriteString("The question's words are no more frequent here than in other texts.")
		}
	case len(e.Words) > 0:
		fmt.Fprintf(&b, "The closest passage has only: %s.", strings.Join(e.Words, ", "))
	case len(unknown) < e.Asked:
		b.WriteString("The closest passage has none of the question's words.")
	}
	return strings.TrimSpace(b.String())
}

// evidence weighs whether the query, which is about some of its words, is about the tree; label means that
// the query is a name and not a sentence.
func (r *ranking) evidence(all []finalist, subjects []*clause, label bool) Evidence {
	e := Evidence{Sum: domainBase}
	if len(all) == 0 {
		return e
	}
	if r.clauses[0].stop {
		return Evidence{About: true, Named: true, Carried: true, Sure: true} // nothing but stop words: only names can match, and one did
	}
	best := all[0]
	for _, c := range all {
		e.Held = max(e.Held, c.passage.held)
		e.Named = e.Named || r.names(c)
		if c.relevance() > best.relevance() {
			best = c
		}
	}
	r.neighbours(best, &e)
	e.Theme, e.Carried = r.theme(), slices.ContainsFunc(subjects, func(c *clause) bool { return !c.absent() && c.credit == 1 })
	beside, said := float64(min(besideMost, e.Neighbours)), e.Held*float64(len(e.Words))
	e.Sum = domainBase + domainHeld*e.Held + domainBeside*beside + domainTheme*e.Theme
	e.Sure = e.Sum >= domainSure
	_, _, section := format.SectionOf(r.docs[best.doc].entry.Path)
	if section {
		e.Sum = sectionBase + sectionHeld*e.Held + sectionBeside*beside + sectionTheme*e.Theme + sectionAlien*r.aliens()
		e.Sure = said >= sectionSure
	}
	r.like.weigh(&e, section)
	name := e.Named && label
	e.About = (e.Sure || name) && r.about(all[0])
	e.Sure = e.About || name || e.Sure && (section || said >= namelessSure)
	return e
}

// relevance is a finalist's score without the effect of its use.
func (f *finalist) relevance() float64 { return f.score / f.lifecycle }

// theme measures whether the query's words are the tree's own ([words.Theme]). How often the tree uses a word
// is estimated from the number of entries with it. Other spellings count only if they are plainly meant; otherwise every
// unknown name would count as some known word.
func (r *ranking) theme() float64 {
	size, theme := float64(r.pop.size), words.Theme{Words: float64(r.pop.tokens)}
	for i := range r.clauses {
		c := &r.clauses[i]
		if !c.counts || c.kind != words.Plain || words.IsDigits(c.term) { // a number belongs to no subject
			continue
		}
		uses := 0.0
		if (c.credit == 1 || c.meant()) && !c.absent() {
			uses = -size * math.Log(1-min(float64(c.holding), size-0.5)/size)
		}
		theme.Add(c.term, uses)
	}
	return theme.SignedRoot()
}

// neighbours counts the pairs of plain words that are neighbours both in the query and in an entry's best
// passage or summary. It also notes which words occur there, and how many were looked for.
func (r *ranking) neighbours(f finalist, e *Evidence) {
	place := map[uint32]int{} // term → its word's place among the query's plain words
	var plain []*clause
	for i := range r.clauses {
		c := &r.clauses[i]
		if c.kind != words.Plain {
			continue
		}
		for _, s := range c.spelling {
			place[hash(s.term)] = len(plain)
		}
		plain = append(plain, c)
	}
	last := make([]int, len(plain)) // just behind a word's last occurrence
	var found [][2]int
	at, from := 0, 0 // number of the word at hand, and of its block's first
	d := r.docs[f.doc]
	sc := words.Borrow()
	defer sc.Return()
	see := func(t words.Token) {
		if t.Stop {
			return
		}
		at++
		w, ok := place[hash(t.Term)]
		if !ok {
			return
		}
		for v := max(0, w-neighbourhood); v < min(len(plain), w+neighbourhood+1); v++ {
			both := [2]int{min(v, w), max(v, w)}
			if v != w && last[v] > from && at-last[v] <= neighbourhood && !slices.Contains(found, both) {
				found = append(found, both)
			}
		}
		last[w] = at
	}
	for _, b := range d.outline().within(f.passage.at) {
		from = at
		sc.Scan(b.at.Of(d.entry.Text), see)
	}
	from = at
	sc.Scan(d.entry.Summary, see)
	sc.Scan(d.entry.Title, func(t words.Token) { // which gives no pairs
		if w, ok := place[hash(t.Term)]; ok && !t.Stop {
			last[w] = max(1, last[w])
		}
	})
	for i, c := range plain {
		if last[i] > 0 && len(c.text) > 1 {
			if c.credit < 1 {
				e.Words = append(e.Words, fmt.Sprintf("%s (for %s)", c.spelling[0].term, c.text))
				continue
			}
			e.Words = append(e.Words, c.text)
		}
	}
	e.Neighbours, e.Asked = len(found), len(plain)
}

// subjects returns the words that the question is about: those that are not commoner in English than its words are on average.
// A word that is nowhere, which is no surprise, belongs to the question's frame: "come" in "where does the name come from".
func (r *ranking) subjects() []*clause {
	var plain, told, about []*clause
	usual := 0.0 // mean frequency, in logarithms
	for i := range r.clauses {
		if c := &r.clauses[i]; c.kind == words.Plain {
			plain = append(plain, c)
			usual += math.Log(words.Frequency(c.term))
		}
	}
	usual = usual/float64(len(plain)) + 1e-9 // equal words are all subjects
	for _, c := range plain {
		often := words.Frequency(c.term)
		if c.absent() && surprise(often) < likelySubject {
			continue
		}
		if told = append(told, c); math.Log(often) <= usual {
			about = append(about, c)
		}
	}
	switch {
	case len(about) > 0:
		return about
	case len(told) > 0:
		return told
	}
	return plain
}

// likelySubject is the surprise from which a word that is nowhere is rather a subject than part of a question's frame.
const likelySubject = 0.5

// aliens counts the words of the query that nothing searched holds, nor technical English knows.
func (r *ranking) aliens() (n float64) {
	for i := range r.clauses {
		if c := &r.clauses[i]; c.kind == words.Plain && c.absent() && !c.stop && words.Frequency(c.term) <= words.Rarest {
			n++
		}
	}
	return n
}

// weigh adds nearness in meaning to the evidence.
func (n *likeness) weigh(e *Evidence, section bool) {
	if n == nil || len(n.first) == 0 {
		return
	}
	count := float64(len(n.of))
	e.Like = n.standing(n.first[0])
	there := count < spreadOf || e.Like >= math.Sqrt(2*math.Log(count))+likeBeyond
	if section && count >= spreadOf {
		sum := likeBase + likeHeld*e.Held + likeNear*e.Like
		e.Sure, there = sum >= likeSure, there || sum >= likeThere
	}
	if there {
		e.Sum, e.Carried = max(e.Sum, domainCut), true
	}
}

// within are the blocks of a stretch of the text.
func (o *outline) within(at markdown.Span) []block {
	var out []block
	for _, b := range o.blocks {
		if covers(at, b.at) {
			out = append(out, b)
		}
	}
	return out
}

// names reports whether an entry has every word of the query, one of them in its title or path: "security",
// "encoding negotiation". Such an entry is about the question, even if a passage has a small share of it.
func (r *ranking) names(c finalist) bool {
	all, asked := 0.0, 0
	credit := 1.0
	for i := range r.clauses {
		if cl := &r.clauses[i]; cl.counts {
			all += cl.value()
			asked++
			if cl.meant() {
				credit = creditOneEdit
			}
		}
	}
	if asked > 1 {
		credit = 1
	}
	if all <= 0 || c.covered < credit*all*(1-1e-9) {
		return false
	}
	if asked == 1 { // a query of one word that exists asks for that word
		return true
	}
	place := strings.ToLower(r.docs[c.doc].entry.Path)
	return c.titled > 0 || slices.ContainsFunc(r.clauses, func(cl clause) bool {
		return cl.counts && strings.Contains(place, strings.ToLower(cl.text))
	})
}

// about reports whether what names an entry or a part of it has a word of the query: its path, title and summary,
// its headings, tags, keywords and questions, and the subjects of its facts. Two words in a sentence of an entry
// about something else are no answer.
func (r *ranking) about(c finalist) (found bool) {
	e := r.docs[c.doc].entry
	names := slices.Concat([]string{e.Path, e.Title, e.Summary}, e.Tags, e.Keywords, e.Questions)
	for _, s := range e.Sections {
		names = append(names, s.Title)
	}
	for _, f := range e.Facts {
		names = append(names, f.Subject)
	}
	asked := map[string]bool{}
	for _, cl := range r.clauses {
		for _, s := range slices.Concat(cl.spelling, cl.synonyms) {
			asked[s.term] = cl.counts
		}
	}
	sc := words.Borrow()
	defer sc.Return()
	sc.Scan(strings.Join(names, "\n"), func(t words.Token) { found = found || !t.Stop && asked[t.Term] })
	return found
}

// meant reports whether a word with a typing error plainly means the similar word.
func (c *clause) meant() bool {
	return c.credit == creditOneEdit && utf8.RuneCountInString(c.text) >= plainlyMeant
}

// plainlyMeant is the number of letters from which a word with one typing error is read as the similar
// word. An own choice: webook is webhook, card is not cart.
const plainlyMeant = 6

// share is a part of the query's idf mass, 0–1.
func (r *ranking) share(mass float64) float64 {
	if r.mass <= 0 {
		return 0
	}
	return min(1, mass/r.mass)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
