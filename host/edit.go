package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// edit is a value that stands in JSON for brv-lsp.
type edit struct {
	at    []string // keys from the top; of an element those of its list
	value string   // JSON, with the marks of the command
	mark  string   // of an element: a text in one of its strings by which it is known as ours; "" for a member
	given bool     // it stands there for the host's sake: it is put where nothing stands, and stays
}

// The bounds of a configuration.
const (
	maxConfig = 4 << 20 // bytes
	maxLevels = 1000
)

func blank(text string) bool { return len(bytes.TrimSpace(markdown.WithoutMarks([]byte(text)))) == 0 }

// parse reads JSON with comments and trailing commas. The places are those of the text, which may begin with a byte
// order mark.
func parse(text string) (*hujson.Value, error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("the file has %d bytes; the limit is %d", len(text), maxConfig)
	}
	levels := 0
	for i := range len(text) { // also in strings: no configuration has so many there
		switch text[i] {
		case '{', '[':
			if levels++; levels > maxLevels {
				return nil, fmt.Errorf("it is nested deeper than %d levels", maxLevels)
			}
		case '}', ']':
			levels--
		}
	}
	v, err := hujson.Parse(markdown.WithoutMarks([]byte(text + "\n"))) // a comment of a line ends with it
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON: %w", err)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("the file is not a JSON object")
	}
	return &v, nil
}

// plain returns the value of JSON, however it is laid out and whatever the order of its members.
func plain(text string) (string, error) {
	if blank(text) {
		return "", nil
	}
	v, err := parse(text)
	if err != nil {
		return "", err
	}
	return sorted(v), nil
}

func sorted(v *hujson.Value) string {
	bare := v.Clone()
	bare.Standardize()
	var of any
	_ = json.Unmarshal(bare.Pack(), &of) // it was parsed
	out, _ := json.Marshal(of)
	return string(out)
}

// decoded are the members of an object, with numbers as they are written.
func decoded(v *hujson.Value) (of map[string]any, err error) {
	bare := v.Clone()
	bare.Standardize()
	d := json.NewDecoder(bytes.NewReader(bare.Pack()))
	d.UseNumber()
	return of, d.Decode(&of)
}

// item is a member of an object, or an element of a list.
type item struct {
	key   string
	start int // with what stands before it, behind the comma of the one before
	value *hujson.Value
}

// items returns the items of an object or a list.
func items(v *hujson.Value) (out []item) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			start := m.Name.StartOffset - len(m.Name.BeforeExtra)
			out = append(out, item{m.Name.Value.(hujson.Literal).String(), start, &m.Value})
		}
	case *hujson.Array:
		for i := range c.Elements {
			e := &c.Elements[i]
			out = append(out, item{"", e.StartOffset - len(e.BeforeExtra), e})
		}
	}
	return out
}

// member is the number of the last item of a key, which is the one that counts; −1 if there is none.
func member(all []item, key string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].key == key {
			return i
		}
	}
	return -1
}

// walk follows keys from the top as far as they exist. It returns the value that it reached, and the keys
// that are missing below it.
func walk(top *hujson.Value, keys []string) (v *hujson.Value, missing []string, err error) {
	v = top
	for n, key := range keys {
		if _, ok := v.Value.(*hujson.Object); !ok {
			return nil, nil, fmt.Errorf("%s is not an object", strings.Join(keys[:n], "."))
		}
		all := items(v)
		i := member(all, key)
		if i < 0 {
			return v, keys[n:], nil
		}
		v = all[i].value
	}
	return v, nil, nil
}

// put is the text with an edit's value in it, and the piece that was put in, "" where the value's place is taken.
func (e edit) put(text string) (after, piece string, err error) {
	value := e.value
	if e.mark != "" {
		value = "[" + value + "]"
	}
	if blank(text) {
		piece = pretty("", nested(e.at, value), "", "  ") + "\n"
		return text + piece, piece, nil
	}
	top, err := parse(text)
	if err != nil {
		return "", "", err
	}
	v, missing, err := walk(top, e.at)
	if err != nil {
		return "", "", err
	}
	unit, depth := unitOf(top), len(e.at)-len(missing)+1
	indent := strings.Repeat(unit, depth)
	if len(missing) > 0 {
		piece = pretty(missing[0], nested(missing[1:], value), indent, unit)
	} else if e.mark != "" {
		if _, ok := v.Value.(*hujson.Array); !ok {
			return "", "", fmt.Errorf("%s is not a list", strings.Join(e.at, "."))
		} else if e.find(v) < 0 {
			piece = pretty("", e.value, indent, unit)
		}
	}
	if piece == "" {
		return text, "", nil
	}
	at := v.StartOffset + 1
	some, ownLine := len(items(v)) > 0, strings.HasPrefix(strings.TrimLeft(text[at:], " \t\r"), "\n")
	piece = "\n" + indent + piece
	if some {
		piece += ","
	}
	if !ownLine {
		piece += "\n" + strings.Repeat(unit, depth-1)
	}
	if strings.Contains(text, "\r\n") {
		piece = strings.ReplaceAll(piece, "\n", "\r\n")
	}
	return text[:at] + piece + text[at:], piece, nil
}

// nested is a value below keys.
func nested(keys []string, value string) string {
	for i := len(keys) - 1; i >= 0; i-- {
		value = fmt.Sprintf("{%q: %s}", keys[i], value)
	}
	return value
}

// pretty is a value in lines, with its key before it if there is one.
func pretty(key, value, indent, unit string) string {
	var out bytes.Buffer
	if key != "" {
		fmt.Fprintf(&out, "%q: ", key)
	}
	if err := json.Indent(&out, []byte(value), indent, unit); err != nil {
		panic("host: the table holds a value that is not JSON: " + value)
	}
	return out.String()
}

// unitOf returns the indentation of a text.
func unitOf(top *hujson.Value) string {
	if all := top.Value.(*hujson.Object).Members; len(all) > 0 {
		lead := string(all[0].Name.BeforeExtra)
		last := lead[strings.LastIndexByte(lead, '\n')+1:]
		if last != "" && last != lead && strings.Trim(last, " \t") == "" {
			return last
		}
	}
	return "  "
}

// find is the number of our element in a list, −1 if it is not there.
func (e edit) find(list *hujson.Value) int {
	for i, item := range items(list) {
		for v := range item.value.All() {
			if s, ok := v.Value.(hujson.Literal); ok && s.Kind() == '"' && strings.Contains(s.String(), e.mark) {
				return i
			}
		}
	}
	return -1
}

// place is the value at the keys of an edit, nil where something else stands there or the edit's value is given.
func (e edit) place(text string) (top, v *hujson.Value, err error) {
	if e.given || blank(text) {
		return nil, nil, nil
	}
	if top, err = parse(text); err != nil {
		return nil, nil, err
	}
	v, missing, err := walk(top, e.at)
	if err != nil || len(missing) > 0 {
		return top, nil, nil
	}
	return top, v, nil
}

// cut removes the edit's value from a text, and containers that are empty then. If other people added hooks
// to our group, it removes only ours.
func (e edit) cut(text string, programs ...string) (string, error) {
	top, v, err := e.place(text)
	if v == nil {
		return text, err
	}
	if e.mark != "" {
		i := e.find(v)
		if i < 0 {
			return text, nil
		}
		group := items(items(v)[i].value)
		if n := member(group, "hooks"); n >= 0 && len(items(group[n].value)) > 1 {
			if inner := e.find(group[n].value); inner >= 0 {
				return without(text, group[n].value, inner), nil
			}
		}
		if len(items(v)) > 1 {
			return without(text, v, i), nil
		}
	} else if !e.wrote(v, programs) {
		return "", fmt.Errorf("%s exists but does not start brv-lsp; rename or remove it first. "+
			"If `install --command PATH` wrote it, add that --command", strings.Join(e.at, "."))
	}
	keys := e.at
	for {
		above, _, _ := walk(top, keys[:len(keys)-1]) // as before
		all := items(above)
		if len(all) > 1 || len(keys) == 1 {
			return without(text, above, member(all, keys[len(keys)-1])), nil
		}
		keys = keys[:len(keys)-1]
	}
}

// held returns, as JSON, our own value in the place of an edit, "" if there is none. A group of hooks that
// others share does not count.
func (e edit) held(text string, programs ...string) string {
	_, v, _ := e.place(text)
	if v == nil || e.mark == "" && !e.wrote(v, programs) {
		return ""
	}
	if e.mark != "" {
		i := e.find(v)
		if i < 0 {
			return ""
		}
		v = items(v)[i].value
		if n := member(items(v), "hooks"); n >= 0 && len(items(items(v)[n].value)) > 1 {
			return ""
		}
	}
	return sorted(v)
}

// wrote reports whether a value is a server that an edit put there, for one of these programs or another of our name.
// Further arguments and members of it are its user's.
func (e edit) wrote(v *hujson.Value, programs []string) bool {
	literal := program(v)
	if literal == nil {
		return false
	}
	name := literal.Value.(hujson.Literal).String()
	return name != "" && slices.Contains(programs, name) || strings.Contains(name, "brv-lsp")
}

// grown reports whether a text has a server of ours with more in it, or less, than brv-lsp writes.
func (e edit) grown(text, command string) bool {
	_, v, _ := e.place(text)
	if v == nil || e.mark != "" || !e.wrote(v, []string{command}) {
		return false
	}
	ours, _ := plain(fill(e.value, program(v).Value.(hujson.Literal).String())) // the table is JSON
	return sorted(v) != ours
}

// program finds the name of the program in a server's value; nil where that does not serve tools as ours does.
func program(v *hujson.Value) *hujson.Value {
	var line []item
	all := items(v)
	for _, key := range []string{"command", "args"} {
		if i := member(all, key); i < 0 {
			continue
		} else if _, ok := all[i].value.Value.(hujson.Literal); ok {
			line = append(line, all[i])
		} else {
			line = append(line, items(all[i].value)...)
		}
	}
	for i, word := range []string{"", "mcp"} {
		if len(line) <= i {
			return nil
		} else if l, ok := line[i].value.Value.(hujson.Literal); !ok || l.Kind() != '"' || word != "" && l.String() != word {
			return nil
		}
	}
	return line[0].value
}

// renamed is a text in which a server of ours has this program; all else of it stays.
func (e edit) renamed(text, command string, programs ...string) string {
	if _, v, _ := e.place(text); v != nil && e.mark == "" && e.wrote(v, append(programs, command)) {
		if name := program(v); name.Value.(hujson.Literal).String() != command {
			return text[:name.StartOffset] + `"` + inside(command) + `"` + text[name.EndOffset:]
		}
	}
	return text
}

// moved is a text in which the server is as it is in another, where both have one that differ.
func (e edit) moved(text, from string) string {
	_, v, _ := e.place(text)
	_, w, _ := e.place(from)
	if e.mark != "" || v == nil || w == nil || sorted(v) == sorted(w) {
		return text
	}
	return text[:v.StartOffset] + from[w.StartOffset:w.EndOffset] + text[v.EndOffset:]
}

// without is a text without an item of a container, and with one comma less.
func without(text string, container *hujson.Value, i int) string {
	all := items(container)
	start, end := all[i].start, all[i].value.EndOffset
	switch {
	case i+1 < len(all): // the comma behind it
		end = all[i+1].start
	case i > 0: // the comma before it
		before := all[i-1].value
		start = before.EndOffset + len(before.AfterExtra)
	default:
		start = container.StartOffset + 1
		if comma := end + len(all[i].value.AfterExtra); text[comma] == ',' {
			end = comma + 1
		}
	}
	return text[:start] + text[end:]
}
