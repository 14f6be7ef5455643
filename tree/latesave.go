package tree

import (
	"fmt"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// StateDir is the folder inside `.brv` for what is kept beside the entries.
const StateDir = "state"

// WithLate returns the snapshot with other late saves.
func (s *Snapshot) WithLate(late []LateSave) *Snapshot {
	n := *s
	n.late = late
	return &n
}

// LateSave is a text that a program wrote into an entry's file as that was replaced, or afterwards, so that
// it is not in the entry.
type LateSave struct {
	Name string    `json:"name"` // of its file in `.brv/state/saved`
	Path string    `json:"path"` // tree path of the entry
	Of   int       `json:"of"`   // the change that replaced the file
	Time time.Time `json:"time"` // when it was written
	Size int       `json:"size"` // in bytes
}

// LateSaves lists the texts that were written into entries' files too late, as of the last refresh.
func (s *Snapshot) LateSaves() []LateSave { return s.late }

// Problem is a late save as a problem of its entry.
func (l LateSave) Problem() format.Problem {
	return format.Problem{Code: format.CodeLateSave, Severity: format.SeverityWarning, Message: fmt.Sprintf(
		"another program saved this file as change %d replaced it: what it wrote is not here but in .brv/%s/saved/%s;"+
			" `brv-lsp saved --take %s` puts it here, --drop removes it",
		l.Of, StateDir, l.Name, l.Name)}
}

// lateProblems are the late saves of an entry.
func (s *Snapshot) lateProblems(p string) (out []format.Problem) {
	for _, l := range s.late {
		if l.Path == p {
			out = append(out, l.Problem())
		}
	}
	return out
}
