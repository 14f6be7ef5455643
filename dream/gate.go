package dream

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// The conditions for a dream (specification, "When Dreaming Triggers").
const (
	restHours  = 12 // since the last dream
	enoughToDo = 3  // curations since then
)

// Skipped says why a dream did not run. This is not an error.
type Skipped struct {
	Gate   string `json:"gate"` // the condition that was not met: time, activity, queue or lock
	Reason string `json:"reason"`
}

// Error is the line that the specification shows.
func (s *Skipped) Error() string { return "Dream skipped: " + s.Reason }

// author is the author of a dream in the journal.
func author(id string) string { return "dream " + id }

// dreamOf is the dream that made a change, "" if none did. A change of an agent that uses a dream's name does
// not count.
func dreamOf(l store.Logged) string {
	if id, ok := strings.CutPrefix(l.Author, "dream "); ok && isID(id) && l.Origin.Kind != format.OriginAgent {
		return id
	}
	return ""
}

// activity counts the changes of entries by others than dreams, since the last dream or since the latest undo
// of one. The undo is included so that the same changes are not made again unasked.
func activity(s *store.Store, st State, now time.Time) (n int, err error) {
	log, err := s.Log(0)
	since := st.since(now)
	dreams := map[int]bool{}
	for _, l := range log {
		if dreams[l.ID] = dreamOf(l) != ""; dreams[l.ID] && l.Of != 0 && l.Time.After(since) && !l.Time.After(now) {
			since = l.Time
		}
	}
	for _, l := range log { // in the order of the log: clocks may differ from it
		if l.Time.After(since) && !dreams[l.ID] && !dreams[l.Of] && len(l.Files) > 0 && (l.Action == "apply" || l.Action == "approve") {
			n++
		}
	}
	return n, err
}

// gates checks time, activity (as counted) and queue; nil if a dream may run.
func gates(s *store.Store, st State, now time.Time, curations int, queue func() string) *Skipped {
	if st.LastDreamAt != nil {
		since := now.Sub(*st.LastDreamAt)
		if since >= 0 && since < restHours*time.Hour { // if the clock ran backwards, the time is unknown
			return &Skipped{"time", fmt.Sprintf("The last dream was %.1f hours ago (at least %d hours must pass)",
				since.Hours(), restHours)}
		}
	}
	if curations < enoughToDo {
		return &Skipped{"activity", fmt.Sprintf("Not enough changes since the last dream (%d of %d)", curations, enoughToDo)}
	}
	if queue != nil {
		if what := queue(); what != "" {
			return &Skipped{"queue", "The tree is in use (" + what + ")"}
		}
	}
	if s.Busy() {
		return &Skipped{"queue", "The tree is in use (somebody is changing it)"}
	}
	return nil
}

// lock takes the dreams' lock, the kernel's: it ends with its holder.
func lock(s *store.Store) (unlock func(), err error) {
	unlock, err = s.Sidecar.Lock(lockFile)
	if errors.Is(err, jail.ErrLocked) {
		who := ""
		if data, err := s.Sidecar.Read(lockFile); err == nil {
			if pid, _, _, ok := jail.Holder(data); ok {
				who = " (process " + pid + ")"
			}
		}
		return nil, &Skipped{"lock", "Another dream is running" + who}
	}
	return unlock, err
}

// Cancel ends a dream after its present step; the finished steps stay. It returns an error for a dream of an
// editor's server, which can be cancelled in the progress bar there.
func Cancel(s *store.Store, id string) error {
	running, err := Running(s)
	if err != nil {
		return err
	}
	if running == "" || running != id {
		return fmt.Errorf("%s is not running; `brv-lsp dream --list` shows the running dream", id)
	}
	l, err := readLog(s, id)
	if err != nil {
		return err
	}
	if l.Trigger != Typed {
		return fmt.Errorf("%s runs in an editor; cancel it there, in its progress bar", id)
	}
	data, err := s.Sidecar.Read(lockFile)
	if err != nil {
		return err
	}
	return jail.Interrupt(data)
}

// Readiness is the state of dreaming in a folder, with the reason why no dream would run now.
type Readiness struct {
	State   State    `json:"state"`
	Skipped *Skipped `json:"skipped,omitempty"` // why no dream would run now
	Running string   `json:"running,omitempty"` // the dream that runs now
	// why the state file cannot be read, with the place; the logs replace it, and the next dream renames the file
	Damaged string `json:"damaged,omitempty"`
}

// Ready reports whether a dream would run now.
func Ready(s *store.Store, now time.Time, queue func() string) (out Readiness, err error) {
	if out.State, err = readState(s); err != nil {
		return out, err
	}
	if out.State.damaged != nil {
		out.Damaged = out.State.damaged.Error()
	}
	if out.State.CurationsSinceLast, err = activity(s, out.State, now); err != nil {
		return out, err
	}
	if out.Running, err = Running(s); err != nil {
		return out, err
	}
	out.Skipped = gates(s, out.State, now, out.State.CurationsSinceLast, queue)
	return out, nil
}

// Running is the dream that is running, "" if none is.
func Running(s *store.Store) (string, error) {
	all, err := ids(s)
	for _, id := range all {
		if l, err := readLog(s, id); err != nil || l.Outcome != Processing || l.stranger {
			continue
		}
		var held *Skipped
		unlock, err := lock(s)
		if errors.As(err, &held) {
			return id, nil
		}
		if err == nil {
			unlock()
		}
		return "", err // it was killed
	}
	return "", err
}
