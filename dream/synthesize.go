package dream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Bounds of what is written.
const (
	enoughDomains = 2   // specification, "Synthesize"
	maxSyntheses  = 5   // of one dream: each is an entry that somebody reads
	alike         = 0.5 // specification, "Synthesize": from which likeness on a pattern is known already
	maxKnown      = 50
	topicOf       = "synthesis"
	topicSays     = "Patterns that span this domain and others, found by dreams."
)

// synthesize lets a model plan entries about patterns across domains. Rules plan none: they can count common
// words, but not draw conclusions.
func synthesize(ctx context.Context, m material) ([]Step, error) {
	if m.counsel == nil {
		return nil, ctx.Err()
	}
	s := synthesist{material: m, shown: map[string]*format.Entry{}}
	domains := s.populated()
	if len(domains) < enoughDomains {
		return nil, ctx.Err()
	}
	bare := question{name: "synthesize", most: maxSyntheses, list: "syntheses", form: llm.ListOf[pattern], tree: m.tree}
	items, err := m.counsel.ask(ctx, bare, func(q *question) { s.gather(q, domains) })
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		m.note("synthesize: the model gave no usable answer (%s)", notable(err))
		return nil, nil
	}
	return stepsOf(m, bare, items, s.read, func(step Step) { s.written = append(s.written, s.draft(step.Ops[0])) }), nil
}

// synthesist is a synthesis by a model under way.
type synthesist struct {
	material
	shown   map[string]*format.Entry // summaries of domains, by name
	written []*format.Entry          // syntheses that are there, that wait, and that this dream planned
}

// populated are the domains with entries; existing syntheses are returned as well.
func (s *synthesist) populated() []string {
	domains := map[string]bool{}
	for _, e := range s.entries() {
		if _, _, ok := e.Synthesis(); ok {
			s.written = append(s.written, e)
		}
		if strings.Contains(e.Path, "/") {
			domains[domainOf(e.Path)] = true
		}
	}
	for _, op := range s.proposed {
		s.written = append(s.written, s.draft(op))
	}
	return slices.Sorted(maps.Keys(domains))
}

// gather brings together the summaries of the domains, as they are on disk or, where they are
// missing or stale, as they would be written.
func (s *synthesist) gather(q *question, domains []string) {
	clear(s.shown)
	share := min(maxEntry, q.room()*3/4/len(domains)-200)
	for _, d := range domains {
		sum, ok := derived.SummaryOf(s.tree, d)
		if !ok {
			continue
		}
		e := format.Parse(sum.Path, sum.Text).Redacted()
		text, _ := cut(strings.TrimSpace(e.Body.Of(e.Text)), max(200, share))
		if !q.put(&q.material, block{d, "", text}) {
			s.note("synthesize: the summaries of %s and later domains did not fit into the question", d)
			break
		}
		s.shown[d] = e
	}
	for _, e := range s.written[:min(len(s.written), maxKnown)] {
		e = e.Redacted()
		q.tell(&q.known, e.Title+": "+sanitize.Short(e.Summary, maxShort))
	}
}

// pattern is a synthesis in a model's words.
type pattern struct {
	Title      string           `json:"title"`
	Summary    string           `json:"summary"`
	Domains    []string         `json:"domains"`
	Tags       []string         `json:"tags,omitempty"`
	Keywords   []string         `json:"keywords,omitempty"`
	Facts      []format.Fact    `json:"facts,omitempty"`
	Narrative  format.Narrative `json:"narrative"`
	Confidence *float64         `json:"confidence"`
	Reason     string           `json:"reason,omitempty"`
}

// read makes a step of a pattern.
func (s *synthesist) read(p pattern) (Step, error) {
	confidence, err := sure(p.Confidence)
	if err != nil {
		return Step{}, err
	}
	domains, err := s.domains(p.Domains)
	if err != nil {
		return Step{}, err
	}
	op, err := s.operation(p, domains, confidence)
	if err != nil {
		return Step{}, err
	}
	draft := s.draft(op)
	if known, how := s.known(draft); known != "" {
		return Step{}, fmt.Errorf("%s already says the same (similarity %.2f, limit %.1f)", known, how, alike)
	}
	reason := "Generated cross-domain synthesis: " + op.Title
	if why, err := because(p.Reason); err == nil {
		reason += " — " + why
	}
	if confidence < reviewedBelow {
		reason += fmt.Sprintf(" (confidence %.2f, below %.1f)", confidence, reviewedBelow)
	}
	return Step{
		Phase: Synthesize, Action: Create, Inputs: op.Synthesis.Sources, Output: draft.Path, Reason: reason,
		Confidence: confidence, Review: true, Ops: []plan.Op{op}, Origin: s.counsel.origin,
		Key: s.key(Create, append([]string{format.Slug(op.Title)}, domains...)...),
	}, nil
}

// domains returns the domains of a pattern; it needs two that were shown.
func (s *synthesist) domains(named []string) (out []string, err error) {
	for _, d := range named {
		d = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(d), "_index.md"), "/")
		if s.shown[d] == nil {
			return nil, fmt.Errorf("%s is not one of the domains that the model was shown", quoted(d))
		}
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	if len(out) < enoughDomains {
		return nil, fmt.Errorf("it spans %d domains; at least %d are needed", len(out), enoughDomains)
	}
	return out, nil
}

// operation is the entry of a pattern. It stands in the first domain that the model names, of
// which it says most by that, in a topic of its own: a two-level folder, as any entry's.
func (s *synthesist) operation(p pattern, domains []string, confidence float64) (plan.Op, error) {
	says := statement{Summary: p.Summary, Facts: p.Facts, Narrative: p.Narrative}
	content := says.content()
	content.Tags, content.Keywords = p.Tags, p.Keywords
	op := plan.Op{Type: plan.OpAdd, Path: domains[0] + "/" + topicOf, Title: p.Title, Summary: p.Summary, Content: content,
		TopicContext: &plan.TopicContext{Overview: topicSays}}
	if err := curate.CheckContent(&op); err != nil {
		return op, err
	}
	op = s.tame(op)
	switch {
	case op.Title == "" || op.Summary == "":
		return plan.Op{}, errors.New("it has no title or no summary")
	case len(op.Content.Narrative.Texts())+len(op.Content.Facts) == 0:
		return plan.Op{}, errors.New("its content is empty")
	}
	var from []*format.Entry
	op.Synthesis = &format.Synthesis{Confidence: confidence}
	for _, d := range domains {
		from = append(from, s.shown[d])
		op.Synthesis.Sources = append(op.Synthesis.Sources, d+"/_index.md")
	}
	names := format.Parse("a/b/names.md", strings.Join(domains, "\n"))
	if err := invents(p.Title+"\n\n"+says.text(), append(from, names)); err != nil {
		return plan.Op{}, err
	}
	return op, nil
}

// draft is the entry that an operation would make, to compare it.
func (s *synthesist) draft(op plan.Op) *format.Entry {
	h := format.Header{Title: op.Title, Summary: op.Summary, CreatedAt: s.now, Synthesis: op.Synthesis}
	return format.Parse(s.tree.FreePath(op.Path, op.Title), format.Render(h, op.Content))
}

// known is the existing synthesis with the same content as a new one, with their likeness, "" for none.
// Syntheses with the same title count as the same.
func (s *synthesist) known(draft *format.Entry) (path string, how float64) {
	for _, e := range s.written {
		if format.Slug(e.Title) == format.Slug(draft.Title) {
			return e.Path, 1
		}
		if l := likeness(draft, e); l >= alike && l > how {
			path, how = e.Path, l
		}
	}
	return path, how
}

// likeness measures how similar two syntheses are, from 0 to 1: the share of their common words (Dice), in
// their whole texts or in title and summary alone, whichever is larger. It does not depend on the size of the
// tree, unlike a BM25 score (with which any two common words reach half of the best score), nor on longer
// texts, unlike package overlap, which is for entries.
//
// Of ten patterns, each told twice in other words, all ten reach .5; of 180 pairs of different ones two do,
// with .52 at most (testdata/alike, made for this).
func likeness(a, b *format.Entry) float64 {
	head := func(e *format.Entry) string { return e.Title + "\n" + e.Summary }
	body := func(e *format.Entry) string {
		c := e.Content()
		lines := append([]string{head(e)}, c.Narrative.Texts()...)
		for _, f := range c.Facts {
			lines = append(lines, f.String())
		}
		return strings.Join(lines, "\n")
	}
	return max(dice(grounding.Telling(head(a)), grounding.Telling(head(b))), dice(grounding.Telling(body(a)), grounding.Telling(body(b))))
}

// dice is the share of words that two texts have in common.
func dice(a, b map[string]bool) float64 {
	both := 0
	for term := range a {
		if b[term] {
			both++
		}
	}
	return 2 * float64(both) / float64(max(1, len(a)+len(b)))
}
