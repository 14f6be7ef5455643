package retrieval

import (
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Look lets a model look at a tree during a task other than a question, such as curating. It has the search
// and the reading of tier 4, and quotes all text from files in the same way (quote.go). It belongs to one
// conversation.
type Look struct{ q *inquiry }

// NewLook begins a conversation. material has all other text that will be quoted in it. The nonce is derived
// from the tree and the material, so that it occurs in neither.
func NewLook(snap *tree.Snapshot, search Search, now time.Time, material string) *Look {
	return &Look{&inquiry{snap: snap, query: Query{Now: now}, search: search, quoter: newQuoter(snap, material)}}
}

// Nonce returns the ending of all quotation tags' names.
func (l *Look) Nonce() string { return l.q.quoter.nonce }

// Tools are search and read_entry.
func (l *Look) Tools() []llm.Tool {
	return slices.DeleteFunc(l.q.tools(nil), func(t llm.Tool) bool { return t.Name != "search" && t.Name != "read_entry" })
}

// Listing quotes the folders of the tree with their numbers of entries, "" if there are too many or they need
// more tokens than allowed.
func (l *Look) Listing(most int) (text string, domains, folders int) {
	return listing(l.q.quoter, l.q.snap, min(listingTokens, most))
}

// Hits quotes the hits of a search in at most that many tokens.
func (l *Look) Hits(hits []Hit, budget int) string {
	text := ""
	for _, x := range prefetch(l.q.quoter, l.q.snap, hits, budget) {
		text += l.q.show(x)
	}
	return text
}

// Shown returns the entries' text that the model has seen, without text of its own.
func (l *Look) Shown() string {
	var b strings.Builder
	for _, p := range l.q.shown.paths() {
		b.WriteString(l.q.shownOf(p))
	}
	return b.String()
}

// Quote quotes a text in a tag with that name. Attributes are names and values in turn; those without a value
// are left out.
func (l *Look) Quote(word, text string, attributes ...string) string {
	var list []attribute
	for i := 0; i+1 < len(attributes); i += 2 {
		list = append(list, attribute{attributes[i], attributes[i+1]})
	}
	return l.q.quoter.block(word, text, list...)
}

// Line returns a text as an item of a list: one line, without characters that close a tag.
func (l *Look) Line(text string) string { return l.q.quoter.line(text) }

// Clean is a text without invisible characters and without the nonce.
func (l *Look) Clean(text string) string { return l.q.quoter.clean(text) }
