package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// proposeCommand drafts changes of the context tree.
const proposeCommand = commandPrefix + "propose"

// runPropose runs the command. Where the outcome is shown, the user is asked for a topic that is
// not clear, and the draft is made for it.
func runPropose(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	own, err := requestOf[workspace.ProposeRequest](sc, req)
	if err != nil {
		return nil, err
	}
	r, err := sc.ws.Propose(ctx, sc.view, own)
	if err != nil || !req.show {
		return r, err
	}
	if own.Topic, err = sc.chooseTopic(ctx, r); own.Topic == "" {
		return r, err
	}
	return sc.ws.Propose(ctx, sc.view, own)
}

// showReviewCommand shows what waits for a review. It is a command of the editor's and not
// of the workspace's table, because it opens a document there. Its id is the number of a
// batch; without one it is the oldest that concerns the entry.
const showReviewCommand = commandPrefix + "showReview"

// reviewHost is that of the documents about batches that wait.
const reviewHost = "review"

// showReview serves the command.
func showReview(ctx context.Context, sc *scene, p commandPlace) (any, error) {
	batch := p.ID
	if batch == "" {
		entry, _ := sc.view.EntryPath(sc.path)
		waiting, _ := sc.ws.Waiting(sc.view, entry)
		if len(waiting) == 0 {
			return nil, fmt.Errorf("%s: nothing about it waits for a review", sc.path)
		}
		batch = strconv.Itoa(waiting[0].Batch)
	}
	text, err := sc.ws.ReviewText(batch)
	if err != nil {
		return nil, err
	}
	result := &review{URI: sc.reviewURI(batch)}
	if result.Shown = sc.server.showContent(ctx, result.URI); !result.Shown {
		result.Text = text
	}
	return result, nil
}

// reviewURI names the document about a batch.
func (sc *scene) reviewURI(batch string) string {
	u := url.URL{Scheme: contentScheme, Host: reviewHost, Path: "/" + batch + ".md"}
	if len(sc.server.allFolders()) > 1 {
		u.RawQuery = url.QueryEscape(sc.folder.spelled)
	}
	return u.String()
}

// materialRequest turns what a client wants drafted into the command's own request: a range
// of the document is a selection, without one the document is a file, unless the request
// names what to draft from.
func (sc *scene) materialRequest(own map[string]json.RawMessage) (json.RawMessage, error) {
	if sc.path == "" || sc.path == "." {
		return json.Marshal(own)
	}
	area, ranged := own["range"]
	named := false
	for _, key := range []string{"files", "folder", "selection", "changes"} {
		_, given := own[key]
		named = named || given
	}
	var err error
	if ranged {
		m, ok := sc.mapper()
		if !ok {
			return nil, fmt.Errorf("%w: %s: not a readable text file", workspace.ErrRequest, sc.path)
		}
		var r looserange
		if json.Unmarshal(area, &r) != nil {
			return nil, fmt.Errorf("%w: key `range`: expected a range", workspace.ErrRequest)
		}
		delete(own, "range")
		given := r.bounds()
		switch at := m.Span(given); {
		case at.Start < at.End:
			own["selection"], err = json.Marshal(workspace.DraftRequest{Path: sc.path, Start: at.Start, End: at.End})
			named = true
		case given.Start != given.End:
			return nil, fmt.Errorf("%w: key `range`: nothing of %s stands there; its last line is %d", workspace.ErrRequest, sc.path, strings.Count(m.Text, "\n"))
		}
	}
	if !named {
		own["files"], err = json.Marshal([]string{sc.path})
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(own)
}

// chooseTopic has the user choose where a draft goes whose topic is not clear, "" for nowhere:
// one draft of a request from which nothing else came, as that of a commit is.
func (sc *scene) chooseTopic(ctx context.Context, r *workspace.ProposeResponse) (string, error) {
	if !sc.server.client.asks || len(r.Undecided) != 1 || len(r.Operations) > 0 {
		return "", nil
	}
	u := r.Undecided[0]
	var topics []string
	question := fmt.Sprintf("Where does “%s” belong?", oneLine(u.Title))
	for _, c := range u.Choices {
		topics = append(topics, c.Topic)
		question += "\n" + c.Topic + ": " + oneLine(c.Reason)
	}
	return sc.server.choose(ctx, question, topics...)
}

// showProposal shows what was drafted: the review, and in a message what there is to know.
func (sc *scene) showProposal(ctx context.Context, r *workspace.ProposeResponse) {
	kind, text := reportText(r.Report)
	shown := r.Report.Batch != 0 && sc.server.showContent(ctx, sc.reviewURI(strconv.Itoa(r.Report.Batch)))
	switch {
	case len(r.Operations) == 0 && len(r.Undecided) > 0:
		text = ""
	case len(r.Operations) == 0:
		text = "Nothing to propose was found."
	case shown && r.Report.Summary.Failed == 0:
		text = ""
	}
	for _, u := range r.Undecided {
		text += fmt.Sprintf("\n“%s” (%s) needs a topic:", oneLine(u.Title), oneLine(u.Source))
		for _, c := range u.Choices {
			text += "\n" + c.Topic + ": " + oneLine(c.Reason)
		}
	}
	for _, note := range r.Notes {
		text += "\n" + oneLine(note)
	}
	if text = strings.TrimSpace(text); text != "" {
		sc.server.tell(ctx, kind, briefly(text))
	}
}
