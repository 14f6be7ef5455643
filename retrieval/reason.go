package retrieval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/llm"
)

// Tiers 3 and 4. Both show a model the hits of the search and the structure of the tree (material.go), quoted
// (quote.go), under rules from files (prompt.go), and check its text critically (reply.go). Tier 3 is one
// call without tools; in tier 4 the model may look for more (tools.go) until it answers or reaches a limit of
// [llm.Run].

// reasonTier holds the differences between the two tiers with a model.
type reasonTier struct {
	tier        Tier
	tools       bool    // the model searches by itself; else it is shown more hits
	prefetch    int     // tokens of what the search found
	answer      int     // tokens of an answer (paper, section 4.2)
	temperature float64 // (paper, section 4.2)
	limits      llm.Limits
}

var reasonTiers = map[Tier]reasonTier{
	// TierModel shows twice as many tokens of hits as the manifest has of structure. Together with the
	// folders, the rules, a question of a page and the answer this is at most 28,000 tokens, which fit the
	// window of 32,000 of local models. A model that has begun to answer gets six times the 5 s of the
	// specification; one that has not gets those 5 s, minus the time of the search (reliability, promise L1).
	TierModel: {tier: TierModel, prefetch: 13_000, answer: 1024, temperature: 0.3,
		limits: llm.Limits{Turns: 1, Tokens: 32_000, Time: 30 * time.Second, Silence: silence}},

	// TierLoop shows less at first, since all of it is sent again with each turn. Eight turns are two each to
	// search, read and follow relations, one to correct a mistake, and the answer; the paper allows 50, but
	// an editor's user does not wait that long. The token limit is eight times the first 16,000, and half of
	// that again for the results of tools. The time is six times the 15 s of the specification.
	TierLoop: {tier: TierLoop, tools: true, prefetch: 6_000, answer: 2048, temperature: 0.5,
		limits: llm.Limits{Turns: 8, Tokens: 200_000, Time: 90 * time.Second, Silence: silence}},
}

// silence is how long to wait for a model's first output. The search takes some milliseconds, so the reader
// has its hits within 5 s.
const silence = 4800 * time.Millisecond

// errModel is wrapped by every failure of the model: an error of its own, a timeout, or no text. The hits of
// the search are still valid then.
var errModel = errors.New("the model gave no answer")

// reasoner lets a model answer from the tree.
type reasoner struct {
	model   llm.Model
	outline func(ctx context.Context, file string) (string, error) // nil without code
	writing func(tokens, most int)                                 // called while an answer is written; nil: not called
}

// ask puts an inquiry to the model. Its text becomes an answer only if it passes the checks.
func (r *reasoner) ask(ctx context.Context, t reasonTier, first *inquiry, found Result) (Answer, error) {
	limits := t.limits
	if p, ok := llm.As[llm.Patient](r.model); ok { // a caller that waits longer for the first output also waits for the rest
		limits.Time = max(limits.Time, 2*p.Patience())
	}
	var q *inquiry
	out, err := llm.Fitted(ctx, r.model, limits, func(context int) (llm.Request, error) {
		q = &inquiry{snap: first.snap, query: first.query, search: first.search}
		request, err := r.request(t, q, found, context)
		if r.writing != nil {
			request.Stream = counted(request.MaxTokens, r.writing)
		}
		return request, err
	})
	switch {
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	case err != nil:
		return Answer{Usage: out.Usage}, fmt.Errorf("%w: %w", errModel, err)
	case strings.TrimSpace(out.Text) == "" && out.End != llm.EndAnswer:
		return Answer{Usage: out.Usage}, fmt.Errorf("%w: %w", errModel, out.End.Limited(r.model.Name()))
	case strings.TrimSpace(out.Text) == "":
		return Answer{Usage: out.Usage}, fmt.Errorf("%w: %s said nothing", errModel, r.model.Name())
	}
	a := Answer{Tier: t.tier, Hits: found.Hits, Model: r.model.Name(), Usage: out.Usage, readCode: q.readCode.Load()}
	if len(found.Hits) > 0 {
		a.Confidence = found.Hits[0].Score
	}
	if q.short { // a small model that has copied a sentence goes on copying
		out.Text, _, _ = strings.Cut(out.Text, "</entry-"+q.quoter.nonce)
	}
	said := q.read(&a, out.Text)
	if err := q.verify(said); err != nil {
		return a, fmt.Errorf("the answer of %s is not shown: %w", a.Model, err)
	}
	a.Why = fmt.Sprintf("%s by %s, which was shown %s (turns: %d, tool calls: %d)",
		a.Why, a.Model, words.Counted(len(q.shown.paths()), "entry", "entries"), out.Turns, out.Calls)
	if out.End != llm.EndAnswer {
		a.Why += fmt.Sprintf("; it had to answer at the limit of %s", out.End)
	}
	if out.Cut {
		a.Note = join(a.Note, "the answer was cut at its token limit")
	}
	return a, nil
}

// counted estimates the number of tokens received so far and reports it at each eighth of an answer's limit.
func counted(most int, tell func(tokens, most int)) func(piece string) {
	tokens, told := 0.0, 0
	return func(piece string) {
		tokens += float64(len(piece)) / bytesPerToken
		if n := min(int(tokens), most); n >= told+most/8 {
			told = n
			tell(n, most)
		}
	}
}

// bytesPerToken is the approximate length of a token in an answer: English prose.
const bytesPerToken = 4

// request builds the question to the model, with as much material as its context takes.
func (r *reasoner) request(t reasonTier, q *inquiry, found Result, context int) (llm.Request, error) {
	text := strings.TrimSpace(q.query.Text)
	text = strings.ToValidUTF8(text[:boundary(text, min(maxQuery, len(text)))], "\ufffd")
	q.quoter = newQuoter(q.snap, text)
	t.answer = min(t.answer, context/8)
	d := promptData{
		Nonce: q.quoter.nonce, NotCovered: notCovered, Tools: t.tools, Turns: t.limits.Turns, Short: context <= llm.ShortContext,
		Scope: q.quoter.line(found.Scope), Question: text,
	}
	rules, err := d.request(t)
	if err != nil {
		return rules, err
	}
	room := rules.Room(context)
	if q.short = d.Short; d.Short {
		for _, x := range prefetch(q.quoter, q.snap, found.Hits, min(t.prefetch, room)) {
			d.Found += q.show(x)
		}
		return d.request(t)
	}
	d.Listing, d.Domains, d.Folders = listing(q.quoter, q.snap, min(listingTokens, room/8))
	hits := prefetch(q.quoter, q.snap, found.Hits, min(t.prefetch, room/2))
	for _, x := range structure(q.quoter, q.snap, hits, found.Hits, q.query.Now, min(structureTokens, room/3)) {
		d.Structure += q.show(x)
	}
	for _, x := range hits {
		d.Found += q.show(x)
	}
	request, err := d.request(t)
	if d.Tools {
		request.Tools = q.tools(r.outline)
	}
	return request, err
}
