package dream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree"
)

const day = 24 * time.Hour

// When an entry is stale, by tier (specification, "Prune"); a core entry never is.
var staleAfter = map[tree.Maturity]time.Duration{tree.Draft: 60 * day, tree.Validated: 120 * day}

// Bounds of one prune: 20 candidates (specification), of which at most a twentieth of the tree
// is archived, so that a clock that is wrong by years empties none.
const (
	maxCandidates = 20
	archiveShare  = 20
	usedLately    = 30 * day // a use within it keeps an entry: half of what makes a draft stale
)

// candidate is an entry that may be archived.
type candidate struct {
	path      string
	decayed   bool // its importance is below the archive's threshold
	signals   tree.Signals
	staleness time.Duration
}

// candidates are the entries whose importance has decayed or that nobody touched for long, the
// stalest first.
func (m material) candidates() (out []candidate) {
	decayed := map[string]bool{}
	for _, c := range m.tree.Archivable(m.now) {
		decayed[c.Path] = true
	}
	for _, e := range m.tree.Entries() {
		if e.Role != tree.RoleEntry {
			continue
		}
		s := m.tree.Signals(e.Path, m.now)
		age := m.tree.Staleness(e.Path, m.now)
		if limit, ok := staleAfter[s.Maturity]; decayed[e.Path] || ok && age >= limit {
			out = append(out, candidate{e.Path, decayed[e.Path], s, age})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.staleness, a.staleness) })
	return out[:min(len(out), maxCandidates)]
}

// prune plans archiving what has decayed. What was used lately stays, and what says nearly the
// same as another entry is suggested to the next dream for a merge. An entry that is merely
// old, is not worth less for that: only a model, or a person, judges it.
func prune(ctx context.Context, m material) ([]Step, error) {
	found := m.candidates()
	if len(found) == 0 {
		return nil, ctx.Err()
	}
	x := overlap.New(m.tree.Entries())
	room := max(1, m.tree.Len()/archiveShare)
	var steps []Step
	for _, c := range found {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		used := m.tree.LastUse(c.path)
		key := m.key(Archive, c.path)
		switch into, ok := m.twin(x, c.path); {
		case !used.IsZero() && m.now.Sub(used) < usedLately:
			steps = append(steps, Step{
				Phase: Prune, Action: Keep, Inputs: []string{c.path}, Output: c.path, Confidence: 1,
				Reason: fmt.Sprintf("Kept %s — used on %s", c.path, used.UTC().Format(time.DateOnly)),
				Ops:    []tree.Op{{Type: tree.OpKeep, Path: c.path}},
			})
		case ok:
			steps = append(steps, Step{
				Phase: Prune, Action: MergeInto, Inputs: []string{c.path}, Output: into.B, Confidence: into.Same,
				Reason: fmt.Sprintf("%s may belong into %s — %s", c.path, into.B, into.Why()),
			})
		case c.decayed && room > 0 && !m.refused(key):
			room--
			steps = append(steps, Step{
				Phase: Prune, Action: Archive, Inputs: []string{c.path}, Output: c.path, Review: true, Key: key, Confidence: 1 - c.signals.Importance/100,
				Reason: fmt.Sprintf("Archived %s — importance decayed below threshold (%.1f < %d)", c.path, c.signals.Importance, tree.ArchiveBelow),
				Ops:    []tree.Op{{Type: tree.OpArchive, Path: c.path}},
			})
		}
	}
	return steps, nil
}

// twin is an entry that nearly says the same as a candidate.
func (m material) twin(x *overlap.Index, at string) (overlap.Pair, bool) {
	for _, p := range x.Near(at) {
		return p, p.Same >= overlap.Maybe && !m.refused(m.key(Merge, p.A, p.B))
	}
	return overlap.Pair{}, false
}
