package diagnostics

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// The lenses that a file can have.
const (
	lensDrift    = "drift"    // over an entry's title: how much of what it names is not as it was
	lensStanding = "standing" // over an entry's title: who relates to it, what it is worth
	lensWaiting  = "waiting"  // over an entry's title: how many changes wait for a review, and to look at the first
	lensApprove  = "approve"  // behind it
	lensReject   = "reject"
	lensNamed    = "named" // over a code file: how many entries name it; with a symbol behind it over that
)

// LensData travels with a lens through the client.
type LensData struct {
	URI  uri.URI `json:"uri"`
	Kind string  `json:"kind"`
}

// Lenses lists the lenses of the scene's document, and all their titles and commands as one text, "" for
// none.
func Lenses(ctx context.Context, sc *state.Scene) (lenses []protocol.CodeLens, told string) {
	set := sc.Settings().CodeLens
	m, ok := sc.Current()
	if !ok {
		return nil, ""
	}
	var titles []string
	add := func(kind, title, command string, at markdown.Span, more map[string]any) {
		if title == "" {
			return
		}
		line := m.Position(at.Start).Line
		lens, err := oneLens(sc, kind, title, command, more)
		if err != nil {
			sc.Session.Client.Log.Warn("lens", "kind", kind, "err", err)
			return
		}
		lens.Range = protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line}}
		lenses, titles = append(lenses, lens), append(titles, title)
	}
	entry, isEntry := sc.View.EntryPath(sc.Path)
	if isEntry && set.Entries {
		if line, at, ok := describe.Summary(sc.View, entry); ok {
			add(lensStanding, line, render.ReferencesCommand, at, nil)
		}
		if waiting, at := curation.PendingOn(sc.View, entry); len(waiting) > 0 {
			for _, l := range decisions(sc, waiting) {
				add(l.kind, l.title, l.command, at, l.more)
			}
		}
		found, _ := drift.Soon(ctx, sc.View, entry)
		title, at := drift.Summary(sc.View, entry, found)
		add(lensDrift, title, render.ReviewCommand, at, nil)
	}
	if !isEntry && set.Code {
		for _, n := range describe.Named(ctx, sc.View, sc.Path) {
			if n.Symbol == "" {
				add(lensNamed, n.Title, render.ReferencesCommand, n.At, nil)
			} else {
				add(lensNamed+":"+n.Symbol, n.Title, render.ReferencesCommand, n.At, map[string]any{"position": m.Position(n.At.Start)})
			}
		}
	}
	return lenses, strings.Join(titles, "\n")
}

// lensText returns the text and the command of a lens; more is part of the command's argument.
type lensText struct {
	kind, title, command string
	more                 map[string]any
}

// decisions are the lenses for deciding on waiting operations about an entry: on the oldest batch, since the
// next may depend on it.
func decisions(sc *state.Scene, waiting []curation.Pending) []lensText {
	held, done := 0, 0
	for _, w := range waiting {
		held, done = held+w.Held, done+len(w.Paths)-w.Held
	}
	var counts []string
	if held > 0 {
		counts = append(counts, words.Counted(held, "change waits", "changes wait")+" for review")
	}
	if done > 0 {
		counts = append(counts, words.Counted(done, "change is", "changes are")+" done already")
	}
	title := strings.Join(counts, ", ") + ": show"
	if len(waiting) > 1 {
		title += fmt.Sprintf(" (first of %d batches)", len(waiting))
	}
	first := waiting[0]
	decide := func(verb string) map[string]any {
		more := map[string]any{"batch": first.Batch, "paths": first.Paths, "show": true}
		if sc.Session.Client.Asks { // a lens is clicked by mistake
			more["ask"] = fmt.Sprintf("%s the change of this entry that waits in batch %d?", verb, first.Batch)
		}
		return more
	}
	out := []lensText{{lensWaiting, title, render.ShowReviewCommand, map[string]any{"id": strconv.Itoa(first.Batch)}}}
	if !first.Cut { // a click does not approve operations that the document of the review does not show in full
		out = append(out, lensText{lensApprove, "approve", render.CommandPrefix + "approve", decide("Approve")})
	}
	return append(out, lensText{lensReject, "reject", render.CommandPrefix + "reject", decide("Reject")})
}

// oneLens is a lens without its place.
func oneLens(sc *state.Scene, kind, title, command string, more map[string]any) (protocol.CodeLens, error) {
	data := LensData{URI: sc.URI(sc.Path), Kind: kind}
	raw, err := json.Marshal(data)
	if err != nil {
		return protocol.CodeLens{}, err
	}
	argument := map[string]any{"uri": data.URI}
	if command == render.ReferencesCommand {
		argument["show"] = true
	}
	maps.Copy(argument, more)
	about, err := json.Marshal(argument)
	return protocol.CodeLens{Data: raw, Command: protocol.Command{Title: title, Command: command,
		Arguments: []protocol.LSPAny{about}}}, err
}
