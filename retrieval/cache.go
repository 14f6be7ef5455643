package retrieval

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/brv-lsp/brv-lsp/retrieval/alike"
	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

// The first two tiers answer from what was answered before: tier 0 the same question,
// tier 1 one that says the same (package alike). An answer holds for the tree it was
// given from, in the same scope and under the same limits, and not for long.

const (
	// answerLife is how long an answer is given again (specification, "Query
	// Intelligence": cached results expire after 60 seconds).
	answerLife = 60 * time.Second

	// answersKept bounds the answers remembered; the fuzzy tier looks at each of
	// them. The reference system keeps 50, which an agent's burst of questions
	// outruns within a minute.
	answersKept = 256
)

// answers remembers answers for as long as they hold: the same tree (by
// fingerprint), the same scope and limits, not older than their time to live.
// It is bounded and safe for concurrent use.
type answers struct {
	now func() time.Time

	mu          sync.Mutex // guards what follows
	fingerprint string     // the tree of all that is kept
	kept        *lru.Cache[[sha256.Size]byte, *keptAnswer]
}

// keptAnswer is an answer with the question that it was given to.
type keptAnswer struct {
	signature signature
	answer    Answer
	at        time.Time
}

// signature is what a question is compared by.
type signature struct {
	key      [sha256.Size]byte // of the normalised text and the bounds
	bounds   string            // scope and limits, which the fuzzy tier compares too
	asked    string
	question *alike.Question // nil if the text is no question to compare
}

// newAnswers returns an empty memory. A nil clock is time.Now.
func newAnswers(now func() time.Time) *answers {
	if now == nil {
		now = time.Now
	}
	kept, err := lru.New[[sha256.Size]byte, *keptAnswer](answersKept)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &answers{now: now, kept: kept}
}

// sign reads a query: its normalised text and scope for the exact cache, its words
// for the fuzzy one.
func sign(q Query) signature {
	s := signature{bounds: q.bounds(), asked: q.Text}
	text := q.Text
	if len(text) <= maxQuery { // a pasted file is compared as it is
		text = normalText(text)
	}
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(s.bounds))))
	h.Write([]byte(s.bounds))
	h.Write([]byte(text))
	h.Sum(s.key[:0])
	if s.question = alike.Read(q.Text); s.question != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(words.Narrow(q.Text)), " ")
		if strings.ContainsAny(first, `/\`) { // it may be a scope, and only in front
			s.bounds += "\x00" + foldPath(strings.TrimRight(first, ",:;"))
		}
	}
	return s
}

// bounds are what of a query decides on its answer beside its text, as one string. The
// highest tier does not: the ladder looks at who gave a remembered answer.
func (q Query) bounds() string {
	b := binary.AppendVarint(nil, int64(q.limit()))
	if q.Compound {
		b = append(b, 'c')
	}
	return string(append(append(b, 0), foldPath(q.Scope)...))
}

// normalText is a text as the exact cache compares it: case, width and accents
// folded, white space single, without the punctuation of a sentence's end. A
// short word in capitals among others that are not keeps them: IT is not it.
func normalText(text string) string {
	text = words.NFKC(text)
	lower := strings.ContainsFunc(text, unicode.IsLower)
	var b strings.Builder
	for word := range strings.FieldsSeq(text) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if folded := words.Fold(word); lower && words.IsStop(folded) && len(word) > 1 && strings.ToUpper(word) == word {
			b.WriteString(word)
		} else if strings.HasPrefix(word, "-") {
			b.WriteString(word) // -v is not -V
		} else {
			b.WriteString(folded)
		}
	}
	out := b.String()
	for {
		cut := strings.TrimRight(out, "?.…。？")
		if word := strings.TrimRight(cut, "!！"); !strings.HasSuffix(word, " ") {
			cut = word
		}
		cut = strings.TrimRight(cut, " ")
		if cut == out || cut == "" {
			return out
		}
		out = cut
	}
}

// exact returns the answer to the same question (tier 0), as it was kept.
func (c *answers) exact(s signature, fingerprint string) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if fingerprint != c.fingerprint {
		return Answer{}, false
	}
	k, ok := c.kept.Get(s.key)
	if !ok || !c.holds(k) {
		return Answer{}, false
	}
	return k.answer.clone(), true
}

// fuzzy returns the answer to a question that means the same (tier 1), as it was
// kept, and the text of that question: the most similar, of several the latest.
func (c *answers) fuzzy(s signature, fingerprint string) (a Answer, asked string, ok bool) {
	if s.question == nil {
		return Answer{}, "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if fingerprint != c.fingerprint {
		return Answer{}, "", false
	}
	var best *keptAnswer
	similarity := 0.0
	for _, k := range c.kept.Values() {
		j := s.means(k.signature)
		if j == 0 || !c.holds(k) || j < similarity || best != nil && j == similarity && k.at.Before(best.at) {
			continue
		}
		best, similarity = k, j
	}
	if best == nil {
		return Answer{}, "", false
	}
	return best.answer.clone(), best.signature.asked, true
}

// keep remembers an answer. What is kept of another tree is forgotten. Only answers
// that were found belong here: one that came from the memory itself would live on.
func (c *answers) keep(s signature, fingerprint string, a Answer) {
	k := &keptAnswer{signature: s, answer: a.clone(), at: c.now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if fingerprint != c.fingerprint {
		c.kept.Purge()
		c.fingerprint = fingerprint
	}
	c.kept.Add(s.key, k)
}

// holds reports whether an answer is young enough. One from the future is not: the
// clock was set back, and its age is unknown.
func (c *answers) holds(k *keptAnswer) bool {
	age := c.now().Sub(k.at)
	return age >= 0 && age < answerLife
}

// means returns how similar two questions are that mean the same, else 0.
func (s signature) means(o signature) float64 {
	if s.bounds != o.bounds {
		return 0
	}
	return s.question.Says(o.question)
}

// clone copies an answer with everything in it that a caller could change.
func (a Answer) clone() Answer {
	a.Sources = slices.Clone(a.Sources)
	a.Hits = slices.Clone(a.Hits)
	for i := range a.Hits {
		h := &a.Hits[i]
		h.Matched = slices.Clone(h.Matched)
		h.Why.Terms = slices.Clone(h.Why.Terms)
		for j := range h.Why.Terms {
			t := &h.Why.Terms[j]
			t.Terms, t.Fields = slices.Clone(t.Terms), slices.Clone(t.Fields)
		}
	}
	return a
}
