package dream

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Outcome is how a dream ended (specification, "Dream Logs").
type Outcome string

// How a dream ends.
const (
	Processing Outcome = "processing" // it runs, or was killed
	Completed  Outcome = "completed"
	Partial    Outcome = "partial" // some steps were done before a limit, an error or a cancellation
	Errored    Outcome = "error"   // nothing was done
	Undone     Outcome = "undone"
	Imagined   Outcome = "planned"    // a dry run
	Unreadable Outcome = "unreadable" // for a log whose file is damaged; never written
	Killed     Outcome = "killed"     // for a dream that did not end although none is running; the next dream, or its undo, ends it
)

// Summary counts what a dream did.
type Summary struct {
	Consolidated int `json:"consolidated"`
	Synthesized  int `json:"synthesized"`
	Pruned       int `json:"pruned"`
	Flagged      int `json:"flaggedForReview"`
	Errors       int `json:"errors"`
	Stays        int `json:"stays,omitempty"` // of a dream that was undone: operations that could not be undone
}

// String counts the operations, for people.
func (s Summary) String() string {
	return fmt.Sprintf("%d merged or linked, %d new, %d to archive", s.Consolidated, s.Synthesized, s.Pruned)
}

// Log is the record of one dream, `.brv/dream-log/drm-<milliseconds>.json`.
type Log struct {
	ID      string     `json:"id"`
	Started time.Time  `json:"startedAt"`
	Ended   *time.Time `json:"completedAt,omitempty"`
	Outcome Outcome    `json:"status"`
	Trigger string     `json:"trigger"` // `cli`; `manual`: in an editor; `agent-idle`: by a server while nobody was active
	Model   string     `json:"model,omitempty"`
	Usage   *llm.Usage `json:"usage,omitempty"` // tokens of all requests to the model; missing if there were none
	// the operations; while the dream runs, also those of its present phase that are not done yet
	Steps   []Step   `json:"operations"`
	Summary Summary  `json:"summary"`
	Notes   []string `json:"notes,omitempty"`
	// the text of the state file before the dream, which undo restores; "" if there was none. A log that brv-lsp made
	// again has no such key
	Before *string `json:"stateBefore,omitempty"`

	stranger bool // the file is not one that this user wrote in this folder
}

// keptLogs is how many logs stay, as in the reference system.
const keptLogs = 50

func logFile(id string) string { return logDir + "/" + id + ".json" }

// newID is the id of a dream that begins now; it is unique.
func newID(now time.Time, taken func(id string) bool) string {
	for ms := now.UnixMilli(); ; ms++ {
		if id := fmt.Sprintf("drm-%d", ms); !taken(id) {
			return id
		}
	}
}

// isID reports whether a name is the id of a dream.
func isID(id string) bool {
	ms, ok := strings.CutPrefix(id, "drm-")
	n, err := strconv.ParseInt(ms, 10, 64)
	return ok && err == nil && n >= 0 && strconv.FormatInt(n, 10) == ms
}

func writeLog(s *store.Store, l *Log) error {
	l.sum()
	if l.Steps == nil {
		l.Steps = []Step{}
	}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return s.Sidecar.Write(logFile(l.ID), append(data, '\n'))
}

// readLog reads one log.
func readLog(s *store.Store, id string) (*Log, error) {
	data, err := s.Sidecar.Read(logFile(id))
	stranger := errors.Is(err, store.ErrForeign)
	if err != nil && !stranger {
		return nil, err
	}
	var l Log
	if err := decode(logFile(id), data, &l); err != nil {
		return nil, err
	}
	l.ID, l.stranger = id, stranger
	return &l, nil
}

// ids are the dreams that have a log, the newest first.
func ids(s *store.Store) ([]string, error) {
	names, err := s.Sidecar.List(logDir)
	var out []string
	for _, n := range names {
		if id := strings.TrimSuffix(n, ".json"); isID(id) && logFile(id) == logDir+"/"+n {
			out = append(out, id)
		}
	}
	sortIDs(out)
	return out, err
}

// sortIDs brings the newest dream to the front.
func sortIDs(all []string) {
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(startOf(b), startOf(a)) })
}

// startOf is the number of an id.
func startOf(id string) int64 {
	n, _ := strconv.ParseInt(strings.TrimPrefix(id, "drm-"), 10, 64) // an id is one
	return n
}

// suggested lists the merges that a dream suggests to the next one, without those that were taken back.
func (l *Log) suggested() (out []PendingMerge) {
	for _, s := range l.Steps {
		if s.Action == MergeInto && s.Undo == "" {
			out = append(out, PendingMerge{s.Inputs[0], s.Output, s.Reason})
		}
	}
	return out
}

// sum counts the steps.
func (l *Log) sum() {
	l.Summary = Summary{}
	for _, s := range l.Steps {
		if s.Undo == Stayed {
			l.Summary.Stays++
		}
		switch {
		case s.open():
			continue
		case s.Status == Failed:
			l.Summary.Errors++
			continue
		case s.Status == Waits, s.Status == Done && s.Review:
			l.Summary.Flagged++
		}
		switch s.Phase {
		case Consolidate:
			l.Summary.Consolidated++
		case Synthesize:
			l.Summary.Synthesized++
		case Prune:
			if s.Action != Keep {
				l.Summary.Pruned++
			}
		}
	}
}

// String is the report for people (specification, "Dream Logs").
func (l *Log) String() string {
	var b strings.Builder
	partly := ""
	if l.Summary.Stays > 0 {
		partly = " in part"
	}
	fmt.Fprintf(&b, "Dream %s%s (%s)\n%s\n%s", l.Outcome, partly, l.ID, l.Summary, l.Spent())
	switch flagged := l.Summary.Flagged; {
	case flagged == 0 || l.Outcome == Undone: // nothing waits any more
	case flagged == 1:
		b.WriteString("1 operation waits for your review\n")
	default:
		fmt.Fprintf(&b, "%d operations wait for your review\n", flagged)
	}
	return b.String()
}

// Spent is a line with the model that was asked and the tokens used, "" for none.
func (l *Log) Spent() string {
	if l.Usage == nil {
		return ""
	}
	return fmt.Sprintf("%s was asked: %d tokens in, %d out\n", l.Model, l.Usage.Input, l.Usage.Output)
}

// pruneLogs removes our own oldest logs beyond the limit. The journal still has the changes of their dreams.
func pruneLogs(s *store.Store) error {
	all, err := ids(s)
	for _, id := range all[min(len(all), keptLogs):] {
		if l, err := readLog(s, id); err != nil || l.stranger {
			continue
		}
		if err := s.Sidecar.Remove(logFile(id)); err != nil {
			return err
		}
	}
	return err
}

// List returns the dreams that have a log, the newest first, at most limit (0: all). A dream whose log cannot
// be read is [Unreadable], with the place as its note, and one that neither runs nor has ended is [Killed].
// Logs that this user did not write in this folder are skipped.
func List(s *store.Store, limit int) ([]Log, error) {
	all, err := ids(s)
	if err != nil {
		return nil, err
	}
	running, err := Running(s)
	out := []Log{}
	for _, id := range all {
		if limit > 0 && len(out) == limit {
			break
		}
		l, err := readLog(s, id)
		if err != nil {
			l = &Log{ID: id, Started: time.UnixMilli(startOf(id)).UTC(), Outcome: Unreadable, Notes: []string{err.Error()}}
		}
		if l.Outcome == Processing && id != running {
			l.Outcome = Killed
		}
		if !l.stranger {
			out = append(out, *l)
		}
	}
	return out, err
}

// settle ends the logs of dreams that were killed: the journal has their changes. The lock is held.
func settle(s *store.Store) error {
	all, err := ids(s)
	if err != nil {
		return err
	}
	for _, id := range all {
		l, err := readLog(s, id)
		if err != nil || l.Outcome != Processing || l.stranger {
			continue
		}
		if err := l.recover(s); err != nil {
			return err
		}
		l.Notes = append(l.Notes, "the dream was killed; its changes are in the journal")
		if err := writeLog(s, l); err != nil {
			return err
		}
	}
	return nil
}

// recover fills in the results of an interrupted dream's steps from the journal. Steps that were not begun
// are dropped.
func (l *Log) recover(s *store.Store) error {
	log, err := s.Log(0)
	if err != nil {
		return err
	}
	waiting, err := s.Reviews.Waiting()
	if err != nil {
		return err
	}
	for _, c := range slices.Backward(log) {
		if dreamOf(c) != l.ID || c.Action != "apply" || slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Batch == c.ID }) {
			continue
		}
		st := l.stepOf(c)
		st.Batch, st.Status, st.Message = c.ID, Done, ""
		if slices.Contains(waiting, c.ID) {
			st.Status, st.Review = Waits, true
		}
	}
	l.Steps = slices.DeleteFunc(l.Steps, Step.open)
	l.Outcome = Errored
	if slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Status != Failed }) {
		l.Outcome = Partial
	}
	return nil
}

// stepOf is the step that a change of the journal was: one of which no batch is known, else one that
// the journal tells of.
func (l *Log) stepOf(c store.Logged) *Step {
	about := append(slices.Clone(c.Files), c.About...)
	for _, is := range []func(s Step) bool{
		func(s Step) bool { return slices.Contains(c.Reasons, s.text()) },
		func(s Step) bool { return slices.Contains(about, s.Output) }, // a reason is redacted
	} {
		if i := slices.IndexFunc(l.Steps, func(s Step) bool { return s.Batch == 0 && s.Action != MergeInto && is(s) }); i >= 0 {
			return &l.Steps[i]
		}
	}
	st := Step{Phase: Consolidate, Inputs: about, Reason: strings.Join(c.Reasons, "; ")}
	for _, p := range []Phase{Consolidate, Synthesize, Prune} {
		if rest, ok := strings.CutPrefix(st.Reason, "[dream/"+string(p)+"] "); ok {
			st.Phase, st.Reason = p, rest
		}
	}
	l.Steps = append(l.Steps, st)
	return &l.Steps[len(l.Steps)-1]
}
