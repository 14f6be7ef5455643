package lsp_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// actionQuestions are those of testdata archives about actions:
//
//   - offer MARK [KIND]: what can be done there, with the problems of the file as the
//     editor shows them: a star is before what is preferred, behind it stand the problems
//     that it ends, or why it cannot be chosen
//   - act MARK TITLE: the texts after the action whose title begins so, or the answer of
//     its command; buffers are put back afterwards, files on disk are not
//   - command NAME MARK: the answer of a command about a place
func actionQuestions() map[string]question {
	return map[string]question{"offer": offer, "act": act, "command": command}
}

// offered is an action with what only these questions look at.
type offered struct {
	lsptest.Action
	Preferred   bool
	Disabled    string
	Diagnostics []string // codes
}

func (m *marked) offered(at mark, only ...string) []offered {
	path := m.path(at.file)
	problems, _, _, err := m.editor.PullDiagnostics(m.ctx, path, "")
	if m.failed(err) {
		return nil
	}
	text, _ := m.editor.Text(path)
	about := map[string]any{"diagnostics": problems}
	if len(only) > 0 {
		about["only"] = only
	}
	var raw []json.RawMessage
	err = m.editor.Call(m.ctx, "textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": lsptest.URI(path)}, "context": about,
		"range": lsptest.RangeIn(text, at.offset, at.offset, m.editor.Encoding()),
	}, &raw)
	if m.failed(err) {
		return nil
	}
	out := make([]offered, len(raw))
	for i, r := range raw {
		var more struct {
			IsPreferred bool
			Disabled    struct{ Reason string }
			Diagnostics []struct{ Code string }
		}
		if err := json.Unmarshal(r, &more); err != nil {
			m.t.Fatal(err)
		}
		if err := json.Unmarshal(r, &out[i].Action); err != nil {
			m.t.Fatal(err)
		}
		out[i].Preferred, out[i].Disabled = more.IsPreferred, more.Disabled.Reason
		for _, d := range more.Diagnostics {
			out[i].Diagnostics = append(out[i].Diagnostics, d.Code)
		}
	}
	return out
}

func offer(m *marked, args []string) {
	list := m.offered(m.at(args[0]), args[1:]...)
	if len(list) == 0 {
		m.line("nothing")
	}
	for _, a := range list {
		star, behind := " ", ""
		if a.Preferred {
			star = "*"
		}
		if len(a.Diagnostics) > 0 {
			behind = " ends " + strings.Join(a.Diagnostics, ", ")
		}
		if a.Disabled != "" {
			behind += " -- " + a.Disabled
		}
		m.line("%s %s (%s)%s", star, a.Title, a.Kind, behind)
	}
}

func act(m *marked, args []string) {
	at, title := m.at(args[0]), strings.Join(args[1:], " ")
	for _, only := range [][]string{nil, {"refactor", "source"}} {
		list := m.offered(at, only...)
		i := slices.IndexFunc(list, func(a offered) bool { return strings.HasPrefix(a.Title, title) })
		if i >= 0 {
			m.do(list[i])
			return
		}
	}
	m.line("not offered")
}

// do runs an action and prints what came of it.
func (m *marked) do(a offered) {
	if len(a.Command) > 0 {
		var result json.RawMessage
		if !m.failed(m.editor.Run(m.ctx, a.Action, &result)) {
			m.line("%s", result)
		}
		return
	}
	resolved, err := m.editor.Resolve(m.ctx, a.Action)
	if m.failed(err) {
		return
	}
	before := map[string]string{}
	for name, text := range m.files {
		if _, open := m.editor.Text(m.path(name)); open {
			before[m.path(name)] = text
		}
	}
	var edit struct {
		ChangeAnnotations map[string]struct{ Label string }
	}
	if err := json.Unmarshal(resolved.Edit, &edit); err != nil {
		m.t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(edit.ChangeAnnotations)) {
		m.line("asks: %s", edit.ChangeAnnotations[id].Label)
	}
	after, err := m.editor.Apply(resolved.Edit)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(after)) {
		m.line("-- %s\n%s", m.name(lsptest.URI(path)), strings.TrimRight(after[path], "\n"))
	}
	for path, text := range before {
		if err := m.editor.Replace(path, text); err != nil {
			m.t.Fatal(err)
		}
	}
}

func command(m *marked, args []string) {
	at := m.at(args[1])
	text, _ := m.editor.Text(m.path(at.file))
	var result json.RawMessage
	err := m.editor.Execute(m.ctx, args[0], map[string]any{
		"uri": lsptest.URI(m.path(at.file)), "position": lsptest.PositionIn(text, at.offset, m.editor.Encoding()),
	}, &result)
	if m.failed(err) {
		return
	}
	var found struct {
		Locations []lsptest.Location
		URI       string
		Range     lsptest.Range
	}
	if json.Unmarshal(result, &found) == nil && found.URI != "" {
		m.line("%s", m.place(m.name(found.URI), found.Range))
	} else if len(found.Locations) > 0 {
		m.locations(at.file, found.Locations, nil)
	} else {
		m.line("%s", result)
	}
}
