package retrieval

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxWindows bounds the windows of one entry: 100 KiB of text.
const maxWindows = 128

// Windows are the texts by which an encoder knows an entry: its title and summary with blocks that follow each other, as many
// as a passage may have.
func Windows(e *format.Entry) (out []string) {
	head := e.Title + "\n"
	if e.Summary != "" && !strings.Contains(e.Body.Of(e.Text), e.Summary) {
		head += e.Summary + "\n"
	}
	at := markdown.Span{}
	flush := func() {
		if text := strings.TrimSpace(at.Of(e.Text)); text != "" && len(out) < maxWindows {
			out = append(out, head+text)
		}
	}
	for _, b := range blocksOf(e) {
		if at.End > at.Start && b.at.End-at.Start <= passageSize {
			at.End = b.at.End
			continue
		}
		flush()
		at = b.at
	}
	flush()
	if len(out) == 0 {
		out = []string{head}
	}
	return out
}
