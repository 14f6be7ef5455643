package consult

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// ReadRequest asks for the texts of entries and code files.
type ReadRequest struct {
	Paths        []string `json:"paths"`                // paths of entries and files, with an optional range of lines: src/a.go:10-40
	BudgetTokens int      `json:"budgetTokens"`         // the most tokens of all texts together
	Tokenizer    string   `json:"tokenizer,omitempty"`  // the tokenizer; the default is o200k_base
	DeadlineMs   int      `json:"deadlineMs,omitempty"` // after this time, return what was read; 0: no deadline
}

// ReadResponse holds what was read.
type ReadResponse struct {
	Text     string     `json:"text"`   // all texts, each below a numbered line with its source
	Tokens   int        `json:"tokens"` // the tokens of `text`, never more than the budget
	Budget   int        `json:"budget"`
	Items    []ReadItem `json:"items"`              // one for each path of the request, in its order
	Degraded []string   `json:"degraded,omitempty"` // what is missing because of the deadline
}

// ReadItem is one text, or the reason why there is none.
type ReadItem struct {
	Path  string `json:"path"`          // the path in the folder; of an error, the path in the request
	Lines [2]int `json:"lines"`         // the first and last line that is shown, 1-based
	Cut   bool   `json:"cut,omitempty"` // the budget cut the text
	Error string `json:"error,omitempty"`
}

// MaxRead is the most paths of one request.
const MaxRead = 64

// Read returns texts of entries and code files within a budget, without credentials. A path that leads
// nowhere becomes an item with an error; the others are read all the same. Text over the budget is cut at a
// line end, long texts first.
func Read(ctx context.Context, v *workspace.View, req ReadRequest) (*ReadResponse, error) {
	switch {
	case len(req.Paths) == 0 || len(req.Paths) > MaxRead:
		return nil, fmt.Errorf("%w: give 1 to %[3]d paths, not %[2]d", workspace.ErrRequest, len(req.Paths), MaxRead)
	case req.BudgetTokens <= 0:
		return nil, fmt.Errorf("%w: the budget must be more than 0 tokens", workspace.ErrRequest)
	}
	if err := limits.CheckDeadline(req.DeadlineMs); err != nil {
		return nil, err
	}
	counter, err := tokens.Named(req.Tokenizer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", workspace.ErrRequest, err)
	}
	h, done := limits.BeginIn(ctx, v, req.DeadlineMs)
	defer done()
	var readings []*reading
	late := false
	for i, name := range req.Paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i > 0 && h.Exceeded() { // at least one is read
			readings = append(readings, &reading{number: i + 1, item: ReadItem{Path: workspace.Clipped(name),
				Error: workspace.Clipped(name) + " was not read: the deadline passed"}})
			late = true
			continue
		}
		readings = append(readings, readingOf(v, i+1, name))
	}
	if late {
		_ = h.Spare(limits.SomeFiles, h.Prompt.Err())
	}
	r := &ReadResponse{Budget: req.BudgetTokens, Degraded: h.Degraded}
	r.Text = fitted(readings, counter, req.BudgetTokens)
	if r.Text == "" {
		first := readings[0]
		first.show(first.whole)
		return nil, fmt.Errorf("%w: the budget of %d tokens is too small for any text; the first text needs %d tokens",
			workspace.ErrRequest,
			req.BudgetTokens, counter.Count(first.block()))
	}
	r.Tokens = counter.Count(r.Text)
	for _, e := range readings {
		r.Items = append(r.Items, e.item)
		if entry, ok := v.EntryPath(e.item.Path); ok && e.item.Error == "" && e.item.Lines[1] > 0 {
			drift.Used(v, entry)
		}
	}
	return r, nil
}

// reading is a text with its source line.
type reading struct {
	number int
	item   ReadItem
	first  int    // line that was asked for, 1-based
	remark string // what its reader must know first
	whole  string // the lines that were asked for
	text   string // what of them is shown
}

// readingOf finds the text that a path with an optional line range means.
func readingOf(v *workspace.View, number int, name string) *reading {
	e := &reading{number: number, item: ReadItem{Path: workspace.Clipped(name)}}
	p, asked, err := locate.Place(v, name)
	if err != nil {
		e.item.Error = err.Error()
		return e
	}
	text, _ := v.Text(p) // Locate has read it
	lines := slices.Collect(strings.Lines(sanitize.Quote(secrets.Veil(text).Part(0, len(text)))))
	from, to := asked[0], min(asked[1], len(lines))
	if asked == [2]int{} {
		from, to = 1, len(lines)
	}
	if from < 1 || from > to && len(lines) > 0 {
		e.item.Error = fmt.Sprintf("%s has %d lines, so lines %d to %d do not exist", p, len(lines), asked[0], asked[1])
		return e
	}
	e.item.Path, e.first = p, from
	if entry, ok := v.EntryPath(p); ok {
		if known, ok := v.Entry(entry); ok && known.Role == format.RoleConflict {
			e.remark = ", in merge conflict: do not use either side until a person has chosen one"
		}
	}
	if len(lines) > 0 {
		e.whole = strings.Join(lines[from-1:to], "")
	}
	e.show(e.whole)
	return e
}

// fitted writes the readings within a budget, each cut to its share; "" if not even their source lines fit.
func fitted(readings []*reading, counter *tokens.Encoding, budget int) string {
	need := make([]int, len(readings))
	for i, e := range readings {
		e.show(e.whole)
		need[i] = counter.Count(e.block())
	}
	for room := budget; room > 0; {
		shares := share(need, room)
		var b strings.Builder
		for i, e := range readings {
			e.cutTo(shares[i], need[i], counter)
			b.WriteString(e.block())
		}
		text := strings.TrimRight(b.String(), "\n") + "\n"
		n := counter.Count(text)
		if n <= budget {
			if !slices.ContainsFunc(readings, func(e *reading) bool { return e.item.Error != "" || e.text != "" || e.whole == "" }) {
				return ""
			}
			return text
		}
		room -= n - budget // the source lines of what was cut to nothing, and a token or two at the seams
	}
	return ""
}

// share divides room among needs: a need below an equal share leaves its rest to the others.
func share(need []int, room int) []int {
	out := make([]int, len(need))
	order := make([]int, len(need))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return need[a] - need[b] })
	for k, i := range order {
		out[i] = min(need[i], room/(len(order)-k))
		room -= out[i]
	}
	return out
}

// cutTo cuts the text so that the block has at most that many tokens, where its
// source line leaves room for any.
func (e *reading) cutTo(most, need int, counter *tokens.Encoding) {
	e.show(e.whole)
	if need <= most || e.item.Error != "" {
		return
	}
	e.item.Cut = true
	head := counter.Count(e.block()) - counter.Count(e.whole)
	text, _ := counter.Prefix(e.whole, max(0, most-head))
	e.show(text)
}

// show sets the beginning of the text that is shown.
func (e *reading) show(text string) {
	e.text, e.item.Cut = text, text != e.whole
	e.item.Lines = [2]int{}
	if text != "" {
		e.item.Lines = [2]int{e.first, e.first + strings.Count(strings.TrimSuffix(text, "\n"), "\n")}
	}
}

// block is the source line and the text below it.
func (e *reading) block() string {
	head := fmt.Sprintf("[%d] %s", e.number, workspace.OneLine(e.item.Path))
	switch i := e.item; {
	case i.Error != "":
		return fmt.Sprintf("[%d] %s\n\n", e.number, workspace.OneLine(i.Error)) // it names the path
	case i.Cut && e.text == "":
		return head + ": left out because the budget is used up\n\n"
	case i.Cut:
		head += fmt.Sprintf(":%d-%d, cut: the budget is used up", i.Lines[0], i.Lines[1])
	case e.whole == "":
		return head + ": empty\n\n"
	default:
		head += fmt.Sprintf(":%d-%d", i.Lines[0], i.Lines[1])
	}
	return head + e.remark + "\n" + strings.TrimSuffix(e.text, "\n") + "\n\n"
}

// FrameRequest is a text that an editor gives to a language model.
type FrameRequest struct {
	Text string `json:"text"` // a text of files, or with names of files
}

// FrameResponse is the text between two tags. The text cannot contain these tags.
type FrameResponse struct {
	Text string `json:"text"`
}

// Frame quotes a text for an agent. Editors request it so that only the server has the rules about text that
// reads as a tag.
func Frame(_ context.Context, _ *workspace.View, req FrameRequest) (*FrameResponse, error) {
	return &FrameResponse{sanitize.FrameNote + sanitize.Frame(req.Text)}, nil
}
