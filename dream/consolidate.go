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

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// How much one dream proposes: what a person reviews in some minutes. What is left is found
// by the next dream.
const (
	maxMerges    = 20
	maxTemporal  = 10
	maxRelations = 50
	maxPerEntry  = 3 // relations that one entry gets
	fullRelated  = 8 // an entry with so many gets none
)

// consolidate plans merges, temporal updates and cross-references for the entries that changed
// since the last dream and those that a prune suggested to merge.
func consolidate(ctx context.Context, m material) ([]Step, error) {
	changed := m.changed()
	if len(changed) == 0 {
		return nil, ctx.Err()
	}
	x := overlap.New(m.tree.Entries())
	merges, near, err := m.merges(ctx, x, changed)
	if err != nil {
		return nil, err
	}
	temporal, err := m.temporal(ctx)
	if err != nil {
		return nil, err
	}
	busy := map[string]bool{}
	for _, s := range merges {
		for _, p := range s.Inputs {
			busy[p] = true
		}
	}
	temporal = slices.DeleteFunc(temporal, func(s Step) bool { return busy[s.Output] })
	for _, s := range temporal {
		busy[s.Output] = true
	}
	return slices.Concat(merges, temporal, m.references(near, busy)), ctx.Err()
}

// changed lists the entries that changed since the last dream, and those of pending merges,
// domain by domain.
func (m material) changed() (out []string) {
	hinted := map[string]bool{}
	for _, p := range m.pending {
		hinted[p.Source], hinted[p.Target] = true, true
	}
	for _, e := range m.tree.Entries() {
		if e.Role == tree.RoleEntry && (m.since.IsZero() || e.UpdatedAt.IsZero() || e.UpdatedAt.After(m.since) || e.CreatedAt.After(m.since) || hinted[e.Path]) {
			out = append(out, e.Path)
		}
	}
	return out
}

// key names what a step would do to which texts.
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

// merges plans merges of entries that say the same, the surest first; an entry takes part in
// one. near are the other pairs that were compared.
func (m material) merges(ctx context.Context, x *overlap.Index, changed []string) (steps []Step, near []overlap.Pair, err error) {
	seen := map[[2]string]bool{}
	var pairs []overlap.Pair
	for _, p := range changed {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for _, pair := range x.Near(p) {
			k := [2]string{min(pair.A, pair.B), max(pair.A, pair.B)}
			if !seen[k] {
				seen[k] = true
				pairs = append(pairs, pair)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b overlap.Pair) int {
		return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	busy := map[string]bool{}
	for _, p := range pairs {
		key := m.key(Merge, p.A, p.B)
		if p.Same < overlap.Merge || m.refused(key) || len(steps) == maxMerges {
			near = append(near, p)
			continue
		}
		if busy[p.A] || busy[p.B] {
			continue
		}
		target, source := m.rank(p.A, p.B)
		busy[p.A], busy[p.B] = true, true
		content, replace := m.mergedContent(target, source)
		steps = append(steps, Step{
			Phase: Consolidate, Action: Merge, Inputs: []string{target.Path, source.Path}, Output: target.Path, Review: true, Confidence: p.Same, Key: key,
			Reason: fmt.Sprintf("Merged %s and %s — %s", target.Path, source.Path, p.Why()),
			Ops:    []tree.Op{{Type: tree.OpMerge, Path: source.Path, MergeTarget: target.Path, Content: content, Replace: replace, Lineage: true}},
		})
	}
	return steps, near, nil
}

// rank says which of two entries stays: the higher tier, the more linked, the more important,
// the one that says more.
func (m material) rank(a, b string) (target, source *tree.Entry) {
	x, _ := m.tree.Entry(a)
	y, _ := m.tree.Entry(b)
	sx, sy := m.tree.Signals(a, m.now), m.tree.Signals(b, m.now)
	tier := func(s tree.Signals) int { return slices.Index(tree.Tiers, s.Maturity) }
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

// mergedContent is what the target's narrative and facts are to say: all that both say, each
// once. Of two lines that say the same the one stays that says more.
func (m material) mergedContent(target, source *tree.Entry) (c tree.Content, replace []tree.Part) {
	text, _ := tree.Merge(target, source, tree.Header{})
	has := tree.Parse(target.Path, text).Content()
	if has.Narrative != nil {
		n := &tree.Narrative{}
		for _, p := range []struct {
			part    tree.Part
			to, was *string
		}{
			{tree.PartStructure, &n.Structure, &has.Narrative.Structure}, {tree.PartDependencies, &n.Dependencies, &has.Narrative.Dependencies},
			{tree.PartHighlights, &n.Highlights, &has.Narrative.Highlights}, {tree.PartRules, &n.Rules, &has.Narrative.Rules},
		} {
			if once := overlap.Once(*p.was); once != *p.was {
				*p.to = once
				replace, c.Narrative = append(replace, p.part), n
			}
		}
	}
	var facts []tree.Fact
	for _, f := range has.Facts {
		i := slices.IndexFunc(facts, func(g tree.Fact) bool {
			return overlap.Says(g.Statement, f.Statement) || overlap.Says(f.Statement, g.Statement)
		})
		switch {
		case i < 0:
			facts = append(facts, f)
		case overlap.Says(f.Statement, facts[i].Statement) && !overlap.Says(facts[i].Statement, f.Statement):
			facts[i] = f
		}
	}
	if len(facts) < len(has.Facts) {
		c.Facts, replace = facts, append(replace, tree.PartFacts)
	}
	return c, replace
}

// temporal plans updates of entries whose code went on. A file that is elsewhere now is
// renamed in the entry; of what is gone or changed the entry gets a note, for somebody to
// look at.
func (m material) temporal(ctx context.Context) ([]Step, error) {
	if m.sight.Drifts == nil {
		return nil, nil
	}
	var entries []*tree.Entry
	for _, e := range m.tree.Entries() {
		if e.Role == tree.RoleEntry && len(e.Files)+len(e.Code) > 0 {
			entries = append(entries, e)
		}
	}
	found, err := m.sight.Drifts(ctx, entries)
	if err != nil {
		return nil, ctx.Err() // without git nothing is known of it
	}
	var steps []Step
	for _, e := range entries {
		if s, ok := m.updated(e, found[e.Path]); ok && !m.refused(s.Key) {
			steps = append(steps, s)
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return steps[:min(len(steps), maxTemporal)], nil
}

// How sure a temporal update is: a move that git followed is a fact; that something which an
// entry names has changed does not say that the entry is wrong.
const (
	movedConfidence   = 0.9
	goneConfidence    = 0.6
	changedConfidence = 0.4
)

// updated plans the update of one entry.
func (m material) updated(e *tree.Entry, drifts []link.Drift) (Step, bool) {
	if s, ok := m.renamed(e, drifts); ok {
		return s, true
	}
	var notes []string
	confidence := 0.0
	has := e.Content()
	for _, d := range drifts {
		if d.Kind == link.Moved {
			continue
		}
		note := d.Reason
		if has.RawConcept != nil && slices.ContainsFunc(has.RawConcept.Changes, func(c string) bool { return strings.Contains(c, note) }) || slices.Contains(notes, note) {
			continue
		}
		notes = append(notes, note)
		if confidence = max(confidence, changedConfidence); d.Kind == link.Vanished {
			confidence = goneConfidence
		}
	}
	if len(notes) == 0 {
		return Step{}, false
	}
	day := m.now.UTC().Format("2006-01-02")
	var lines []string
	for _, n := range notes[:min(len(notes), 3)] {
		lines = append(lines, day+": "+n)
	}
	return Step{
		Phase: Consolidate, Action: TemporalUpdate, Inputs: []string{e.Path}, Output: e.Path, Review: true, Confidence: confidence, Key: m.key(TemporalUpdate, e.Path),
		Reason: "The code went on: " + strings.Join(notes[:min(len(notes), 3)], "; "),
		Ops:    []tree.Op{{Type: tree.OpUpdate, Path: e.Path, Content: tree.Content{RawConcept: &tree.RawConcept{Changes: lines}}}},
	}, true
}

// renamed plans an entry's list of files with the names that they have now.
func (m material) renamed(e *tree.Entry, drifts []link.Drift) (Step, bool) {
	has := e.Content()
	if has.RawConcept == nil {
		return Step{}, false
	}
	files := slices.Clone(has.RawConcept.Files)
	var moves []string
	for _, d := range drifts {
		if d.Kind != link.Moved || d.Symbol != "" || d.To == "" {
			continue
		}
		for i, f := range files {
			if strings.Contains(f, d.Path) {
				files[i] = strings.Replace(f, d.Path, d.To, 1)
				moves = append(moves, d.Path+" is "+d.To)
				break
			}
		}
	}
	if len(moves) == 0 {
		return Step{}, false
	}
	return Step{
		Phase: Consolidate, Action: TemporalUpdate, Inputs: []string{e.Path}, Output: e.Path, Confidence: movedConfidence, Key: m.key(TemporalUpdate, e.Path),
		Review: m.tree.Signals(e.Path, m.now).Maturity == tree.Core,
		Reason: "Files were moved: " + strings.Join(moves, "; "),
		Ops:    []tree.Op{{Type: tree.OpUpdate, Path: e.Path, Upkeep: true, Content: tree.Content{RawConcept: &tree.RawConcept{Files: files}}, Replace: []tree.Part{tree.PartFiles}}},
	}, true
}

// references plans relations between entries that share what few others have, and that no
// relation joins.
func (m material) references(near []overlap.Pair, busy map[string]bool) []Step {
	added, steps := map[string][]overlap.Pair{}, []Step(nil)
	slices.SortStableFunc(near, func(a, b overlap.Pair) int { return cmp.Compare(b.Akin, a.Akin) })
	n := 0
	for _, p := range near {
		if n == maxRelations {
			break
		}
		from, to := m.newer(p)
		e, _ := m.tree.Entry(from)
		if p.Akin < overlap.Related || busy[from] || busy[to] || len(added[from]) == maxPerEntry || len(e.Content().Relations) >= fullRelated ||
			m.joined(from, to) || m.refused(m.key(CrossReference, from, to)) {
			continue
		}
		added[from] = append(added[from], overlap.Pair{A: from, B: to, Akin: p.Akin, Common: p.Common})
		n++
	}
	for _, from := range slices.Sorted(maps.Keys(added)) {
		var to, why []string
		keys := []string{from}
		for _, p := range added[from] {
			to, why, keys = append(to, p.B), append(why, p.B+" (both speak of "+strings.Join(p.Common, ", ")+")"), append(keys, p.B)
		}
		steps = append(steps, Step{
			Phase: Consolidate, Action: CrossReference, Inputs: append([]string{from}, to...), Output: from, Confidence: added[from][0].Akin, Key: m.key(CrossReference, keys...),
			Review: m.tree.Signals(from, m.now).Maturity == tree.Core,
			Reason: fmt.Sprintf("Linked %s to %s", from, strings.Join(why, "; ")),
			Ops:    []tree.Op{{Type: tree.OpUpdate, Path: from, Upkeep: true, Content: tree.Content{Relations: to}}},
		})
	}
	return steps
}

// newer orders a pair: the entry that was written later leads to the other.
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
