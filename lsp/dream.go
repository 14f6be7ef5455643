package lsp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// phases are the phases of a dream; each is a third of the bar.
var phases = []string{string(dream.Consolidate), string(dream.Synthesize), string(dream.Prune)}

// dreaming shows the progress of a dream.
func dreaming(p *client.Progress) func(phase string, done, total int) {
	return func(phase string, done, total int) {
		message, part := phase, 0
		if total > 0 {
			message, part = fmt.Sprintf("%s: %d of %d", phase, min(done+1, total), total), 100*done/total
		}
		p.Tell(message, uint32((100*max(0, slices.Index(phases, phase))+part)/len(phases)))
	}
}

// showDream shows the result of a dream, and offers its waiting changes for a review.
func (sc *scene) showDream(ctx context.Context, r *upkeep.DreamResponse) {
	s := sc.server
	text, waits := dreamText(r)
	if waits == 0 || !s.Client.Content || !s.Client.ShowDocument {
		s.Client.Tell(ctx, protocol.MessageTypeInfo, text)
		return
	}
	s.Client.Spawn("what a dream did", func() error { // the answer to the command does not wait for it
		yes, err := s.Client.Ask(s.Client.Ctx, text, "Show reviews")
		if yes {
			s.Client.OpenContent(s.Client.Ctx, sc.contentURI(reviewHost, strconv.Itoa(waits)+".md"))
		}
		return err
	})
}

// dreamText describes the result of a dream, with the next step, and returns the first batch that waits, 0
// for none.
func dreamText(r *upkeep.DreamResponse) (text string, waits int) {
	if r.Skipped != nil {
		return r.Skipped.Error() + ".", 0
	}
	lines := []string{strings.TrimSpace(r.String())}
	if at := slices.IndexFunc(r.Steps, func(s dream.Step) bool { return s.Status == dream.Waits }); at >= 0 && r.Outcome != dream.Undone {
		waits = r.Steps[at].Batch
	}
	for _, s := range r.Stays() {
		lines = append(lines, markup.OneLine(s.String())+".")
	}
	if r.Summary.Stays > 0 {
		lines = append(lines, "To undo the rest too, restore the text that the listed files had after the dream, and undo the dream again.")
	}
	for _, n := range r.Notes {
		lines = append(lines, markup.OneLine(n))
	}
	return markup.Brief(strings.Join(lines, "\n")), waits
}

// dreamIdle runs a dream in each folder, one after the other.
func (s *server) dreamIdle(ctx context.Context) {
	for _, f := range s.Folders.All() {
		s.dreamFolder(ctx, f)
	}
}

// dreamFolder runs a dream in a folder, if the user's settings and trust allow automatic dreams, and the
// gates do.
func (s *server) dreamFolder(ctx context.Context, f *state.Folder) {
	now, ws := f.Settings.Load(), f.Current()
	if now == nil || !now.Dream.Auto || ws == nil || !ws.HasTree() || ctx.Err() != nil {
		return
	}
	if trusted, _ := ws.Trusted(); !trusted {
		return
	}
	const title = "Maintaining the context tree"
	s.Refresh.Work(1, title)
	defer s.Refresh.Work(-1, "")
	p := s.Client.StartProgress(title, nil, nil)
	defer p.End()
	r, err := upkeep.Dream(ctx, ws, upkeep.DreamRequest{Trigger: upkeep.DreamIdle, Progress: dreaming(p)})
	switch {
	case err != nil:
		s.Client.Log.Warn("dream", "folder", f.Spelled, "err", err)
	case r.Skipped != nil:
		s.Client.Log.Debug("dream", "folder", f.Spelled, "skipped", r.Skipped.Reason)
	default:
		s.Client.Log.Info("dream", "folder", f.Spelled, "id", r.ID, "status", r.Outcome)
		s.diagnostics.DiskChanged()
		if len(r.Steps) > 0 {
			s.sceneOf(f).showDream(s.Client.Ctx, r)
		}
	}
}
