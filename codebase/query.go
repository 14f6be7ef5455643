package codebase

import (
	"cmp"
	"slices"
)

// Query says what files are ranked for: a task in words, a place in an open
// file, or both.
type Query struct {
	Task   string
	File   string  // the open file, "" if there is none
	Offset int     // the cursor in it, in bytes; negative if it is not known
	Boost  float64 // what the open file counts beside a task; 0: as measured best (besideTask)
}

// Ranked is a file with its relevance to a query.
type Ranked struct {
	Path    string
	Score   float64 // 0–1; the best file of a query has 1
	Reason  string  // what of the query it answers, for people
	Demoted bool    // it is a test nobody asked for, or generated
	Signals Signals // what the score is made of, each 0–1 before it is weighed
}

// Signal is one measure of relevance. Each is divided by its largest value over
// the files that are neither tests nor generated (but see confidence).
type Signal int

// The signals of a task, and those of an open file.
const (
	Body    Signal = iota // BM25 over the file's words
	Part                  // the best BM25 of one function, method, type or block in it
	Path                  // BM25 over the words of its path
	Defines               // BM25 over the words of the names it defines
	Exact                 // it defines a name that the task spells exactly
	Mention               // the task names its path, file name or dotted module
	Votes                 // it was changed by commits whose messages fit the task: their sum
	Vote                  // the best of these commits
	Recency               // exp(−days since its last change / 180)

	CoChange   // it changes together with the open file
	RefersTo   // the open file uses rare names that it defines
	ReferredBy // it uses rare names that the open file defines
	Imported   // the open file imports it
	Imports    // it imports the open file
	Near       // it is in the open file's folder, or close
	Alike      // its path shares words with the open file's
	Similar    // BM25 over the open file's telling words

	signalCount
)

var signalNames = [signalCount]string{
	"body", "part", "path", "defines", "exact", "mention", "votes", "vote", "recency",
	"co-change", "refers to", "referred by", "imported", "imports", "near", "alike", "similar",
}

// String names the signal.
func (s Signal) String() string { return signalNames[s] }

// SignalNames lists the names of the signals, by their numbers.
func SignalNames() []string { return slices.Clone(signalNames[:]) }

// Signals are a file's values by [Signal].
type Signals [signalCount]float64

// max keeps the larger of two values for each signal.
func (s *Signals) max(o *Signals) {
	for i := range s {
		s[i] = max(s[i], o[i])
	}
}

// weighed is the sum of the signals by their weights.
func (s *Signals) weighed(w *Signals) float64 {
	sum := 0.0
	for i := range s {
		sum += w[i] * s[i]
	}
	return sum
}

// Rank orders the files by their relevance to a query, best first. Files that
// have nothing to do with it are left out. Equal maps and queries give equal
// results.
func (m *RepoMap) Rank(q Query) []Ranked {
	p := m.planFor(q)
	type scored struct {
		i     int
		score float64
	}
	var hits []scored
	for i, c := range m.chunks {
		s := &p.signals[i]
		score := s.weighed(&p.weights)
		if score <= 0 || c.Path == q.File {
			continue
		}
		if p.demotes(c) {
			score *= demotion
		}
		score += connectivityPrior * float64(len(m.dependents[c.Path])) / float64(max(1, m.most))
		hits = append(hits, scored{i, score})
	}
	slices.SortFunc(hits, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.i, b.i)) })
	out := make([]Ranked, len(hits))
	for rank, h := range hits {
		c := m.chunks[h.i]
		out[rank] = Ranked{Path: c.Path, Score: h.score / hits[0].score, Signals: p.signals[h.i], Demoted: p.demotes(c)}
		if rank < maxReasons {
			out[rank].Reason = p.reason(m, h.i)
		}
	}
	return out
}

// demotes reports whether a file counts less for the plan's query: tests repeat
// the words of what they test, and nobody edits generated code.
func (p *plan) demotes(c *Chunk) bool {
	return c.Type == Test && !p.task.tests || c.Origin != ""
}

// maxReasons is how many of the best files say why they are there.
const maxReasons = 200

// Words is the number of words of a task that ranking counts: those that are not
// stop words.
func Words(text string) int {
	t := parseTask(text)
	return t.words
}
