package retrieval

import (
	"strings"
	"time"
)

// Query is a question to an index.
type Query struct {
	Text  string
	Limit int       // most hits wanted; 0 means [DefaultLimit]
	Scope string    // a folder or entry of the tree to search in; "" takes what Text says
	Now   time.Time // the moment recency counts from; zero takes the signals as stored
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

// maxQuery bounds the part of a query that is looked at, in bytes, and maxWords
// the words taken from it: a pasted file is cut there.
const (
	maxQuery = 8 << 10
	maxWords = 64
)

// word is one word of a query that is looked for.
type word struct {
	text string // as written
	term string
	kind wordKind
	stop bool // an English stop word: the query has nothing else
	at   span // in the query
}

// parseWords lists the distinct words of a query. Stop words are left out unless
// there is nothing else.
func parseWords(text string) []word {
	if len(text) > maxQuery {
		text = text[:maxQuery]
	}
	var words, stops []word
	var prev token
	seen := map[string]bool{}
	add := func(to *[]word, w word) {
		if !seen[w.term] && len(*to) < maxWords {
			seen[w.term] = true
			*to = append(*to, w)
		}
	}
	forEachToken(text, func(t token) {
		w := word{text: text[t.start:t.end], term: t.term, kind: t.kind, stop: t.stop, at: span{t.start, t.end}}
		switch {
		case t.kind != wordPlain:
			if w.kind == wordCompound && strings.Count(w.text, "-") == 1 && !strings.ContainsAny(w.text, "./\\:") {
				w.kind = wordPair
			}
			add(&words, w)
			return
		case t.stop:
			add(&stops, w)
		default:
			add(&words, w)
			if joined, ok := pair(text, prev, t); ok {
				add(&words, joined)
			}
		}
		prev = t
	})
	if len(words) == 0 {
		return stops
	}
	return words
}

// pair joins two words that stand side by side: who asks for the retry budget
// may mean retryBudget.
func pair(text string, a, b token) (word, bool) {
	if a.term == "" || a.stop || b.start != a.end+1 || text[a.end] != ' ' || b.end-a.start > maxWhole {
		return word{}, false
	}
	joined := fold(text[a.start:a.end] + text[b.start:b.end])
	return word{text: text[a.start:b.end], term: joined, kind: wordPair, at: span{a.start, b.end}}, true
}
