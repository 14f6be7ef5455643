package retrieval

import (
	"cmp"
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// The ranking is BM25F: a word's occurrences in all fields are added up first,
// each field with its weight and its own length normalisation, and saturated once.
//
//	tf(w,d)   = Σ_f weight_f · tf_f / (1 − b_f + b_f · length_f / average_f)
//	bm25(d)   = Σ_w idf(w) · tf · (k1 + 1) / (tf + k1)
//	idf(w)    = ln(1 + (N − n + ½) / (n + ½))
//
// On top come coverage (the share of the query, in idf, that the entry holds) and
// title agreement: the more of the query the title says, and the less else, the
// more the entry is about it rather than merely mentioning it.
//
// A word's other forms are occurrences of it. Other words for it add what they would
// add to its saturated occurrences, each counting synonymCredit of one; and only an
// entry without the word itself gets that part of coverage and title from them.

// clause is one word of a query with what the index holds for it.
type clause struct {
	word
	idf      float64
	weight   float64 // of its idf in the query
	counts   bool    // an entry without it lacks something
	credit   float64 // 1 for the word itself, less for other spellings of it
	spelling []spelling
	matches  []match
	holding  int        // entries that hold a spelling, in the whole collection where this is a part of one
	synonyms []spelling // other words for it
	loose    []match    // entries that have one of these
}

// candidate is an entry under consideration.
type candidate struct {
	doc     uint32
	bm25    float64
	covered float64 // idf mass of the query's words it holds
	titled  float64 // idf of the plain words that its title holds
	title   float64 // title agreement
	score   float64
	tf      float64 // of the word at hand
	word    int     // which one that is, from 1
}

// ranking is the state of one search: its words and its candidates.
type ranking struct {
	*collector
	clauses []clause
	mass    float64 // idf of all words of the query that count
	plain   float64 // idf of the plain words alone, each fully counted
	found   []candidate
	like    *likeness // in meaning; nil: no encoder says
}

func idf(size, holding int) float64 {
	return math.Log(1 + (float64(size)-float64(holding)+0.5)/(float64(holding)+0.5))
}

// rank finds the entries for the words asked, and those that are near in meaning, and puts the best of them in order.
func (c *collector) rank(asked []word, most int, like *likeness) (*ranking, error) {
	r := &ranking{collector: c, like: like}
	for _, w := range asked {
		cl, err := c.clause(w)
		if err != nil {
			return nil, err
		}
		r.clauses = append(r.clauses, cl)
	}
	r.weigh()
	r.gather()
	return r, r.order(most)
}

// clause looks a word up; a word that is in no entry is tried in other spellings.
func (c *collector) clause(w word) (clause, error) {
	out := clause{word: w, credit: 1, spelling: spellingsOf(w)}
	err := c.ctx.Err()
	if err != nil {
		return out, err
	}
	if w.kind == words.Plain {
		if out.synonyms, err = c.synonyms(w); err != nil {
			return out, err
		}
	}
	if out.matches, err = c.matches(out.spelling...); err != nil {
		return out, err
	}
	if len(out.synonyms) > 0 {
		if out.loose, err = c.matches(out.synonyms...); err != nil {
			return out, err
		}
	}
	out.holding = c.holders(len(out.matches), out.spelling)
	if out.idf, err = c.rarity(w.term, out.holding); err != nil {
		return out, err
	}
	if out.absent() && w.kind == words.Plain && words.Frequency(w.term) <= words.Rarest && c.respelt < maxRespelt {
		c.respelt++
		err = c.respell(&out)
	}
	return out, err
}

// maxHolding bounds the number of entries with a synonym for it to be looked up: in a large tree common words
// are expensive and tell little.
const maxHolding = 1000

// synonyms returns the synonyms of a word, without those that are too common to help.
func (c *collector) synonyms(w word) ([]spelling, error) {
	var out []spelling
	for _, other := range synonymsOf(w) {
		n, err := c.holding(other.term)
		if err != nil {
			return nil, err
		}
		if 0 < n && n <= maxHolding {
			out = append(out, other)
		}
	}
	return out, nil
}

// rarity is the idf of a term that so many entries of the population have. In a scope it is the mean of the
// idf there and in the whole tree: every entry on a topic has the topic's word, which still distinguishes
// them from all others.
func (c *collector) rarity(term string, holding int) (float64, error) {
	own := idf(c.pop.size, holding)
	if c.pop.scope == "" {
		return own, nil
	}
	n, err := c.holding(term)
	return (own + idf(c.whole.size, n)) / 2, err
}

// weigh sets the weight of each word. If the tree knows an identifier as a whole, the whole counts and its
// parts are only hints. If it does not, only the parts count.
func (r *ranking) weigh() {
	for i := range r.clauses {
		cl := &r.clauses[i]
		switch cl.kind {
		case words.Plain:
			cl.weight, cl.counts = 1, true
			if languages[words.Fold(cl.text)] && !cl.isSubject() {
				cl.weight = weightLanguage
			} else if cl.absent() {
				cl.weight = surprise(words.Frequency(cl.term))
			}
		case words.Pair:
			cl.weight = weightPair
		case words.Compound:
			cl.weight = weightCompound
		case words.Name:
			if cl.counts = cl.holding > 0; cl.counts {
				cl.weight = weightName
			}
		}
	}
	for _, whole := range r.clauses {
		for i := range r.clauses {
			if part := &r.clauses[i]; whole.kind == words.Name && whole.counts && part.kind == words.Plain && covers(whole.at, part.at) {
				part.weight = weightPart
			}
		}
	}
	for _, cl := range r.clauses {
		if cl.kind == words.Plain {
			r.plain += cl.idf
		}
		if cl.counts {
			r.mass += cl.value()
		}
	}
}

// surprise measures how unexpected it is that no entry has a word of that frequency in English, 0–1. A
// question on another theme uses the theme's word with the frequency [words.ThemeCommon]; the rarer the word
// is in general, the more likely it comes from such a question. A missing "many" tells little; a missing
// "kubernetes" tells everything.
func surprise(frequency float64) float64 {
	return math.Log1p(words.ThemeCommon/frequency) / math.Log1p(words.ThemeCommon/words.Rarest)
}

// absent reports whether nothing that is searched holds the word in any spelling, nor
// another word for it.
func (c *clause) absent() bool { return c.holding+len(c.loose) == 0 }

// value returns the weight of the clause in the query: its rarity.
func (c *clause) value() float64 { return c.weight * c.idf }

// gather adds up what each entry has of each word.
func (r *ranking) gather() {
	most := 0
	for i := range r.clauses {
		most += len(r.clauses[i].matches) + len(r.clauses[i].loose)
	}
	if most = min(most, len(r.docs)); cap(r.pool) < most {
		r.pool = make([]candidate, 0, most)
	}
	r.found = r.pool[:0]
	for i := range r.clauses {
		cl := &r.clauses[i]
		for _, m := range cl.matches {
			c := r.candidate(m.doc)
			c.word, c.tf = i+1, float64(m.tf)
			c.bm25 += cl.value() * saturate(c.tf)
			c.cover(cl, cl.credit, m.fields)
		}
		for _, m := range cl.loose {
			c := r.candidate(m.doc)
			if c.word != i+1 {
				c.tf = 0
				c.cover(cl, synonymCredit, m.fields)
			}
			c.bm25 += cl.value() * (saturate(c.tf+float64(m.tf)) - saturate(c.tf))
		}
	}
	for i := range r.found {
		r.slots[r.found[i].doc] = 0
	}
}

// candidate returns an entry's candidate and adds it if needed.
func (r *ranking) candidate(doc uint32) *candidate {
	slot := r.slots[doc]
	if slot == 0 {
		r.found = append(r.found, candidate{doc: doc})
		slot = int32(len(r.found))
		r.slots[doc] = slot
	}
	return &r.found[slot-1]
}

// cover notes that the entry holds a word in some fields, for a part of its credit.
func (c *candidate) cover(cl *clause, credit float64, fields fieldSet) {
	if !cl.counts {
		return
	}
	c.covered += credit * cl.value()
	if cl.kind == words.Plain && fields.has(fieldTitle) {
		c.titled += credit * cl.idf
	}
}

func saturate(tf float64) float64 { return tf * (termSaturation + 1) / (tf + termSaturation) }

// order scores the candidates and keeps the best. Title agreement needs the idf of every word of a title, so
// it is computed only for candidates whose upper bound (a title without other words) reaches the last place
// by bm25 alone.
func (r *ranking) order(most int) error {
	plain := max(r.plain, math.SmallestNonzeroFloat64)
	floor := r.kth(most) // no candidate's score is below its bm25
	kept := r.found[:0]
	for _, c := range r.found {
		bound := titleAgreement * c.titled * c.titled / plain
		if c.bm25+bound < floor && !r.like.has(c.doc) {
			continue
		}
		if c.score = c.bm25; c.titled > 0 {
			said, err := r.titleMass(c.doc)
			if err != nil {
				return err
			}
			c.title = bound * min(1, c.titled/said)
			c.score += c.title
		}
		kept = append(kept, c)
	}
	slices.SortFunc(kept, r.compare)
	r.found = r.like.join(kept, most)
	return nil
}

// kth is the k-th best bm25 of the candidates, −∞ if there are fewer.
func (r *ranking) kth(k int) float64 {
	if len(r.found) <= k {
		return math.Inf(-1)
	}
	top := make([]float64, 0, k+1) // descending
	for i := range r.found {
		v := r.found[i].bm25
		if len(top) == k && v <= top[k-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, v, func(a, b float64) int { return cmp.Compare(b, a) })
		top = slices.Insert(top, at, v)
		top = top[:min(k, len(top))]
	}
	return top[k-1]
}

// compare orders candidates by score, equal ones by path.
func (r *ranking) compare(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(r.docs[a.doc].entry.Path, r.docs[b.doc].entry.Path))
}

// titleMass is the idf of all words of an entry's title, in the whole tree even for a scoped search: it
// measures how specific a title is.
func (r *ranking) titleMass(doc uint32) (float64, error) {
	if known := r.titleMasses[doc].Load(); known != 0 {
		return math.Float64frombits(known), nil
	}
	sum := math.SmallestNonzeroFloat64
	for _, term := range r.docs[doc].titles {
		n, err := r.holding(term)
		if err != nil {
			return 0, err
		}
		sum += idf(r.whole.size, n)
	}
	r.titleMasses[doc].Store(math.Float64bits(sum))
	return sum, nil
}

// Who asks a tree of Python code how to sort a list in Python writes "python" for the
// sake of a web search. In the tree nearly no entry says so — all of it is Python —
// and the few that do would win on their rarest word. So the name of a programming
// language counts less, unless entries are about it: rust in a tree with a folder
// rust, or with entries that have it in their titles.
var languages = map[string]bool{
	"bash": true, "clojure": true, "cpp": true, "csharp": true, "elixir": true, "erlang": true,
	"fortran": true, "golang": true, "haskell": true, "java": true, "javascript": true, "js": true,
	"kotlin": true, "lua": true, "matlab": true, "perl": true, "php": true, "powershell": true,
	"py": true, "python": true, "python2": true, "python3": true, "ruby": true, "rust": true,
	"scala": true, "swift": true, "typescript": true,
}

// isSubject reports whether entries are about the word rather than merely in it.
func (c *clause) isSubject() bool {
	about := 0
	for _, m := range c.matches {
		if m.fields.has(fieldTitle) || m.fields.has(fieldPath) {
			about++
		}
	}
	return float64(about) >= subjectShare*float64(len(c.matches))
}
