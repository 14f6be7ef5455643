package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

var contextTool = tool{
	name: "brv_context", title: "Context for a task", lists: true,
	about: "First call of any task on this project's code: fix, add, test, debug, explain. Gives the team's rules that apply and the " +
		"code that matters at once, instead of grep. Not for one rule or reason (brv_query), nor for what is not about this project.",
	params: []param{
		{name: "task", kind: kindText, required: true, about: "Full sentences"},
		maxTokens,
		{name: "file", kind: kindText, max: 1000, about: "Where you are"},
		{name: "line", kind: kindNumber, min: 1, about: "Its line"},
		{name: "files", kind: kindTexts, about: "Others in use"},
		{name: "include", kind: kindChoice, choices: []string{"both", "knowledge", "code", "organisation"}},
		{name: "fill", kind: kindFlag},
		tokenizer,
	},
	run: packContext,
}

// packWords is the server's sentence above a pack.
const packWords = "Context for the task, most relevant first.\n"

// packPending is added while code is read for the first time.
const packPending = "Still reading %s, so only words were compared. Ask again for the rest.\n"

// packEnded is added to a pack that stays below its budget.
const packEnded = "%d of %d tokens used: nothing else is likely to help.\n"

func packContext(ctx context.Context, c *call) (answer, error) {
	req, err := c.packRequest()
	if err != nil {
		return answer{}, err
	}
	p, err := contextpack.Pack(ctx, c.view, req)
	if errors.Is(err, pack.ErrBudget) {
		return answer{}, fmt.Errorf("max_tokens: %d is too small: the text around the sources has about %d tokens (%w)", c.most,
			c.framing(), err)
	}
	if err != nil {
		return answer{}, err
	}
	return packed(p), nil
}

// packRequest builds the request from the arguments.
func (c *call) packRequest() (contextpack.PackRequest, error) {
	req := contextpack.PackRequest{Task: c.text("task"), Tokenizer: c.text("tokenizer"), Fill: c.flag("fill")}
	switch kinds := c.text("include"); kinds {
	case "knowledge", "code":
		req.Include = []string{kinds}
	case "organisation": // knowledge and code, and the organisation's entries
		req.Organisation = true
	}
	req.BudgetTokens = max(1, c.most-c.framing()) // if the frame takes it all, the pack still tells what a source would need
	line := c.number("line", 0)
	if line > 0 && c.text("file") == "" {
		return req, errors.New("line: give the file too")
	}
	if file := c.text("file"); file != "" {
		p, lines, err := locate.Place(c.view, file)
		if err != nil {
			return req, fmt.Errorf("file: %w", err)
		}
		req.Path = p
		if line = cmp.Or(line, lines[0]); line > 0 {
			text, _ := c.view.Text(p)
			at, _ := locate.LineStart(text, line) // the file may have become shorter
			req.Offset = &at
		}
	}
	for i, file := range c.texts("files") {
		p, err := locate.Locate(c.view, file)
		if err != nil {
			return req, fmt.Errorf("files[%d]: %w", i, err)
		}
		req.Places = append(req.Places, contextpack.PackPlace{Path: p, Kind: string(pack.PlaceOpen)})
	}
	return req, nil
}

// framing returns the part of max_tokens for the text around a pack.
func (c *call) framing() int {
	return around(c.counter, packWords+fmt.Sprintf(packEnded, c.most, c.most)+
		fmt.Sprintf(packPending, words.Counted(100_000, "file", "files"))+noted(codemap.WithoutSyntax()))
}

// packed returns the answer for a pack.
func packed(p *pack.Pack) answer {
	type missing struct {
		Path   string `json:"path"`
		Reason string `json:"reason"`
	}
	parts := struct {
		size
		Sources  []source  `json:"sources"`
		Missed   []missing `json:"missed,omitempty"` // the next items that did not fit
		Pending  int       `json:"pending,omitempty"`
		Degraded []string  `json:"degraded,omitempty"`
	}{size: size{p.Tokens, p.Budget}, Sources: []source{}, Pending: p.Pending, Degraded: p.Degraded}
	for _, i := range p.Items[:min(len(p.Items), maxSources)] {
		s := source{Path: itemPath(i), Form: string(i.Form), Tokens: i.Tokens, Reason: sanitize.Line(i.Reason, 120), Marks: i.Marks}
		if i.Lines != [2]int{} {
			s.Lines = &i.Lines
		}
		parts.Sources = append(parts.Sources, s)
	}
	for _, i := range p.Missed[:min(len(p.Missed), 3)] {
		parts.Missed = append(parts.Missed, missing{itemPath(i), sanitize.Line(i.Reason, 120)})
	}
	if p.Text == "" {
		return answer{words: p.Nothing + " If that finds nothing, say so.\n", parts: parts}
	}
	a := answer{words: packWords + noted(codemap.WithoutSyntax()), data: p.Text, parts: parts}
	if p.Ended {
		a.words += fmt.Sprintf(packEnded, p.Tokens, p.Budget)
	}
	if p.Pending > 0 {
		a.words += fmt.Sprintf(packPending, words.Counted(p.Pending, "file", "files"))
	}
	return a
}

// itemPath returns the workspace path of an item.
func itemPath(i pack.Item) string {
	if i.Kind == pack.KindEntry {
		return pack.EntryFile(i.Path)
	}
	return i.Path
}
