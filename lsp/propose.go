package lsp

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
)

// proposeCommand drafts changes of the context tree.
const proposeCommand = render.CommandPrefix + "propose"

// runPropose runs the command. Where the outcome is shown, the user is asked for a topic that is
// not clear, and the draft is made for it.
func runPropose(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	own := *req.own.(*drafting.ProposeRequest)
	r, err := drafting.Propose(ctx, sc.View, own)
	if err != nil || !req.Show {
		return r, err
	}
	if own.Topic, err = sc.chooseTopic(ctx, r); own.Topic == "" {
		return r, err
	}
	return drafting.Propose(ctx, sc.View, own)
}

// showReview serves the command.
func showReview(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	batch := req.own.(*placeParams).ID
	if batch == "" {
		entry, _ := sc.View.EntryPath(sc.Path)
		waiting, _ := curation.PendingOn(sc.View, entry)
		if len(waiting) == 0 {
			return nil, fmt.Errorf("%s has no waiting changes", sc.Path)
		}
		batch = strconv.Itoa(waiting[0].Batch)
	}
	text, err := curation.ReviewText(sc.Workspace, batch)
	if err != nil {
		return nil, err
	}
	return sc.opened(ctx, reviewHost, batch+".md", text), nil
}

// material completes what a client wants drafted: a range of the document is a selection, without one the
// document is a file, unless the request names what to draft from.
func (sc *scene) material(req *drafting.ProposeRequest, area *position.LooseRange) error {
	if area != nil {
		m, ok := sc.Mapper()
		if !ok {
			return fmt.Errorf("%w: %s: not a readable text file", workspace.ErrRequest, sc.Path)
		}
		given := area.Bounds()
		switch at := m.Span(given); {
		case at.Start < at.End:
			req.Selection = &drafting.DraftRequest{Path: sc.Path, Start: at.Start, End: at.End}
		case given.Start != given.End:
			return fmt.Errorf("%w: key `range`: %s ends before the range; its last line is %d", workspace.ErrRequest, sc.Path,
				strings.Count(m.Text, "\n"))
		}
	}
	if req.Files == nil && req.Folder == "" && req.Selection == nil && req.Changes == "" {
		req.Files = []string{sc.Path}
	}
	return nil
}

// chooseTopic has the user choose where a draft goes whose topic is not clear, "" for nowhere:
// one draft of a request from which nothing else came, as that of a commit is.
func (sc *scene) chooseTopic(ctx context.Context, r *drafting.ProposeResponse) (string, error) {
	if !sc.server.Client.Asks || len(r.Undecided) != 1 || len(r.Operations) > 0 {
		return "", nil
	}
	u := r.Undecided[0]
	var topics []string
	question := fmt.Sprintf("Where does “%s” belong?", markup.OneLine(u.Title))
	for _, c := range u.Choices {
		topics = append(topics, c.Topic)
		question += "\n" + c.Topic + ": " + markup.OneLine(c.Reason)
	}
	return sc.server.Client.Choose(ctx, question, topics...)
}

// showProposal shows what was drafted: the review, and in a message what there is to know.
func (sc *scene) showProposal(ctx context.Context, r *drafting.ProposeResponse) {
	kind, text := reportText(r.Report)
	shown := r.Report.Batch != 0 && sc.server.Client.OpenContent(ctx, sc.contentURI(reviewHost, fmt.Sprintf("%d.md", r.Report.Batch)))
	switch {
	case len(r.Operations) == 0 && len(r.Undecided) > 0:
		text = ""
	case len(r.Operations) == 0:
		text = "There is nothing to propose."
	case shown && r.Report.Summary.Failed == 0:
		text = ""
	}
	for _, u := range r.Undecided {
		text += fmt.Sprintf("\n“%s” (%s) needs a topic:", markup.OneLine(u.Title), markup.OneLine(u.Source))
		for _, c := range u.Choices {
			text += "\n" + c.Topic + ": " + markup.OneLine(c.Reason)
		}
	}
	for _, note := range r.Notes {
		text += "\n" + markup.OneLine(note)
	}
	if text = strings.TrimSpace(text); text != "" {
		sc.server.Client.Tell(ctx, kind, markup.Brief(text))
	}
}

// review is the result of `brv.openEntry`, `brv.reviewEntry` and `brv.showReview`.
type review struct {
	URI   string `json:"uri"` // the document of the review, or the entry
	Shown bool   `json:"shown"`
	Text  string `json:"text,omitempty"` // the text of the document, if the editor was not asked to show it
}

// reviewEntry serves the command: it shows the document by which the user changes the
// entry.
func reviewEntry(ctx context.Context, sc *scene, _ commandRequest) (any, error) {
	entry, ok := sc.View.EntryPath(sc.Path)
	if !ok {
		return nil, fmt.Errorf("%s: not an entry of the context tree", sc.Path)
	}
	text, err := curation.DriftReview(ctx, sc.View, entry)
	if err != nil {
		return nil, err
	}
	return sc.opened(ctx, diffHost, entry, text), nil
}

// openEntry serves the command. An editor that opens nothing is told the path.
func openEntry(ctx context.Context, sc *scene, _ commandRequest) (any, error) {
	if _, ok := sc.View.EntryPath(sc.Path); !ok {
		return nil, fmt.Errorf("%s: not an entry of the context tree", sc.Path)
	}
	u := sc.URI(sc.Path)
	return &review{URI: string(u), Shown: sc.showLocation(ctx, protocol.Location{URI: u})}, nil
}

// reportText returns the message about a batch: the result of each operation, how to decide the held ones,
// and which comments of the code lead nowhere now.
func reportText(r *plan.Report) (protocol.MessageType, string) {
	kind := protocol.MessageTypeInfo
	lines := make([]string, 0, len(r.Results))
	for _, res := range r.Results {
		if res.Status == plan.StatusFailed {
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
			lines = append(lines, "This change already waits.")
		}
		lines = append(
			lines, fmt.Sprintf("Batch %d waits for review. Open your editor's list of reviews, or use the commands brv.showReview, "+
				"brv.approve and brv.reject.", r.Batch))
	}
	for _, c := range r.Comments {
		lines = append(lines, markup.OneLine(c.String()))
	}
	return kind, strings.Join(lines, "\n")
}

// maxToldOps is how much of a batch a message shows; what to do about it stands behind.
const maxToldOps = 6
