package retrieval

import (
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// Query is a question to an index.
type Query struct {
	Text  string
	Also  []string  // the same question in other words, at most [MaxPhrasings]
	Limit int       // most hits wanted; 0 means [DefaultLimit]
	Scope string    // a folder or entry of the tree to search in; "" takes what Text says
	Now   time.Time // the moment recency counts from; zero takes the signals as stored
	// MaxTier is the highest tier that may answer; nil is no bound. A question that
	// would climb higher gets the ranked passages.
	MaxTier *Tier
	// ByMeaning asks the encoder too, where there is one ([Options.Meaning]); Wait is how long the search waits until that has
	// read every entry.
	ByMeaning bool
	Wait      time.Duration
	// Found is told what would be answered without a model, before one is asked; nil: nobody.
	Found func(Answer)
}

// DefaultLimit is the number of hits a query without a limit gets, and MaxLimit
// the most that one can get (paper, Table 7).
const (
	DefaultLimit = 10
	MaxLimit     = 32
)

func (q Query) limit() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// allows reports whether a tier may answer the query.
func (q Query) allows(t Tier) bool { return q.MaxTier == nil || t <= *q.MaxTier }

// accepts reports whether an answer of a tier may be given again. Who asks for what is
// remembered alone does not mind whose it was; who asks for no model minds.
func (q Query) accepts(origin Tier) bool {
	return q.MaxTier == nil || *q.MaxTier < TierDirect || origin <= *q.MaxTier
}

// maxQuery bounds the part of a query that is looked at, in bytes, and maxWords the
// words taken from it. Of what is longer the middle goes: behind a pasted log stands
// the question.
const (
	maxQuery = 8 << 10
	maxWords = 64
)

// word is one word of a query that is looked for.
type word struct {
	text string // as written
	term string
	kind words.Kind
	stop bool          // an English stop word: the query has nothing else
	at   markdown.Span // in the query
	also []string      // other words that it may mean
}

// parsed lists the distinct words of a query, and the pairs of neighbours that may
// be one identifier. Stop words are left out unless there is nothing else.
type parsed struct {
	words []word
	label bool // stop words stand beside no other words
	cut   bool // these are not all of it
}

func parse(text string) parsed {
	var content, stops []word
	var prev words.Token
	seen := map[string]bool{}
	add := func(to *[]word, t words.Token) {
		if seen[t.Term] {
			return
		}
		seen[t.Term] = true
		w := word{text: text[t.Start:t.End], term: t.Term, kind: t.Kind, stop: t.Stop, at: markdown.Span{Start: t.Start, End: t.End}}
		if w.kind == words.Compound && strings.Count(w.text, "-") == 1 && !strings.ContainsAny(w.text, "./\\:") {
			w.kind = words.Pair
		}
		*to = append(*to, w)
	}
	read := func(t words.Token) {
		switch {
		case t.Kind != words.Plain:
			add(&content, t)
			return
		case t.Stop:
			add(&stops, t)
		default:
			add(&content, t)
			if joined, ok := words.Join(text, prev, t); ok {
				add(&content, joined)
			}
		}
		prev = t
	}
	if len(text) <= maxQuery {
		words.Each(text, read)
	} else {
		words.Each(text[:maxQuery/2], read)
		prev = words.Token{}
		from := len(text) - maxQuery/2
		words.Each(text[from:], func(t words.Token) {
			t.Start, t.End = t.Start+from, t.End+from
			read(t)
		})
	}
	p := parsed{words: content, label: len(stops) == 0 || len(content) == 0, cut: len(text) > maxQuery}
	if len(content) == 0 {
		p.words = stops
	}
	if n := len(p.words); n > maxWords {
		p.words, p.cut = append(p.words[:maxWords/2:maxWords/2], p.words[n-maxWords/2:]...), true
	}
	return p
}

// MaxPhrasings bounds the further phrasings of a question ([Query.Also]).
const MaxPhrasings = 4
