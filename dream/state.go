package dream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Files in `.brv`.
const (
	stateFile  = "state/dream-state.json"
	legacyFile = "dream-state.json" // where the reference system keeps it; it is read, never written
	lookedFile = "state/dream-looked.json"
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
		if err := decode(name, data, &st); err != nil {
			return State{}, fmt.Errorf("%w; mend or remove it", err)
		}
		return st, nil
	}
	return State{}, nil
}

// decode reads a file of JSON; an error names the place.
func decode(name string, data []byte, to any) error {
	err := json.Unmarshal(data, to)
	if err == nil {
		return nil
	}
	at := int64(len(data))
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &syntax) {
		at = syntax.Offset
	} else if errors.As(err, &wrong) {
		at = wrong.Offset
	}
	return fmt.Errorf(".brv/%s:%d: %s", name, 1+bytes.Count(data[:min(at, int64(len(data)))], []byte("\n")), jsonerr.Text(err))
}

// savedState is the file of the state, byte for byte; "" if there is none.
func savedState(s *tree.Store) (string, error) {
	data, err := s.ReadBeside(stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
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

// since is when the last dream ended, zero for never, and where the clock was set back since:
// nothing is known then.
func (st State) since(now time.Time) time.Time {
	if st.LastDreamAt == nil || st.LastDreamAt.After(now) {
		return time.Time{}
	}
	return *st.LastDreamAt
}
