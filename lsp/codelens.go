package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// The lenses that a file can have.
const (
	lensDrift    = "drift"    // over an entry's title: how much of what it names is not as it was
	lensStanding = "standing" // over an entry's title: who relates to it, what it is worth
	lensWaiting  = "waiting"  // over an entry's title: how many changes wait for a review, and to look at the first
	lensApprove  = "approve"  // behind it
	lensReject   = "reject"
	lensNamed    = "named" // over a code file: how many entries name it
)

// lensData is what a lens takes through the client.
type lensData struct {
	URI  uri.URI `json:"uri"`
	Kind string  `json:"kind"`
}

func lensDocument(p *protocol.CodeLensParams) uri.URI { return p.TextDocument.URI }

// codeLenses answers with the lenses of a document, whose titles are made when they are
// shown. What is not known at once comes with a refresh.
func codeLenses(ctx context.Context, sc *scene, _ *protocol.CodeLensParams) (any, error) {
	lenses, told := sc.lens(ctx)
	sc.server.diagnostics.lensTold(sc.doc, told)
	if len(lenses) == 0 {
		return nil, nil
	}
	for i := range lenses {
		lenses[i].Command = protocol.Command{}
	}
	return marshalled(lenses)
}

// lens lists the lenses of the scene's document, and all that they say, "" for none.
func (sc *scene) lens(ctx context.Context) (lenses []protocol.CodeLens, told string) {
	set := sc.settings().CodeLens
	m, ok := sc.present()
	if !ok {
		return nil, ""
	}
	var titles []string
	add := func(kind, title, command string, at markdown.Span, more map[string]any) {
		if title == "" {
			return
		}
		line := m.Position(at.Start).Line
		lens, err := sc.oneLens(kind, title, command, more)
		if err != nil {
			sc.server.log.Warn("lens", "kind", kind, "err", err)
			return
		}
		lens.Range = protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line}}
		lenses, titles = append(lenses, lens), append(titles, title)
	}
	entry, isEntry := sc.view.EntryPath(sc.path)
	if isEntry && set.Entries {
		if line, at, ok := sc.ws.Standing(sc.view, entry); ok {
			add(lensStanding, line, referencesCommand, at, nil)
		}
		if waiting, at := sc.ws.Waiting(sc.view, entry); len(waiting) > 0 {
			for _, l := range sc.decisions(waiting) {
				add(l.kind, l.title, l.command, at, l.more)
			}
		}
		found, _ := sc.ws.DriftSoon(ctx, sc.view, entry)
		title, at := sc.view.DriftSummary(entry, found)
		add(lensDrift, title, reviewCommand, at, nil)
	}
	if !isEntry && set.Code {
		add(lensNamed, sc.ws.Named(ctx, sc.view, sc.path), referencesCommand, markdown.Span{}, nil)
	}
	return lenses, strings.Join(titles, "\n")
}

// lensText is what a lens says and does; more is of its command's argument.
type lensText struct {
	kind, title, command string
	more                 map[string]any
}

// decisions are the lenses by which somebody decides on what waits about an entry: on the
// oldest batch, since the next may rest on it.
func (sc *scene) decisions(waiting []workspace.Waiting) []lensText {
	n := 0
	for _, w := range waiting {
		n += len(w.Paths)
	}
	title := "1 change waits for review: show"
	if n > 1 {
		title = fmt.Sprintf("%d changes wait for review: show", n)
	}
	if len(waiting) > 1 {
		title += fmt.Sprintf(" the first of %d batches", len(waiting))
	}
	first := waiting[0]
	decide := func(verb string) map[string]any {
		more := map[string]any{"batch": first.Batch, "paths": first.Paths, "show": true}
		if sc.server.client.asks { // a lens is clicked by mistake
			more["ask"] = fmt.Sprintf("%s what waits in batch %d about this entry?", verb, first.Batch)
		}
		return more
	}
	out := []lensText{{lensWaiting, title, showReviewCommand, map[string]any{"id": strconv.Itoa(first.Batch)}}}
	if !first.Cut { // what the document of the review does not show whole is not approved by a click
		out = append(out, lensText{lensApprove, "approve", commandPrefix + "approve", decide("Approve")})
	}
	return append(out, lensText{lensReject, "reject", commandPrefix + "reject", decide("Reject")})
}

// oneLens is a lens without its place.
func (sc *scene) oneLens(kind, title, command string, more map[string]any) (protocol.CodeLens, error) {
	data := lensData{URI: sc.uri(sc.path), Kind: kind}
	raw, err := json.Marshal(data)
	if err != nil {
		return protocol.CodeLens{}, err
	}
	argument := map[string]any{"uri": data.URI}
	if command == referencesCommand {
		argument["show"] = true
	}
	maps.Copy(argument, more)
	about, err := json.Marshal(argument)
	return protocol.CodeLens{Data: raw, Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{about}}}, err
}

// resolveCodeLens fills in the title and the command.
func resolveCodeLens(s *server, lens *protocol.CodeLens) (work, error) {
	var data lensData
	if err := itemData("codeLens", lens.Data, &data); err != nil {
		return nil, err
	}
	sc, err := s.scene(data.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		lens.Command = protocol.Command{Title: "As it was"} // nothing to say any more; a refresh takes the lens away
		if sc == nil {
			return lens, nil
		}
		if err := sc.whole(ctx); err != nil {
			return nil, err
		}
		lenses, _ := sc.lens(ctx)
		for _, now := range lenses {
			var of lensData
			if json.Unmarshal(now.Data, &of) == nil && of.Kind == data.Kind {
				lens.Command = now.Command
			}
		}
		return lens, nil
	}, nil
}
