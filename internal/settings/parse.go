package settings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Source is where settings come from.
type Source int

// The sources, each with precedence over those before it: the project's own file, the user's, and the editor.
const (
	Project Source = iota
	User
	Client
)

// Layer holds the settings of one source: values by key, each allowed. The zero value sets nothing.
// It is not changed after it was made.
type Layer struct{ values map[string]any }

// Problem is an invalid part of a source.
type Problem struct {
	Key        string // in full, "" if the source as a whole cannot be read
	Message    string // what is wrong and what is expected
	Start, End int    // bytes of the source
	Line       int    // 1-based
	Column     int    // 1-based, in characters
}

// Text is the message behind the key.
func (p Problem) Text() string {
	if p.Key == "" {
		return p.Message
	}
	return p.Key + ": " + p.Message
}

// String is the text behind the place.
func (p Problem) String() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Text()) }

// Parse reads the settings of a source: a JSON object with the keys of [Settings], nested or joined by dots,
// with or without the leading "brv". An invalid value, or item of one, is a problem, and the rest stays
// valid; null sets nothing, and a client may send it for the whole object.
func Parse(source Source, data []byte) (Layer, []Problem) {
	data = markdown.WithoutMarks(data)
	p := reader{source: source, data: data, layer: Layer{map[string]any{}}}
	if err := syntaxError(data); err != nil {
		p.problem("", err.message, span{err.at, err.at})
	} else if at := skipSpace(data, 0); bytes.HasPrefix(data[at:], []byte("null")) && source == Client {
		return p.layer, nil
	} else if data[at] != '{' {
		p.problem("", "settings must be an object such as {\"hover\": {\"code\": false}}, not "+sanitize.Short(string(data[at:]), maxShown),
			span{at, len(data)})
	} else {
		p.object("", span{at, len(data)})
	}
	return p.layer, p.problems
}

type reader struct {
	source   Source
	data     []byte
	layer    Layer
	problems []Problem
}

type span struct{ start, end int } // bytes

// badSyntax is a place at which a text is no JSON.
type badSyntax struct {
	message string
	at      int
}

func syntaxError(data []byte) *badSyntax {
	var any json.RawMessage
	err := json.Unmarshal(data, &any)
	var bad *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad):
		return &badSyntax{"not JSON: " + err.Error() + "; comments and commas after the last item are not allowed",
			min(max(0, int(bad.Offset)-1), len(data))}
	}
	return &badSyntax{"not JSON: " + err.Error(), 0}
}

// object reads the object of the source that stands at at, whose keys lie below prefix.
func (p *reader) object(prefix string, at span) {
	p.members(at, func(name string, raw json.RawMessage, at span) { p.member(join(prefix, name), raw, at) })
}

// members gives the members of an object of the source with the place of their values.
func (p *reader) members(at span, do func(name string, raw json.RawMessage, at span)) {
	dec := json.NewDecoder(bytes.NewReader(p.data[at.start:at.end]))
	if _, err := dec.Token(); err != nil {
		return // the text was checked
	}
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return
		}
		end := at.start + int(dec.InputOffset())
		do(name, raw, span{end - len(raw), end})
	}
}

func join(prefix, name string) string {
	if prefix != "" {
		return prefix + "." + name
	}
	return strings.TrimPrefix(name, Prefix+".")
}

// member reads the value of one key.
func (p *reader) member(key string, raw json.RawMessage, at span) {
	f, known := fieldOf(key)
	switch {
	case string(raw) == "null":
	case key == Prefix && raw[0] == '{':
		p.object("", at)
	case !known && isGroup(key) && raw[0] == '{':
		p.object(key, at)
	case !known && isGroup(key):
		p.problem(key, "expected an object", at)
	case !known:
		p.problem(key, "no such setting"+nearest(key), at)
	default:
		p.set(f, raw, at)
	}
}

// set checks a value and keeps it.
func (p *reader) set(f field, raw json.RawMessage, at span) {
	if p.source == Project && f.project == projectNever {
		p.problem(f.key, "ignored: a project cannot set this, only your own settings can", at)
		return
	}
	value, err := f.read(raw)
	if err != nil {
		p.problem(f.key, err.Error(), at)
		return
	}
	switch f.kind.Kind() {
	case reflect.Map:
		value = p.grades(f, at)
	case reflect.Slice:
		list := p.items(f, at)
		if len(list) == 0 && len(value.([]json.RawMessage)) > 0 {
			return // it is invalid as a whole
		}
		value = list
	}
	if p.source == Project {
		if err := f.tightens(value); err != nil {
			p.problem(f.key, err.Error(), at)
			return
		}
	}
	if _, twice := p.layer.values[f.key]; twice {
		p.problem(f.key, "set twice; the last value is used", at)
	}
	p.layer.values[f.key] = value
}

// items reads a list of strings, without the invalid ones.
func (p *reader) items(f field, at span) []string {
	out := []string{}
	dec := json.NewDecoder(bytes.NewReader(p.data[at.start:at.end]))
	if _, err := dec.Token(); err != nil {
		return out // the text was checked
	}
	for dec.More() {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return out
		}
		item, err := f.readItem(raw)
		if err != nil {
			end := at.start + int(dec.InputOffset())
			p.problem(f.key, err.Error(), span{end - len(raw), end})
			continue
		}
		out = append(out, item)
	}
	return out
}

// grades reads an object of severities by the codes of problems, without the invalid ones.
func (p *reader) grades(f field, at span) map[string]string {
	out := map[string]string{}
	p.members(at, func(code string, raw json.RawMessage, at span) {
		grade, err := f.readChoice(raw)
		if err = cmp.Or(CheckCode(code), err); err != nil {
			p.problem(f.key, fmt.Sprintf("%q: %v", sanitize.Short(code, maxShown), err), at)
			return
		}
		out[code] = grade
	})
	return out
}

// pages is the address of the documentation.
const pages = "https://github.com/brv-lsp/brv-lsp/blob/main/docs/"

// CheckCode returns the error for an unknown code of a problem, with the code that was probably meant.
func CheckCode(code string) error {
	if !slices.Contains(Codes, code) {
		return errors.New("no such problem" + nearestCode(code))
	}
	return nil
}

// nearestCode names the code that was probably meant.
func nearestCode(code string) string {
	bare := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s)), "s")
	}
	for _, c := range Codes {
		if bare(c) == bare(code) {
			return fmt.Sprintf("; did you mean %q?", c)
		}
	}
	return "; " + pages + "diagnostics.md lists all"
}

func (p *reader) problem(key, message string, at span) {
	before := p.data[:at.start]
	line := bytes.LastIndexByte(before, '\n') + 1
	if key != "" && key != Prefix {
		key = Prefix + "." + key
	}
	p.problems = append(p.problems, Problem{
		Key: key, Message: message, Start: at.start, End: at.end,
		Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[line:]),
	})
}

// read decodes and checks a value; what a list or an object holds is checked by itself.
func (f field) read(raw json.RawMessage) (any, error) {
	switch f.initial().(type) {
	case bool:
		return readAs[bool](raw, "true or false")
	case int:
		return f.readNumber(raw)
	case string:
		return f.readChoice(raw)
	case []string:
		return readAs[[]json.RawMessage](raw, "a list of strings")
	default:
		return readAs[map[string]json.RawMessage](raw, "an object of strings")
	}
}

func (f field) readChoice(raw json.RawMessage) (string, error) {
	s, err := readAs[string](raw, f.expects("a string"))
	if err == nil && f.enum != nil && !slices.Contains(f.enum, s) {
		err = unexpected(f.expects(""), raw)
	}
	return s, err
}

func (f field) readNumber(raw json.RawMessage) (any, error) {
	what := fmt.Sprintf("a whole number from %d to %d", f.min, f.max)
	n, err := readAs[float64](raw, what)
	if err == nil && (n != float64(int64(n)) || n < float64(f.min) || n > float64(f.max)) {
		err = unexpected(what, raw)
	}
	return int(n), err
}

// readItem reads an item of a list.
func (f field) readItem(raw json.RawMessage) (string, error) {
	item, err := readAs[string](raw, "a string")
	if err != nil || !strings.HasPrefix(f.key, "code.") {
		return item, err
	}
	if f.scope == machineScope { // folders of this machine
		if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(item, "~/") {
			item = filepath.Join(home, item[2:])
		}
		if !filepath.IsAbs(item) {
			return "", fmt.Errorf("%q must be an absolute path such as /src/shop or ~/src/shop", sanitize.Short(item, maxShown))
		}
		return item, nil
	}
	if err := glob.Check(item); err != nil {
		return "", fmt.Errorf("%w, such as \"src/**/*.go\"", err)
	}
	if slices.Contains(strings.Split(item, "/"), "..") || strings.HasPrefix(item, "/") {
		return "", fmt.Errorf("%q points outside the folder; write patterns relative to the folder, such as \"src/**/*.go\"",
			sanitize.Short(item, maxShown))
	}
	return item, nil
}

// expects names the values of an enumeration, or what else is expected.
func (f field) expects(otherwise string) string {
	if f.enum == nil {
		return otherwise
	}
	quoted := make([]string, len(f.enum))
	for i, s := range f.enum {
		quoted[i] = strconv.Quote(s)
	}
	return "one of " + strings.Join(quoted, ", ")
}

func readAs[T any](raw json.RawMessage, what string) (T, error) {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return v, unexpected(what, raw)
	}
	return v, nil
}

// maxShown bounds how much of a wrong value a message repeats, in characters.
const maxShown = 60

func unexpected(what string, raw []byte) error {
	return fmt.Errorf("expected %s, not %s", what, sanitize.Short(string(raw), maxShown))
}

// tightens refuses values of the project's file that allow more than without it.
func (f field) tightens(value any) error {
	if f.project == projectLowers && value.(int) > f.initial().(int) {
		return fmt.Errorf("ignored: a project can only lower this, and the default is %d", f.initial())
	}
	if m, ok := value.(map[string]string); ok && f.project == projectKeeps && slices.Contains(slices.Collect(maps.Values(m)), "off") {
		return errors.New("ignored: a project cannot switch problems off, only change how they are shown")
	}
	return nil
}

// nearest names the setting that was probably meant.
func nearest(key string) string {
	last := key[strings.LastIndexByte(key, '.')+1:]
	for _, f := range fields() {
		if strings.EqualFold(f.key, key) || strings.HasSuffix(strings.ToLower(f.key), "."+strings.ToLower(last)) {
			return "; did you mean " + Prefix + "." + f.key + "?"
		}
	}
	return "; " + pages + "settings.md lists all"
}

func skipSpace(data []byte, at int) int {
	for at < len(data) && strings.IndexByte(" \t\r\n", data[at]) >= 0 {
		at++
	}
	return at
}
