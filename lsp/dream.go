package lsp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// phases are those of a dream; each is a third of the bar.
var phases = []string{string(dream.Consolidate), string(dream.Synthesize), string(dream.Prune)}

// dreaming tells how far a dream is.
func (p *progress) dreaming(phase string, done, total int) {
	message, part := phase, 0
	if total > 0 {
		message, part = fmt.Sprintf("%s: %d of %d", phase, min(done+1, total), total), 100*done/total
	}
	p.tell(message, uint32((100*max(0, slices.Index(phases, phase))+part)/len(phases)))
}

// showDream says what a dream did, and offers what waits of it for a review.
func (sc *scene) showDream(ctx context.Context, r *workspace.DreamResponse) {
	s := sc.server
	text, waits := dreamText(r)
	if waits == 0 || !s.client.content || !s.client.showDocument {
		s.tell(ctx, protocol.MessageTypeInfo, text)
		return
	}
	s.spawn("what a dream did", func() error { // the answer to the command does not wait for it
		yes, err := s.ask(s.ctx, text, "Show reviews")
		if yes {
			s.showContent(s.ctx, sc.reviewURI(strconv.Itoa(waits)))
		}
		return err
	})
}

// dreamText says in words what a dream did, with the next step, and names the first batch that
// waits, 0 for none.
func dreamText(r *workspace.DreamResponse) (text string, waits int) {
	if r.Skipped != nil {
		return r.Skipped.Error() + ".", 0
	}
	sum := r.Summary
	partly := ""
	if sum.Stays > 0 {
		partly = " in part"
	}
	lines := []string{fmt.Sprintf("Dream %s%s: %d consolidated, %d synthesized, %d pruned.", r.Outcome, partly, sum.Consolidated, sum.Synthesized, sum.Pruned)}
	if at := slices.IndexFunc(r.Steps, func(s dream.Step) bool { return s.Status == dream.Waits }); at >= 0 && r.Outcome != dream.Undone {
		waits = r.Steps[at].Batch
		if sum.Flagged == 1 {
			lines = append(lines, "1 operation waits for a review: `brv-lsp review`.")
		} else {
			lines = append(lines, fmt.Sprintf("%d operations wait for a review: `brv-lsp review`.", sum.Flagged))
		}
	}
	for _, s := range r.Stays() {
		lines = append(lines, oneLine(s.String())+".")
	}
	if sum.Stays > 0 {
		lines = append(lines, "Once that is as the dream left it, `brv-lsp dream --undo` takes it back too.")
	}
	for _, n := range r.Notes {
		lines = append(lines, oneLine(n))
	}
	return briefly(strings.Join(lines, "\n")), waits
}
