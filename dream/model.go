package dream

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// Limits on a model's input and output. The prompts are files, prompts/*.md; text from the tree is in the
// user's message, without credentials and quoted like retrieval's.
const (
	maxPayload  = 200_000 // characters of one question (specification's reference, consolidate)
	maxEntry    = 12_000  // characters of one entry, of which three in four have fewer than 2,000; a longer one is shown in part
	maxAnswer   = 6144    // tokens of one answer, as a curation's
	temperature = 0.3     // paper, section 4.2
	maxWhy      = 300     // characters of a reason
)

// The time limits of a model: for one question, and until its first output. A phase spends at most half of
// the dream's remaining time on questions, so that the planned steps can be carried out.
const (
	questionTime = 2 * time.Minute
	patience     = curate.Patience
)

// leftAfter is the number of failed questions in a row after which the model is not asked any more.
const leftAfter = 2

//go:embed prompts/*.md
var promptFiles embed.FS

var execute = llm.Prompts(promptFiles)

// counsel is a model that decides about the candidates of the rules.
type counsel struct {
	model  llm.Model // guarded
	origin format.Origin
	until  time.Time    // when the phase must stop asking; zero for never
	failed atomic.Int32 // failed questions in a row

	mu    sync.Mutex // guards usage, and serialises the making of questions
	usage llm.Usage
}

// newCounsel is the counsel of a model, nil for none.
func newCounsel(m llm.Model) *counsel {
	if m == nil {
		return nil
	}
	return &counsel{model: llm.Guard(m), origin: format.Origin{Kind: format.OriginModel, Tool: "brv-lsp",
		Model: curate.Plain(m.Name(), 100)}}
}

// begin gives a phase its time.
func (c *counsel) begin(ctx context.Context) {
	if end, ok := ctx.Deadline(); ok && c != nil {
		c.until = time.Now().Add(time.Until(end) / 2)
	}
}

// block is a text of the tree that a model is shown.
type block struct{ name, title, text string }

func (b block) size() int {
	return utf8.RuneCountInString(b.name) + utf8.RuneCountInString(b.title) + utf8.RuneCountInString(b.text) + 64 // of its tags
}

// question builds the request to a model.
type question struct {
	name     string // of the prompt
	domain   string
	most     int    // items of the answer
	list     string // the answer's key
	form     func(list string, most int) json.RawMessage
	tree     *tree.Snapshot
	material []block
	siblings []block
	hints    []string
	known    []string
	size     int // characters of the blocks
	holds    int // the most that they may have
}

// charactersPerToken is a low estimate of a token's length in entries with names and paths.
const charactersPerToken = 3

// room is the number of characters that may be added.
func (q *question) room() int { return q.holds - q.size }

// put adds a block to a list of the question's; ok is false if it does not fit.
func (q *question) put(to *[]block, b block) (ok bool) {
	if n := b.size(); n <= q.room() {
		*to, q.size = append(*to, b), q.size+n
		return true
	}
	return false
}

// tell adds a line to the hints or to the known facts, if it fits.
func (q *question) tell(to *[]string, line string) {
	if n := utf8.RuneCountInString(line) + 3; n <= q.room() {
		*to, q.size = append(*to, line), q.size+n
	}
}

// ask puts a question and returns the items of the answer, not decoded yet. An error other than that of ctx
// is the reason why there is no answer. The material is gathered to fit the model's context, perhaps several
// times, of which the last counts, and by one question at a time.
func (c *counsel) ask(ctx context.Context, bare question, gather func(q *question)) ([]json.RawMessage, error) {
	left := questionTime
	if !c.until.IsZero() {
		left = min(left, time.Until(c.until))
	}
	switch {
	case c.failed.Load() >= leftAfter:
		return nil, errors.New("it failed before")
	case left < time.Second:
		return nil, errors.New("the time limit was reached")
	}
	out, err := llm.Fitted(ctx, c.model, llm.Limits{Turns: 1, Time: left, Silence: patience}, func(context int) (llm.Request, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		q := bare
		rules, err := q.request(context)
		if err != nil {
			return rules, err
		}
		q.holds = min(maxPayload-utf8.RuneCountInString(rules.Messages[0].Text), rules.Room(context)*charactersPerToken)
		if gather(&q); len(q.material) == 0 {
			return rules, fmt.Errorf("%w: the model's context of %d tokens is too small; check brv.model.contextTokens",
				llm.ErrTooLong, context)
		}
		return q.request(context)
	})
	c.mu.Lock()
	c.usage = c.usage.And(out.Usage)
	c.mu.Unlock()
	var items []json.RawMessage
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && out.End != llm.EndAnswer:
		err = out.End.Limited(c.model.Name())
	case err == nil:
		items, err = bare.items(out.Text)
	}
	if err != nil {
		c.failed.Add(1)
		return nil, err
	}
	c.failed.Store(0)
	return items, nil
}

// request writes the prompts for a context of so many tokens.
func (q *question) request(context int) (llm.Request, error) {
	var all []string
	for _, b := range append(append([]block{}, q.material...), q.siblings...) {
		all = append(all, b.name, b.title, b.text)
	}
	all = append(slices.Concat(all, q.hints, q.known), q.domain)
	quote := retrieval.NewLook(q.tree, nil, time.Time{}, strings.Join(all, "\n"))
	blocks := func(list []block) (s string) {
		var b strings.Builder
		for _, one := range list {
			b.WriteString(quote.Quote("entry", one.text, "name", one.name, "title", one.title))
		}
		return b.String()
	}
	lines := func(name string, list []string) string {
		if len(list) == 0 {
			return ""
		}
		return quote.Quote("entry", "- "+strings.Join(list, "\n- "), "name", name)
	}
	data := map[string]any{
		"Nonce": quote.Nonce(), "Domain": quote.Line(q.domain), "Most": q.most,
		"Hints": lines("hints", q.hints), "Known": lines("known", q.known), "Material": blocks(q.material),
		"Siblings": blocks(q.siblings),
	}
	system, err := execute("system.md", data)
	if err != nil {
		return llm.Request{}, err
	}
	user, err := execute(q.name+".md", data)
	if err != nil {
		return llm.Request{}, err
	}
	return llm.Request{
		System: system, Messages: []llm.Message{{Role: llm.RoleUser, Text: user}},
		MaxTokens: min(maxAnswer, context/4), Temperature: temperature, Patience: patience,
		Schema: &llm.Schema{Name: q.list, JSON: q.form(q.list, q.most)},
	}, nil
}

// items reads an answer: an object with the list, or the bare list.
func (q *question) items(text string) ([]json.RawMessage, error) {
	found, ok := curate.JSONIn(text, func(s string) bool {
		return strings.HasPrefix(s, "{") && strings.Contains(s, `"`+q.list+`"`) || strings.HasPrefix(s, "[")
	})
	if !ok {
		return nil, errors.New("its answer is not JSON of the requested form")
	}
	var items []json.RawMessage
	if found[0] == '[' {
		_ = json.Unmarshal(found, &items)
	} else {
		var form map[string]json.RawMessage
		_ = json.Unmarshal(found, &form)
		_ = json.Unmarshal(form[q.list], &items)
	}
	if items == nil {
		return nil, fmt.Errorf("its answer has no list %q", q.list)
	}
	return items, nil
}

// stepsOf makes a step of each item of an answer that read accepts, and a note for each other item. taken is
// called with each step before the next item is read.
func stepsOf[T any](m material, q question, items []json.RawMessage, read func(T) (Step, error), taken func(Step)) (steps []Step) {
	about := strings.TrimSpace(q.name + " " + q.domain)
	if len(items) > q.most {
		m.note("%s: the answer has %d %s; only the first %d were read", about, len(items), q.list, q.most)
		items = items[:q.most]
	}
	for i, raw := range items {
		var item T
		var s Step
		err := curate.Strictly(raw, &item)
		if err == nil {
			s, err = read(item)
		}
		if err == nil && m.refused(s.Key) {
			err = errors.New("a person rejected it before")
		}
		switch {
		case err != nil:
			m.note("%s: item %d of the %s was left out: %s", about, i+1, q.list, notable(err))
		case len(s.Ops) > 0 || s.Action == MergeInto:
			steps = append(steps, s)
			taken(s)
		}
	}
	return steps
}

// notable is an error in the form for a note.
func notable(err error) string {
	reason, missing := because(err.Error())
	if missing != nil {
		return "it failed"
	}
	return reason
}

// sure is a stated confidence; a missing one is 0 (specification's reference).
func sure(stated *float64) (float64, error) {
	if stated == nil {
		return 0, nil
	}
	if *stated < 0 || *stated > 1 {
		return 0, fmt.Errorf("the confidence must be between 0 and 1, not %v", *stated)
	}
	return *stated, nil
}

// because is a model's reason as a clause behind a dash.
func because(reason string) (string, error) {
	reason = strings.TrimRight(curate.Plain(reason, maxWhy), " .")
	if reason == "" {
		return "", errors.New("the reason is missing")
	}
	return reason, nil
}

// quoted shows a model's words in a note.
func quoted(s string) string { return fmt.Sprintf("%q", curate.Plain(s, 80)) }

// cut is the beginning of a text of at most so many characters, and whether that is the whole text.
func cut(text string, most int) (short string, whole bool) {
	if short = sanitize.First(text, most); short == text {
		return text, true
	}
	if end := strings.LastIndexByte(short, '\n'); end > len(short)/2 {
		short = short[:end]
	}
	return short + "\n[…]", false
}

// statement returns the text that an item writes.
type statement struct {
	Summary   string           `json:"summary,omitempty"`
	Changes   []string         `json:"changes,omitempty"`
	Facts     []format.Fact    `json:"facts,omitempty"`
	Narrative format.Narrative `json:"narrative,omitzero"`
}

// content returns an item's text in the form of an operation.
func (s *statement) content() (c format.Content) {
	c = format.Content{RawConcept: format.RawConcept{Changes: s.Changes}, Narrative: s.Narrative, Facts: s.Facts}
	c.Narrative.Diagrams = nil // a model draws none
	return c
}

// text is all that an item says.
func (s *statement) text() string {
	lines := slices.Concat([]string{s.Summary}, s.Changes, s.Narrative.Texts())
	for _, f := range s.Facts {
		lines = append(lines, f.String())
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// tame makes a model's operation safe to keep, and records its notes.
func (m material) tame(op plan.Op) plan.Op {
	title := op.Title
	n := curate.Tame(&op, func(format string, args ...any) { m.note("%s: "+format, append([]any{op.Path}, args...)...) })
	if n > 0 {
		m.note("%s: credentials were redacted: %d", curate.Plain(op.Path+" "+title, 100), n)
	}
	return op
}
