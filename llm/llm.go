// Package llm is the interface to a language model for the rest of the program. The input is one question
// with tools, and the output is text or tool calls.
//
//	look := llm.NewTool("look", "Shows a file.", func(ctx context.Context, a struct {
//		Path string `json:"path" about:"the file"`
//	}) (string, error) { … })
//	out, err := llm.Run(ctx, model, llm.Request{Messages: question, Tools: []llm.Tool{look}},
//		llm.Limits{Turns: 8, Tokens: 20_000, Time: time.Minute})
//
// A [Model] comes from outside: it is the editor's own, or one that the user's settings name. Nothing here
// opens a connection. [Run] is the tool loop (run.go): it asks, runs the tools that the model calls, hands
// back their results, and ends with the model's text or at a limit, whichever comes first. [NewTool] makes a
// tool from a function (tool.go). The output of a model is never trusted: a call of a tool that does not
// exist, arguments that do not fit, and a tool that fails or panics all become an answer to the model.
//
// [Guard] keeps credentials from a model (guard.go). Package remote has the models behind an
// address, llmtest a scripted model for tests, also as a server.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"
	"time"
)

// Model answers one request. It may be asked by several goroutines at once. It keeps no state: a request
// holds the whole conversation each time.
type Model interface {
	Name() string
	Complete(ctx context.Context, r Request) (Response, error)
}

// Request is one question to a model.
type Request struct {
	System   string
	Messages []Message
	Tools    []Tool // tools that the model may call; only their descriptions are sent
	// it must answer in text. Tools are described all the same: some makers refuse a conversation with calls
	// of tools that are not described
	NoCalls     bool
	MaxTokens   int           // of the answer; 0 leaves it to the model
	Temperature float64       // 0–1
	Patience    time.Duration // how long the model may be silent at least, if it has a patience of its own; 0 for that one
	// the answer is one JSON object of this form, or an error; nil for text. For requests in which nothing can be called
	Schema *Schema
	// Stream is called with each piece of the answer's text as it comes, from one goroutine, if the model can
	// stream; nil if the pieces are not needed. It must return soon: the end of the turn waits for it, and no
	// piece comes after that. It also gets the pieces of an answer that fails later, and of one with text
	// around a structured answer. Response has the final text.
	Stream func(piece string)
}

// JSON returns the parts of a request that are sent, in no maker's form.
func (r Request) JSON() []byte {
	out := struct {
		System      string    `json:"system"`
		Messages    []Message `json:"messages"`
		Tools       []Tool    `json:"tools,omitempty"`
		Schema      *Schema   `json:"schema,omitempty"`
		MaxTokens   int       `json:"maxTokens,omitempty"`
		Temperature float64   `json:"temperature"`
	}{r.System, r.Messages, r.Tools, r.Schema, r.MaxTokens, r.Temperature}
	text, err := json.Marshal(out)
	if err != nil { // a call's arguments that are not JSON
		text, _ = json.Marshal(fmt.Sprint(out))
	}
	return text
}

// Schema is the form of a structured answer.
type Schema struct {
	Name string          // of letters, digits and _
	JSON json.RawMessage // JSON Schema of an object
}

// Role says who speaks in a message.
type Role string

// The roles of a conversation. Results of tools are sent as RoleTool.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role    Role         `json:"role"` // `user`, `assistant` or `tool`
	Text    string       `json:"text"`
	Calls   []Call       `json:"calls,omitempty"`   // calls of the assistant
	Results []CallResult `json:"results,omitempty"` // results of the tools, one for each call of the message before
}

// Call is a tool call that a model made.
type Call struct {
	ID        string          `json:"id"` // the model's id of the call; its CallResult repeats it
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // as the model wrote them; they may be invalid JSON
}

// CallResult is a tool's answer to a call.
type CallResult struct {
	ID      string `json:"id"` // the id of the call
	Text    string `json:"text"`
	IsError bool   `json:"isError,omitempty"`
}

// Response is a model's answer.
type Response struct {
	Text  string
	Calls []Call // empty: the model is done
	Cut   bool   // the text ends at the request's limit of tokens
	Usage Usage
}

// Usage counts tokens as the model's server reports them. If it reports none, brv-lsp estimates them.
type Usage struct {
	Input, Output int
	Estimated     bool `json:",omitempty"`
}

// And is the sum of both.
func (u Usage) And(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Estimated || v.Estimated}
}

// Tool is a function that a model can call while it answers.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments

	// Run must honour ctx. One [Run] never calls it twice at once.
	Run func(ctx context.Context, arguments json.RawMessage) (string, error) `json:"-"`
}

// Limits bound a tool loop; zero means no limit. The bounds for every loop are in run.go.
type Limits struct {
	Turns  int           // calls of the model
	Tokens int           // input and output of all turns
	Time   time.Duration // wall time
	// Silence is how long a model may be silent in a turn: before the first piece, and between pieces, by the
	// rule of [Hearing]; the error is [ErrSilent]. See [Patient] for models that take longer.
	Silence time.Duration
}

// Patient is a model with its own limit on silence: one that cannot answer in pieces, or that its user allows
// more time. A longer patience replaces [Limits.Silence]. Wrappers of a model have a method Unwrap that
// returns it.
type Patient interface{ Patience() time.Duration }

// Watcher is a model that itself ends a question after silence for its patience, by the rule of [Hearing]; it
// receives more than the pieces of an answer.
type Watcher interface{ Watches() bool }

// Sized is a model that knows its context: the most tokens of a conversation, including the answer.
type Sized interface{ Context() int }

// usualContext is the context of a model that does not state one: the least of makers' models.
const usualContext = 128_000

// ContextOf is the context of a model, and whether the model states it.
func ContextOf(m Model) (tokens int, told bool) {
	if s, ok := As[Sized](m); ok && s.Context() > 0 {
		return s.Context(), true
	}
	return usualContext, false
}

// As finds another interface of a [Model], also behind wrappers.
func As[T any](m Model) (as T, ok bool) {
	for m != nil {
		if as, ok := m.(T); ok {
			return as, true
		}
		wrapper, ok := m.(interface{ Unwrap() Model })
		if !ok {
			break
		}
		m = wrapper.Unwrap()
	}
	return as, false
}

// ErrSilent is wrapped by the error of a turn in which a model was silent, or nearly silent, for too long;
// see [Hearing]. It is also the cause ([context.Cause]) of the end of that turn's context, so that a model
// can distinguish it from a question that was cancelled.
var ErrSilent = errors.New("no answer came in time")

// ErrTooLong is wrapped by the error of a conversation that is longer than its model's context.
var ErrTooLong = errors.New("too long for the model")

// Prompts returns a function that executes the prompt template of a file below prompts/, such as "system.md",
// with its data. Prompts are files beside the code that uses them, templates of package text/template, and
// are read when the function is called first; it panics if one is not a valid template, and is safe for
// concurrent use. An error names a field that the data does not have.
func Prompts(files fs.FS) func(name string, data any) (string, error) {
	all := sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Option("missingkey=error").ParseFS(files, "prompts/*.md"))
	})
	return func(name string, data any) (string, error) {
		var b strings.Builder
		err := all().ExecuteTemplate(&b, name, data)
		return b.String(), err
	}
}
