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
	Task  bool      // Text is something to do: an identifier in it that no entry knows may be one to make
	Now   time.Time // the time at which recency is computed; zero uses the signals as stored
	// MaxTier is the highest tier that may answer; nil means no bound. A question that would need a higher
	// tier gets the ranked passages.
	MaxTier *Tier
	// ByMeaning also asks the encoder, if there is one ([Options.Meaning]); Wait is how long the search waits
	// for it to have read every entry.
	ByMeaning bool
	Wait      time.Duration
	// Found is called with the answer without a model, before a model is asked; nil: not called.
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

// accepts reports whether a remembered answer of a tier may be used. A caller that accepts only remembered
// answers takes any; a caller that wants no model does not take a model's.
func (q Query) accepts(origin Tier) bool {
	return q.MaxTier == nil || *q.MaxTier < TierDirect || origin <= *q.MaxTier
}

// maxQuery bounds the part of a query that is read, in bytes, and maxWords the number of words taken from it.
// If a query is longer, its middle is dropped: the question often follows a pasted log.
const (
	maxQuery = 8 << 10
	maxWords = 64
)

// word is one word of a query that is looked for.
type word struct {
	text string // as written
	term string
	kind words.Kind
	stop bool          // an English stop word; only if the query has no other words
	at   markdown.Span // in the query
	also []string      // other possible meanings
}

// parsed lists the distinct words of a query, and the pairs of neighbours that may
// be one identifier. Stop words are left out unless there is nothing else.
type parsed struct {
	words []word
	label bool // only a name: no stop words beside other words
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
