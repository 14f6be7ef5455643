package dream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// A model consolidates domain by domain: one question about the entries that changed, similar entries from
// the search and the comparison, and other entries of their folders. Answers about entries that it was not
// shown, or in a wrong form, are dropped with a note; the others are proposed, and held. If its answer cannot
// be read, the rules' steps for the domain are used.

// Bounds of a consolidation by a model, beside those of the rules.
const (
	maxActions    = 40  // of one answer
	maxNear       = 5   // candidates of one entry, of the comparison and of the search each (specification's reference)
	maxSiblings   = 30  // of one folder
	maxShort      = 300 // characters of the summary of a sibling, or of what is known
	maxInto       = plan.MaxProposedDeletes + 1
	leastShown    = 1000 // characters of an entry: fewer are not enough to judge
	reviewedBelow = 0.7  // specification, "Consolidate" and "Synthesize"
)

// Skip is the action for an entry that needs nothing.
const Skip Action = "SKIP"

// judge is a running consolidation by a model.
type judge struct {
	material
	near   map[string][]string // the similar entries of an entry, most similar first
	drifts map[string][]link.Drift
	rules  func() []Step   // the rules' steps; computed when needed
	taken  map[string]bool // entries that a step rewrites or removes
	linked map[string]bool // entries that get relations

	merges, updates, relations int
}

// consolidate asks about each domain with changed entries.
func (j *judge) consolidate(ctx context.Context, changed []string) (steps []Step, err error) {
	byDomain := map[string][]string{}
	for _, p := range changed {
		byDomain[domainOf(p)] = append(byDomain[domainOf(p)], p)
	}
	for _, s := range j.temporal(j.drifts) { // domains in which only the code changed
		if d := domainOf(s.Output); byDomain[d] == nil {
			steps = append(steps, s)
			j.take(s)
		}
	}
	for _, a := range j.askAll(ctx, byDomain) {
		switch {
		case ctx.Err() != nil:
			return steps, ctx.Err()
		case a.err != nil:
			j.note("consolidate %s: the model gave no usable answer (%s), so fixed rules were used instead", a.domain, notable(a.err))
			steps = append(steps, j.byRule(a.domain, nil)...)
		default:
			steps = append(steps, stepsOf(j.material, *a.question, a.items, func(p proposal) (Step, error) { return j.read(a.group, p) },
				j.take)...)
			steps = append(steps, j.byRule(a.domain, a.group)...)
		}
	}
	return steps, nil
}

// atOnce bounds the questions that a model is asked at one time: eleven domains, as this project has, fit
// into half of a dream's time if one takes half a minute.
const atOnce = 3

// answer is a model's answer about a domain.
type answer struct {
	*group // nil if the model was not asked
	domain string
	items  []json.RawMessage
	err    error
}

// askAll asks about all domains, some at a time, and returns the answers by domain.
func (j *judge) askAll(ctx context.Context, byDomain map[string][]string) []answer {
	domains := slices.Sorted(maps.Keys(byDomain))
	out := make([]answer, len(domains))
	var group panics.Group
	turn := make(chan struct{}, atOnce)
	for i, domain := range domains {
		turn <- struct{}{}
		group.Go(func() {
			defer func() { <-turn }()
			one := &out[i]
			one.domain = domain
			bare := question{name: "consolidate", domain: domain, most: maxActions, list: "actions", form: llm.ListOf[proposal], tree: j.tree}
			one.items, one.err = j.counsel.ask(ctx, bare, func(q *question) { one.group = j.gather(ctx, q, byDomain[domain]) })
		})
	}
	group.Wait()
	return out
}

func domainOf(p string) string {
	domain, _, _ := strings.Cut(p, "/")
	return domain
}

// byRule are the rules' steps for a domain that touch no taken entry. If a model was asked, they are limited
// to entries that it was not shown and to lists of files, which git knows better.
func (j *judge) byRule(domain string, asked *group) (out []Step) {
	steps := j.temporal(j.drifts)
	if asked == nil || asked.left {
		steps = j.rules()
	}
	for _, s := range steps {
		known := s.Action == TemporalUpdate && s.Ops[0].Upkeep
		if domainOf(s.Output) == domain && (asked == nil || known || !asked.has(s.Output)) && j.inTheWay(s) == "" {
			out = append(out, s)
			j.take(s)
		}
	}
	return out
}

// take records a step's entries, so that no other step changes them.
func (j *judge) take(s Step) {
	in := j.taken
	switch s.Action {
	case Merge:
		j.merges++
	case TemporalUpdate:
		j.updates++
	case CrossReference:
		in = j.linked
		j.relations += len(s.Inputs) - 1
	}
	for _, p := range s.touches() {
		in[p] = true
	}
}

// inTheWay is an entry of a step that already has another, conflicting step, "" for none.
func (j *judge) inTheWay(s Step) string {
	for _, p := range s.Inputs {
		if j.taken[p] {
			return p
		}
	}
	for _, p := range s.touches() {
		if j.linked[p] {
			return p
		}
	}
	return ""
}

// group is a question to a model about one domain.
type group struct {
	*question
	shown map[string]bool // entries, and whether all of their text
	left  bool            // a changed entry did not fit
}

func (g *group) has(p string) bool { _, ok := g.shown[p]; return ok }

// gather collects the entries that a model is shown about a domain.
func (j *judge) gather(ctx context.Context, q *question, changed []string) *group {
	g := &group{q, map[string]bool{}, false}
	for _, p := range j.pending {
		if slices.Contains(changed, p.Source) {
			g.tell(&g.hints, p.Reason)
		}
	}
	share := min(maxEntry, max(leastShown, g.room()*2/3/len(changed)))
	for _, p := range changed {
		if g.room() >= leastShown {
			j.show(g, p, "changed", share)
		}
		if !g.has(p) && !j.taken[p] {
			g.left = true
			j.looked.leave(p)
		}
	}
	for _, p := range changed {
		if ctx.Err() != nil || g.room() < leastShown {
			break
		}
		if !g.has(p) {
			continue
		}
		for _, near := range j.related(ctx, p) {
			j.show(g, near, "", maxEntry)
		}
	}
	folders := map[string]int{}
	for _, p := range changed {
		folders[path.Dir(p)] = 0
	}
	for _, e := range j.entries() {
		dir := path.Dir(e.Path)
		n, ok := folders[dir]
		if !ok || g.has(e.Path) || n == maxSiblings || j.busy(e.Path) {
			continue
		}
		e = e.Redacted()
		if !g.put(&g.siblings, block{e.Path, e.Title, sanitize.Short(e.Summary, maxShort)}) {
			break
		}
		folders[dir]++
		g.shown[e.Path] = false
	}
	return g
}

// related are the entries that may belong to one: its comparison's results, and the search results for its
// title and its first hundred words.
func (j *judge) related(ctx context.Context, p string) (out []string) {
	add := func(at string) {
		if e, ok := j.tree.Entry(at); ok && e.Role == format.RoleEntry && at != p && !j.busy(at) && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	for _, at := range j.near[p][:min(len(j.near[p]), maxNear)] {
		add(at)
	}
	if j.sight.Search == nil {
		return out
	}
	e, _ := j.tree.Entry(p)
	words := strings.Fields(e.Body.Of(e.Text))
	found, err := j.sight.Search(ctx, retrieval.Query{Text: e.Title + " " + strings.Join(words[:min(len(words), 100)], " "),
		Scope: domainOf(p), Limit: maxNear + 1, Now: j.now})
	if err != nil {
		return out // the results of the comparison are already there
	}
	for _, h := range found.Hits {
		add(h.Path)
	}
	return out
}

// show adds an entry to the material, with at most so many characters.
func (j *judge) show(g *group, p, mark string, most int) {
	if g.has(p) || j.taken[p] {
		return
	}
	e, ok := j.tree.Entry(p)
	if !ok {
		return
	}
	b, whole := j.described(e.Redacted(), mark, most)
	if g.put(&g.material, b) {
		g.shown[p] = whole
	}
}

// described is an entry in the form for a model: its frontmatter, the known facts about it, and its body.
func (m material) described(e *format.Entry, mark string, most int) (b block, whole bool) {
	var t strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&t, "%s: %s\n", name, text)
		}
	}
	if mark != "" {
		t.WriteString(mark + "\n")
	}
	s := m.tree.Signals(e.Path, m.now)
	line("summary", e.Summary)
	for _, r := range format.WordLists {
		sep := ", "
		if r.Sentences {
			sep = " "
		}
		line(string(r.Part), strings.Join(*r.Words(&e.Lists), sep))
	}
	line("links to", strings.Join(e.Content().Relations, ", "))
	if _, at := m.tree.Counted(e.Path); !at.IsZero() {
		line("updated", at.UTC().Format(time.DateOnly))
	}
	line("standing", fmt.Sprintf("%s, importance %.0f, %d lead here", s.Maturity, s.Importance, len(m.tree.Backlinks(e.Path))))
	body, whole := cut(strings.TrimSpace(e.Body.Of(e.Text)), most)
	t.WriteString("\n" + body)
	return block{e.Path, e.Title, t.String()}, whole
}

// proposal is an action in a model's words.
type proposal struct {
	Action     Action     `json:"action" enum:"MERGE,TEMPORAL_UPDATE,CROSS_REFERENCE,SKIP"`
	Files      []string   `json:"files"`
	Output     string     `json:"outputFile,omitempty"`
	Content    *statement `json:"content,omitempty"`
	Reason     string     `json:"reason"`
	Confidence *float64   `json:"confidence"`

	sure float64
}

// read turns an action into a step; the step has no operation if nothing is to be done.
func (j *judge) read(g *group, p proposal) (s Step, err error) {
	p.Action = Action(strings.ToUpper(strings.TrimSpace(string(p.Action))))
	plans := map[Action]func(*Step, proposal, *group, string) error{Merge: j.merge, TemporalUpdate: j.update, CrossReference: j.refer}
	do, ok := plans[p.Action]
	if !ok && p.Action != Skip {
		return s, fmt.Errorf("unknown action %s", quoted(string(p.Action)))
	}
	if err := p.check(g); err != nil || p.Action == Skip {
		return s, err
	}
	reason, err := because(p.Reason)
	if err != nil {
		return s, err
	}
	s = Step{Phase: Consolidate, Action: p.Action, Inputs: p.Files, Output: p.Output, Confidence: p.sure, Review: true,
		Origin: j.counsel.origin, Key: j.key(p.Action, p.Files...)}
	if p.Action == TemporalUpdate {
		s.Key = j.key(p.Action, p.Output)
	}
	if at := j.inTheWay(s); at != "" {
		return s, fmt.Errorf("another change of %s is already proposed", at)
	}
	return s, do(&s, p, g, reason)
}

// check orders the files, the one that stays first.
func (p *proposal) check(g *group) (err error) {
	if p.sure, err = sure(p.Confidence); err != nil {
		return err
	}
	if p.Action == CrossReference && p.Output == "" && len(p.Files) > 0 {
		p.Output = p.Files[0]
	}
	var files []string
	for _, f := range append([]string{p.Output}, p.Files...) {
		f = strings.TrimSpace(f)
		switch {
		case f == "" && p.Action == Skip:
		case !g.has(f):
			return fmt.Errorf("%s is not one of the entries that the model was shown", quoted(f))
		case !slices.Contains(files, f):
			files = append(files, f)
		}
	}
	if p.Action == Skip {
		return nil
	}
	if !slices.ContainsFunc(p.Files, func(f string) bool { return strings.TrimSpace(f) == files[0] }) {
		return fmt.Errorf("outputFile %s is not one of the files to combine", quoted(p.Output))
	}
	least, most := 2, maxInto
	if p.Action == TemporalUpdate {
		least = 1
	}
	if len(files) < least || len(files) > most {
		return fmt.Errorf("%s has %d entries; it must have %d to %d", p.Action, len(files), least, most)
	}
	p.Output, p.Files = files[0], files
	if p.Content != nil {
		return curate.CheckContent(&plan.Op{Type: plan.OpMerge, Summary: p.Content.Summary, Content: p.Content.content()})
	}
	return nil
}

// among are the entries of a proposal.
func (j *judge) among(paths []string) (out []*format.Entry) {
	for _, p := range paths {
		e, _ := j.tree.Entry(p) // it was shown
		out = append(out, e)
	}
	return out
}

// merge plans a merge. The model's text replaces the combined text if it adds nothing and loses no name and
// no number; otherwise the combined text stays.
func (j *judge) merge(s *Step, p proposal, g *group, reason string) error {
	if j.merges >= maxMerges {
		return fmt.Errorf("one dream can merge at most %d times", maxMerges)
	}
	for _, f := range p.Files {
		if !g.shown[f] {
			return fmt.Errorf("the model was shown only a part of %s", f)
		}
	}
	entries := j.among(p.Files)
	ops, whole := mergeOps(j.tree, entries[0], entries[1:])
	s.Reason = merged(p.Files...) + reason
	if p.Content != nil && p.Content.text() != "" {
		last := &ops[len(ops)-1]
		if op, err := j.written(*last, p.Content, entries, whole); err != nil {
			j.note("%s: the model's text was not used: %s", p.Output, notable(err))
		} else {
			*last = op
		}
	}
	s.Ops = ops
	return nil
}

// written is a merge with a model's text in it.
func (j *judge) written(op plan.Op, says *statement, entries []*format.Entry, whole *format.Entry) (plan.Op, error) {
	content := says.content()
	content.RawConcept = format.RawConcept{} // the entry of a merge has no origin of its own
	mine := j.tame(plan.Op{Type: op.Type, Path: op.Path, Summary: says.Summary, Content: content})
	replace := format.Content{Narrative: mine.Content.Narrative}.Parts()
	if len(mine.Content.Facts) > 0 { // they are all, or none
		replace = append(replace, format.PartFacts)
	}
	if err := invents(says.text(), redacted(append(entries, whole))); err != nil {
		return op, err
	}
	op.Summary = cmp.Or(mine.Summary, op.Summary)
	if len(replace) == 0 {
		return op, nil
	}
	parts := format.Revision{Content: mine.Content, Replace: replace}
	text, _ := whole.Revise(parts)
	after := format.Parse(whole.Path, text)
	if err := invents(whole.Body.Of(whole.Text), []*format.Entry{after}); err != nil {
		return op, fmt.Errorf("the merged text leaves out content (%w)", err)
	}
	if raw := j.astray(whole, after); raw != "" {
		return op, fmt.Errorf("the relation %s in %s is not in any of the merged entries", quoted(raw), whole.Path)
	}
	has := after.Content() // also the parts that the model left alone
	op.Content, op.Replace = format.Content{Facts: has.Facts}, nil
	has.Narrative.Diagrams, op.Content.Narrative = nil, has.Narrative
	op.Replace = format.Content{Narrative: has.Narrative}.Parts()
	if len(has.Facts) > 0 {
		op.Replace = append(op.Replace, format.PartFacts)
	}
	return op, nil
}

// astray is a relation in a text that leads nowhere although the replaced text led there: a link copied in
// the spelling of another folder.
func (j *judge) astray(whole, after *format.Entry) string {
	led := map[string]bool{}
	for _, r := range whole.Relations {
		led[j.tree.Resolve(whole.Path, r.Form, r.Raw).Target] = true
	}
	for _, r := range after.Relations {
		if !led[j.tree.Resolve(whole.Path, r.Form, r.Raw).Target] {
			return r.Raw
		}
	}
	return ""
}

// redacted are entries without their credentials.
func redacted(entries []*format.Entry) (out []*format.Entry) {
	for _, e := range entries {
		out = append(out, e.Redacted())
	}
	return out
}

// update plans a temporal update.
func (j *judge) update(s *Step, p proposal, g *group, reason string) error {
	switch {
	case j.updates >= maxTemporal:
		return fmt.Errorf("one dream can update at most %d entries", maxTemporal)
	case !g.shown[p.Output]:
		return fmt.Errorf("the model was shown only a part of %s", p.Output)
	case p.Content == nil || p.Content.text() == "":
		return errors.New("it does not say what changes")
	}
	from := redacted(j.among(p.Files))
	known := j.now.UTC().Format(time.DateOnly) + "\n"
	for _, d := range j.drifts[p.Output] {
		known += d.Reason + " " + d.Path + " " + d.To + "\n"
	}
	for _, e := range from { // the date of writing may be mentioned
		_, at := j.tree.Counted(e.Path)
		known += at.UTC().Format("2006-01-02 January 2, 2006") + "\n"
	}
	if err := invents(p.Content.text(), append(from, format.Parse("a/b/known.md", known))); err != nil {
		return err
	}
	op := j.tame(plan.Op{Type: plan.OpUpdate, Path: p.Output, Summary: p.Content.Summary, Content: p.Content.content()})
	op.Replace = format.Content{Narrative: op.Content.Narrative}.Parts()
	s.Ops = []plan.Op{op}
	s.Reason = "Updated " + p.Output + " — " + reason
	return nil
}

// refer plans the missing relations from the first entry to the others.
func (j *judge) refer(s *Step, p proposal, _ *group, reason string) error {
	from := s.Output
	e, _ := j.tree.Entry(from)
	var to []string
	for _, p := range s.Inputs[1:] {
		full := len(e.Content().Relations)+len(to) >= fullRelated || len(to) == maxPerEntry || j.relations+len(to) >= maxRelations
		if !full && !j.joined(from, p) && !j.busy(p) {
			to = append(to, p)
		}
	}
	if len(to) == 0 {
		return fmt.Errorf("%s already has this relation, or too many relations", from)
	}
	*s = j.relation(from, to, reason, p.sure, true)
	s.Origin = j.counsel.origin
	return nil
}

// invents returns an error if a text has something that the entries do not have: a path, an address, a
// number, too many names, or mostly other words. It returns nil if everything in the text is in the entries.
func invents(text string, from []*format.Entry) error {
	var b strings.Builder
	for _, e := range from {
		fmt.Fprintf(&b, "%s\n\n%s\n\n%s\n\n%s\n\n%s\n\n", e.Path, e.Title, e.Terms(false), e.Summary, e.Body.Of(e.Text))
	}
	return grounding.In(b.String()).Check(text)
}
