package remote

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/brv-lsp/brv-lsp/llm"
)

// dialect is a protocol's way to write a question and to read an answer.
type dialect interface {
	header(h http.Header)
	request(model string, r llm.Request, h habits) (path string, body []byte, err error)
	whole(text []byte, a *answer) *Error
	event(data []byte, a *answer) (end bool, fault *Error)
}

// answer is the part of an answer that has been read so far.
type answer struct {
	stream   func(piece string)
	tool     string // the tool whose call is the structured answer; "" for none
	toolAt   int    // 1 + the index of its block; 0 before it began
	received int    // bytes of text, thoughts and calls: what [llm.Hearing] counts
	began    bool   // the answer began, perhaps without content; no more retries
	ended    bool   // the server reported the end
	text     strings.Builder
	calls    calls
	usage    llm.Usage
	streamed bool   // it came in pieces
	reason   string // why it ended, in OpenAI's words: stop, length, tool_calls, content_filter, error
	refusal  string // the model's refusal, instead of a text
}

// newAnswer begins an answer. The time that the caller takes to handle a piece does not count as the server's
// silence.
func newAnswer(w *watcher, r llm.Request) *answer {
	a := &answer{}
	if r.Schema != nil {
		a.tool = schemaTool + r.Schema.Name
	}
	if r.Stream != nil {
		a.stream = func(piece string) {
			w.pause()
			r.Stream(piece)
			w.resume()
		}
	}
	return a
}

// say adds a piece of text.
func (a *answer) say(piece string) {
	if piece == "" {
		return
	}
	a.received += len(piece)
	a.text.WriteString(piece)
	if a.stream != nil {
		a.stream(piece)
	}
}

// finish checks a complete answer, and converts it to the requested form.
func (a *answer) finish(r llm.Request) *Error {
	text := a.text.String()
	empty := strings.TrimSpace(text) == "" && len(a.calls.list) == 0
	switch {
	case !a.began:
		return &Error{Kind: KindAnswer, what: "the response of the model contains no text"}
	case a.reason == "" && (!a.ended || a.streamed): // in a stream, the reported end may belong to another question
		return &Error{Kind: KindServer, what: "the server ended its answer too early"}
	case a.reason == "error":
		return &Error{Kind: KindServer, what: "the server failed in the middle of its answer"}
	case a.refusal != "" && empty && r.Schema == nil:
		a.say(a.refusal)
	case a.refusal != "" && empty, a.reason == "content_filter" && empty:
		return &Error{Kind: KindAnswer, what: "the model or its content filter refused to answer",
			hint: "ask in other words, or choose another model in brv.model.name"}
	case a.reason == "length" && empty:
		return &Error{Kind: KindAnswer, what: "the model used all its tokens before it answered",
			hint: "choose a model in brv.model.name that reasons less before it answers"}
	}
	if r.Schema == nil || len(a.calls.list) > 0 {
		return nil
	}
	object, ok := objectIn(text)
	if !ok {
		e := &Error{Kind: KindAnswer, what: "the answer is not one JSON object as requested",
			hint: "choose another model in brv.model.name"}
		if a.reason == "length" {
			e.what += ": it was cut at the token limit"
		}
		return e
	}
	a.text.Reset()
	a.text.WriteString(object)
	return nil
}

// objectIn returns the JSON object in a text: the whole text, or a fenced block after a model's thoughts.
func objectIn(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<think>") {
		_, rest, _ := strings.Cut(text, "</think>")
		text = strings.TrimSpace(rest)
	}
	if at := strings.Index(text, "```"); !strings.HasPrefix(text, "{") && at >= 0 {
		if _, inside, ok := strings.Cut(text[at:], "\n"); ok {
			if end := strings.LastIndex(inside, "```"); end >= 0 {
				text = strings.TrimSpace(inside[:end])
			}
		}
	}
	return text, strings.HasPrefix(text, "{") && json.Valid([]byte(text))
}

// calls joins the pieces of tool calls. A piece has an index, an identifier or both. Servers differ: some use the
// index 0 for all calls, or no index, and identifiers in the first piece, in each or in none.
type calls struct {
	list []llm.Call
	at   map[int]int // index → the last call with that index
}

// add adds a piece and returns the number of its new bytes, without identifiers. It continues a call unless
// the piece marks another one: by a new index or identifier, or by a name if the call has all its arguments.
func (c *calls) add(index *int, id, name, arguments string) (said int) {
	at, known := len(c.list)-1, len(c.list) > 0
	if index != nil {
		at, known = c.at[*index]
	}
	if known {
		if call := c.list[at]; id != "" && call.ID != "" {
			known = id == call.ID
		} else if name != "" && call.Tool != "" {
			known = !json.Valid(call.Arguments)
		}
	}
	if !known {
		at = len(c.list)
		c.list = append(c.list, llm.Call{})
	}
	if index != nil {
		if c.at == nil {
			c.at = map[int]int{}
		}
		c.at[*index] = at
	}
	call := &c.list[at]
	if call.ID == "" {
		call.ID = id
	}
	if call.Tool == "" {
		call.Tool = name
		said = len(name)
	}
	call.Arguments = append(call.Arguments, arguments...)
	return said + len(arguments)
}

// habits are the differences between servers of one protocol: a refused request is sent in another form, and
// an accepted form is kept for later questions.
type habits struct {
	newTokens     bool // max_completion_tokens, not max_tokens
	otherTokens   bool // the other field was tried
	noTemperature bool
	noUsage       bool // without stream_options
	noChoice      bool // without tool_choice
	noStream      bool // only for the next attempt
	schema        form
}

// form is the way in which a structured answer is requested.
type form int

const (
	formStrict form = iota // by the server, which guarantees it; Anthropic: by a tool that must be called
	formLoose              // by the server
	formObject             // by the server's grammar, as in llama-cpp-python; Anthropic: in words
	formPrompt             // in words
)

// adapt returns another form for a question that was refused: without the feature that the server names, if the
// question used it. Each change is made only once, so repeated calls end.
func (h habits) adapt(e *Error, r llm.Request) (habits, bool) {
	said := strings.ToLower(e.Message)
	names := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case e.Kind != KindRequest && e.Kind != KindServer || e.Status/100 != 4 && e.Status != http.StatusInternalServerError &&
		e.Status != http.StatusNotImplemented:
		return h, false
	case r.Schema != nil && h.schema < formPrompt && names("response_format", "json_schema", "schema", "structured output", "grammar",
		"tool_choice"):
		h.schema++
	case r.MaxTokens > 0 && !h.otherTokens && names("max_tokens", "max_completion_tokens"):
		h.newTokens, h.otherTokens = !h.newTokens, true
	case !h.noTemperature && names("temperature"):
		h.noTemperature = true
	case !h.noUsage && names("stream_options", "include_usage"):
		h.noUsage = true
	case r.NoCalls && len(r.Tools) > 0 && !h.noChoice && names("tool_choice"):
		h.noChoice = true
	default:
		return h, false
	}
	return h, true
}

// inWords adds the schema of an answer to the instructions, for servers without other support.
func inWords(system string, s *llm.Schema) string {
	return strings.TrimLeft(system+"\n\nAnswer with one JSON object of this JSON Schema, and nothing else:\n"+string(s.JSON), "\n")
}

// object returns a call's arguments as an object, whatever the model wrote, since servers refuse conversations
// with other values.
func object(arguments json.RawMessage) json.RawMessage {
	text := bytes.TrimSpace(arguments)
	switch {
	case len(text) == 0:
		return json.RawMessage("{}")
	case text[0] == '{' && json.Valid(text):
		return text
	}
	wrapped, _ := json.Marshal(map[string]string{"malformed": string(arguments)})
	return wrapped
}

// encode writes JSON without the escapes for web pages.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// notUnderstood returns the error for an answer in an unknown form.
func notUnderstood(text []byte) *Error {
	return &Error{Kind: KindAnswer, Message: string(text[:min(len(text), maxRefusal)])}
}

// failed returns the error that a server reports inside an answer.
func failed(data []byte) *Error {
	var said complaint
	_ = json.Unmarshal(data, &said)
	e := &Error{Message: said.or(string(data[:min(len(data), maxRefusal)]))}
	e.classify(said.code())
	e.narrow(strings.ToLower(e.Message))
	e.retry = false
	return e
}
