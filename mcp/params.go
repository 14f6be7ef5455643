package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// kind is the type of an argument.
type kind int

const (
	kindText    kind = iota // must not be blank
	kindNumber              // whole, from min to max
	kindTexts               // a list of texts
	kindChoice              // one of choices
	kindFlag                // true or false
	kindObjects             // a list of objects, passed on unchanged
)

// param describes an argument, for the schema and for the check.
type param struct {
	name     string
	kind     kind
	about    string // for the model; "" if the name is enough
	required bool
	min, max int      // of a number; max is 0 for any number, and bounds the items of a list and the bytes of a text too
	choices  []string // of a choice
	items    string   // for objects: the schema of one, as JSON
}

// Limits for callers, if a parameter names no other.
const (
	maxText  = 20_000 // bytes; a task with a stack trace has some thousand
	maxItems = 64
)

// schema writes the parameters as a JSON schema. It keeps their order, since models read it. Two facts cost tokens
// and do not help a model, so only [read] checks them: that no other parameter is allowed, and the upper limit of
// a budget.
func schema(params []param) json.RawMessage {
	var properties, required []string
	for _, p := range params {
		properties = append(properties, fmt.Sprintf("%q:%s", p.name, p.schema()))
		if p.required {
			required = append(required, strconv.Quote(p.name))
		}
	}
	need := ""
	if len(required) > 0 {
		need = `,"required":[` + strings.Join(required, ",") + `]`
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}` + need + `}`)
}

func (p param) schema() string {
	var s string
	switch p.kind {
	case kindText:
		s = `"type":"string"`
	case kindNumber:
		s = fmt.Sprintf(`"type":"integer","minimum":%d`, p.min)
		if p.max > 0 && p.max != mostTokens {
			s += fmt.Sprintf(`,"maximum":%d`, p.max)
		}
	case kindTexts:
		s = `"type":"array","items":{"type":"string"}`
	case kindChoice:
		list, _ := json.Marshal(p.choices) // strings always marshal
		s = `"type":"string","enum":` + string(list)
	case kindFlag:
		s = `"type":"boolean"`
	case kindObjects:
		s = `"type":"array","items":` + p.items
	}
	if p.about != "" {
		about, _ := json.Marshal(p.about)
		s += `,"description":` + string(about)
	}
	return "{" + s + "}"
}

// args holds the checked arguments by name, without missing ones.
type args map[string]any

func (a args) text(name string) string { s, _ := a[name].(string); return s }

func (a args) texts(name string) []string { s, _ := a[name].([]string); return s }

func (a args) flag(name string) bool { b, _ := a[name].(bool); return b }

func (a args) raw(name string) json.RawMessage { r, _ := a[name].(json.RawMessage); return r }

func (a args) number(name string, otherwise int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return otherwise
}

// read checks arguments. It reports all errors at once.
func read(params []param, raw json.RawMessage) (args, error) {
	given := map[string]json.RawMessage{}
	if raw = unquoted(raw); raw != nil {
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, errors.New("arguments: must be a JSON object; allowed keys: " + names(params))
		}
	}
	out := args{}
	var wrong []error
	for _, p := range params {
		value := p.meant(given[p.name])
		delete(given, p.name)
		if value == nil {
			if p.required {
				wrong = append(wrong, fmt.Errorf("%s: is required, %s", p.name, p.allowed()))
			}
			continue
		}
		if checked, ok := p.check(value); ok {
			out[p.name] = checked
		} else {
			wrong = append(wrong, fmt.Errorf("%s: must be %s, not %s", p.name, p.allowed(), sanitize.Line(string(value), 80)))
		}
	}
	maps.DeleteFunc(given, func(_ string, value json.RawMessage) bool { return unquoted(value) == nil })
	for _, name := range sorted(given) {
		wrong = append(wrong, fmt.Errorf("%s: unknown argument; allowed arguments: %s", sanitize.Line(name, 80), names(params)))
	}
	return out, errors.Join(wrong...)
}

// unquoted returns the JSON inside a string. It returns other JSON unchanged, and nil for null or a blank string.
func unquoted(raw json.RawMessage) json.RawMessage {
	var text *string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil && (text == nil || strings.TrimSpace(*text) == "") {
		return nil
	}
	if text != nil && json.Valid([]byte(*text)) {
		return json.RawMessage(strings.TrimSpace(*text))
	}
	return raw
}

// meant converts an argument to its parameter's type if a model sent another one: a number, a flag or a list as
// text, or one value instead of a list of one and the reverse. It is nil if the value is missing: null, a blank
// text, or a list of these.
func (p param) meant(raw json.RawMessage) json.RawMessage {
	inner := unquoted(raw)
	var list []json.RawMessage
	isList := inner != nil && json.Unmarshal(inner, &list) == nil
	if p.kind == kindTexts || p.kind == kindObjects {
		if !isList {
			list = []json.RawMessage{raw}
		}
		given := []json.RawMessage{}
		for _, item := range list {
			if inner := unquoted(item); inner != nil && p.kind == kindObjects {
				given = append(given, inner)
			} else if inner != nil {
				given = append(given, item)
			}
		}
		if len(given) == 0 {
			return nil
		}
		out, _ := json.Marshal(given) // JSON already
		return out
	}
	texts := p.kind == kindText || p.kind == kindChoice
	if isList && len(list) == 1 && !(texts && raw[0] == '"') {
		raw, inner = list[0], unquoted(list[0])
	}
	switch {
	case texts && inner != nil && raw[0] == '"':
		return raw
	case p.kind == kindText && inner != nil && inner[0] != '{' && inner[0] != '[': // a number
		return json.RawMessage(strconv.Quote(string(inner)))
	}
	return inner
}

func (p param) check(raw json.RawMessage) (any, bool) {
	switch p.kind {
	case kindText, kindChoice:
		var s string
		err := json.Unmarshal(raw, &s)
		if i := slices.IndexFunc(p.choices, func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(s)) }); i >= 0 {
			return p.choices[i], err == nil
		}
		return s, err == nil && p.kind == kindText && len(s) <= p.most(maxText)
	case kindNumber:
		var f float64
		err := json.Unmarshal(raw, &f)
		return int(f), err == nil && f == math.Trunc(f) && f >= float64(p.min) && f <= float64(p.most(math.MaxInt32))
	case kindTexts:
		var list []string
		err := json.Unmarshal(raw, &list)
		return list, err == nil && len(list) <= p.most(maxItems) && (len(list) > 0 || !p.required) &&
			!slices.ContainsFunc(list, func(s string) bool { return len(s) > maxText })
	case kindFlag:
		var b bool
		err := json.Unmarshal(bytes.ToLower(bytes.Trim(raw, `"`)), &b)
		return b, err == nil
	default:
		var list []map[string]json.RawMessage
		err := json.Unmarshal(raw, &list)
		return raw, err == nil && len(list) > 0 && len(list) <= p.most(maxItems) &&
			!slices.ContainsFunc(list, func(m map[string]json.RawMessage) bool { return m == nil })
	}
}

func (p param) most(otherwise int) int {
	if p.max > 0 {
		return p.max
	}
	return otherwise
}

// allowed describes the possible values of a parameter.
func (p param) allowed() string {
	switch p.kind {
	case kindText:
		return fmt.Sprintf("a string of 1 to %d bytes", p.most(maxText))
	case kindNumber:
		return fmt.Sprintf("a whole number from %d to %d", p.min, p.most(math.MaxInt32))
	case kindTexts:
		return fmt.Sprintf("a list of at most %d strings", p.most(maxItems))
	case kindChoice:
		return "one of " + strings.Join(p.choices, ", ")
	case kindFlag:
		return "true or false"
	}
	return fmt.Sprintf("a list of 1 to %d objects", p.most(maxItems))
}

func names(params []param) string {
	var list []string
	for _, p := range params {
		list = append(list, p.name)
	}
	return strings.Join(list, ", ")
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// invalid returns the error for wrong parameters.
func invalid(why string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why}
}
