package store

import (
	"math"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// action is the kind of a record of the journal.
type action string

const (
	actApply   action = "apply"
	actApprove action = "approve"
	actReject  action = "reject"
	actUndo    action = "undo"
)

// meta is the journal's data about a change beside its images.
type meta struct {
	Action   action               `json:"action"`
	Author   string               `json:"author,omitempty"`
	Origin   format.Origin        `json:"origin,omitzero"`   // of the text of the operations
	Of       int                  `json:"of,omitempty"`      // the number of the batch that was approved, rejected or undone
	Edited   []string             `json:"edited,omitempty"`  // approved with another text
	EditedBy format.Origin        `json:"editedBy,omitzero"` // who wrote that, where it is not who approves
	Reason   string               `json:"reason,omitempty"`
	Ops      []plan.Op            `json:"operations,omitempty"`
	Results  []plan.Result        `json:"results,omitempty"`
	Usage    map[string]usageStep `json:"usage,omitempty"` // counters that were folded or moved
}

// usageStep is the change of one entry's counters; nil is none.
type usageStep struct {
	Before *tree.Usage `json:"before,omitempty"`
	After  *tree.Usage `json:"after,omitempty"`
}

// changedFiles are the tree paths of a committed change.
func changedFiles(h txn.Header) []string {
	var out []string
	for _, f := range h.Files {
		out = append(out, f.Path)
	}
	return inTreePaths(out)
}

// inTreePaths turns paths inside `.brv` into tree paths and drops the others.
func inTreePaths(paths []string) []string {
	out := []string{}
	for _, p := range paths {
		if at, ok := cutDir(p); ok {
			out = append(out, at)
		}
	}
	return out
}

func textOf(i *txn.Image) string {
	if i == nil {
		return ""
	}
	return string(i.Data)
}

// cutDir turns a path inside `.brv` into a tree path; ok is false outside the tree.
func cutDir(p string) (string, bool) { return strings.CutPrefix(p, tree.Dir+"/") }

func (st usageStep) equal(o usageStep) bool {
	return tree.SameUsage(st.Before, o.Before) && tree.SameUsage(st.After, o.After)
}

// onto applies a change of counters to their present values. Uses counted meanwhile are kept.
func (st usageStep) onto(current *tree.Usage, now time.Time) *tree.Usage {
	if tree.SameUsage(st.Before, current) {
		return st.After
	}
	before, after, cur := tree.UsageOf(st.Before), tree.UsageOf(st.After), tree.UsageOf(current)
	u := cur
	u.Access = max(0, cur.Access-before.Access+after.Access)
	u.Bonus = math.Min(100, math.Max(0, cur.BonusAt(now)-before.BonusAt(now)+after.BonusAt(now)))
	u.At = now.UTC()
	if u.KeptAt.IsZero() || u.KeptAt.Equal(before.KeptAt) {
		u.KeptAt = after.KeptAt
	}
	if cur.Updated.Equal(before.Updated) {
		u.Updated, u.Signals, u.ContentID, u.Stated = after.Updated, after.Signals, after.ContentID, after.Stated
	}
	if u == (tree.Usage{At: u.At}) {
		return nil
	}
	return &u
}
