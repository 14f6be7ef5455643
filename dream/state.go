package dream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Files in `.brv`.
const (
	stateFile  = "state/dream-state.json"
	legacyFile = "dream-state.json" // where the reference system keeps it; it is read, never written
	lockFile   = "state/dream.lock"
	legacyLock = "dream.lock" // the reference system's: a process number, not a lock of the kernel
	logDir     = "dream-log"
)

// State is what is remembered between dreams (specification, "Dream State"). The counter of
// curations is not kept here but counted in the journal, so that no increment is lost; it is
// filled in when the state is read, and written for programs that read the file.
type State struct {
	Version            int            `json:"version"`
	CurationsSinceLast int            `json:"curationsSinceDream"`
	LastDreamAt        *time.Time     `json:"lastDreamAt"`
	LastDreamID        string         `json:"lastDreamLogId,omitempty"`
	TotalDreams        int            `json:"totalDreams"`
	PendingMerges      []PendingMerge `json:"pendingMerges"`
	Refused            []string       `json:"refused,omitempty"` // keys of steps that a person rejected, newest last
}

// PendingMerge is a merge that a prune suggested, for the next dream.
type PendingMerge struct {
	Source string `json:"sourceFile"`
	Target string `json:"mergeTarget"`
	Reason string `json:"reason"`
	By     string `json:"suggestedByDreamId"`
}

// maxRefused bounds what is remembered of rejections.
const maxRefused = 1000

// readState reads the state, one of version 0 where there is none. One that cannot be
// read is an error: it says what was decided.
func readState(s *tree.Store) (State, error) {
	for _, name := range []string{stateFile, legacyFile} {
		data, err := s.ReadBeside(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return State{}, err
		}
		var st State
		if err := json.Unmarshal(data, &st); err != nil {
			return State{}, fmt.Errorf(".brv/%s: %w; mend or remove it", name, err)
		}
		return st, nil
	}
	return State{}, nil
}

func writeState(s *tree.Store, st State) error {
	st.Version = 1
	if st.PendingMerges == nil {
		st.PendingMerges = []PendingMerge{}
	}
	st.Refused = st.Refused[max(0, len(st.Refused)-maxRefused):]
	data, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	return s.WriteBeside(stateFile, append(data, '\n'))
}

// since is when the last dream ended, zero for never.
func (st State) since() time.Time {
	if st.LastDreamAt == nil {
		return time.Time{}
	}
	return *st.LastDreamAt
}
