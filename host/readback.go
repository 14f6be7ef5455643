package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// maxTOML bounds the size of a TOML file, in bytes. The parser's time is quadratic in the keys of a table: 3 s for
// the worst file of this size.
const maxTOML = 256 << 10

func (f *File) isTOML() bool { return strings.HasSuffix(f.Path, ".toml") }

// hasReader reports whether the result can be parsed for a check: JSON and TOML.
func (f *File) hasReader() bool { return f.style == nil || f.isTOML() }

// values parses a configuration into Go values.
func (f *File) values(text string) (of map[string]any, err error) {
	of = map[string]any{}
	if f.style == nil {
		if blank(text) {
			return of, nil
		}
		v, err := parse(text)
		if err != nil {
			return nil, err
		}
		return decoded(v)
	}
	if len(text) > maxTOML {
		return nil, fmt.Errorf("the file has %d bytes; the limit is %d", len(text), maxTOML)
	}
	err = toml.Unmarshal(markdown.WithoutMarks([]byte(text)), &of)
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return nil, fmt.Errorf("the file is not valid TOML: line %d: %s", line, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return of, err
}

// confirm parses the new text for a check. Its values must be those of the old file without our parts, plus our
// parts, with the additions that the user made to those.
func (f *File) confirm(now, before, after Text, command string) error {
	if !f.hasReader() {
		return nil
	}
	rest, err := f.cut(before, command)
	if err != nil {
		return err
	}
	says, err := f.values(rest.Text)
	if err != nil {
		return fmt.Errorf("%w; correct it first", err)
	}
	alone, _, err := f.put(Text{}, command)
	if err != nil {
		return err
	}
	ours, err := f.values(alone.Text)
	if err != nil {
		return err
	}
	for _, e := range f.edits {
		if top, v, _ := e.place(e.renamed(now.Text, command, f.Wrote)); v != nil && e.mark == "" {
			all, err := decoded(top)
			if err != nil {
				return err
			}
			ours[e.at[0]].(map[string]any)[e.at[1]] = all[e.at[0]].(map[string]any)[e.at[1]]
		}
	}
	want, _ := f.merged(says, ours, nil)
	return f.says(after.Text, want, ours)
}

// says checks that a text has these values. ours are the ones that brv-lsp adds.
func (f *File) says(text string, want, ours map[string]any) error {
	got, err := f.values(text)
	if err != nil {
		tops := strings.Join(slices.Sorted(maps.Keys(ours)), "], [")
		return fmt.Errorf("brv-lsp cannot add its lines: with them, %w. Write each table of [%s] with a header line of its own, and try again",
			err, tops)
	}
	if !equal(want, got) {
		return errors.New("adding the lines of brv-lsp would change other parts of the file; add them yourself")
	}
	return nil
}

// confirmRest parses the text after a removal for a check. Its values must be those of the present file without
// our parts.
func (f *File) confirmRest(now, after Text, command string) error {
	if !f.hasReader() {
		return nil
	}
	if _, err := f.values(after.Text); err != nil {
		return fmt.Errorf("%w; correct it first", err)
	}
	var says [2]map[string]any
	for i, t := range []Text{now, after} {
		plain, err := f.cut(t, command)
		if whole, wrong := f.values(t.Text); f.isTOML() && wrong == nil {
			says[i] = whole
			f.drop(whole, command, f.Wrote)
		} else if err == nil {
			says[i], err = f.values(plain.Text)
		}
		if err != nil {
			return err
		}
		for _, e := range f.edits {
			if e.given {
				delete(says[i], e.at[0])
			}
		}
	}
	if !equal(filled(says[0]), filled(says[1])) {
		return errors.New("removing the lines of brv-lsp would change other parts of the file; remove them yourself")
	}
	return nil
}

// filled returns a table without its empty members, which may disappear with their content.
func filled(table map[string]any) map[string]any {
	out := map[string]any{}
	for key, v := range table {
		if t, ok := v.(map[string]any); ok {
			t = filled(t)
			if v = t; len(t) == 0 {
				continue
			}
		} else if list, ok := v.([]any); ok && len(list) == 0 {
			continue
		}
		out[key] = v
	}
	return out
}

// standsApart reports whether no text behind the block of a TOML file belongs to the block's last table.
func (f *File) standsApart(text string) bool {
	body, _ := f.style.Body(text)
	whole, err := f.values(text)
	rest, wrong := f.values(f.style.Cut(text))
	ours, mistaken := f.values(body)
	both, _ := f.merged(rest, ours, nil)
	return err == nil && wrong == nil && mistaken == nil && equal(both, whole)
}

// merged returns the values of two configurations together: the tables of both, and their lists joined in the
// order in which they are written, ours first in JSON and last in TOML. taken is the first key of ours that has
// another value already.
func (f *File) merged(a, ours map[string]any, at []string) (both map[string]any, taken []string) {
	both = maps.Clone(a)
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		old, there := a[key]
		here := append(slices.Clone(at), key)
		table, isTable := old.(map[string]any)
		list, isList := old.([]any)
		switch v := ours[key].(type) {
		case map[string]any:
			if isTable {
				var wrong []string
				if both[key], wrong = f.merged(table, v, here); taken == nil {
					taken = wrong
				}
				continue
			}
		case []any:
			if isList && f.style == nil {
				both[key] = slices.Concat(v, list)
				continue
			} else if isList && len(v) > 0 && isTables(v) {
				both[key] = slices.Concat(list, v)
				continue
			}
		}
		if !there {
			both[key] = ours[key]
		} else if taken == nil {
			taken = here
		}
	}
	return both, taken
}

// isTables reports whether a list contains only tables.
func isTables(list []any) bool {
	_, ok := list[0].(map[string]any)
	return ok
}

// equal compares values. Unlike reflect.DeepEqual, it treats NaN as equal to itself.
func equal(a, b map[string]any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// member returns the value at the keys of an edit, nil if there is none.
func (e edit) member(says map[string]any) (v any) {
	v = says
	for _, key := range e.at {
		table, _ := v.(map[string]any)
		v = table[key]
	}
	return v
}

// elements returns the indexes of the tables in a list that have an edit's mark. With whole set, they must have
// all its members too.
func (e edit) elements(list any, whole bool) (which []int) {
	all, _ := list.([]any)
	ours := map[string]any{}
	_ = json.Unmarshal([]byte(e.value), &ours) // the table has valid JSON
	for i, v := range all {
		table, _ := v.(map[string]any)
		has := strings.Contains(fmt.Sprintf("%#v", v), `"`+e.mark+`"`)
		for key, value := range ours {
			has = has && (!whole || reflect.DeepEqual(table[key], value))
		}
		if has {
			which = append(which, i)
		}
	}
	return which
}

// starts reports whether a table starts a server of ours: with one of these programs or another with our name.
func (e edit) starts(v any, programs ...string) bool {
	table, _ := v.(map[string]any)
	name, _ := table["command"].(string)
	args, _ := table["args"].([]any)
	return (!strings.Contains(e.value, `"args"`) || len(args) > 0 && args[0] == "mcp") &&
		(name != "" && slices.Contains(programs, name) || strings.Contains(name, "brv-lsp"))
}

// drop removes from values what cutTables removes from a text.
func (f *File) drop(says map[string]any, programs ...string) {
	for _, e := range f.tables {
		above := edit{at: e.at[:len(e.at)-1]}.member(says)
		table, _ := above.(map[string]any)
		last := e.at[len(e.at)-1]
		if list, ok := table[last].([]any); ok && e.mark != "" {
			for _, i := range slices.Backward(e.elements(list, true)) {
				list = slices.Delete(slices.Clone(list), i, i+1)
			}
			table[last] = list
		} else if e.mark == "" && e.starts(table[last], programs...) {
			delete(table, last)
		}
	}
}
