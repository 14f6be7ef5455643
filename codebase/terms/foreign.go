package terms

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/foreign"
)

// mostMeant is the largest number of English words for one word of another language. Our own choice.
const mostMeant = 2

// InEnglish returns possible English words for the words of a task in another language, each after a space. It is
// "" for a task in English.
func InEnglish(task string) string {
	var out strings.Builder
	for _, w := range foreign.Read(task, func(string) bool { return false }) {
		for _, meant := range w.English[:min(mostMeant, len(w.English))] {
			out.WriteString(" " + meant)
		}
	}
	return out.String()
}
