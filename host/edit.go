package host

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// edit is a value that stands in JSON for brv-lsp.
type edit struct {
	at    []string // keys from the top; of an element those of its list
	value string   // JSON, with the marks of the command
	mark  string   // of an element: a text in one of its strings by which it is known as ours; "" for a member
	given bool     // it stands there for the host's sake: it is put where nothing stands, and stays
}

func member(value string, at ...string) edit        { return edit{at: at, value: value} }
func given(value string, at ...string) edit         { return edit{at: at, value: value, given: true} }
func element(mark, value string, at ...string) edit { return edit{at: at, value: value, mark: mark} }

// piece is a text that was put into another one.
type piece struct {
	at   int
	text string
}

func (p piece) into(text string) string { return text[:p.at] + p.text + text[p.at:] }

// The bounds of a configuration.
const (
	maxConfig = 4 << 20
	maxLevels = 1000
)

// parse reads JSON with comments and trailing commas. Its places are those of text, which may begin with a byte order
// mark.
func parse(text string) (top *hujson.Value, err error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("it has %d bytes; the most is %d", len(text), maxConfig)
	}
	levels := 0
	for i := range len(text) { // also in strings: no configuration has so many there
		switch text[i] {
		case '{', '[':
			if levels++; levels > maxLevels {
				return nil, fmt.Errorf("it is nested too deep, over %d levels", maxLevels)
			}
		case '}', ']':
			levels--
		}
	}
	bare := strings.TrimPrefix(text, "\ufeff")
	pad := strings.Repeat(" ", len(text)-len(bare)) // so that places stay
	v, err := hujson.Parse([]byte(pad + bare))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON: %w; mend it first", err)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("it is no JSON object")
	}
	return &v, nil
}

// found is where a path leads: to a value, or to the innermost container that is there.
type found struct {
	value *hujson.Value // the last value on the way
	keys  []string      // what is missing below it
	depth int           // of value: 0 is the top
}

func walk(top *hujson.Value, keys []string) (found, error) {
	f := found{value: top, keys: keys}
	for len(f.keys) > 0 {
		o, ok := f.value.Value.(*hujson.Object)
		if !ok {
			return f, fmt.Errorf("%s is no object", strings.Join(keys[:f.depth], "."))
		}
		i := memberOf(o, f.keys[0])
		if i < 0 {
			return f, nil
		}
		f.value, f.keys, f.depth = &o.Members[i].Value, f.keys[1:], f.depth+1
	}
	return f, nil
}

// memberOf is the last member of a key, −1 if there is none: the last one counts.
func memberOf(o *hujson.Object, key string) int {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if name, ok := o.Members[i].Name.Value.(hujson.Literal); ok && name.String() == key {
			return i
		}
	}
	return -1
}

// put is what to put into a text for an edit; nothing where it is there.
func (e edit) put(text string) (piece, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		return piece{len(text), pretty(nest(e.at, e.listed()), "", "  ") + "\n"}, nil
	}
	top, err := parse(text)
	if err != nil {
		return piece{}, err
	}
	f, err := walk(top, e.at)
	if err != nil {
		return piece{}, err
	}
	l := layoutOf(text, top)
	switch {
	case len(f.keys) > 0:
		return l.first(f, pretty(quoted(f.keys[0])+": "+nest(f.keys[1:], e.listed()), l.indent(f.depth+1), l.unit))
	case e.mark == "":
		return piece{}, nil
	}
	if _, ok := f.value.Value.(*hujson.Array); !ok {
		return piece{}, fmt.Errorf("%s is no list", strings.Join(e.at, "."))
	}
	if _, _, i := e.find(text, f.value); i >= 0 {
		return piece{}, nil
	}
	return l.first(f, pretty(e.value, l.indent(f.depth+1), l.unit))
}

// listed is the value as it stands where nothing is.
func (e edit) listed() string {
	if e.mark != "" {
		return "[" + e.value + "]"
	}
	return e.value
}

// nest is a value below keys.
func nest(keys []string, value string) string {
	for i := len(keys) - 1; i >= 0; i-- {
		value = "{" + quoted(keys[i]) + ": " + value + "}"
	}
	return value
}

func quoted(s string) string {
	out, _ := json.Marshal(s) // a string marshals
	return string(out)
}

// pretty is a value, or a member, in lines.
func pretty(text, indent, unit string) string {
	key := ""
	if strings.HasPrefix(text, `"`) {
		key, text, _ = strings.Cut(text, ": ")
		key += ": "
	}
	raw := json.RawMessage(text)
	out, err := json.MarshalIndent(raw, indent, unit)
	if err != nil {
		panic("host: the table holds a value that is no JSON: " + text)
	}
	unescaped := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(out))
	return key + unescaped
}

// layout is how a text is written.
type layout struct{ text, nl, unit string }

func layoutOf(text string, top *hujson.Value) layout {
	l := layout{text: text, nl: "\n", unit: "  "}
	if strings.Contains(text, "\r\n") {
		l.nl = "\r\n"
	}
	if o := top.Value.(*hujson.Object); len(o.Members) > 0 {
		lead := string(o.Members[0].Name.BeforeExtra)
		if i := strings.LastIndexByte(lead, '\n'); i >= 0 && strings.TrimLeft(lead[i+1:], " \t") == "" && i+1 < len(lead) {
			l.unit = lead[i+1:]
		}
	}
	return l
}

func (l layout) indent(depth int) string { return strings.Repeat(l.unit, depth) }

// first puts a text in as the first thing in a container.
func (l layout) first(f found, text string) (piece, error) {
	empty := true
	switch c := f.value.Value.(type) {
	case *hujson.Object:
		empty = len(c.Members) == 0
	case *hujson.Array:
		empty = len(c.Elements) == 0
	default:
		return piece{}, fmt.Errorf("it holds a value where an object or a list should stand")
	}
	at := f.value.StartOffset + 1
	text = "\n" + l.indent(f.depth+1) + text
	switch rest := l.text[at:]; {
	case !empty && !strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n"): // all in one line
		text += ",\n" + l.indent(f.depth+1)
	case !empty:
		text += ","
	case !strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n"):
		text += "\n" + l.indent(f.depth)
	}
	return piece{at, strings.ReplaceAll(text, "\n", l.nl)}, nil
}

// stands reports whether the value stands in a text.
func (e edit) stands(text string) (bool, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		return false, nil
	}
	top, err := parse(text)
	if err != nil {
		return false, err
	}
	f, err := walk(top, e.at)
	if err != nil || len(f.keys) > 0 || e.given {
		return len(f.keys) == 0, err
	}
	is := f.value.Clone()
	if e.mark != "" {
		if _, ok := f.value.Value.(*hujson.Array); !ok {
			return false, fmt.Errorf("%s is no list", strings.Join(e.at, "."))
		}
		_, _, i := e.find(text, f.value)
		if i < 0 {
			return false, nil
		}
		is = f.value.Value.(*hujson.Array).Elements[i].Clone()
	}
	want, err := hujson.Parse([]byte(e.value))
	is.Minimize()
	want.Minimize()
	return is.String() == want.String(), err
}

// find is the place of our element in a list, and its number; −1 if it is not there.
func (e edit) find(text string, list *hujson.Value) (start, end, at int) {
	a, _ := list.Value.(*hujson.Array)
	mark := strings.TrimPrefix(e.mark, "$HOOK ")
	for i := range a.Elements {
		for v := range a.Elements[i].All() {
			if s, ok := v.Value.(hujson.Literal); ok && s.Kind() == '"' && strings.Contains(s.String(), mark) {
				start, end = span(text, list.StartOffset+1, len(a.Elements), i, func(i int) (int, *hujson.Value) {
					return a.Elements[i].StartOffset - len(a.Elements[i].BeforeExtra), &a.Elements[i]
				})
				return start, end, i
			}
		}
	}
	return 0, 0, -1
}

// span is what to take out so that the item i of n goes, with one comma.
func span(text string, first, n, i int, at func(int) (start int, value *hujson.Value)) (start, end int) {
	start, v := at(i)
	end = v.EndOffset
	switch {
	case i+1 < n: // and the comma behind it
		end, _ = at(i + 1)
	case i > 0: // and the comma before it
		_, before := at(i - 1)
		start = before.EndOffset + len(before.AfterExtra)
	default:
		start = first
		if comma := end + len(v.AfterExtra); text[comma] == ',' {
			end = comma + 1
		}
	}
	return start, end
}

// cut takes what an edit put into a text out by its key, and containers that are empty then.
func (e edit) cut(text string) (string, error) {
	if e.given || strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == "" {
		return text, nil
	}
	top, err := parse(text)
	if err != nil {
		return "", err
	}
	f, err := walk(top, e.at)
	if err != nil || len(f.keys) > 0 {
		return text, nil // something else stands there
	}
	keys := e.at
	if e.mark != "" {
		a, isList := f.value.Value.(*hujson.Array)
		if !isList {
			return text, nil
		}
		start, end, i := e.find(text, f.value)
		if i < 0 {
			return text, nil
		}
		if len(a.Elements) > 1 {
			return text[:start] + text[end:], nil
		}
	}
	for ; len(keys) > 1; keys = keys[:len(keys)-1] { // up to what holds something else
		above, _ := walk(top, keys[:len(keys)-1])
		if o := above.value.Value.(*hujson.Object); len(o.Members) > 1 {
			break
		}
	}
	above, _ := walk(top, keys[:len(keys)-1])
	o := above.value.Value.(*hujson.Object)
	start, end := span(text, above.value.StartOffset+1, len(o.Members), memberOf(o, keys[len(keys)-1]), func(i int) (int, *hujson.Value) {
		m := &o.Members[i]
		return m.Name.StartOffset - len(m.Name.BeforeExtra), &m.Value
	})
	return text[:start] + text[end:], nil
}
