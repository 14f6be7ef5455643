// Package alike tells whether two questions say the same, so that one answer serves both:
// "could you tell me how long refresh tokens live?" and "how long do refresh tokens live".
//
//	was := alike.Read("expiry of refresh tokens")
//	is := alike.Read("refresh token expiry")
//	is.Says(was) // 1, but 0 of "access token expiry"
//
// An answer to another question is worse than no remembered answer, so every doubt is a
// no, and nothing rests on how many words agree: "from mysql to postgres" has all the
// words of "from postgres to mysql".
//
//	lexeme   a text → words as written, short forms written out, politeness taken off
//	reader   words → a reading: question word, tense, negation, and phrases of content
//	reading  what a question is compared by
//	agree    the rules by which two readings are one question
//	wording  the English that these rules know
//
// A word that is not listed as harmless is content, and in a text that is no English the
// order of words counts. What is measured is in testdata: of the pairs in nearmiss.txt none
// may be alike, of those in paraphrase.txt nearly all must be.
package alike

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

const (
	// maxQuestion is the longest text taken for a question, in bytes; a longer one is
	// like none.
	maxQuestion = 512

	// leastShared is the least Jaccard similarity of the stems of two questions that say
	// the same (specification; paper, Algorithm 1: θfuzzy).
	leastShared = 0.6
)

// Question is a question as it is compared. It is immutable; nil is like no question.
type Question struct {
	readings []*reading // hyphenated words as one; and apart, if that makes a difference
}

// Read reads a question. It returns nil for a text that holds nothing to compare, or is
// too long for a question.
func Read(text string) *Question {
	if len(text) > maxQuestion {
		return nil
	}
	text = words.Narrow(text)
	whole := read(text, false)
	if whole == nil {
		return nil
	}
	q := &Question{readings: []*reading{whole}}
	if strings.Contains(text, "-") {
		if apart := read(text, true); apart != nil && apart.bag != whole.bag {
			q.readings = append(q.readings, apart)
		}
	}
	return q
}

// Says returns how similar two questions are that say the same, up to 1, else 0.
func (q *Question) Says(o *Question) float64 {
	best := 0.0
	if q == nil || o == nil {
		return best
	}
	for _, a := range q.readings {
		for _, b := range o.readings {
			if agree(a, b) {
				best = max(best, jaccard(a.stems, b.stems))
			}
		}
	}
	if best < leastShared {
		return 0
	}
	return best
}

// jaccard is the similarity of two sorted sets: what they share of what they have.
func jaccard(a, b []string) float64 {
	shared, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch strings.Compare(a[i], b[j]) {
		case -1:
			i++
		case 1:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	if shared == len(a) && shared == len(b) {
		return 1
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}
