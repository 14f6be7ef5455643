package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// The loop spends its limits so that an answer comes out of them. A turn lets the
// model call tools only if one more turn still fits behind it, by turns, tokens and
// time; else it is the last one, in which the model is told to answer with what it
// has. Results of tools are cut so that this last question fits. A loop without an
// answer is the exception: the model says nothing, or takes longer than any turn
// before.
//
// Calls of one turn run one after the other, in the model's order: here a tool takes
// milliseconds and a turn seconds, and a tool need not guard what it remembers.

// Bounds of every loop, whatever its limits.
const (
	maxTurns      = 50       // paper, section 4.2: iterations of the agentic fallback
	maxCalls      = 16       // of one turn; what a model calls beyond is left out and told so
	maxResult     = 32 << 10 // bytes of one result: 8,000 characters of any script
	maxText       = 64 << 10 // bytes of what the model says in a turn
	maxTranscript = 1 << 20  // bytes of a conversation
)

// assumedAnswer is the size assumed for an answer where the request does not bound
// it, in tokens.
const assumedAnswer = 1024

// notes bounds lastWords and the remarks at cut results, in tokens:
// 30, and 16 for each of 16 results.
const notes = 512

// lastWords opens the last turn.
const lastWords = "You cannot call tools any more. Answer now with what you have, and say what is missing."

// inForm asks for the form of a structured answer behind a turn in which tools could be
// called.
const inForm = "Give your answer now in the requested form."

// End says why a loop ended.
type End string

// The ends of a loop. All but the first are limits; the answer was then made in a
// last turn without tools, or there is none.
const (
	EndAnswer End = "answer" // the model was done
	EndTurns  End = "turns"
	EndTokens End = "tokens"
	EndTime   End = "time"
	EndSize   End = "size" // the conversation is too long
)

// Limited is the error of a model that gave no answer within a limit, with what whoever reads it
// can do.
func (e End) Limited(model string) error {
	hint := "ask about less"
	switch e {
	case EndTime:
		hint = "try again, or choose a faster model in brv.model.name"
	case EndTurns, EndTokens:
		hint = "ask about less, or choose another model in brv.model.name"
	}
	return fmt.Errorf("%s stopped at its limit of %s; %s", model, e, hint)
}

// Outcome is the result of a loop.
type Outcome struct {
	Text     string // the model's answer; "" if it gave none. What it said beside calls stands in Messages
	End      End
	Cut      bool      // what the model said last ends where the tokens of an answer did
	Turns    int       // calls of the model
	Calls    int       // calls of tools, failed ones too
	Usage    Usage     // of all turns, estimated where the model does not say; what Limits.Tokens bounds
	Messages []Message // the whole conversation, the request's messages first
}

// Run asks a model and runs the tools it calls until it answers in text. A limit is
// no error: the outcome says which one ended it. An error of the model, and the end
// of ctx, come with what there is until then. Run returns when ctx ends, also out of
// a tool that does not heed it: that one is left to end by itself.
//
// Stream is told the text of every turn, also what the model says beside calls, and nothing
// once Run has returned, which waits for a piece that is being taken up. Schema goes out only
// where nothing can be called: a model that must answer in a form cannot look first. Where it
// is done while tools could be called, it is asked once more, for the form.
func Run(ctx context.Context, m Model, r Request, l Limits) (Outcome, error) {
	c := newConversation(m, r, l)
	within := ctx
	if l.Time > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, l.Time)
		defer cancel()
	}
	err := c.hold(within)
	c.out.Messages = c.request.Messages
	switch {
	case err == nil:
		return c.out, nil
	case ctx.Err() != nil:
		return c.out, ctx.Err()
	case within.Err() != nil:
		c.out.End = EndTime
		return c.out, nil
	}
	return c.out, err
}

// conversation is a loop under way.
type conversation struct {
	model   Model
	request Request
	limits  Limits
	context int // tokens that the model takes; 0 where it does not say
	began   time.Time
	slowest time.Duration // of the turns so far, tools included
	input   int           // tokens of the next request: as the model counted them, and an estimate of what came since
	size    int           // bytes of the messages
	dropped int           // calls of the last turn beyond maxCalls
	form    bool          // the model was done and is asked for the form
	out     Outcome
}

func newConversation(m Model, r Request, l Limits) *conversation {
	if l.Turns <= 0 || l.Turns > maxTurns {
		l.Turns = maxTurns
	}
	r.Messages = slices.Clone(r.Messages)
	c := &conversation{model: m, request: r, limits: l, began: time.Now(), input: r.tokens()}
	if context, told := ContextOf(m); told {
		c.context = context
	}
	if r.Schema != nil {
		c.input += tokens.Estimate(string(r.Schema.JSON))
	}
	for _, m := range r.Messages {
		c.size += m.size()
	}
	return c
}

// hold takes turns until there is an answer or a limit.
func (c *conversation) hold(ctx context.Context) error {
	for {
		began := time.Now()
		limit := c.limit()
		if c.limits.Tokens > 0 && c.spent()+c.input+c.answer() > c.limits.Tokens {
			c.out.End = EndTokens
			return nil
		}
		if limit != "" && c.out.Turns > 0 {
			c.add(Message{Role: RoleUser, Text: lastWords})
		}
		said, err := c.ask(ctx, limit != "")
		if err != nil {
			return err
		}
		if len(said.Calls) == 0 && limit == "" && c.request.Schema != nil && c.open() {
			c.request.NoCalls, c.form = true, true // limit saw to it that one more turn fits
			c.add(Message{Role: RoleUser, Text: inForm})
			continue
		}
		if limit != "" || len(said.Calls) == 0 {
			c.out.Text, c.out.End = said.Text, cmp.Or(limit, EndAnswer)
			return nil
		}
		if err := c.run(ctx, said.Calls); err != nil {
			return err
		}
		c.slowest = max(c.slowest, time.Since(began))
	}
}

// limit names the limit for which the next turn has to be the last, if any. A
// request without tools has but one turn, which needs no reason.
func (c *conversation) limit() End {
	l := c.limits
	switch {
	case len(c.request.Tools) == 0 || c.form:
		return ""
	case c.out.Turns+1 >= l.Turns:
		return EndTurns
	case l.Tokens > 0 && c.spent()+2*c.input+3*c.answer()+notes > l.Tokens:
		return EndTokens // this turn, and one with what it says and its results
	case c.context > 0 && c.input+2*c.answer()+notes > c.context:
		return EndTokens
	case l.Time > 0 && time.Since(c.began)+2*c.slowest > l.Time:
		return EndTime
	case c.size > maxTranscript*3/4:
		return EndSize
	}
	return ""
}

// spent returns the tokens that all turns took so far.
func (c *conversation) spent() int { return c.out.Usage.Input + c.out.Usage.Output }

// open reports whether tools can be called in a turn that is not the last.
func (c *conversation) open() bool { return len(c.request.Tools) > 0 && !c.request.NoCalls }

// answer returns the tokens that one answer may take.
func (c *conversation) answer() int { return cmp.Or(c.request.MaxTokens, assumedAnswer) }

// ask asks the model once and takes down what it says.
func (c *conversation) ask(ctx context.Context, last bool) (Message, error) {
	r := c.request
	r.Messages = slices.Clip(r.Messages)
	if r.NoCalls = r.NoCalls || last; c.open() && !last {
		r.Schema = nil
	}
	c.out.Turns++
	silence := c.silence()
	heard, done := listen(ctx, silence, &r)
	said, err := await(heard, func() (Response, error) { return c.model.Complete(heard, r) })
	if hearing := done(); errors.Is(context.Cause(heard), ErrSilent) && err != nil {
		err = silentError(hearing.Silence(silence))
	}
	if err != nil {
		who := c.model.Name()
		if c.out.Turns > 1 {
			who += fmt.Sprintf(", turn %d", c.out.Turns)
		}
		return Message{}, fmt.Errorf("%s: %w", who, err)
	}
	c.out.Cut = said.Cut
	m := Message{Role: RoleAssistant, Text: cutText(said.Text, maxText)}
	if !r.NoCalls && len(r.Tools) > 0 {
		m.Calls = c.named(said.Calls[:min(maxCalls, len(said.Calls))])
		c.dropped = len(said.Calls) - len(m.Calls)
	}
	in := cmp.Or(max(0, said.Usage.Input), c.input)
	out := cmp.Or(max(0, said.Usage.Output), m.tokens())
	c.out.Usage = c.out.Usage.And(Usage{in, out, said.Usage.Input+said.Usage.Output <= 0})
	c.add(m)
	c.input = in + out
	return m, nil
}

// silence is how long the model may say nothing, 0 for no limit.
func (c *conversation) silence() time.Duration {
	if c.limits.Silence <= 0 {
		return 0
	}
	if w, ok := As[Watcher](c.model); ok && w.Watches() {
		return 0
	}
	if p, ok := As[Patient](c.model); ok {
		return max(c.limits.Silence, p.Patience())
	}
	return c.limits.Silence
}

// silentError is an [ErrSilent] that says what came.
type silentError string

func (e silentError) Error() string      { return string(e) }
func (silentError) Is(target error) bool { return target == ErrSilent }

// listen returns a context that ends, for [ErrSilent], when a model was silent for too
// long, and has the request tell it of each piece. Done must be called, and says what was heard;
// no piece is passed on behind it, also where a model that was left goes on.
func listen(ctx context.Context, silence time.Duration, r *Request) (heard context.Context, done func() Hearing) {
	heard, end := context.WithCancelCause(ctx)
	if silence <= 0 && r.Stream == nil {
		return heard, func() Hearing { end(nil); return Hearing{} }
	}
	stop, again := func() bool { return false }, func() {}
	if silence > 0 {
		over := time.AfterFunc(silence, func() { end(ErrSilent) })
		stop, again = over.Stop, func() { over.Reset(silence) }
	}
	var mu sync.Mutex // guards said, and that pieces end with the turn
	var said Hearing
	pass := r.Stream
	r.Stream = func(piece string) {
		mu.Lock()
		defer mu.Unlock()
		if heard.Err() != nil {
			return
		}
		if said.Received(len(piece)) && stop() {
			again()
		}
		if pass != nil {
			pass(piece)
		}
	}
	return heard, func() Hearing {
		mu.Lock()
		defer mu.Unlock()
		stop()
		end(nil)
		return said
	}
}

// named gives each call an identifier of its own where the model gave it none.
func (c *conversation) named(calls []Call) []Call {
	out, seen := slices.Clone(calls), map[string]bool{}
	for i := range out {
		if id := out[i].ID; id == "" || seen[id] {
			out[i].ID = fmt.Sprintf("call-%d-%d", c.out.Turns, i+1)
		}
		seen[out[i].ID] = true
	}
	return out
}

// add puts a message at the end of the conversation.
func (c *conversation) add(m Message) {
	c.request.Messages = append(c.request.Messages, m)
	c.input += m.tokens()
	c.size += m.size()
}

// run answers the calls of a turn. The results share what is left for them.
func (c *conversation) run(ctx context.Context, calls []Call) error {
	bytes := maxTranscript - c.size
	toks := bytes
	if c.limits.Tokens > 0 {
		toks = c.limits.Tokens - c.spent() - c.input - c.answer() - notes
	}
	if c.context > 0 {
		toks = min(toks, c.context-c.input-c.answer()-notes)
	}
	m := Message{Role: RoleTool}
	for i, call := range calls {
		c.out.Calls++
		text, err := c.call(ctx, call)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			text = "error: " + err.Error()
		}
		left := len(calls) - i
		text = cutText(strings.ToValidUTF8(text, "\ufffd"), min(maxResult, max(0, bytes/left)))
		text = fitText(text, max(0, toks/left))
		bytes -= len(text)
		toks -= tokens.Estimate(text)
		m.Results = append(m.Results, CallResult{ID: call.ID, Text: text, IsError: err != nil})
	}
	if c.dropped > 0 {
		last := &m.Results[len(m.Results)-1]
		last.Text += fmt.Sprintf("\n[%d more calls were not run: at most %d a turn]", c.dropped, maxCalls)
	}
	c.add(m)
	return nil
}

// call runs one tool.
func (c *conversation) call(ctx context.Context, call Call) (string, error) {
	i := slices.IndexFunc(c.request.Tools, func(t Tool) bool { return t.Name == call.Tool })
	if i < 0 {
		var names []string
		for _, t := range c.request.Tools {
			names = append(names, t.Name)
		}
		return "", fmt.Errorf("there is no tool %.60q; the tools are %s", call.Tool, strings.Join(names, ", "))
	}
	arguments := call.Arguments
	if len(strings.TrimSpace(string(arguments))) == 0 {
		arguments = json.RawMessage("{}")
	}
	if !json.Valid(arguments) {
		return "", errors.New("the arguments are not JSON")
	}
	return await(ctx, func() (string, error) { return c.request.Tools[i].Run(ctx, arguments) })
}

// await runs f beside its caller, who leaves when ctx ends, whatever f does. A
// panic of f is its error.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("ended without a result")} // what a Goexit leaves
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("panic: %v", p)
			}
			done <- o
		}()
		o.value, o.err = f()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// cutText shortens a text to n bytes and says so behind them.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	kept := sanitize.Cut(s, n)
	return fmt.Sprintf("%s\n[cut here: %d of %d bytes]", kept, len(kept), len(s))
}

// fitText shortens a text to about n tokens.
func fitText(s string, n int) string {
	if has := tokens.Estimate(s); has > n {
		return cutText(s, int(int64(len(s))*int64(n)/int64(has)))
	}
	return s
}

// tokens is about what a request is to a model, without its form.
func (r Request) tokens() int {
	n := tokens.Estimate(r.System)
	for _, t := range r.Tools {
		n += tokens.Estimate(t.Name) + tokens.Estimate(t.Description) + tokens.Estimate(string(t.Parameters))
	}
	for _, m := range r.Messages {
		n += m.tokens()
	}
	return n
}

// tokens is about what a message is to a model.
func (m Message) tokens() int {
	n := tokens.Estimate(m.Text)
	for _, c := range m.Calls {
		n += tokens.Estimate(c.Tool) + tokens.Estimate(string(c.Arguments))
	}
	for _, r := range m.Results {
		n += tokens.Estimate(r.Text)
	}
	return n
}

// size is a message's length in bytes.
func (m Message) size() int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Tool) + len(c.Arguments)
	}
	for _, r := range m.Results {
		n += len(r.Text)
	}
	return n
}

// ShortContext is the largest context with which a model is asked in the short form, and without tools: the
// usual setting of local models. They are small: a long prompt takes them minutes, and their answers to it
// are seldom right.
const ShortContext = 8192

// HoldsTools reports whether a model's context is large enough for the results of tools.
func HoldsTools(m Model) bool {
	context, _ := ContextOf(m)
	return context > ShortContext
}

// mostLengths is the number of lengths in which a request is tried.
const mostLengths = 3

// Fitted is [Run] of a request that is written for the model's context, in tokens. If the model reports that
// it is too long, it is written again for less, at most twice; some servers state their limit. The outcome's
// usage is the sum of all attempts.
func Fitted(ctx context.Context, m Model, l Limits, write func(context int) (Request, error)) (Outcome, error) {
	context, _ := ContextOf(m)
	var spent Usage
	for lengths := 1; ; lengths++ {
		r, err := write(context)
		if err != nil {
			return Outcome{Usage: spent}, err
		}
		out, err := Run(ctx, m, r, l)
		spent = spent.And(out.Usage)
		out.Usage = spent
		if !errors.Is(err, ErrTooLong) || lengths == mostLengths {
			return out, err
		}
		known, _ := ContextOf(m)
		context = min(known, context, r.tokens()+r.MaxTokens) * 3 / 4
	}
}

// Room is the number of tokens that may be added to a request for a model with that context, below 0 if it is
// too long already. An eighth of the context is reserved, since its tokens are not counted as the model
// counts them. The schema is not counted: most servers do not show it to the model.
func (r Request) Room(context int) int { return context - context/8 - r.MaxTokens - r.tokens() }
