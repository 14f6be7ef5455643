package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"github.com/brv-lsp/brv-lsp/internal/block"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// tomlFile returns a TOML file with tables of brv-lsp: in a block, or as members of an inline table if the user
// has one. An existing table keeps its form and place; only its program is updated.
func tomlFile(path string, tables ...edit) File {
	f := File{Path: path, style: &block.Hash, tables: tables}
	f.body = asBlock(tables)
	return f
}

// asBlock writes tables with their headers.
func asBlock(tables []edit) string {
	var out []string
	for _, e := range tables {
		head := "[" + strings.Join(e.at, ".") + "]"
		if e.mark != "" {
			head = "[" + head + "]"
		}
		out = append(out, head+"\n"+e.assigned("\n"))
	}
	return strings.Join(out, "\n\n")
}

// assigned writes the value of an edit as keys of TOML. Strings and lists of strings are written as in JSON.
func (e edit) assigned(between string) string {
	var out []string
	v, _ := hujson.Parse([]byte(e.value)) // the table has valid JSON
	for _, m := range items(&v) {
		out = append(out, m.key+" = "+strings.TrimSpace(m.value.String()))
	}
	return strings.Join(out, between)
}

// assignment is a table's header, or a key with its value, in a TOML text.
type assignment struct {
	path    []string      // the keys from the top
	at      markdown.Span // for a header, from its first key on
	head    bool
	text    markdown.Span // the string, if the value is one
	open    int           // the beginning of the value if it is an inline table, else −1
	members []assignment  // of an inline table
}

// assignments returns the assignments of a valid TOML text, with their positions.
func assignments(text string) (all []assignment) {
	span := func(r unstable.Range) markdown.Span {
		return markdown.Span{Start: int(r.Offset), End: int(r.Offset + r.Length)}
	}
	var read func(n *unstable.Node, table []string) assignment
	read = func(n *unstable.Node, table []string) assignment {
		a := assignment{path: slices.Clone(table), at: span(n.Raw), open: -1, head: n.Kind != unstable.KeyValue}
		for keys := n.Key(); keys.Next(); {
			if a.head && len(a.path) == 0 {
				a.at = span(keys.Node().Raw)
			}
			a.path = append(a.path, string(keys.Node().Data))
		}
		if a.head {
			return a
		}
		switch v := n.Value(); v.Kind {
		case unstable.String:
			a.text = span(v.Raw)
		case unstable.InlineTable:
			a.open = span(v.Raw).Start
			for in := v.Children(); in.Next(); {
				a.members = append(a.members, read(in.Node(), a.path))
			}
		}
		return a
	}
	var p unstable.Parser
	p.Reset(markdown.WithoutMarks([]byte(text)))
	var table []string
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind == unstable.KeyValue {
			all = append(all, read(n, table))
			continue
		}
		a := read(n, nil)
		table, all = a.path, append(all, a)
	}
	return all
}

// below reports whether a path equals keys or is below them.
func below(path, keys []string) bool {
	return len(path) >= len(keys) && slices.Equal(path[:len(keys)], keys)
}

// find returns the assignment of keys. If there is none, it returns an inline table that could contain them, and
// parent is true.
func find(all []assignment, keys []string) (a assignment, parent bool) {
	for _, a := range all {
		switch {
		case !a.head && slices.Equal(a.path, keys):
			return a, false
		case a.open >= 0 && below(keys, a.path):
			if inner, parent := find(a.members, keys); inner.path != nil {
				return inner, parent
			}
			return a, true
		}
	}
	return a, false
}

// renewed returns a text in which the server of a table starts this program.
func (e edit) renewed(text, command string) string {
	a, parent := find(assignments(text), append(slices.Clone(e.at), "command"))
	if parent || a.text.End == 0 {
		return text
	}
	return text[:a.text.Start] + `"` + inside(command) + `"` + text[a.text.End:]
}

// lacking returns the tables that a text does not have in any form.
func (f *File) lacking(says map[string]any) (missing []edit) {
	for _, e := range f.tables {
		if there := e.member(says); there == nil || e.mark != "" && len(e.elements(there, false)) == 0 {
			missing = append(missing, e)
		}
	}
	return missing
}

// installTables is Install for TOML.
func (f *File) installTables(now Text, command string) (Text, error) {
	text := now.Text
	says, err := f.values(text)
	if _, there := f.style.Body(text); there && (err != nil || len(f.lacking(says)) > 0) { // the block breaks the file, or is incomplete
		if extra := f.extra(text); len(extra) > 0 {
			return now, fmt.Errorf(notOurs, extra)
		} else if err == nil && !f.standsApart(text) {
			return now, errors.New("brv-lsp's block is inside another value; remove its lines yourself")
		}
		text = f.style.Cut(text)
		says, err = f.values(text)
	}
	if err != nil {
		return now, fmt.Errorf("%w; correct it first", err)
	}
	missing := f.lacking(says)
	for _, e := range f.tables {
		v := e.member(says)
		if v == nil || e.mark != "" {
			continue
		} else if !e.starts(v, command, f.Wrote) {
			return now, fmt.Errorf("%s already exists but does not start brv-lsp; remove it first", strings.Join(e.at, "."))
		}
		if table := v.(map[string]any); table["command"] != command {
			text = e.renewed(text, command)
			table["command"] = command
		}
	}
	ours, err := f.values(fill(asBlock(missing), command))
	if err != nil {
		return now, err
	}
	want, taken := f.merged(says, ours, nil)
	if len(taken) > 0 {
		return now, fmt.Errorf("%s already exists; remove it first", strings.Join(taken, "."))
	}
	var rest []edit
	for _, e := range missing {
		if a, parent := find(assignments(text), e.at); parent && e.mark == "" {
			text = a.with(text, strings.Join(e.at[len(a.path):], ".")+" = { "+fill(e.assigned(", "), command)+" }")
		} else {
			rest = append(rest, e)
		}
	}
	if len(rest) > 0 {
		text = f.style.Put(text, fill(asBlock(rest), command))
	}
	return Text{true, text}, f.says(text, want, ours)
}

// renewedAs returns a configuration in which the servers start the program that they start in another one.
func (f *File) renewedAs(now, was Text) Text {
	says, _ := f.values(was.Text) // an invalid TOML text has no server
	for _, e := range f.tables {
		if table, ok := e.member(says).(map[string]any); ok {
			now.Text = e.renewed(now.Text, fmt.Sprint(table["command"]))
		}
	}
	return now
}

// with returns a text with a member at the beginning of an inline table.
func (a assignment) with(text, member string) string {
	behind := ","
	if len(a.members) == 0 {
		behind = ""
	}
	return text[:a.open+1] + " " + member + behind + text[a.open+1:]
}

// without returns a text without a member of an inline table, and without one of the commas.
func (a assignment) without(text string, i int) string {
	at, last := a.members[i].at, len(a.members)-1
	switch {
	case i < last:
		comma := at.End + strings.IndexByte(text[at.End:], ',') + 1
		if i > 0 {
			return text[:a.members[i-1].at.End] + text[comma-1:]
		}
		return text[:a.open+1] + text[comma:]
	case i > 0:
		return text[:a.members[i-1].at.End] + text[at.End:]
	}
	return text[:a.open+1] + strings.TrimPrefix(text[at.End:], ",")
}

// cutTables removes our servers, and the tables that belong to them, from a TOML text, in whatever form. Text of
// others in the block stays.
func (f *File) cutTables(text string, programs ...string) string {
	says, wrong := f.values(text)
	var ours []edit
	for _, e := range f.tables {
		if v := e.member(says); e.mark == "" && e.starts(v, programs...) || e.mark != "" && len(e.elements(v, true)) > 0 {
			ours = append(ours, e)
		}
	}
	switch start, end := f.style.Span(text); {
	case start < 0, wrong == nil && len(ours) == 0 && !f.standsApart(text):
	case wrong != nil || len(f.extra(text)) == 0 && f.standsApart(text):
		text = f.style.Cut(text)
	default:
		text = dropLines(dropLines(text, markdown.Span{Start: end, End: end}, false), markdown.Span{Start: start, End: start}, false)
	}
	for _, e := range ours {
		text = e.cutTable(text, programs...)
	}
	return text
}

// cutTable removes a table, or our elements of a list of tables, from a text.
func (e edit) cutTable(text string, programs ...string) string {
	all := assignments(text)
	marked := map[int]bool{}
	if e.mark != "" {
		var says map[string]any
		if toml.Unmarshal(markdown.WithoutMarks([]byte(text)), &says) != nil {
			return text
		}
		for _, i := range e.elements(e.member(says), true) {
			marked[i] = true
		}
	}
	var drop []assignment
	n := -1 // the index in the list
	for _, a := range all {
		if a.head && slices.Equal(a.path, e.at) {
			n++
		}
		if below(a.path, e.at) && (e.mark == "" || marked[n]) {
			drop = append(drop, a)
		}
	}
	for _, a := range slices.Backward(drop) {
		text = dropLines(text, a.at, a.head)
	}
	if len(drop) == 0 && e.mark == "" {
		if a, parent := find(all, e.at); !parent && a.path != nil {
			outer, _ := find(all, append(slices.Clone(e.at[:len(e.at)-1]), ""))
			i := slices.IndexFunc(outer.members, func(m assignment) bool { return slices.Equal(m.path, e.at) })
			return outer.without(text, i)
		}
	}
	return text
}

// dropLines returns a text without the lines of a span. With blankToo set, it also removes a blank line before
// them.
func dropLines(text string, at markdown.Span, blankToo bool) string {
	start := strings.LastIndexByte(text[:at.Start], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[at.End:], '\n'); i >= 0 {
		end = at.End + i + 1
	}
	before := text[:start]
	for _, nl := range []string{"\r\n", "\n"} {
		if blankToo && strings.HasSuffix(before, "\n"+nl) {
			before = strings.TrimSuffix(before, nl)
			break
		}
	}
	return before + text[end:]
}
