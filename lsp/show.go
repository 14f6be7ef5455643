package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// maxToldOps is how much of a batch a message shows; what to do about it stands behind.
const maxToldOps = 6

// showLocation has the editor open a place; one that cannot is told the path.
func (sc *scene) showLocation(ctx context.Context, l protocol.Location) bool {
	if sc.server.Client.Open(ctx, l.URI, &l.Range) {
		return true
	}
	sc.server.Client.Tell(ctx, protocol.MessageTypeInfo, sc.placeName(l))
	return false
}

// placeName is a place as people read it: path and line.
func (sc *scene) placeName(l protocol.Location) string {
	_, path := sc.server.Folders.Locate(l.URI)
	return fmt.Sprintf("%s:%d", path, l.Range.Start.Line+1)
}

// shownAnswer is an answer with the document that shows it.
type shownAnswer struct {
	*workspace.QueryResponse
	URI string `json:"uri"`
}

// show shows what a command of the table answered, if it is an answer, a pack, or what became
// of a change or a dream, and returns it with what there is to say about the showing.
func (sc *scene) show(ctx context.Context, question string, result any) any {
	s := sc.server
	switch r := result.(type) {
	case *workspace.QueryResponse:
		text := queryText(question, r)
		out := &shownAnswer{r, s.answers.keep(text)}
		if !s.Client.OpenContent(ctx, out.URI) {
			s.Client.Tell(ctx, protocol.MessageTypeInfo, markup.Brief(text))
		}
		return out
	case *packResult:
		if r.URI == "" || !s.Client.OpenContent(ctx, r.URI) {
			s.Client.Tell(ctx, protocol.MessageTypeInfo, fmt.Sprintf("Packed %d files and entries: %d of %d tokens.", len(r.Items), r.Tokens, r.Budget))
		}
	case *workspace.ProposeResponse:
		sc.showProposal(ctx, r)
	case *workspace.DreamResponse:
		sc.showDream(ctx, r)
	case *tree.Report:
		kind, text := reportText(r)
		s.Client.Tell(ctx, kind, markup.Brief(text))
	}
	return result
}

// reportText says what became of a batch, how to decide what of it is held, and which
// comments of code lead nowhere now.
func reportText(r *tree.Report) (protocol.MessageType, string) {
	kind := protocol.MessageTypeInfo
	lines := make([]string, 0, len(r.Results))
	for _, res := range r.Results {
		if res.Status == tree.StatusFailed {
			kind = protocol.MessageTypeError
		}
		lines = append(lines, markup.OneLine(res.Message))
	}
	if len(lines) == 0 {
		lines = []string{"Nothing changed."}
	}
	if more := len(lines) - maxToldOps; more > 0 {
		lines = append(lines[:maxToldOps], fmt.Sprintf("… and %d more", more))
	}
	if r.Summary.Pending > 0 && r.Batch > 0 {
		if r.Waited {
			lines = append(lines, "Nothing new is held.")
		}
		lines = append(lines, fmt.Sprintf("Batch %[1]d. See what is held with `brv-lsp review show %[1]d`; then `brv-lsp review approve %[1]d` or `brv-lsp review reject %[1]d`.", r.Batch))
	}
	for _, c := range r.Comments {
		lines = append(lines, markup.OneLine(c.String()))
	}
	return kind, strings.Join(lines, "\n")
}
