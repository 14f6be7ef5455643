package alike

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/foreign"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// A question in another language is read word by word (package foreign): a word that is in no entry becomes
// the best English translation that some entry has, and its other translations count as other forms of that
// one. Such a question never gets a direct answer, since a word may have been misread, and the answer states
// how it was read.

// maxRead bounds the part of a question that is read, in bytes; it is the same bound as for searching.
const maxRead = 8 << 10

// InEnglish returns a question in English, the other possible translations by term, and a note about how it
// was read. If none of its words is known in English, the question is returned unchanged and without a note,
// and will be refused as it is.
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
