package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
)

// call is a tool call with checked arguments.
type call struct {
	args
	ws      *workspace.Workspace
	view    *workspace.View
	counter *tokens.Encoding
	most    int    // tokens of the text
	client  string // the client's name, for the audit log
	req     *sdk.CallToolRequest
}

// Limits for the tokens of a result.
const (
	defaultTokens = 8_000
	leastTokens   = 100
	mostTokens    = codemap.MaxOutline
)

// parameters that several tools share.
var (
	maxTokens = param{name: "max_tokens", kind: kindNumber, min: leastTokens, max: mostTokens,
		about: "Default 8000"}
	tokenizer = param{name: "tokenizer", kind: kindText, max: 100,
		about: tokens.DefaultEncoding + ", bytes, or a model: gpt-4"}
	scope = param{name: "scope", kind: kindText, max: 500, about: "Domain, topic or entry"}
)

// aliases holds the tool names of the specification, which are not listed.
var aliases = map[string]string{"brv-query": "brv_query", "brv-curate": "brv_curate"}

// destructive returns the hint for a tool that writes. It has no meaning for other tools.
func destructive(t tool) *bool {
	if !t.writes {
		return nil
	}
	return &t.destroys
}

// resolve replaces an alias by the tool's name, and refuses unknown names.
func (s *server) resolve(call *sdk.CallToolRequest) error {
	if name, ok := aliases[call.Params.Name]; ok {
		call.Params.Name = name
	}
	var all []string
	for _, t := range s.tools {
		if t.name == call.Params.Name {
			return nil
		}
		all = append(all, t.name)
	}
	name := sanitize.Line(call.Params.Name, 80)
	return invalid(fmt.Sprintf("unknown tool %q; the tools are %s", name, strings.Join(all, ", ")))
}

// handler returns the function that answers the calls of a tool.
func (s *server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		a, err := read(t.params, req.Params.Arguments)
		if err != nil {
			return failure(fmt.Errorf("%s: wrong arguments\n%w", t.name, err)), nil
		}
		counter, err := tokens.Named(a.text("tokenizer"))
		if err != nil {
			return failure(fmt.Errorf("%s: wrong arguments\ntokenizer: %w", t.name, err)), nil
		}
		defer s.progress.follow(ctx, req)()
		ws, err := s.open(ctx, req.Session)
		if err != nil {
			return s.refusal(ctx, t, err)
		}
		c := &call{args: a, ws: ws, view: ws.View(), counter: counter, most: a.number("max_tokens", cmp.Or(t.budget, defaultTokens)),
			client: clientName(req), req: req}
		result, err := t.run(ctx, c)
		if err != nil {
			return s.refusal(ctx, t, err)
		}
		if result.ask == nil {
			return success(result, c)
		}
		asked, err := s.ask(ctx, c, result.ask)
		if err != nil {
			return s.refusal(ctx, t, err)
		}
		return asked, nil
	}
}

// success returns the result for an answer.
func success(a answer, c *call) (*sdk.CallToolResult, error) {
	text := &sdk.TextContent{Text: a.text(c.counter, c.most)}
	result := &sdk.CallToolResult{Content: []sdk.Content{text}, IsError: a.failed}
	if a.parts != nil {
		parts, err := json.Marshal(a.parts) // encoded here, since the SDK sends no answer if that fails
		if err != nil {
			return nil, err
		}
		result.StructuredContent = json.RawMessage(sanitize.Quote(string(parts)))
	}
	return result, nil
}

// failure returns a result that describes an error.
func failure(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: brief(err)}}}
}

// brief returns the text of an error, which may quote the client's input.
func brief(err error) string {
	const most = 2_000 // bytes; enough for some names, not for a file
	return sanitize.Quote(sanitize.Log(sanitize.Cut(err.Error(), most)))
}

// refusal returns the result of a failed call, with advice. A cancelled call has none.
func (s *server) refusal(ctx context.Context, t tool, err error) (*sdk.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if hint := workspace.ShellHint(err); hint != "" {
		err = fmt.Errorf("%w%s", err, hint)
	}
	if errors.Is(err, workspace.ErrNoTree) && !t.writes {
		err = fmt.Errorf("%w; brv_context and brv_repo_map still work for code", err)
	}
	return failure(fmt.Errorf("%s: %w", t.name, err)), nil
}

// clientName returns the name that a client states.
func clientName(req *sdk.CallToolRequest) string {
	if info := req.ClientInfo(); info != nil && info.Name != "" {
		return sanitize.Line(info.Name, 60)
	}
	return "agent"
}

// source is one source in a result.
type source struct {
	Path   string   `json:"path"`
	Lines  *[2]int  `json:"lines,omitempty"`
	Form   string   `json:"form,omitempty"`
	Tokens int      `json:"tokens,omitempty"`
	Score  float64  `json:"score,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Marks  []string `json:"marks,omitempty"` // stale, contradicted
}

// maxSources bounds the structured part, which is for programs; the text is the answer.
const maxSources = 40

// rounded rounds a score to the precision that is useful to read.
func rounded(f float64) float64 { return float64(int(f*1000+.5)) / 1000 }

// size is the structured part of a result that is mainly a text.
type size struct {
	Tokens int `json:"tokens"` // of the text from files
	Budget int `json:"budget"`
}
