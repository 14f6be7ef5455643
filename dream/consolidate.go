package dream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// The most proposals of one dream: as many as a person can review in some minutes. The next dream finds the
// rest.
const (
	maxMerges    = 20
	maxTemporal  = 10
	maxRelations = 50
	maxPerEntry  = 3 // relations that one entry gets
	fullRelated  = 8 // an entry with so many relations gets no more
)

// consolidate plans merges, temporal updates and cross-references for the entries that changed since the last
// dream and those that its prune suggested for a merge; and, for all entries, updates after changes of the
// code.
func consolidate(ctx context.Context, m material) ([]Step, error) {
	changed := m.changed()
	m.looked.look(changed)
	drifts, err := m.drifts(ctx)
	if err != nil || len(changed)+len(drifts) == 0 {
		return nil, err
	}
	var x *overlap.Index
	if err := panics.Try(func() (err error) { x, err = overlap.Read(ctx, m.tree.Entries()); return err }); err != nil {
		return nil, err
	}
	pairs, err := m.pairs(ctx, x, changed)
	if err != nil {
		return nil, err
	}
	rules := sync.OnceValue(func() []Step { return m.byRules(pairs, drifts) })
	if m.counsel == nil || len(changed) == 0 {
		return rules(), ctx.Err()
	}
	j := judge{material: m, near: map[string][]string{}, drifts: drifts, rules: rules, taken: map[string]bool{},
		linked: map[string]bool{}}
	for _, p := range m.pending {
		j.near[p.Source] = append(j.near[p.Source], p.Target)
	}
	for _, p := range pairs {
		j.near[p.A], j.near[p.B] = append(j.near[p.A], p.B), append(j.near[p.B], p.A)
	}
	return j.consolidate(ctx, changed)
}

// byRules plans without a model.
func (m material) byRules(pairs []overlap.Pair, drifts map[string][]link.Drift) []Step {
	busy := map[string]bool{}
	take := func(steps []Step) []Step {
		for _, s := range steps {
			for _, p := range s.touches() {
				busy[p] = true
			}
		}
		return steps
	}
	merges, near := m.merges(pairs)
	take(merges)
	temporal := slices.DeleteFunc(m.temporal(drifts), func(s Step) bool { return busy[s.Output] })
	return slices.Concat(merges, take(temporal), m.references(near, busy))
}

// changed lists the entries that changed since the last dream, and those of pending merges, without those
// that have an operation waiting for a review.
func (m material) changed() (out []string) {
	for _, e := range m.entries() {
		hinted := slices.ContainsFunc(m.pending, func(p PendingMerge) bool { return p.Source == e.Path })
		if (hinted || !m.looked.knows(e)) && !m.busy(e.Path) {
			out = append(out, e.Path)
		}
	}
	return out
}

// key identifies a step by its effect and the texts that it would change.
func (m material) key(a Action, paths ...string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", a)
	for _, p := range slices.Sorted(slices.Values(paths)) {
		e, _ := m.tree.Entry(p)
		hash := ""
		if e != nil {
			hash = e.Hash
		}
		fmt.Fprintf(h, "%s %s\n", p, hash)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// driftKey identifies an update of an entry by the entry's hash and its drift. After a new drift the question
// is asked again.
func (m material) driftKey(e *format.Entry, drifts []link.Drift) string {
	h := sha256.New()
	fmt.Fprintln(h, m.key(TemporalUpdate, e.Path))
	for _, d := range drifts {
		fmt.Fprintln(h, d.Kind, d.Path, d.Symbol, d.To, d.ToSymbol)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// pairs compares the changed entries with those that share their rarest words, the most similar first.
func (m material) pairs(ctx context.Context, x *overlap.Index, changed []string) (pairs []overlap.Pair, err error) {
	seen := map[[2]string]bool{}
	for _, p := range changed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, pair := range x.Near(p) {
			k := [2]string{min(pair.A, pair.B), max(pair.A, pair.B)}
			if !seen[k] && !m.busyAmong(pair.A, pair.B) {
				seen[k] = true
				pairs = append(pairs, pair)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b overlap.Pair) int {
		return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return pairs, nil
}

// merges plans merges of entries with the same content, the surest first. An entry takes part in one merge at
// most. Merges beyond the limit are left to the next dream. near are pairs that are similar but below the
// threshold, or that a person rejected.
func (m material) merges(pairs []overlap.Pair) (steps []Step, near []overlap.Pair) {
	busy := map[string]bool{}
	left := 0
	for _, p := range pairs {
		if p.Same < overlap.Merge {
			near = append(near, p)
			continue
		}
		key := m.key(Merge, p.A, p.B)
		if m.refused(key) {
			near = append(near, p)
			continue
		}
		if cut := len(steps) == maxMerges; cut || busy[p.A] || busy[p.B] {
			m.looked.leave(p.A, p.B)
			if cut {
				left++
			}
			continue
		}
		target, source := m.rank(p.A, p.B)
		busy[p.A], busy[p.B] = true, true
		ops, _ := mergeOps(m.tree, target, []*format.Entry{source})
		steps = append(steps, Step{
			Phase: Consolidate, Action: Merge, Inputs: []string{target.Path, source.Path}, Output: target.Path, Review: true,
			Confidence: p.Same, Key: key,
			Reason: merged(target.Path, source.Path) + p.Why(), Ops: ops,
		})
	}
	if left > 0 {
		m.note("consolidate: the next dream continues with the pairs that are left (%d)", left)
	}
	return steps, near
}

// merged is the beginning of a merge's reason.
func merged(paths ...string) string {
	last := len(paths) - 1
	return "Merged " + strings.Join(paths[:last], ", ") + " and " + paths[last] + " — "
}

// rank decides which of two entries stays: the one with the higher tier, more links, greater importance, or
// more content.
func (m material) rank(a, b string) (target, source *format.Entry) {
	x, _ := m.tree.Entry(a)
	y, _ := m.tree.Entry(b)
	sx, sy := m.tree.Signals(a, m.now), m.tree.Signals(b, m.now)
	tier := func(s format.Signals) int { return slices.Index(format.Tiers, s.Maturity) }
	c := cmp.Or(
		cmp.Compare(tier(sx), tier(sy)),
		cmp.Compare(len(m.tree.Backlinks(a)), len(m.tree.Backlinks(b))),
		cmp.Compare(sx.Importance, sy.Importance),
		cmp.Compare(len(x.Text), len(y.Text)),
		cmp.Compare(b, a),
	)
	if c < 0 {
		x, y = y, x
	}
	return x, y
}

// drifts finds out how entries no longer fit the code. Without git the result is empty.
func (m material) drifts(ctx context.Context) (map[string][]link.Drift, error) {
	if m.sight.Drifts == nil {
		return nil, ctx.Err()
	}
	var entries []*format.Entry
	for _, e := range m.entries() {
		if len(e.Files)+len(e.Code) > 0 && !m.busy(e.Path) {
			entries = append(entries, e)
		}
	}
	found, err := m.sight.Drifts(ctx, entries)
	if err != nil && ctx.Err() == nil {
		m.note("consolidate: entries were not all compared with the code: %v", err)
	}
	return found, ctx.Err()
}

// temporal plans updates of entries whose code has changed: of the list of files, of renamed symbols, or,
// after other changes of the code, the question whether the entry is still true. Only a person or a model can
// know the right text then.
func (m material) temporal(drifts map[string][]link.Drift) []Step {
	var steps []Step
	for _, e := range m.entries() {
		if m.busy(e.Path) {
			continue
		}
		for _, plan := range []func(*format.Entry, []link.Drift) (Step, bool){m.renamed, m.dropMissingFiles, m.respelled, m.confirmed} {
			if s, ok := plan(e, drifts[e.Path]); ok && !m.refused(s.Key) {
				steps = append(steps, s)
				break
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return steps[:min(len(steps), maxTemporal)]
}

// The confidence of a temporal update. A move that git followed is a fact. A missing file may have become
// another one. A change of code that an entry names does not mean that the entry is wrong.
const (
	movedConfidence   = 0.9
	goneConfidence    = 0.6
	changedConfidence = 0.4
)

// drifted is the step that updates an entry to the present code.
func (m material) drifted(e *format.Entry, drifts []link.Drift, sure float64, reason string, op plan.Op) Step {
	return Step{Phase: Consolidate, Action: TemporalUpdate, Inputs: []string{e.Path}, Output: e.Path, Review: true, Confidence: sure,
		Key: m.driftKey(e, drifts), Reason: reason, Ops: []plan.Op{op}}
}

// few lists the first changes, for a reason.
func few(why []string) string { return strings.Join(why[:min(len(why), 3)], "; ") }

// dropMissingFiles plans an update that removes missing files from an entry's list.
func (m material) dropMissingFiles(e *format.Entry, drifts []link.Drift) (Step, bool) {
	var why []string
	left := slices.DeleteFunc(e.Content().RawConcept.Files, func(item string) bool {
		files := format.FilesOf(item, 0)
		for _, d := range drifts {
			if d.Kind == link.Vanished && d.Symbol == "" && len(files) == 1 && strings.TrimPrefix(path.Clean("/"+files[0].Path), "/") == d.Path {
				why = append(why, d.Reason)
				return true
			}
		}
		return false
	})
	if len(why) == 0 {
		return Step{}, false
	}
	return m.drifted(e, drifts, goneConfidence, "Updated "+e.Path+" — it listed files that do not exist: "+few(why),
		plan.Op{Type: plan.OpUpdate, Path: e.Path, Upkeep: true,
			Content: format.Content{RawConcept: format.RawConcept{Files: left}}, Replace: []format.Part{format.PartFiles}}), true
}

// confirmed plans the question whether an entry is still true, if symbols in it are gone or have changed. The
// person who approves it confirms the entry. If a symbol may have been renamed, the reason has the new name.
func (m material) confirmed(e *format.Entry, drifts []link.Drift) (Step, bool) {
	var why []string
	for _, d := range drifts {
		switch {
		case d.Kind == link.Moved && d.ToSymbol == d.Symbol:
			return Step{}, false // a confirmation would not end this drift
		case d.Kind == link.Vanished && d.Symbol == "": // and a check would still report a path in its text
		case !slices.Contains(why, d.Reason):
			why = append(why, d.Reason)
		}
	}
	if len(why) == 0 {
		return Step{}, false
	}
	return m.drifted(e, drifts, changedConfidence, "Is "+e.Path+" still true? The code has changed: "+few(why)+
		". If the entry is true, approve it; if not, edit and approve it", plan.Op{Type: plan.OpConfirm, Path: e.Path}), true
}

// renamed plans an update of an entry to the present names of the files that it lists or links to.
func (m material) renamed(e *format.Entry, drifts []link.Drift) (Step, bool) {
	files, _, _ := link.Followed(e, drifts)
	if len(files) == 0 {
		return Step{}, false
	}
	var moves []string
	for _, d := range files {
		if move := d.Path + " is now " + d.To; !slices.Contains(moves, move) {
			moves = append(moves, move)
		}
	}
	s := m.drifted(e, drifts, movedConfidence, "Updated "+e.Path+" — files were moved: "+strings.Join(moves, "; "),
		plan.Op{Type: plan.OpUpdate, Path: e.Path, Upkeep: true, Renames: link.Renames(e, files)})
	s.Review = m.tree.Signals(e.Path, m.now).Maturity == format.Core
	return s, true
}

// references plans relations between entries that share rare content and have no relation yet.
func (m material) references(near []overlap.Pair, busy map[string]bool) []Step {
	added, steps := map[string][]overlap.Pair{}, []Step(nil)
	slices.SortStableFunc(near, func(a, b overlap.Pair) int { return cmp.Compare(b.Akin, a.Akin) })
	n := 0
	for _, p := range near {
		from, to := m.newer(p)
		e, _ := m.tree.Entry(from)
		if p.Akin < overlap.Related || busy[from] || busy[to] || len(added[from]) == maxPerEntry ||
			len(e.Content().Relations) >= fullRelated ||
			m.joined(from, to) || m.refused(m.key(CrossReference, from, to)) {
			continue
		}
		if n == maxRelations {
			m.looked.leave(from)
			continue
		}
		added[from] = append(added[from], overlap.Pair{A: from, B: to, Akin: p.Akin, Common: p.Common})
		n++
	}
	for _, from := range slices.Sorted(maps.Keys(added)) {
		core := m.tree.Signals(from, m.now).Maturity == format.Core
		for len(added[from]) > 0 {
			n := len(added[from])
			if core {
				n = 1 // waiting relations are decided, and remembered, one by one
			}
			var to, why []string
			for _, p := range added[from][:n] {
				to, why = append(to, p.B), append(why, shared(p))
			}
			steps = append(steps, m.relation(from, to, strings.Join(why, "; "), added[from][0].Akin, core))
			added[from] = added[from][n:]
		}
	}
	return steps
}

// relation is the step that adds relations from an entry to others.
func (m material) relation(from string, to []string, why string, sure float64, review bool) Step {
	inputs := append([]string{from}, to...)
	return Step{
		Phase: Consolidate, Action: CrossReference, Inputs: inputs, Output: from, Confidence: sure,
		Key: m.key(CrossReference, inputs...), Review: review,
		Reason: fmt.Sprintf("Linked %s to %s — %s", from, strings.Join(to, ", "), why),
		Ops:    []plan.Op{{Type: plan.OpUpdate, Path: from, Upkeep: true, Content: format.Content{Relations: to}}},
	}
}

// shared returns the phrase for the common content of two linked entries.
func shared(p overlap.Pair) string {
	if len(p.Common) == 0 {
		return "they have rare words in common"
	}
	return "both mention " + strings.Join(p.Common, ", ")
}

// newer orders a pair: the relation leads from the entry that was written later to the other.
func (m material) newer(p overlap.Pair) (from, to string) {
	a, _ := m.tree.Entry(p.A)
	b, _ := m.tree.Entry(p.B)
	if cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Path, b.Path)) < 0 {
		a, b = b, a
	}
	return a.Path, b.Path
}

// joined reports whether a relation leads from one entry to the other, either way, or to the
// overview of its folder.
func (m material) joined(a, b string) bool {
	leads := func(from, to string) bool {
		return slices.ContainsFunc(m.tree.Relations(from), func(r tree.Relation) bool {
			return r.Target == to || r.Target == path.Dir(to)+"/context.md"
		})
	}
	return leads(a, b) || leads(b, a)
}

// respelled plans an update of an entry's text with the present names of symbols and files, where code in its text
// names them. The new names are exactly those that a check reports. The step mentions other changes of the code,
// since approving it confirms that the entry is true.
func (m material) respelled(e *format.Entry, drifts []link.Drift) (Step, bool) {
	_, names, rest := link.Followed(e, drifts)
	if len(names) == 0 {
		return Step{}, false
	}
	sureness, why, others := movedConfidence, []string(nil), []string(nil)
	say := func(to *[]string, text string) {
		if !slices.Contains(*to, text) {
			*to = append(*to, text)
		}
	}
	for _, d := range names {
		sureness = min(sureness, 1-d.Grade)
		name := fmt.Sprintf("`%s` is now `%s`", d.At.Of(e.Text), d.Replace)
		if d.Symbol != "" {
			name += " in `" + d.To + "`"
		}
		say(&why, name)
	}
	for _, d := range rest {
		say(&others, d.Reason)
	}
	reason := "Updated " + e.Path + " — symbols were renamed: " + few(why)
	if len(others) > 0 {
		reason += ". Is the rest still true? The code has changed: " + few(others)
	}
	return m.drifted(e, drifts, sureness, reason, plan.Op{Type: plan.OpUpdate, Path: e.Path, Renames: link.Renames(e, names)}), true
}
