// Package mcptest makes invalid and unusual requests of the Model Context Protocol for tests: every method
// ([Calls]) with every kind of text ([Classes]), in both versions of the protocol, with and without a
// handshake ([Request]), and random mixtures ([Storm]).
package mcptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Class is a kind of text. Sample is JSON that can stand between two quotes.
type Class struct{ Name, Sample string }

// long is more bytes than a text, and than a URI, of a request may have.
const long = 70_000

// Classes are kinds of text that have caused bugs, and plain text.
var Classes = []Class{
	{"plain", "tokens"},
	{"empty", ""},
	{"blank", ` \t`},
	{"escape", `\u001b[31m`},
	{"nul", `a\u0000b`},
	{"c0 and c1", `\u0001\b\f\r\n\u0080\u0085\u009f`},
	{"delete", "a\x7fb"},
	{"tag", "\U000e0001\U000e0041\U000e007f"},
	{"bidi", "\u202e\u2066x\u2069\u200f"},
	{"zero width", "\u200b\ufeff\u2060\u00ad"},
	{"line separators", "\u2028\u2029"},
	{"astral", "\U0001f600\U00020000"},
	{"astral as escapes", `\ud83d\ude00`},
	{"noncharacters", "\uffff\U0010ffff\ufdd0"},
	{"combining", "e" + strings.Repeat("\u0301", 40)},
	{"unpaired high", `\ud800`},
	{"unpaired low", `x\udc00\ud800y`},
	{"invalid utf-8", "\xff\xc0\x80"},
	{"surrogate as utf-8", "\xed\xa0\x80"},
	{"quotes", `\"\\\/'` + "`"},
	{"percent", "%00%1b%c3%28%zz%"},
	{"path", "../../../etc/passwd"},
	{"frame", "</brv-data><brv-data>"},
	{"format", "%!s(int=7)%n{{.}}${x}"},
	{"long", strings.Repeat("a", long)},
}

// Call is a method and its parameters as JSON, in which %s stands for a text.
type Call struct{ Method, Params string }

// Calls are all methods that a client can call, and notifications, which it cannot.
var Calls = []Call{
	{"initialize", `{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"%s","version":"%s"}}`},
	{"server/discover", `{"%s":"%s"}`},
	{"ping", `{"%s":"%s"}`},
	{"tools/list", `{"cursor":"%s"}`},
	{"tools/call", `{"name":"%s","arguments":{"%s":"%s"}}`},
	{"tools/call", `{"name":"brv_context","arguments":{"task":"%s","file":"%s","files":["%s"],"tokenizer":"%s"}}`},
	{"tools/call", `{"name":"brv_context","arguments":{"task":"%s","max_tokens":500}}`},
	{"tools/call", `{"name":"brv_query","arguments":{"question":"%s","scope":"%s"}}`},
	{"tools/call", `{"name":"brv_query","arguments":{"question":"tokens %s"}}`},
	{"tools/call", `{"name":"brv_search","arguments":{"query":"%s"}}`},
	{"tools/call", `{"name":"brv_search","arguments":{"query":"tokens","scope":"%s","%s":1}}`},
	{"tools/call", `{"name":"brv_read","arguments":{"paths":["%s","src/%s","%s.md:1-2"]}}`},
	{"tools/call", `{"name":"brv_repo_map","arguments":{"task":"%s","file":"%s","max_tokens":300}}`},
	{"tools/call", `{"name":"brv_curate","arguments":{"dry_run":true,"operations":[` +
		`{"type":"ADD","path":"a/%s","title":"%s","reason":"%s","summary":"x"},{"type":"%s","path":"%s"}]}}`},
	{"tools/call", `{"name":"brv_curate","arguments":{"operations":[{"type":"ADD","path":"storm/held","title":"T %s",` +
		`"reason":"%s","content":{"facts":[{"statement":"%s"}]}}]}}`},
	{"tools/call", `{"name":"brv_curate","arguments":{"dry_run":true,"files":["%s"],"changes":"%s","topic":"%s"}}`},
	{"tools/call", `{"name":"brv_review","arguments":{"action":"list","paths":["%s"]}}`},
	{"tools/call", `{"name":"brv_review","arguments":{"action":"approve","review":1,"reason":"%s"}}`},
	{"tools/call", `{"name":"brv_review","arguments":{"action":"edit","review":2,"text":"%s"},` +
		`"requestState":"%s","inputResponses":{"yes":{"action":"%s"}}}`},
	{"resources/list", `{"cursor":"%s"}`},
	{"resources/list", `{"_meta":{"progressToken":"%s","%s":{"%s":[]}}}`},
	{"resources/templates/list", `{"cursor":"%s"}`},
	{"resources/read", `{"uri":"%s"}`},
	{"resources/read", `{"uri":"brv://tree/%s"}`},
	{"resources/read", `{"uri":"brv://tree/%s.md"}`},
	{"resources/read", `{"uri":"brv://index%s"}`},
	{"resources/subscribe", `{"uri":"%s"}`},
	{"resources/subscribe", `{"uri":"brv://tree/%s.md"}`},
	{"resources/unsubscribe", `{"uri":"brv://tree/%s.md"}`},
	{"subscriptions/listen", `{"notifications":{"resourceSubscriptions":["%s"]}}`},
	{"subscriptions/listen", `{"notifications":{"resourcesListChanged":true,` +
		`"resourceSubscriptions":["brv://tree/%s.md"]}}`},
	{"subscriptions/listen", `{"notifications":{"%s":true}}`},
	{"prompts/list", `{"cursor":"%s"}`},
	{"prompts/get", `{"name":"%s"}`},
	{"prompts/get", `{"name":"recall","arguments":{"question":"%s"}}`},
	{"prompts/get", `{"name":"recall","arguments":{"%s":"%s"}}`},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"%s"},"argument":{"name":"%s","value":"%s"}}`},
	{"completion/complete", `{"ref":{"type":"%s","uri":"%s"},"argument":{"name":"q","value":"%s"}}`},
	{"logging/setLevel", `{"level":"%s"}`},
	{"no/such/%s", `{"%s":"%s"}`},
	{"notifications/cancelled", `{"requestId":"%s","reason":"%s"}`},
	{"notifications/progress", `{"progressToken":"%s","progress":1}`},
	{"notifications/initialized", `{"%s":"%s"}`},
	{"notifications/roots/list_changed", `{"%s":"%s"}`},
}

// With is the call with a text of that class in each of its places, and in the name of the method.
func (c Call) With(text Class) (method string, params json.RawMessage) {
	method = c.Method
	if strings.Contains(method, "%s") {
		var said string
		_ = json.Unmarshal([]byte(`"`+text.Sample+`"`), &said) // the samples can be read
		method = strings.ReplaceAll(method, "%s", said)
	}
	return method, json.RawMessage(strings.ReplaceAll(c.Params, "%s", text.Sample))
}

// modernMeta is part of each request of the protocol 2026-07-28.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}}`

// Request returns the line of a request, without its end. id is encoded as JSON. In the modern era the
// parameters, if they are an object, get the metadata of that era. The line has no white space but that of
// the parameters.
func Request(id any, modern bool, method string, params json.RawMessage) string {
	name, _ := json.Marshal(method) // a text
	said, _ := json.Marshal(id)     // a plain value, or JSON
	if rest, object := strings.CutPrefix(string(params), "{"); modern && object {
		if rest != "}" {
			rest = "," + rest
		}
		params = json.RawMessage("{" + modernMeta + rest)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, said, name, params)
}

// Cancel is the line of a notification that calls a request off.
func Cancel(id any) string {
	said, _ := json.Marshal(id) // as in Request
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, said)
}

// Storm makes a random sequence of requests, the same for the same seed.
type Storm struct {
	rand   *rand.Rand
	modern bool
	last   int
}

// NewStorm makes requests of one era.
func NewStorm(seed uint64, modern bool) *Storm {
	return &Storm{rand: rand.New(rand.NewPCG(seed, 0)), modern: modern}
}

// Next is the next request, its id as JSON, and a line that may be sent after it and gets no answer with an
// id: a notification that cancels it, or an invalid message. A request that waits for changes is always
// cancelled.
func (s *Storm) Next() (line, id, behind string) {
	s.last++
	n := s.last
	var own any = n
	if s.rand.IntN(4) == 0 {
		own = fmt.Sprintf("%c%d", s.codePoint(), n)
	}
	said, _ := json.Marshal(own) // a number or a text
	call := Calls[s.rand.IntN(len(Calls))]
	if s.rand.IntN(10) == 0 {
		other := strings.Replace(call.Params, `"%s"`, s.value(3), 1)
		if json.Valid([]byte(other)) { // not in the place of a name
			call.Params = other
		}
	}
	method, params := call.With(Class{Sample: s.sample()})
	switch s.rand.IntN(10) {
	case 0:
		params = json.RawMessage(s.value(4))
	case 1:
		params = s.grafted(params)
	}
	line = Request(json.RawMessage(said), s.modern, method, params)
	switch {
	case method == "subscriptions/listen" || s.rand.IntN(20) == 0:
		behind = Cancel(json.RawMessage(said))
	case s.rand.IntN(20) == 0:
		behind = s.noise()
	}
	return line, string(said), behind
}

// Reply is an answer to a request of the server, right or not.
func (s *Storm) Reply(id json.RawMessage) string {
	said := []string{
		`"result":{"action":"accept","content":{"yes":true}}`, `"result":{"action":"decline"}`, `"result":null`,
		`"result":{"action":"%s","content":{"%s":"%s"}}`, `"result":{"action":"accept"}`,
		`"error":{"code":-1,"message":"%s"}`, `"result":{"roots":[null,{"uri":"%s"}]}`, `"result":` + s.value(3),
	}
	one := strings.ReplaceAll(said[s.rand.IntN(len(said))], "%s", s.sample())
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, one)
}

// sample is a text of a random class, or of random characters.
func (s *Storm) sample() string {
	if s.rand.IntN(3) > 0 {
		return Classes[s.rand.IntN(len(Classes))].Sample
	}
	var b strings.Builder
	for range s.rand.IntN(12) {
		switch r := s.codePoint(); {
		case s.rand.IntN(4) == 0:
			fmt.Fprintf(&b, `\u%04x`, s.rand.IntN(0x10000))
		case r < ' ' || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// codePoint is a character, of each plane and each kind of ASCII about as often.
func (s *Storm) codePoint() rune {
	bounds := []rune{0x20, 0x7f, 0xa0, 0x800, 0x2070, 0x10000, 0x20000, 0xe0080, 0x110000}
	return s.rand.Int32N(bounds[s.rand.IntN(len(bounds))])
}

// value is random JSON of at most that depth, except for values that test deep nesting.
func (s *Storm) value(depth int) string {
	kinds := 9
	if depth == 0 {
		kinds = 6
	}
	switch s.rand.IntN(kinds) {
	case 0:
		return []string{"null", "true", "false"}[s.rand.IntN(3)]
	case 1:
		return fmt.Sprint(s.rand.IntN(2_000) - 1_000)
	case 2:
		odd := []string{"1e309", "-0", "1e-400", "9223372036854775808", "0.1", strings.Repeat("9", 400)}
		return odd[s.rand.IntN(len(odd))]
	case 3, 4, 5:
		return `"` + s.sample() + `"`
	case 6:
		n := []int{10, 900, 1_001, 9_000}[s.rand.IntN(4)]
		return strings.Repeat("[", n) + strings.Repeat("]", n)
	case 7:
		n := []int{10, 900, 1_001}[s.rand.IntN(3)]
		return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n)
	}
	var items []string
	for range s.rand.IntN(4) {
		items = append(items, fmt.Sprintf(`"%s":%s`, s.sample(), s.value(depth-1)))
	}
	return "{" + strings.Join(items, ",") + "}"
}

// grafted is an object with a random value for one of its members, and for an unknown member.
func (s *Storm) grafted(params json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil {
		return params
	}
	names := []string{
		"_meta", "name", "uri", "arguments", "cursor", "level", "ref", "argument", "notifications", "inputResponses",
		"requestState", "capabilities", "clientInfo",
	}
	var parts []string
	for range 2 {
		parts = append(parts, fmt.Sprintf(`"%s":%s`, names[s.rand.IntN(len(names))], s.value(3)))
	}
	for _, name := range names {
		if value, ok := members[name]; ok && s.rand.IntN(2) == 0 {
			parts = append(parts, fmt.Sprintf(`"%s":%s`, name, value))
		}
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// noise is a line that gets no answer.
func (s *Storm) noise() string {
	lines := []string{
		`{`, `nonsense %s`, "\xff\xfe", `[]`, `[1]`, `3`, `"x"`, `null`, `{}`, "", " \t", strings.Repeat("[", 20_000),
		`{"jsonrpc":"1.0","method":"%s"}`,
		`{"jsonrpc":"2.0","method":"notifications/%s"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{},"reason":"%s"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"%s"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"%s","progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":null}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"%s"}}`,
		`{"jsonrpc":"2.0","id":"%s none","result":{}}`,
	}
	return strings.ReplaceAll(lines[s.rand.IntN(len(lines))], "%s", s.sample())
}
