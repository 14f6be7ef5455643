package curate

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// ErrModel is wrapped by every failure of [Compose] that lies with the model: an error
// of its own, a limit, or no proposal that could be accepted.
var ErrModel = errors.New("the model made no proposal")

// Limits of a curation. Ten turns are three to look around, one to propose, two to repair, and four in
// reserve; the paper allows 50, for which users would not wait. The tokens are ten turns of the material with
// the rules and the tree's part, 20,000, and half of that again for the results of tools. The time is for a
// person who can see the progress.
var composeLimits = llm.Limits{Turns: 10, Tokens: 300_000, Time: 4 * time.Minute}

// Patience is how long a model may read before its first output. A user who requests a draft sees its
// progress, and a local model reads some 300 tokens a second.
const Patience = 60 * time.Second

// onceLimits are for a model without tools: an answer, and one repair of it.
var onceLimits = llm.Limits{Turns: 1, Time: 2 * time.Minute}

// Limits of the quoted part of the tree: tokens, and hits of the search for the material.
const (
	relatedTokens = 4000
	relatedHits   = 10
)

// leastRoom is the fewest tokens of what a model is shown beside the rules: two paragraphs.
const leastRoom = 300

// maxInstruction bounds what the user says, in characters: a page.
const maxInstruction = 4000

// composer is one curation under way.
type composer struct {
	project  Project
	material Material
	model    llm.Model // guarded
	sources  []item
	look     *retrieval.Look
	origin   format.Origin
	notes    []string
	cut      []string // notes of sources that are shown in short
	usage    llm.Usage

	mu       sync.Mutex // guards the fields below: a tool that is still running may add
	accepted *accepted  // the last batch of which at least one operation can be done
	refused  error      // why the last other batch was not accepted
	seen     string     // text that the model was shown besides the material and entries
}

// accepted is a batch that a dry run accepted at least in part.
type accepted struct {
	ops    []plan.Op
	report *plan.Report
	notes  []string
}

// Compose lets a model make operations from the material. If the model fails, the error wraps [ErrModel], and
// the caller can show the result of [Propose] instead.
//
// The model sees the material, within a budget (compact.go), and what the tree has about it. Its tools
// search, read entries and sources, and propose; it has no others. A proposal is answered by a dry run, so
// that the model can repair it. The last batch of which the dry run accepted at least one operation is the
// result, without the operations that failed. A model whose context is too small for tools ([llm.HoldsTools])
// is asked for the batch as JSON. If an operation fails, it is asked once more, with the answer of the dry
// run.
//
// The rules of policy.go apply to everything that a model proposes. The program, not the
// model, sets the origin.
func Compose(ctx context.Context, p Project, model llm.Model, m Material) (Proposal, error) {
	c := &composer{project: p, material: m, model: llm.Guard(model), origin: format.Origin{Kind: format.OriginModel, Tool: "brv-lsp",
		Model: plainWords(model.Name())}}
	if c.material = scrub(m); m.Changes != nil {
		c.origin.Commit = sanitize.First(m.Changes.Commit, 12)
	}
	if err := c.gather(); err != nil {
		return Proposal{}, err
	}
	found, err := c.related(ctx)
	if err != nil {
		return Proposal{}, err
	}
	if llm.HoldsTools(model) {
		err = c.converse(ctx, found)
	} else {
		err = c.answer(ctx, found)
	}
	c.notes = append(c.notes, c.cut...)
	last, refused := c.last()
	switch {
	case ctx.Err() != nil:
		return Proposal{}, ctx.Err()
	case last == nil && err != nil:
		return Proposal{Usage: c.usage}, fmt.Errorf("%w: %w", ErrModel, err)
	case last == nil && refused != nil:
		return Proposal{Usage: c.usage}, fmt.Errorf("%w: %s", ErrModel, sanitize.First(plainWords(refused.Error()), 400))
	case last == nil:
		return Proposal{Usage: c.usage}, fmt.Errorf(
			"%w: %s gave no operations; try again, or set brv.model.name to a model that calls tools or answers in JSON", ErrModel,
			c.model.Name())
	case err != nil:
		c.notes = append(c.notes, fmt.Sprintf("the model failed after this proposal: %v", err))
	}
	return c.finish(ctx, last)
}

// last is the accepted batch so far, nil if there is none, and the reason why others were not accepted.
func (c *composer) last() (*accepted, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.accepted, c.refused
}

// request builds the first question to the model. The material is cut to the model's context. The rules leave
// some room: an eighth of it is for the folders, a quarter for entries, and the rest for the material. If the
// model calls tools, only half of the room is used, since their results take the other half.
func (c *composer) request(ctx context.Context, found retrieval.Result, takes int, tools []llm.Tool) (llm.Request, error) {
	d := promptData{
		Tools: len(tools) > 0, Turns: composeLimits.Turns, MaxOps: maxOps, MaxGone: maxGone, MaxTitle: maxTitle, MaxSummary: maxSummary,
		Instruction: sanitize.First(strings.TrimSpace(clean(c.material.Instruction)), maxInstruction), Nonce: c.look.Nonce(),
		Answer: min(composeAnswer, takes/4),
	}
	rules, err := d.request(tools)
	if err != nil {
		return rules, err
	}
	room := rules.Room(takes)
	if d.Tools {
		room /= 2
	}
	if room < leastRoom {
		return rules, fmt.Errorf("%w: its context of %d tokens is too small for this task; use a model with a larger context",
			llm.ErrTooLong, takes)
	}
	if err := c.compact(ctx, takes, min(materialTokens, room*5/8)); err != nil {
		return rules, err
	}
	d.Listing, d.Domains, d.Folders = c.look.Listing(room / 8)
	d.Related = c.look.Hits(found.Hits, min(relatedTokens, room/4))
	c.see(d.Listing)
	for i := range c.sources {
		d.Sources += c.quote(i, c.sources[i].shown)
	}
	return d.request(tools)
}

// compact brings the sources within their budget.
func (c *composer) compact(ctx context.Context, takes, budget int) error {
	sizes := make([]int, len(c.sources))
	for i, s := range c.sources {
		sizes[i] = tokens.Count(s.text)
	}
	within, cancel := context.WithTimeout(ctx, compactAll)
	defer cancel()
	c.cut = nil
	k := &compactor{model: c.model, look: c.look, context: takes}
	for i, share := range shares(sizes, budget) {
		s := &c.sources[i]
		short, how, err := k.compact(ctx, within, s.name(), s.text, share)
		if err != nil {
			return err
		}
		if s.shown, s.how = short, how; how != "" {
			c.cut = append(c.cut, s.name()+": "+how)
		}
	}
	c.usage = c.usage.And(k.usage)
	return nil
}

// related searches the tree for the material's subject, through the conversation's look at the tree.
func (c *composer) related(ctx context.Context) (retrieval.Result, error) {
	var all strings.Builder
	all.WriteString(c.material.Instruction)
	for _, s := range c.sources {
		all.WriteString("\n" + s.Path + "\n" + s.text)
	}
	c.look = retrieval.NewLook(c.project.Tree, c.project.Search, c.project.Now, all.String())
	var words []string
	words = append(words, sanitize.First(c.material.Instruction, 300))
	for _, s := range c.sources {
		words = append(words, strings.TrimSuffix(path.Base(s.Path), path.Ext(s.Path)))
		words = append(words, s.Symbols[:min(10, len(s.Symbols))]...)
		words = append(words, sanitize.First(s.text, 300))
	}
	return c.project.Search(ctx, retrieval.Query{Text: strings.Join(words, " "), Limit: relatedHits, Now: c.project.Now})
}

// converse runs the conversation with a model that can call tools.
func (c *composer) converse(ctx context.Context, found retrieval.Result) error {
	out, err := llm.Fitted(ctx, c.model, composeLimits, func(context int) (llm.Request, error) {
		return c.request(ctx, found, context, c.tools())
	})
	c.usage = c.usage.And(out.Usage)
	if err != nil {
		return err
	}
	if last, _ := c.last(); last == nil {
		if batch, ok := jsonIn(out.Text); ok { // a model that cannot make calls
			_, _, _ = c.try(ctx, batch)
		}
	}
	if last, _ := c.last(); last == nil && out.End != llm.EndAnswer {
		return out.End.Limited(c.model.Name())
	}
	return nil
}

// answer asks a model without tools for a batch, and once more if some of it failed and both fit its context.
func (c *composer) answer(ctx context.Context, found retrieval.Result) error {
	var r llm.Request
	out, err := llm.Fitted(ctx, c.model, onceLimits, func(context int) (_ llm.Request, err error) {
		r, err = c.request(ctx, found, context, nil)
		return r, err
	})
	for repair := range 2 {
		c.usage = c.usage.And(out.Usage)
		switch {
		case err != nil:
			return err
		case out.End != llm.EndAnswer:
			return out.End.Limited(c.model.Name())
		}
		batch, _ := jsonIn(out.Text)
		said, failed, wrong := c.try(ctx, batch)
		if failed == 0 && wrong == nil || repair > 0 || ctx.Err() != nil {
			break
		}
		if wrong != nil {
			said = wrong.Error()
		}
		r.Messages = append(out.Messages, llm.Message{Role: llm.RoleUser,
			Text: said + "\nAnswer once more with all operations, corrected: one JSON object and nothing else."})
		if context, _ := llm.ContextOf(c.model); r.Room(context) < 0 {
			break
		}
		out, err = llm.Run(ctx, c.model, r, onceLimits)
	}
	return nil
}

// finish makes the proposal from the accepted batch, without the operations that failed or change nothing.
// The report comes from a dry run of the rest.
func (c *composer) finish(ctx context.Context, a *accepted) (Proposal, error) {
	p := Proposal{Origin: c.origin, Notes: slices.Concat(c.notes, a.notes), Report: a.report, Usage: c.usage}
	for i, r := range a.report.Results {
		switch {
		case r.Status == plan.StatusFailed:
			p.Notes = append(p.Notes, fmt.Sprintf("left out: %s %s: %s", r.Type, r.Path, sanitize.First(plainWords(r.Message), 200)))
		case r.Unchanged:
			p.Notes = append(p.Notes, fmt.Sprintf("left out, as the tree already contains this: %s %s", r.Type, r.Path))
		default:
			p.Ops = append(p.Ops, a.ops[i])
		}
	}
	if len(p.Ops) < len(a.ops) {
		var err error
		if p.Report, err = c.dryRun(ctx, p.Ops); err != nil {
			return Proposal{}, err
		}
	}
	for _, r := range p.Report.Results {
		for _, d := range r.Dangling {
			p.Notes = append(p.Notes, "leads nowhere: "+sanitize.First(plainWords(d), 200))
		}
	}
	if len(p.Ops) == 0 {
		p.Notes = append(p.Notes, "the model found nothing to change")
	}
	return p, nil
}

// dryRun reports what the operations would do. When they are applied, all of them wait for a review, since a
// model made them.
func (c *composer) dryRun(ctx context.Context, ops []plan.Op) (*plan.Report, error) {
	if len(ops) == 0 {
		return &plan.Report{}, nil
	}
	return c.project.Try(ctx, plan.Batch{Ops: ops, Author: "brv-lsp: " + c.origin.Model, Hold: plan.HoldAll, DryRun: true,
		Origin: c.origin})
}
