package retrieval

import (
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Look is how a model looks at a tree while it does something else than answer a
// question, such as curating: with the search and the reading of tier 4, and with
// everything that comes from files quoted as there (quote.go). It belongs to one
// conversation.
type Look struct{ q *inquiry }

// NewLook begins a conversation. Material is all other text that will be quoted in it,
// so that no text holds the nonce; together with the tree it decides the nonce.
func NewLook(snap *tree.Snapshot, search Search, now time.Time, material string) *Look {
	return &Look{&inquiry{snap: snap, query: Query{Now: now}, search: search, quoter: newQuoter(snap, material)}}
}

// Nonce returns the ending of the names of all quotations' tags.
func (l *Look) Nonce() string { return l.q.quoter.nonce }

// Tools are search and read_entry.
func (l *Look) Tools() []llm.Tool {
	return slices.DeleteFunc(l.q.tools(nil), func(t llm.Tool) bool { return t.Name != "search" && t.Name != "read_entry" })
}

// Listing quotes the folders of the tree with their numbers of entries, "" if they are
// too many or take more tokens than most.
func (l *Look) Listing(most int) (text string, domains, folders int) {
	return listing(l.q.quoter, l.q.snap, min(listingTokens, most))
}

// Hits quotes what a search found in at most that many tokens.
func (l *Look) Hits(hits []Hit, budget int) string {
	text := ""
	for _, x := range prefetch(l.q.quoter, l.q.snap, hits, budget) {
		text += l.q.show(x)
	}
	return text
}

// Shown returns the text of entries that the model was shown, without its own words.
func (l *Look) Shown() string {
	var b strings.Builder
	for _, p := range l.q.shown.paths() {
		b.WriteString(l.q.shownOf(p))
	}
	return b.String()
}

// Quote quotes a text as what the word says. Attributes are names and values in turn;
// those without a value are left out.
func (l *Look) Quote(word, text string, attributes ...string) string {
	var list []attribute
	for i := 0; i+1 < len(attributes); i += 2 {
		list = append(list, attribute{attributes[i], attributes[i+1]})
	}
	return l.q.quoter.block(word, text, list...)
}

// Line is a text as an item of a list: one line, without what closes a tag.
func (l *Look) Line(text string) string { return l.q.quoter.line(text) }

// Clean is a text without characters that people do not see, and without the nonce.
func (l *Look) Clean(text string) string { return l.q.quoter.clean(text) }
