package dream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jsonerr"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Files in `.brv`.
const (
	stateFile  = "state/dream-state.json"
	lookedFile = "state/dream-looked.json"
	lockFile   = "state/dream.lock"
	logDir     = "dream-log"
)

// State is kept between dreams. The number of curations is counted in the journal. It is written here only for other
// programs.
type State struct {
	Version            int            `json:"version"`
	CurationsSinceLast int            `json:"curationsSinceDream"`
	LastDreamAt        *time.Time     `json:"lastDreamAt"`
	LastDreamID        string         `json:"lastDreamLogId,omitempty"`
	TotalDreams        int            `json:"totalDreams"`
	PendingMerges      []PendingMerge `json:"pendingMerges"`     // merges that the last dream suggests to the next one
	Refused            []string       `json:"refused,omitempty"` // keys of operations that a person rejected, the newest last
	// the newest dream that was undone although newer dreams stay
	LastUndone string `json:"lastUndoneLogId,omitempty"`

	file    string // as it is on the disk, "" for none
	damaged error  // why the file cannot be read, with the place, or that another user wrote it: the other fields come from the logs
}

// PendingMerge is a merge that a dream suggests to the next dream.
type PendingMerge struct {
	Source string `json:"sourceFile"`
	Target string `json:"mergeTarget"`
	Reason string `json:"reason"`
}

// maxRefused bounds what is remembered of rejections.
const maxRefused = 1000

// readState reads the state. If the file is missing or invalid, the logs replace it.
func readState(s *store.Store) (State, error) {
	data, err := s.Sidecar.Read(stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return stateOfLogs(s), nil
	}
	if err != nil && !errors.Is(err, store.ErrForeign) {
		return State{}, err
	}
	st := State{file: string(data)}
	wrong := decode(stateFile, data, &st)
	if wrong == nil && err != nil {
		wrong = fmt.Errorf(".brv/%w", err)
	}
	if wrong != nil {
		st = stateOfLogs(s)
		st.damaged = wrong
	}
	return st, nil
}

// stateOfLogs is the state as far as the newest log of a dream that counts tells it: the state before that dream, and
// what the dream brought to it.
func stateOfLogs(s *store.Store) State {
	all, err := ids(s)
	if err != nil {
		return State{}
	}
	for _, id := range all {
		l, err := readLog(s, id)
		if err == nil && !l.stranger && l.Before != nil && (l.Outcome == Completed || l.Outcome == Partial) {
			var before State
			_ = decode(stateFile, []byte(*l.Before), &before) // what cannot be read counts as none
			return before.after(l)
		}
	}
	return State{}
}

// after is the state once a dream has ended.
func (st State) after(l *Log) State {
	st.LastDreamID, st.LastUndone, st.TotalDreams = l.ID, "", st.TotalDreams+1
	st.LastDreamAt, st.CurationsSinceLast = l.Ended, 0
	st.PendingMerges = append(slices.Clone(st.PendingMerges), l.suggested()...)
	return st
}

// soundState is readState for who may write: a damaged file is set aside, and the note says so.
func soundState(s *store.Store) (st State, note string, err error) {
	if st, err = readState(s); err != nil || st.damaged == nil {
		return st, "", err
	}
	aside, err := s.Sidecar.SetAside(stateFile)
	if err != nil {
		return st, "", err
	}
	note = fmt.Sprintf("%s; it was moved to .brv/%s, and dreams continue from their logs", st.damaged, aside)
	if err = writeState(s, st); err == nil {
		st, err = readState(s)
	}
	return st, note, err
}

// decode reads a file of JSON; an error has the place.
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

func writeState(s *store.Store, st State) error {
	st.Version = max(1, st.Version)
	st.PendingMerges = append([]PendingMerge{}, st.PendingMerges...) // a list also where none is pending
	st.Refused = st.Refused[max(0, len(st.Refused)-maxRefused):]
	data, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	return s.Sidecar.Write(stateFile, append(data, '\n'))
}

// since is the time of the last dream's end; zero if there was none, or if the clock was set back since.
func (st State) since(now time.Time) time.Time {
	if st.LastDreamAt == nil || st.LastDreamAt.After(now) {
		return time.Time{}
	}
	return *st.LastDreamAt
}
