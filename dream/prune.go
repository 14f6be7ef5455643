package dream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

const day = 24 * time.Hour

// When an entry is stale, by tier (specification, "Prune"); a core entry never is.
var staleAfter = map[format.Maturity]time.Duration{format.Draft: 60 * day, format.Validated: 120 * day}

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
	signals   format.Signals
	staleness time.Duration
}

// candidates are the entries whose importance has decayed or that nobody touched for long, the
// stalest first, without those that a person said stay. By rules what is merely old is none: only
// a model, or a person, judges it.
func (m material) candidates() (out []candidate) {
	decayed := map[string]bool{}
	for _, c := range derived.Archivable(m.tree, m.now) {
		decayed[c.Path] = true
	}
	for _, e := range m.tree.Entries() {
		if e.Role != format.RoleEntry || m.busy(e.Path) {
			continue
		}
		s := m.tree.Signals(e.Path, m.now)
		age := m.tree.Staleness(e.Path, m.now)
		limit, ages := staleAfter[s.Maturity]
		if old := ages && age >= limit; (decayed[e.Path] || old && m.counsel != nil) && !m.refused(m.key(Archive, e.Path)) {
			out = append(out, candidate{e.Path, decayed[e.Path], s, age})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.staleness, a.staleness) })
	if more := len(out) - maxCandidates; more > 0 {
		m.note("prune: %d more entries may be archived; the next dream goes on", more)
		out = out[:maxCandidates]
	}
	return out
}

// prune plans archiving what has decayed. What was used lately stays, whoever decides. By rules,
// what says nearly the same as another entry is suggested to the next dream for a merge.
func prune(ctx context.Context, m material) ([]Step, error) {
	found := m.candidates()
	if len(found) == 0 {
		return nil, ctx.Err()
	}
	x, err := m.index(ctx)
	if err != nil {
		return nil, err
	}
	p := pruner{material: m, index: x, room: max(1, len(m.entries())/archiveShare)}
	var steps []Step
	var rest []candidate
	for _, c := range found {
		if used := m.tree.LastUse(c.path); !used.IsZero() && m.now.Sub(used) < usedLately {
			steps = append(steps, keep(c.path, "used on "+used.UTC().Format(time.DateOnly), 1))
		} else {
			rest = append(rest, c)
		}
	}
	if m.counsel != nil && len(rest) > 0 {
		judged, err := p.judged(ctx, rest)
		if ctx.Err() != nil {
			return steps, ctx.Err()
		}
		if err == nil {
			return append(steps, judged...), nil
		}
		m.note("prune: the model was no help (%s); rules decided", notable(err))
	}
	for _, c := range rest {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		s, ok := p.byRule(c)
		if again := func(o Step) bool { return o.Action == MergeInto && o.Output == c.path && o.Inputs[0] == s.Output }; ok &&
			!slices.ContainsFunc(steps, again) {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// pruner is a prune under way.
type pruner struct {
	material
	index *overlap.Index
	room  int // entries that may still be archived
}

// keep is the step that starts an entry's staleness anew.
func keep(path, why string, sure float64) Step {
	return Step{
		Phase: Prune, Action: Keep, Inputs: []string{path}, Output: path, Confidence: sure, Reason: "Kept " + path + " — " + why,
		Ops: []plan.Op{{Type: plan.OpKeep, Path: path}},
	}
}

// suggest is the step that hands a merge to the next dream.
func suggest(source, target, why string, sure float64) Step {
	return Step{
		Phase: Prune, Action: MergeInto, Inputs: []string{source}, Output: target, Confidence: sure,
		Reason: "Suggested merging " + source + " into " + target + " — " + why,
	}
}

// archive is the step that archives an entry.
func (p *pruner) archive(path, why string, sure float64) (Step, error) {
	key := p.key(Archive, path)
	switch {
	case p.refused(key):
		return Step{}, errors.New("a person decided against it, or it waits")
	case p.room <= 0:
		return Step{}, fmt.Errorf("one dream archives a twentieth of the tree at most")
	}
	p.room--
	return Step{
		Phase: Prune, Action: Archive, Inputs: []string{path}, Output: path, Review: true, Key: key, Confidence: sure,
		Reason: "Archived " + path + " — " + why,
		Ops:    []plan.Op{{Type: plan.OpArchive, Path: path}},
	}, nil
}

// byRule decides about one candidate; ok is false where nothing is to be done.
func (p *pruner) byRule(c candidate) (s Step, ok bool) {
	if into, ok := p.twin(p.index, c.path); ok {
		return suggest(c.path, into.B, into.Why(), into.Same), true
	}
	if !c.decayed {
		return Step{}, false
	}
	if p.room == 0 {
		p.note("prune: %s and what is younger may be archived, too; one dream archives a twentieth of the tree at most", c.path)
		p.room = -1
	}
	if p.room < 0 {
		return Step{}, false
	}
	s, err := p.archive(c.path, fmt.Sprintf("importance decayed below threshold (%.1f < %d)", c.signals.Importance,
		derived.ArchiveBelow), 1-c.signals.Importance/100)
	return s, err == nil
}

// twin is an entry that nearly says the same as a candidate.
func (m material) twin(x *overlap.Index, at string) (overlap.Pair, bool) {
	for _, p := range x.Near(at) {
		if _, there := m.tree.Entry(p.B); there && !m.busy(p.B) { // it may be gone since they were compared
			return p, p.Same >= overlap.Maybe && !m.refused(m.key(Merge, p.A, p.B))
		}
	}
	return overlap.Pair{}, false
}

// What a model is shown of a candidate, and of what stands beside it.
const (
	preview    = 1000 // characters (specification's reference)
	maxTargets = 5    // of one candidate, of its likes and of its folder each
)

const decisionForm = `{"type":"object","properties":{"file":{"type":"string"},"decision":{"type":"string","enum":["ARCHIVE","KEEP",` +
	`"MERGE_INTO"]},"mergeTarget":{"type":"string"},"reason":{"type":"string"},` +
	`"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["file","decision","reason"],"additionalProperties":false}`

// verdict is a decision in a model's words.
type verdict struct {
	File       string   `json:"file"`
	Decision   Action   `json:"decision"`
	Target     string   `json:"mergeTarget"`
	Reason     string   `json:"reason"`
	Confidence *float64 `json:"confidence"`
}

// judged has a model decide about candidates. Of one that it does not name nothing is done.
func (p *pruner) judged(ctx context.Context, found []candidate) (steps []Step, err error) {
	open, targets := map[string]candidate{}, map[string]bool{}
	bare := question{name: "prune", most: maxCandidates, list: "decisions", schema: decisionForm}
	items, err := p.counsel.ask(ctx, bare, func(q *question) {
		clear(open)
		clear(targets)
		for _, c := range found {
			e, _ := p.tree.Entry(c.path)
			mark := fmt.Sprintf("untouched for %d days", int(c.staleness/day))
			b, _ := p.described(e.Redacted(), mark, preview)
			if q.put(&q.material, b) { // in a large context twenty previews always have a place, but for long titles and lists
				open[c.path], targets[c.path] = c, true
			}
		}
		for _, c := range found {
			for _, into := range p.near(c.path) {
				if e, ok := p.tree.Entry(into); ok && !targets[into] {
					e = e.Redacted()
					targets[into] = q.put(&q.siblings, block{into, e.Title, shortOf(e)})
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if len(items) > maxCandidates {
		p.note("prune: %d decisions, the first %d were read", len(items), maxCandidates)
		items = items[:maxCandidates]
	}
	for i, raw := range items {
		s, err := p.verdict(raw, open, targets)
		if err != nil {
			p.note("prune: decision %d was left out: %s", i+1, notable(err))
			continue
		}
		delete(open, s.Inputs[0])
		steps = append(steps, s)
	}
	return steps, nil
}

// near are entries into which a candidate may belong.
func (p *pruner) near(at string) (out []string) {
	for _, pair := range p.index.Near(at) {
		if len(out) < maxTargets && !p.busy(pair.B) {
			out = append(out, pair.B)
		}
	}
	n := 0
	for _, e := range p.entries() {
		if n < maxTargets && path.Dir(e.Path) == path.Dir(at) && e.Path != at && !p.busy(e.Path) && !slices.Contains(out, e.Path) {
			out = append(out, e.Path)
			n++
		}
	}
	return out
}

// verdict makes a step of a decision.
func (p *pruner) verdict(raw []byte, open map[string]candidate, targets map[string]bool) (s Step, err error) {
	var v verdict
	if err := curate.Strictly(raw, &v); err != nil {
		return s, err
	}
	at, into := strings.TrimSpace(v.File), strings.TrimSpace(v.Target)
	_, ok := open[at]
	confidence, wrong := sure(v.Confidence)
	why, missing := because(v.Reason)
	switch {
	case !ok:
		return s, fmt.Errorf("%s is none of the entries that it was asked about, or was decided", quoted(at))
	case wrong != nil:
		return s, wrong
	case missing != nil:
		return s, missing
	}
	switch Action(strings.ToUpper(strings.TrimSpace(string(v.Decision)))) {
	case Keep:
		s = keep(at, why, confidence)
	case Archive:
		s, err = p.archive(at, why, confidence)
		s.Origin = p.counsel.origin
	case MergeInto:
		switch {
		case into == at:
			return s, fmt.Errorf("%s cannot go into itself", at)
		case !targets[into]:
			return s, fmt.Errorf("mergeTarget %s is none of the entries that it was shown", quoted(into))
		case p.refused(p.key(Merge, at, into)):
			return s, fmt.Errorf("a person decided against merging %s and %s, or it waits", at, into)
		}
		s = suggest(at, into, why, confidence)
	default:
		return s, fmt.Errorf("there is no decision %s", quoted(string(v.Decision)))
	}
	return s, err
}
