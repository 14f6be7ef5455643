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

// inEnglish returns a question with its words in English, by term what else they may mean, and what to say about it.
func (c *collector) inEnglish(text string) (english string, also map[string][]string, note string) {
	found := foreign.Read(text, c.knows)
	if found == nil {
		return text, nil, ""
	}
	var out strings.Builder
	var read []string
	also = map[string][]string{}
	at := 0
	for _, w := range found {
		out.WriteString(text[at:w.Start] + " ")
		at = w.End
		if len(w.English) == 0 {
			continue
		}
		meant := w.English
		if i := slices.IndexFunc(meant, c.knows); i > 0 {
			meant = append(meant[i:i+1:i+1], slices.Delete(slices.Clone(meant), i, i+1)...)
		}
		out.WriteString(meant[0] + " ")
		term := words.Stem(meant[0])
		also[term] = append(also[term], meant[1:]...)
		if !slices.Contains(read, meant[0]) {
			read = append(read, meant[0])
		}
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
