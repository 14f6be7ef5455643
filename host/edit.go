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

// edit is a value that brv-lsp puts into a JSON configuration.
type edit struct {
	at    []string // keys from the top; for an element, those of its list
	value string   // JSON, with the marks for the command
	mark  string   // for an element: a text in one of its strings that identifies it as ours; "" for a member
	given bool     // the host needs it: it is added if it is missing, and stays after a removal
}

// Limits of a configuration.
const (
	maxConfig = 4 << 20 // bytes
	maxLevels = 1000
)

func blank(text string) bool { return len(bytes.TrimSpace(markdown.WithoutMarks([]byte(text)))) == 0 }

// parse parses JSON with comments and trailing commas. Positions are those in the text, which may begin with a
// byte order mark.
func parse(text string) (*hujson.Value, error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("the file has %d bytes; the limit is %d", len(text), maxConfig)
	}
	levels := 0
	for i := range len(text) { // brackets in strings count too, since no configuration has so many
		switch text[i] {
		case '{', '[':
			if levels++; levels > maxLevels {
				return nil, fmt.Errorf("the file is nested deeper than %d levels", maxLevels)
			}
		case '}', ']':
			levels--
		}
	}
	v, err := hujson.Parse(markdown.WithoutMarks([]byte(text + "\n"))) // a line comment ends with its line
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("the file is not a JSON object")
	}
	return &v, nil
}

// plain returns JSON in a normal form, independent of layout and the order of members.
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
	_ = json.Unmarshal(bare.Pack(), &of) // it was parsed already
	out, _ := json.Marshal(of)
	return string(out)
}

// decoded returns the members of an object, with numbers as written.
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
	start int // with the text before it, behind the previous comma
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

// member returns the index of a key's last item, which is the one that counts, or −1.
func member(all []item, key string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].key == key {
			return i
		}
	}
	return -1
}

// walk follows keys from the top as far as they exist. It returns the last value reached, and the keys that are
// missing below it.
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

// put returns the text with an edit's value in it, and the piece that was inserted. The piece is "" if the value's
// place is taken.
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

// nested returns a value below keys.
func nested(keys []string, value string) string {
	for i := len(keys) - 1; i >= 0; i-- {
		value = fmt.Sprintf("{%q: %s}", keys[i], value)
	}
	return value
}

// pretty formats a value in lines, with its key before it if there is one.
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

// find returns the index of our element in a list, −1 if it is not there.
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

// place returns the value at the keys of an edit. It is nil if there is none, or if the edit is given.
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

// cut removes the edit's value from a text, and the containers that are empty then. If other people added hooks to
// our group, it removes only ours.
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
			"If `install --command PATH` wrote it, give the same --command", strings.Join(e.at, "."))
	}
	keys := e.at
	for {
		above, _, _ := walk(top, keys[:len(keys)-1]) // it cannot fail, as above
		all := items(above)
		if len(all) > 1 || len(keys) == 1 {
			return without(text, above, member(all, keys[len(keys)-1])), nil
		}
		keys = keys[:len(keys)-1]
	}
}

// held returns, as JSON, our own value at the place of an edit, "" if there is none. A group that contains hooks
// of others does not count.
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

// wrote reports whether a value is a server that an edit put there. It starts one of these programs, or another
// with our name. The user may have added arguments and members.
func (e edit) wrote(v *hujson.Value, programs []string) bool {
	literal := program(v)
	if literal == nil {
		return false
	}
	name := literal.Value.(hujson.Literal).String()
	return name != "" && slices.Contains(programs, name) || strings.Contains(name, "brv-lsp")
}

// grown reports whether a server of ours in a text differs from what brv-lsp writes.
func (e edit) grown(text, command string) bool {
	_, v, _ := e.place(text)
	if v == nil || e.mark != "" || !e.wrote(v, []string{command}) {
		return false
	}
	ours, _ := plain(fill(e.value, program(v).Value.(hujson.Literal).String())) // the table has valid JSON
	return sorted(v) != ours
}

// program returns the program's name in a server's value. It is nil if the value does not start our server of
// tools.
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

// renamed returns a text in which a server of ours starts this program; everything else in it stays.
func (e edit) renamed(text, command string, programs ...string) string {
	if _, v, _ := e.place(text); v != nil && e.mark == "" && e.wrote(v, append(programs, command)) {
		if name := program(v); name.Value.(hujson.Literal).String() != command {
			return text[:name.StartOffset] + `"` + inside(command) + `"` + text[name.EndOffset:]
		}
	}
	return text
}

// moved returns a text with the server as it is in another text, if both have one and they differ.
func (e edit) moved(text, from string) string {
	_, v, _ := e.place(text)
	_, w, _ := e.place(from)
	if e.mark != "" || v == nil || w == nil || sorted(v) == sorted(w) {
		return text
	}
	return text[:v.StartOffset] + from[w.StartOffset:w.EndOffset] + text[v.EndOffset:]
}

// without returns a text without an item of a container, and without one of the commas.
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
