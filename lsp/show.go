package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

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
	*consult.QueryResponse
	URI string `json:"uri"`
}

// show shows what a command of the table answered, if that is wanted and it is an answer, a pack,
// or what became of a change or a dream, and returns it with what there is to say about the
// showing. That there is a context tree is told in any case.
func (sc *scene) show(ctx context.Context, req commandRequest, result any) any {
	s := sc.server
	if r, ok := result.(*workspace.InitReport); ok && !r.DryRun {
		message := "The context tree already exists."
		if len(r.Written) > 0 {
			message = "The context tree is ready: " + r.Tree
		}
		s.Client.Tell(s.Client.Ctx, protocol.MessageTypeInfo, message)
	}
	if !req.Show {
		return result
	}
	switch r := result.(type) {
	case *consult.QueryResponse:
		text := queryText(req.own.(*consult.QueryRequest).Text, r)
		out := &shownAnswer{r, contentScheme + "://" + answerHost + "/" + s.answers.Keep(text) + ".md"}
		if !s.Client.OpenContent(ctx, out.URI) {
			s.Client.Tell(ctx, protocol.MessageTypeInfo, markup.Brief(text))
		}
		return out
	case *packResult:
		if r.URI == "" || !s.Client.OpenContent(ctx, r.URI) {
			s.Client.Tell(ctx, protocol.MessageTypeInfo,
				fmt.Sprintf("Packed %d files and entries: %d of %d tokens.", len(r.Items), r.Tokens, r.Budget))
		}
	case *drafting.ProposeResponse:
		sc.showProposal(ctx, r)
	case *upkeep.DreamResponse:
		sc.showDream(ctx, r)
	case *plan.Report:
		kind, text := reportText(r)
		s.Client.Tell(ctx, kind, markup.Brief(text))
	}
	return result
}
