package tree

import (
	"fmt"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// StateDir is the folder inside `.brv` for what is kept beside the entries.
const StateDir = "state"

// LateSave is a text that another program wrote into an entry's file while or after that was replaced, so
// that the entry does not contain it.
type LateSave struct {
	Name string    `json:"name"` // of its file in `.brv/state/saved`
	Path string    `json:"path"` // tree path of the entry
	Of   int       `json:"of"`   // the change that replaced the file
	Time time.Time `json:"time"` // when it was written
	Size int       `json:"size"` // in bytes
}

// Problem is a late save as a problem of its entry.
func (l LateSave) Problem() format.Problem {
	return format.Problem{Code: format.CodeLateSave, Severity: format.SeverityWarning, Message: fmt.Sprintf(
		"another program saved this file while change %d replaced it. The saved text is in .brv/%s/saved/%s:"+
			" copy the parts that you need, then delete that file", l.Of, StateDir, l.Name)}
}
