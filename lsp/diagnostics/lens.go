package diagnostics

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// Lenses lists the lenses of the scene's document, and all their titles and commands as one text, "" for
// none.
func Lenses(ctx context.Context, sc *state.Scene) (lenses []protocol.CodeLens, told string) {
	set := sc.Settings().CodeLens
	m, ok := sc.Current()
	if !ok {
		return nil, ""
	}
	var titles []string
	add := func(title, command string, at markdown.Span, more map[string]any) {
		if title == "" {
			return
		}
		line := m.Position(at.Start).Line
		lens, err := oneLens(sc, title, command, more)
		if err != nil {
			sc.Session.Client.Log.Warn("lens", "err", err)
			return
		}
		lens.Range = protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line}}
		lenses, titles = append(lenses, lens), append(titles, title)
	}
	entry, isEntry := sc.View.EntryPath(sc.Path)
	if isEntry && set.Entries {
		if line, at, ok := describe.Summary(sc.View, entry); ok {
			add(line, render.ReferencesCommand, at, nil)
		}
		if waiting, at := curation.PendingOn(sc.View, entry); len(waiting) > 0 {
			for _, l := range decisions(sc, waiting) {
				add(l.title, l.command, at, l.more)
			}
		}
		found, _ := drift.Soon(ctx, sc.View, entry)
		title, at := drift.Summary(sc.View, entry, found)
		add(title, render.ReviewCommand, at, nil)
	}
	if !isEntry && set.Code {
		for _, n := range describe.Named(ctx, sc.View, sc.Path) {
			var more map[string]any
			if n.Symbol != "" {
				more = map[string]any{"position": m.Position(n.At.Start)}
			}
			add(n.Title, render.ReferencesCommand, n.At, more)
		}
	}
	return lenses, strings.Join(titles, "\n")
}

// lensText returns the text and the command of a lens; more is part of the command's argument.
type lensText struct {
	title, command string
	more           map[string]any
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
			more["ask"] = fmt.Sprintf("%s the waiting change to this entry in batch %d?", verb, first.Batch)
		}
		return more
	}
	out := []lensText{{title, render.ShowReviewCommand, map[string]any{"id": strconv.Itoa(first.Batch)}}}
	if !first.Cut { // a click does not approve operations that the document of the review does not show in full
		out = append(out, lensText{"approve", render.CommandPrefix + "approve", decide("Approve")})
	}
	return append(out, lensText{"reject", render.CommandPrefix + "reject", decide("Reject")})
}

// oneLens is a lens without its place.
func oneLens(sc *state.Scene, title, command string, more map[string]any) (protocol.CodeLens, error) {
	argument := map[string]any{"uri": sc.URI(sc.Path)}
	if command == render.ReferencesCommand {
		argument["show"] = true
	}
	maps.Copy(argument, more)
	about, err := json.Marshal(argument)
	return protocol.CodeLens{Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{about}}}, err
}
