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

// reading is what a question means in English, word by word.
type reading struct {
	text    string
	also    map[string][]string // by term: what else the word may mean
	written map[string]string   // by word: how the question has it
	note    string              // for the reader; "" where the question is read as it is
}

// inEnglish reads a question.
func (c *collector) inEnglish(text string) reading {
	r := reading{text, map[string][]string{}, map[string]string{}, ""}
	found := foreign.Read(text[:min(len(text), maxQuery)], c.knows)
	if found == nil {
		return r
	}
	var out strings.Builder
	var read []string
	at := 0
	for _, w := range found {
		out.WriteString(text[at:w.Start] + " ")
		at = w.End
		if len(w.English) == 0 {
			continue
		}
		best := max(0, slices.IndexFunc(w.English, c.knows))
		meant := w.English[best]
		out.WriteString(meant + " ")
		r.also[words.Stem(meant)] = slices.Concat(w.English[:best], w.English[best+1:])
		r.written[meant] = text[w.Start:w.End]
		if !slices.Contains(read, meant) {
			read = append(read, meant)
		}
	}
	r.text, r.note = out.String()+text[at:], "read as: "+strings.Join(read, ", ")
	return r
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
