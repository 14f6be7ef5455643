package lsp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// editQuestions ask, in archives of testdata, for renames and moves:
// prepare MARK · rename MARK NAME (the rest of the line) · moved OLD NEW [OLD NEW]… ·
// deleted FILE…. What they change is not kept: each is asked about the
// files as they are.
func editQuestions() map[string]question {
	return map[string]question{
		"prepare": func(m *marked, args []string) { m.prepare(m.at(args[0])) },
		"rename":  func(m *marked, args []string) { m.rename(m.at(args[0]), strings.Join(args[1:], " ")) },
		"moved":   func(m *marked, args []string) { m.moved(args) },
		"deleted": func(m *marked, args []string) { m.deleted(args) },
	}
}

// about makes the parameters of a request about a mark.
func (m *marked) about(at mark) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(m.path(at.file))}, "position": m.position(at)}
}

func (m *marked) prepare(at mark) {
	var answer *struct {
		Range       lsptest.Range
		Placeholder string
	}
	switch err := m.editor.Call(m.ctx, "textDocument/prepareRename", m.about(at), &answer); {
	case m.failed(err):
	case answer == nil:
		m.line("nothing")
	default:
		m.line("%s: %q", m.place(at.file, answer.Range), answer.Placeholder)
	}
}

func (m *marked) rename(at mark, name string) {
	params := m.about(at)
	params["newName"] = name
	var edit json.RawMessage
	if err := m.editor.Call(m.ctx, "textDocument/rename", params, &edit); !m.failed(err) {
		m.changes(edit)
	}
}

func (m *marked) moved(args []string) {
	var files []any
	for i := 0; i+1 < len(args); i += 2 {
		files = append(files, map[string]any{"oldUri": lsptest.URI(m.path(args[i])), "newUri": lsptest.URI(m.path(args[i+1]))})
	}
	var edit json.RawMessage
	before := len(m.editor.Received("window/showMessage"))
	if err := m.editor.Call(m.ctx, "workspace/willRenameFiles", map[string]any{"files": files}, &edit); !m.failed(err) {
		m.messages(before)
		m.changes(edit)
	}
}

func (m *marked) deleted(args []string) {
	var files []any
	for _, f := range args {
		files = append(files, map[string]any{"uri": lsptest.URI(m.path(f))})
	}
	var edit json.RawMessage
	before := len(m.editor.Received("window/showMessage"))
	if err := m.editor.Call(m.ctx, "workspace/willDeleteFiles", map[string]any{"files": files}, &edit); !m.failed(err) {
		m.messages(before)
		m.changes(edit)
	}
}

// messages prints what the server has shown to the user since a number of messages.
func (m *marked) messages(before int) {
	for _, msg := range m.editor.Received("window/showMessage")[before:] {
		var p struct{ Message string }
		if err := json.Unmarshal(msg.Params, &p); err != nil {
			m.t.Fatal(err)
		}
		m.line("message: %s", p.Message)
	}
}

// changes prints what an edit does: what is asked of the user, what moves, and the lines
// that change. It is carried out by an editor of the same files, elsewhere.
func (m *marked) changes(raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "null" {
		m.line("nothing")
		return
	}
	var edit struct {
		ChangeAnnotations map[string]struct{ Label string }
		DocumentChanges   []struct{ Kind, OldURI, NewURI string }
	}
	if err := json.Unmarshal(raw, &edit); err != nil {
		m.t.Fatal(err)
	}
	for _, a := range slices.Sorted(maps.Keys(edit.ChangeAnnotations)) {
		m.line("to confirm: %s", edit.ChangeAnnotations[a].Label)
	}
	for _, c := range edit.DocumentChanges {
		if c.Kind != "" {
			m.line("%s %s -> %s", c.Kind, m.name(c.OldURI), m.name(c.NewURI))
		}
	}
	before, after := m.applied(raw)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] != after[name] {
			m.line("%s", name)
			m.difference(before[name], after[name])
		}
	}
}

// applied carries an edit out on a copy of the workspace, and returns the texts of the
// files it touches, before and after, by the names that they have afterwards.
func (m *marked) applied(raw json.RawMessage) (before, after map[string]string) {
	root, err := filepath.EvalSymlinks(m.t.TempDir())
	if err != nil {
		m.t.Fatal(err)
	}
	was := map[string]string{}
	e := lsptest.Detached(m.editor.Encoding())
	for name, text := range m.files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			m.t.Fatal(err)
		}
		was[name] = text
		if now, open := m.editor.Text(m.path(name)); open {
			e.Hold(path, now, m.editor.Version(m.path(name)))
			was[name] = now
		}
	}
	texts, err := e.Apply(json.RawMessage(strings.ReplaceAll(string(raw), lsptest.URI(m.root)+"/", lsptest.URI(root)+"/")))
	if err != nil {
		m.t.Fatalf("%v\n%s", err, raw)
	}
	before, after = map[string]string{}, map[string]string{}
	moves := m.movesIn(raw)
	for path, text := range texts {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		after[name] = text
		before[name] = was[origin(name, moves)]
	}
	return before, after
}

// movesIn are the moves of an edit, by the new name.
func (m *marked) movesIn(raw json.RawMessage) map[string]string {
	var edit struct {
		DocumentChanges []struct{ Kind, OldURI, NewURI string }
	}
	_ = json.Unmarshal(raw, &edit)
	out := map[string]string{}
	for _, c := range edit.DocumentChanges {
		if c.Kind == "rename" {
			out[m.name(c.NewURI)] = m.name(c.OldURI)
		}
	}
	return out
}

func origin(name string, moves map[string]string) string {
	for to, from := range moves {
		if rest, ok := strings.CutPrefix(name, to); ok && (rest == "" || rest[0] == '/') {
			return from + rest
		}
	}
	return name
}

// difference prints the lines that differ, without those that two texts begin and end
// with.
func (m *marked) difference(before, after string) {
	was, is := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	at := 0
	for len(was) > 0 && len(is) > 0 && was[0] == is[0] {
		was, is, at = was[1:], is[1:], at+1
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	if len(was) == len(is) { // line by line
		for i := range was {
			if was[i] != is[i] {
				m.line("  %d - %s", at+i+1, shown(was[i]))
				m.line("  %d + %s", at+i+1, shown(is[i]))
			}
		}
		return
	}
	for i, l := range was {
		m.line("  %d - %s", at+i+1, shown(l))
	}
	for i, l := range is {
		m.line("  %d + %s", at+i+1, shown(l))
	}
}

func shown(line string) string {
	if text, ended := strings.CutSuffix(line, "\n"); ended {
		return text
	}
	return fmt.Sprintf("%s (no line end)", line)
}
