package dream

import (
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// material returns the input of a phase, with the changes that the phases before it have held.
func (r *run) material(sight Sight, refused func(key string) bool) (material, error) {
	if r.counsel == nil && r.Model != nil {
		r.counsel = newCounsel(r.Model)
		r.log.Model = r.counsel.origin.Model
	}
	m := material{
		tree: r.Store.Snapshot(), sight: sight, now: r.Now(), pending: r.state.PendingMerges, refused: refused, counsel: r.counsel,
		note: func(format string, args ...any) { r.log.Notes = append(r.log.Notes, fmt.Sprintf(format, args...)) },
	}
	reviews, err := r.Store.Reviews.List() // again for each phase: others may propose meanwhile
	if err != nil {
		return material{}, err
	}
	busy := map[string]bool{}
	for _, w := range reviews {
		for _, item := range w.Items {
			for p := range item.Base {
				busy[p] = busy[p] || item.Held
			}
			if item.Held && item.Op.Synthesis != nil {
				m.proposed = append(m.proposed, item.Op)
			}
		}
	}
	for _, s := range r.log.Steps { // a dry run has no waiting operations
		if s.Status == Waits {
			for _, p := range s.touches() {
				busy[p] = true
			}
		}
	}
	m.busy = func(path string) bool { return busy[path] }
	return m, nil
}

// touches are the entries that a step changes or removes.
func (s Step) touches() []string {
	if s.Action == Merge {
		return s.Inputs
	}
	return []string{s.Output}
}

// busyAmong reports whether an operation that waits for a review would change one of the entries: their
// future text is not known yet.
func (m material) busyAmong(paths ...string) bool { return slices.ContainsFunc(paths, m.busy) }

// entries are the entries of knowledge.
func (m material) entries() (out []*format.Entry) {
	for _, e := range m.tree.Entries() {
		if e.Role == format.RoleEntry {
			out = append(out, e)
		}
	}
	return out
}
