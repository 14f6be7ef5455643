package dream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/store"
)

// ErrCancelled ends a dream that somebody asked to stop.
var ErrCancelled = errors.New("cancelled")

// cancelPoll is how often a dream looks whether somebody asked it to stop: half of what
// people notice.
const cancelPoll = 50 * time.Millisecond

// cancelFile asks a dream to stop.
func cancelFile(id string) string { return "state/dream-cancel-" + id }

// Cancel asks a running dream to stop; it ends with its present step.
func Cancel(s *store.Store, id string) error {
	l, err := readLog(s, id)
	if err != nil {
		return err
	}
	unlock, err := lock(s)
	if err == nil {
		unlock()
	}
	if l.Outcome != Processing || err == nil {
		return fmt.Errorf("%s is not running", id)
	}
	return s.Sidecar.Write(cancelFile(id), []byte(id+"\n"))
}

// watchCancel ends ctx when somebody asks the dream to stop.
func watchCancel(ctx context.Context, s *store.Store, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(cancelPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if _, err := s.Sidecar.Read(cancelFile(id)); err == nil {
					cancel(ErrCancelled)
					return
				}
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		_ = s.Sidecar.Remove(cancelFile(id)) // a leftover names a dream that is no more
	}
}
