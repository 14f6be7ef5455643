package codebase

import "slices"

// Query is the question for which files are ranked: a task in words, a place in an open file, or both.
type Query struct {
	Task   string
	File   string  // the open file, "" if there is none
	Offset int     // the cursor in it, in bytes; negative if it is not known
	Boost  float64 // the weight of the open file in addition to a task; 0: the value that measured best (besideTask)
	Hints  []Hint  // files that the caller knows to be close to the task
}

// empty reports whether the query has no content.
func (q *Query) empty() bool { return q.Task == "" && q.File == "" && len(q.Hints) == 0 }

// Ranked is a file with its relevance to a query.
type Ranked struct {
	Path    string
	Score   float64 // 0–1; the best file of a query has 1
	Reason  string  // the parts of the query that it matches, for people
	Demoted bool    // the file is generated, or a test although the task is not about tests
	Signals Signals // the parts of the score, each 0–1 before it is weighted
}

// Signal is one measure of relevance. Each is divided by its largest value over the files that are neither tests
// nor generated (but see confidence).
type Signal int

// The signals of a task, and those of an open file.
const (
	Body    Signal = iota // BM25 over the file's words
	Part                  // the best BM25 of one function, method, type or block in it
	Path                  // BM25 over the words of its path
	Defines               // BM25 over the words of the names it defines
	Exact                 // it defines a name that the task spells exactly
	Mention               // the task names its path, file name or dotted module
	Votes                 // commits whose messages match the task changed it: their sum
	Vote                  // the best of these commits
	Recency               // exp(−days since its last change / 180)

	CoChange   // commits change it together with the open file
	RefersTo   // the open file uses rare names that it defines
	ReferredBy // it uses rare names that the open file defines
	Imported   // the open file imports it
	Imports    // it imports the open file
	Near       // it is in the open file's folder, or close
	Alike      // its path shares words with the open file's
	Similar    // BM25 over the open file's most informative words

	Hinted // the largest weight among the hints that name it, as given

	signalCount
)

var signalNames = [signalCount]string{
	Body: "body", Part: "part", Path: "path", Defines: "defines", Exact: "exact", Mention: "mention", Votes: "votes", Vote: "vote",
	Recency: "recency", CoChange: "co-change", RefersTo: "refers to", ReferredBy: "referred by", Imported: "imported",
	Imports: "imports", Near: "near", Alike: "alike", Similar: "similar", Hinted: "hint",
}

// SignalNames lists the names of the signals, in the order of their numbers.
func SignalNames() []string { return slices.Clone(signalNames[:]) }

// Signals are a file's values by [Signal].
type Signals [signalCount]float64

// max keeps the larger of two values for each signal.
func (s *Signals) max(o *Signals) {
	for i := range s {
		s[i] = max(s[i], o[i])
	}
}

// weighed returns the weighted sum of the signals.
func (s *Signals) weighed(w *Signals) float64 {
	sum := 0.0
	for i := range s {
		sum += w[i] * s[i]
	}
	return sum
}

// maxReasons is how many of the best files get a reason.
const maxReasons = 200

// Words returns the number of words in a task that count for ranking: those that are not stop words.
func Words(text string) int {
	t := parseTask(text)
	return t.words
}
