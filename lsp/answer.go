package lsp

import (
	"strconv"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// maxAnswers is how many answers of a session can be shown again.
const maxAnswers = 16

// answers are the answers that were shown last.
type answers struct {
	mu    sync.Mutex // guards the fields below
	last  int        // number of the answer that was kept last
	texts [maxAnswers]string
}

// keep remembers a text and names the document that shows it.
func (a *answers) keep(text string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	a.texts[a.last%maxAnswers] = text
	return contentScheme + "://" + answerHost + "/" + strconv.Itoa(a.last) + ".md"
}

// text returns a text by its number.
func (a *answers) text(id string) (string, bool) {
	n, err := strconv.Atoi(id)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || n < 1 || n > a.last || n <= a.last-maxAnswers {
		return "", false
	}
	return a.texts[n%maxAnswers], true
}

// queryText is the document that shows an answer.
func queryText(question string, r *workspace.QueryResponse) string {
	var b strings.Builder
	b.WriteString("# " + markup.OneLine(question) + "\n\n" + strings.TrimSpace(r.Markdown) + "\n")
	for _, note := range []string{r.Note, r.Why} {
		if note != "" {
			b.WriteString("\n_" + markup.OneLine(note) + "_\n")
		}
	}
	return b.String()
}
