package alike

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/foreign"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// A question in another language is read word by word (package foreign): a word that no entry holds becomes the best English
// one that some entry holds, and what else it may mean counts as another form of that. Such a question is never answered
// directly, since a word may have been misread, and the answer says how it was read.

// maxRead bounds the part of a question that is read, in bytes, as that which is searched for.
const maxRead = 8 << 10

// InEnglish returns a question in English, by term what else its words may mean, and a note that says how it was read. Where
// none of its words is known in English it is left as it is, without a note, and refused so.
func InEnglish(text string, known func(string) bool) (english string, also map[string][]string, note string) {
	var out strings.Builder
	var read []string
	at, held := 0, false
	also = map[string][]string{}
	for _, w := range foreign.Read(text[:min(len(text), maxRead)], known) {
		out.WriteString(text[at:w.Start] + " ")
		at = w.End
		if len(w.English) == 0 {
			continue
		}
		best := slices.IndexFunc(w.English, known)
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
