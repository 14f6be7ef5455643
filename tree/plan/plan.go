package plan

import (
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Plan holds the changes that a batch would make to a snapshot. Planning is pure: it reads no
// disk and writes nothing.
type Plan struct {
	Before, After *tree.Snapshot // the tree before, and after the operations planned so far
	Inputs        Inputs
	Usage         map[string]tree.Usage // counters after the operations planned so far
	ownUsage      bool                  // usage is a copy that belongs to the plan
	Touched       map[string]bool       // files that an operation wrote, removed or moved
	Counted       map[string]bool       // entries whose counters changed
	Moved         map[string]string     // entries of base that are gone, and the new place of their content
	Results       []Result
	Summary       Counts
	Held          []Held

	origin           format.Origin // the origin of the text
	author, approver string
	Edited           []string // paths with a text that another author wrote in place of the planned one
	show             bool     // keep the differences of what is done, too
	Deletes          int      // entries that DELETE and MERGE remove
}

// state is the state on which the next operation is planned.
func (p *Plan) state() state { return state{p.After, p.Usage, p.Inputs.Now, p.Inputs.Beside} }

// Held is an operation that waits for a review, with the state that it was planned on.
type Held struct {
	Index int // in the batch
	Base  map[string]string
	Diff  string
}

// outdated names an entry that changed since the operations were made; "" if none.
func (b Batch) outdated(s *tree.Snapshot) string {
	for _, at := range slices.Sorted(maps.Keys(b.Base)) {
		if e, ok := s.Entry(at); !ok || b.Base[at] != "" && e.Hash != b.Base[at] {
			return at
		}
	}
	return ""
}

// Refuse makes a plan in which all operations fail.
func (p *Plan) Refuse(b Batch, code Failure, why string) {
	for _, op := range b.Ops {
		r := Result{Type: op.Type, Path: op.Path, Reason: op.Reason, Status: StatusFailed, Code: code, Message: why}
		p.Results = append(p.Results, r)
		p.Summary.count(r, false)
	}
}

// doneNothing clears the effects in the result of a failed operation.
func (r *Result) doneNothing() { r.AlsoChanged, r.Losses, r.Dangling = nil, nil, nil }

// follow adds an operation's removals and moves to the fate of the entries.
func (p *Plan) follow(gone map[string]string) {
	for from, at := range p.Moved {
		if to, again := gone[at]; again {
			p.Moved[from] = to
		}
	}
	for from, to := range gone {
		if _, ok := p.Before.Entry(from); ok && p.Moved[from] == "" {
			p.Moved[from] = to
		}
	}
}

// Comments lists the comments of code that will lead nowhere after the plan.
func (p *Plan) Comments() []Comment { return p.Inputs.Stranded(p.Before, p.After, p.Moved) }

// holds reports whether an operation waits for a review. Only the user can ask for nothing to be held.
// Creating or confirming an entry is never risky, and an operation without effect needs no review.
func (p *Plan) holds(op Op, st effect, hold Hold) bool {
	switch {
	case hold == HoldNone, st.result.Unchanged:
		return false
	case hold == HoldAll, op.Type == OpDelete, op.Type == OpMerge:
		return true
	case op.Type == OpConfirm, op.Type == OpKeep:
		return false
	}
	return slices.ContainsFunc(st.own, func(entry string) bool {
		return p.After.Signals(entry, p.Inputs.Now).Maturity == format.Core
	})
}

// grave reports whether a loss should be reviewed. A new title or summary is the purpose of an update, and
// the journal keeps every reason; a rule that is gone may be missed.
func grave(l format.Loss) bool {
	return !l.Kept && l.Part != format.PartTitle && l.Part != format.PartSummary && l.Part != format.PartReason
}

// hashes returns the hashes that the entries of an operation had when it was planned, "" for entries that an
// earlier operation makes.
func (p *Plan) hashes(entries []string) map[string]string {
	out := map[string]string{}
	for _, path := range entries {
		out[path] = ""
		if e, ok := p.Before.Entry(path); ok {
			out[path] = e.Hash
		}
	}
	return out
}

func (p *Plan) count(changed map[string]*tree.Usage) {
	if len(changed) == 0 {
		return
	}
	if !p.ownUsage {
		own := map[string]tree.Usage{}
		maps.Copy(own, p.Usage)
		p.Usage, p.ownUsage, p.After = own, true, tree.Sharing(p.After, own)
	}
	for entry, u := range changed {
		p.Counted[entry] = true
		if u == nil {
			delete(p.Usage, entry)
		} else {
			p.Usage[entry] = *u
		}
	}
}

// unresolved lists the relations of a changed entry that lead nowhere.
func (p *Plan) unresolved(r Result) (out []string) {
	e, ok := p.After.Entry(r.FilePath)
	if !ok || r.Status != StatusSuccess || r.Type == OpDelete {
		return nil
	}
	for _, rel := range p.After.Relations(r.FilePath) {
		if rel.Target == "" && rel.Other() == "" {
			out = append(out, mentionAt(e, rel.Mention))
		}
	}
	return out
}

// Changed are the files that the plan changes, sorted.
func (p *Plan) Changed() []string {
	var out []string
	for at := range p.Touched {
		old, was := p.Before.Entry(at)
		e, is := p.After.Entry(at)
		if was != is || was && old.Text != e.Text {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}

// Idle reports whether the plan writes no files.
func (p *Plan) Idle() bool { return len(p.Changed()) == 0 && len(p.Held) == 0 && len(p.Counted) == 0 }

// Preview is the diff of everything, held operations included.
func (p *Plan) Preview() string {
	d := diffOf(p.Before, p.After, p.Changed())
	for _, h := range p.Held {
		d += h.Diff
	}
	return secrets.Redact(d)
}

// Report describes the plan without credentials from entries: it may be sent to the proposer, an agent, and
// to logs.
func (p *Plan) Report() *Report { return &Report{Results: Kept(p.Results), Summary: p.Summary} }
