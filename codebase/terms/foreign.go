package terms

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/foreign"
)

// mostMeant is the number of English words that stand for one of another language. An own choice.
const mostMeant = 2

// InEnglish returns what the words of a task in another language may mean, each behind a space; "" for one in English.
func InEnglish(task string) string {
	var out strings.Builder
	for _, w := range foreign.Read(task, func(string) bool { return false }) {
		for _, meant := range w.English[:min(mostMeant, len(w.English))] {
			out.WriteString(" " + meant)
		}
	}
	return out.String()
}
