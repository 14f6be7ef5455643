package retrieval

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/foreign"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// A question in another language is read word by word (package foreign): a word that no entry holds becomes the best English
// one that some entry holds, and what else it may mean counts as another form of that. Such a question is never answered
// directly, since a word may have been misread, and the answer says how it was read.

// inEnglish returns a question in English, by term what else its words may mean, and a note that says how it was read. Where no
// entry holds any of its words in English it is left as it is, without a note, and refused so.
func (c *collector) inEnglish(text string) (english string, also map[string][]string, note string) {
	var out strings.Builder
	var read []string
	at, held := 0, false
	also = map[string][]string{}
	for _, w := range foreign.Read(text[:min(len(text), maxQuery)], c.knows) {
		out.WriteString(text[at:w.Start] + " ")
		at = w.End
		if len(w.English) == 0 {
			continue
		}
		best := slices.IndexFunc(w.English, c.knows)
		held, best = held || best >= 0, max(best, 0)
		meant := w.English[best]
		out.WriteString(meant + " ")
		also[words.Stem(meant)] = slices.Concat(w.English[:best], w.English[best+1:])
		if !slices.Contains(read, meant) {
			read = append(read, meant)
		}
	}
	if !held {
		return text, nil, ""
	}
	return out.String() + text[at:], also, "read as: " + strings.Join(read, ", ")
}

// knows reports whether entries hold all words of a text.
func (c *collector) knows(text string) bool {
	all := true
	words.Each(text, func(t words.Token) {
		if t.Kind == words.Plain {
			n, err := c.holding(t.Term)
			all = all && err == nil && n > 0
		}
	})
	return all
}
