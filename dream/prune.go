package dream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

const day = 24 * time.Hour

// The age at which an entry is stale, by tier (specification, "Prune"); a core entry never is.
var staleAfter = map[format.Maturity]time.Duration{format.Draft: 60 * day, format.Validated: 120 * day}

// Limits of one prune: 20 candidates (specification), of which at most a twentieth of the tree is archived,
// so that a clock that is wrong by years cannot empty a tree.
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

// candidates are the entries whose importance has decayed or that nobody changed for long, the stalest first,
// without those that a person decided to keep. By rules, age alone is not enough: only a model, or a person,
// judges that.
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
		m.note("prune: the next dream continues with the entries that are left (%d)", more)
		out = out[:maxCandidates]
	}
	return out
}

// prune plans the archiving of decayed entries. Entries that were used lately always stay.
func prune(ctx context.Context, m material) ([]Step, error) {
	found := m.candidates()
	if len(found) == 0 {
		return nil, ctx.Err()
	}
	p := pruner{material: m, room: max(1, len(m.entries())/archiveShare)}
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
		m.note("prune: the model gave no usable answer (%s), so fixed rules were used instead", notable(err))
	}
	for _, c := range rest {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		if !c.decayed {
			continue
		}
		s, err := p.archive(c.path, fmt.Sprintf("not used for a long time: the importance is %.1f, below %d", c.signals.Importance,
			derived.ArchiveBelow), 1-c.signals.Importance/100)
		if err != nil {
			p.note("prune: %s and newer entries wait for the next dream; %v", c.path, err)
			break
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// pruner is a prune under way.
type pruner struct {
	material
	room int // entries that may still be archived
}

// keep is the step that restarts an entry's staleness.
func keep(path, why string, sure float64) Step {
	return Step{
		Phase: Prune, Action: Keep, Inputs: []string{path}, Output: path, Confidence: sure, Reason: "Kept " + path + " — " + why,
		Ops: []plan.Op{{Type: plan.OpKeep, Path: path}},
	}
}

// archive is the step that archives an entry.
func (p *pruner) archive(path, why string, sure float64) (Step, error) {
	if p.room <= 0 {
		return Step{}, errors.New("one dream can archive at most a twentieth of the tree")
	}
	p.room--
	return Step{
		Phase: Prune, Action: Archive, Inputs: []string{path}, Output: path, Review: true, Key: p.key(Archive, path), Confidence: sure,
		Reason: "Archived " + path + " — " + why,
		Ops:    []plan.Op{{Type: plan.OpArchive, Path: path}},
	}, nil
}

// preview is how many characters of a candidate a model is shown (specification's reference).
const preview = 1000

// verdict is a decision in a model's words.
type verdict struct {
	File       string   `json:"file"`
	Decision   Action   `json:"decision" enum:"ARCHIVE,KEEP,MERGE_INTO"`
	Target     string   `json:"mergeTarget,omitempty"`
	Reason     string   `json:"reason"`
	Confidence *float64 `json:"confidence,omitempty"`
}

// judged lets a model decide about candidates. Candidates that it does not name stay as they are.
func (p *pruner) judged(ctx context.Context, found []candidate) (steps []Step, err error) {
	open := map[string]candidate{}
	bare := question{name: "prune", most: maxCandidates, list: "decisions", form: llm.ListOf[verdict], tree: p.tree}
	items, err := p.counsel.ask(ctx, bare, func(q *question) {
		clear(open)
		for _, c := range found {
			e, _ := p.tree.Entry(c.path)
			mark := fmt.Sprintf("untouched for %d days", int(c.staleness/day))
			b, _ := p.described(e.Redacted(), mark, preview)
			if q.put(&q.material, b) { // in a large context twenty previews always have a place, but for long titles and lists
				open[c.path] = c
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return stepsOf(p.material, bare, items, func(v verdict) (Step, error) { return p.verdict(v, open) },
		func(s Step) { delete(open, s.Inputs[0]) }), nil
}

// verdict makes a step of a decision.
func (p *pruner) verdict(v verdict, open map[string]candidate) (s Step, err error) {
	at := strings.TrimSpace(v.File)
	_, ok := open[at]
	confidence, wrong := sure(v.Confidence)
	why, missing := because(v.Reason)
	switch {
	case !ok:
		return s, fmt.Errorf("%s is not one of the entries to judge, or has already been judged", quoted(at))
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
		into := strings.TrimSpace(v.Target)
		if !p.mayJoin(at, into, open) {
			return s, fmt.Errorf("the model was not shown %s with %s", quoted(into), at)
		}
		s = Step{Phase: Prune, Action: MergeInto, Inputs: []string{at}, Output: into, Confidence: confidence,
			Reason: "Suggested merging " + at + " into " + into + " — " + why, Key: p.key(Merge, at, into)}
	default:
		return s, fmt.Errorf("unknown decision %s", quoted(string(v.Decision)))
	}
	return s, err
}

// mayJoin reports whether an entry may be suggested for a merge into another: one that the model was shown, or to which the
// entry links.
func (p *pruner) mayJoin(at, into string, open map[string]candidate) bool {
	_, shown := open[into]
	e, there := p.tree.Entry(into)
	return there && e.Role == format.RoleEntry && into != at && !p.busy(into) && (shown || slices.ContainsFunc(p.tree.Relations(at),
		func(r tree.Relation) bool { return r.Target == into }))
}
