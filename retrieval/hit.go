package retrieval

import (
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Hit is an entry that a query found.
type Hit struct {
	Path    string
	Title   string
	Score   float64       // 0–1: the estimated probability that this is what was asked for
	Raw     float64       // what the order is by; comparable within one result only
	Passage markdown.Span // the best passage in the entry's text, in bytes
	Section markdown.Span // what a direct answer shows of it; of a first hit that is clear enough for one
	Matched []string      // the query's words that the entry holds, as written in the query
	Via     string        // how it came in if no word did: "a/b/c.md names it", "it names a/b/c.md"; "" for a match
	Why     Score         // what Raw is made of
	Sure    Surety        // what Score is made of

	Governs bool // the text that was searched for hangs on it: [Governing]
}

// Result lists the hits of a search, best first.
type Result struct {
	Hits        []Hit
	OutOfDomain bool     // the tree has nothing on this; the hits share only common words with the query
	Evidence    Evidence // what OutOfDomain rests on
	Scope       string   // the folder or entry that was searched, "" for the whole tree
	Note        string   // what was not done as asked: another scope searched, a long question cut
	Unknown     []string // the words that the query is about and no entry in scope holds
	Bent        []Bent   // words that were taken for others, since no entry holds them

	verdict *verdict // for a merged result: the verdict of the search with the best hit
}

// verdict is whether the best hit is a direct answer.
type verdict struct {
	direct bool
	why    string
}

// Bent is a word of a query that was taken for a typing error, or for the beginning of
// other words.
type Bent struct {
	Word string
	As   []string // the terms looked for in its place
}

// Remark says which words of the query were not found, or not as written; "" if all were.
func (r Result) Remark() string {
	var parts []string
	if len(r.Unknown) > 0 {
		parts = append(parts, "No entry mentions: "+strings.Join(r.Unknown, ", ")+".")
	}
	for _, b := range r.Bent {
		parts = append(parts, fmt.Sprintf("No entry mentions %q; searched for %s instead.", b.Word, strings.Join(b.As, ", ")))
	}
	return strings.Join(parts, " ")
}
