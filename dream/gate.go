package dream

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
)

// What must be so before a dream runs (specification, "When Dreaming Triggers").
const (
	restHours    = 12 // since the last dream
	enoughToDo   = 3  // curations since then
	foreignAfter = 30 * time.Minute
)

// Skipped says why a dream did not run. It is no fault.
type Skipped struct {
	Gate   string `json:"gate"` // time, activity, queue or lock
	Reason string `json:"reason"`
}

// Error is the line that the specification shows.
func (s *Skipped) Error() string { return "Dream skipped: " + s.Reason }

// author is how the journal names a dream.
func author(id string) string { return "dream " + id }

// dreamOf is the dream that made a change, "" if none did.
func dreamOf(l tree.Logged) string {
	if id, ok := strings.CutPrefix(l.Author, "dream "); ok && isID(id) {
		return id
	}
	return ""
}

// curations counts the changes of entries since a moment that were no dream's.
func curations(s *tree.Store, since time.Time) (n int, err error) {
	log, err := s.Log(0)
	if err != nil {
		return 0, err
	}
	dreams := map[int]bool{}
	for _, l := range log {
		dreams[l.ID] = dreamOf(l) != ""
	}
	for _, l := range log { // newest first
		if !l.Time.After(since) {
			break
		}
		if !dreams[l.ID] && !dreams[l.Of] && len(l.Files) > 0 && (l.Action == "apply" || l.Action == "approve") {
			n++
		}
	}
	return n, nil
}

// gates checks time, activity and queue; nil if a dream may run.
func gates(s *tree.Store, st State, now time.Time, queue func() string) (*Skipped, error) {
	if st.LastDreamAt != nil {
		since := now.Sub(*st.LastDreamAt)
		if since >= 0 && since < restHours*time.Hour { // of a clock that ran backwards nothing is known
			return &Skipped{"time", fmt.Sprintf("Too recent (%.1fh < %dh)", since.Hours(), restHours)}, nil
		}
	}
	n, err := curations(s, st.since())
	if err != nil {
		return nil, err
	}
	if n < enoughToDo {
		return &Skipped{"activity", fmt.Sprintf("Not enough activity (%d < %d curations)", n, enoughToDo)}, nil
	}
	if queue != nil {
		if what := queue(); what != "" {
			return &Skipped{"queue", "Queue not empty (" + what + ")"}, nil
		}
	}
	if s.Busy() {
		return &Skipped{"queue", "Queue not empty (somebody is changing the tree)"}, nil
	}
	return nil, nil
}

// lock takes the dreams' lock, the kernel's: it ends with its holder. A lock file of the
// reference system counts for half an hour.
func lock(s *tree.Store, now time.Time) (unlock func(), err error) {
	if data, err := s.ReadBeside(legacyLock); err == nil {
		var held struct {
			PID        int       `json:"pid"`
			AcquiredAt time.Time `json:"acquiredAt"`
		}
		if json.Unmarshal(data, &held) == nil && now.Sub(held.AcquiredAt) < foreignAfter && held.AcquiredAt.Before(now.Add(foreignAfter)) {
			return nil, &Skipped{"lock", fmt.Sprintf("Another program is dreaming here (process %d, .brv/%s)", held.PID, legacyLock)}
		}
	}
	unlock, err = s.LockBeside(lockFile)
	if errors.Is(err, jail.ErrLocked) {
		who := ""
		if data, err := s.ReadBeside(lockFile); err == nil {
			if pid, _, _, ok := jail.Holder(data); ok {
				who = " (process " + pid + ")"
			}
		}
		return nil, &Skipped{"lock", "Another dream is running" + who}
	}
	return unlock, err
}
