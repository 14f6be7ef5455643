package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// An agent may request a decision but never makes one: a person at the client is asked first, by elicitation.
// Up to the protocol 2025-11-25 the server asks while the call waits. In 2026-07-28 it cannot: the call ends
// with the question, and the client calls again with the answer and a token. The answer is valid once, and
// only for the question that the token was issued for. The question describes the whole decision.

// question is a question that a person must answer with yes.
type question struct {
	text string                                                // a full description of the change
	many bool                                                  // the person may exclude items, by their numbers
	do   func(ctx context.Context, but string) (answer, error) // runs after a yes
	no   string                                                // the text for the agent after a no
	none string                                                // the text if there was no answer, or no valid one
}

// maxQuestion bounds a question, in bytes: some 400 lines, more than a person reads in a dialogue. A longer
// question is not cut, since a yes would then cover changes that were not shown.
const maxQuestion = 16 << 10

// yes is the only accepted answer. A client that accepts a form without filling it in has not asked a person.
const yes = "yes"

// but is the field for the numbers of excluded items.
const but = "but"

// form returns the form that a person fills in.
func (q *question) form() json.RawMessage {
	more := ""
	if q.many {
		more = `,"` + but + `":{"type":"string","title":"Leave out these numbers, such as 3,7-9"}`
	}
	return json.RawMessage(`{"type":"object","properties":{"` + yes + `":{"type":"boolean","title":"Yes, do this"}` + more +
		`},"required":["` + yes + `"]}`)
}

// canAsk reports whether the client can show a question to its user. A client that announces neither forms nor
// addresses supports forms, since older protocols have nothing else.
func canAsk(req *sdk.CallToolRequest) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// unaskable is the first protocol in which a server sends no requests.
const unaskable = "2026-07-28"

// ask asks the person a question, and carries out the decision after a yes.
func (s *server) ask(ctx context.Context, c *call, q *question) (*sdk.CallToolResult, error) {
	form := &sdk.ElicitParams{Message: q.text, RequestedSchema: q.form()}
	var said *sdk.ElicitResult
	if params := c.req.Session.InitializeParams(); params != nil && params.ProtocolVersion < unaskable {
		<-s.slots // a person may take long, so other calls can use the slot
		var err error
		said, err = c.req.Session.Elicit(ctx, form)
		s.slots <- struct{}{}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			s.opts.Log.Warn("asking the user", "err", err)
		}
	} else if s.questions.take(c.req.Params.RequestState, q.text) {
		said, _ = c.req.Params.InputResponses[yes].(*sdk.ElicitResult) // any other type is no yes
	} else {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{yes: form}, RequestState: s.questions.put(q.text)}, nil
	}
	if ctx.Err() != nil { // the call was cancelled before the yes
		return nil, ctx.Err()
	}
	switch {
	case said == nil:
	case said.Action == "accept" && said.Content[yes] == true && isText(said.Content[but]):
		without, _ := said.Content[but].(string)
		a, err := q.do(ctx, without)
		if err != nil {
			return nil, err
		}
		return success(a, c)
	case said.Action == "decline", said.Action == "cancel", said.Action == "accept" && said.Content[yes] == false:
		return success(answer{words: q.no}, c)
	}
	return success(answer{failed: true, words: q.none}, c)
}

// isText reports whether the answer in an optional field is a text.
func isText(answer any) bool {
	_, ok := answer.(string)
	return ok || answer == nil
}

// asking returns the text of a question about a decision, or an error if it is too long to show.
func asking(text string) (string, error) {
	text = sanitize.Visible(text)
	if len(text) > maxQuestion {
		return "", fmt.Errorf("the question would have %d bytes; the limit is %d", len(text), maxQuestion)
	}
	return text, nil
}
