package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Limits of what is shown in a message: editors show messages over the text, some in one
// line.
const (
	maxTold      = 2000 // bytes
	maxToldLines = 12
	maxToldOps   = 6 // of a batch; what to do about it stands behind
)

// tell shows a message. It and ask are the only ways to the user's messages.
func (s *server) tell(ctx context.Context, kind protocol.MessageType, text string) {
	if err := s.conn.ShowMessage(ctx, &protocol.ShowMessageParams{Type: kind, Message: inert(text)}); err != nil {
		s.log.Debug("message", "err", err)
	}
}

// ask shows a question, and reports whether the user chose yes, which is what that answer is
// called, and did not cancel.
func (s *server) ask(ctx context.Context, question, yes string) (bool, error) {
	choice, err := s.choose(ctx, question, yes, "Cancel")
	return choice == yes, err
}

// choose has the user choose an answer, "" if none was chosen.
func (s *server) choose(ctx context.Context, question string, answers ...string) (string, error) {
	p := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: inert(question)}
	for _, a := range answers {
		p.Actions = append(p.Actions, protocol.MessageActionItem{Title: a})
	}
	choice, err := s.conn.ShowMessageRequest(ctx, p)
	if err != nil || choice == nil || !slices.Contains(answers, choice.Title) {
		return "", err
	}
	return choice.Title, nil
}

// inert is a text for a message, in which what entries, models and files say does nothing:
// the protocol has messages be plain text, but some editors render Markdown, and VS Code
// makes links, also to commands, of `[text](address)`, wherever it stands and whatever is
// escaped.
func inert(text string) string {
	return strings.ReplaceAll(sanitize.Disarm(clean(text)), "](", "] (")
}

// showDocument has the editor open a document, at a range if one is given, and reports
// whether it did.
func (s *server) showDocument(ctx context.Context, u uri.URI, at *protocol.Range) bool {
	if !s.client.showDocument {
		return false
	}
	done, err := s.conn.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: u, TakeFocus: ptr(true), Selection: at})
	if err != nil {
		s.log.Debug("showing a document", "uri", u, "err", err)
	}
	return err == nil && done != nil && done.Success
}

// showContent has the editor open a document that is not on disk.
func (s *server) showContent(ctx context.Context, u string) bool {
	return s.client.content && s.showDocument(ctx, uri.URI(u), nil)
}

// showLocation has the editor open a place; one that cannot is told the path.
func (sc *scene) showLocation(ctx context.Context, l protocol.Location) bool {
	if sc.server.showDocument(ctx, l.URI, &l.Range) {
		return true
	}
	sc.server.tell(ctx, protocol.MessageTypeInfo, sc.placeName(l))
	return false
}

// placeName is a place as people read it: path and line.
func (sc *scene) placeName(l protocol.Location) string {
	_, path := sc.server.locate(l.URI)
	return fmt.Sprintf("%s:%d", path, l.Range.Start.Line+1)
}

// shownAnswer is an answer with the document that shows it.
type shownAnswer struct {
	*workspace.QueryResponse
	URI string `json:"uri"`
}

// show shows what a command of the table answered, if that is wanted and it is an answer, a pack,
// or what became of a change or a dream, and returns it with what there is to say about the
// showing. That there is a context tree is told in any case.
func (sc *scene) show(ctx context.Context, req commandRequest, result any) any {
	s := sc.server
	if r, ok := result.(*workspace.InitReport); ok {
		message := "The context tree is there already."
		if len(r.Written) > 0 {
			message = "The context tree is ready: " + r.Tree
		}
		s.tell(s.ctx, protocol.MessageTypeInfo, message)
	}
	if !req.show {
		return result
	}
	switch r := result.(type) {
	case *workspace.QueryResponse:
		text := queryText(req.question(), r)
		out := &shownAnswer{r, s.answers.keep(text)}
		if !s.showContent(ctx, out.URI) {
			s.tell(ctx, protocol.MessageTypeInfo, briefly(text))
		}
		return out
	case *packResult:
		if r.URI == "" || !s.showContent(ctx, r.URI) {
			s.tell(ctx, protocol.MessageTypeInfo, fmt.Sprintf("Packed %d files and entries: %d of %d tokens.", len(r.Items), r.Tokens, r.Budget))
		}
	case *workspace.ProposeResponse:
		sc.showProposal(ctx, r)
	case *workspace.DreamResponse:
		sc.showDream(ctx, r)
	case *plan.Report:
		kind, text := reportText(r)
		s.tell(ctx, kind, briefly(text))
	}
	return result
}

// reportText says what became of a batch, how to decide what of it is held, and which
// comments of code lead nowhere now.
func reportText(r *plan.Report) (protocol.MessageType, string) {
	kind := protocol.MessageTypeInfo
	lines := make([]string, 0, len(r.Results))
	for _, res := range r.Results {
		if res.Status == plan.StatusFailed {
			kind = protocol.MessageTypeError
		}
		lines = append(lines, oneLine(res.Message))
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
		lines = append(lines, oneLine(c.String()))
	}
	return kind, strings.Join(lines, "\n")
}

// briefly cuts a text to what a message may have.
func briefly(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	cut := ""
	if len(lines) > maxToldLines {
		lines, cut = lines[:maxToldLines], "\n…"
	}
	return cutText(strings.Join(lines, "\n"), maxTold) + cut
}
