package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// A marked archive of testdata is a workspace, what to ask the server about it,
// and what it answers.
//
//   - Its files are written into a new folder, without their marks. A mark «name»
//     stands for a place; names are unique in an archive.
//   - `do` lists the questions, one on a line, about marks or files: hover,
//     definition, references, complete MARK · links, diagnostics FILE · actions,
//     curate FROM TO · fix MARK · lens, review FILE · edit MARK TEXT. Before them may stand: crlf FILE (written
//     with CRLF line ends), plaintext (the client shows no markdown), symbols
//     (code is parsed, which a build without cgo cannot).
//   - `want` holds the answers. Places are printed as line:column in bytes and
//     with the text they cover, so that the same answers are wanted in all three
//     position encodings, with and without dynamic registration. `want.changes` holds
//     those that differ for a client whose edits have `changes` only.
//
// An archive is run in every combination of these, and with each recorded client. What a
// recorded client gets depends on what it can do: its answers are not compared but must
// be no errors that no other client gets. In every run the editor checks that places lie
// in their documents and that nothing is used which was not announced (see
// [lsptest.Editor.Violations]).
//
// go test ./lsp -run Marked -update rewrites `want`.
type marked struct {
	t       *testing.T
	ctx     context.Context
	root    string
	editor  *lsptest.Editor
	files   map[string]string // texts without marks
	marks   map[string]mark
	script  []string
	options map[string]bool
	out     strings.Builder
}

type mark struct {
	file   string
	offset int
}

var markSyntax = regexp.MustCompile(`«([^»]+)»`)

func TestMarked(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	all := variants(t)
	for _, path := range archives {
		for _, v := range all {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				runMarked(t, path, v)
			})
		}
	}
	t.Logf("%d archives, %d clients, %d runs", len(archives), len(all), len(archives)*len(all))
}

func runMarked(t *testing.T, path string, v variant) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &marked{t: t, root: root, files: map[string]string{}, marks: map[string]mark{}, options: map[string]bool{}}
	want := m.read(archive)
	if m.options["symbols"] && !syntax.Available {
		t.Skip("built without cgo")
	}
	m.write()
	m.begin(v)
	for _, line := range m.script {
		fmt.Fprintf(&m.out, "== %s\n", line)
		m.ask(strings.Fields(line))
	}
	got := strings.ReplaceAll(m.out.String(), lsptest.URI(root), "$WORK")
	got = strings.ReplaceAll(got, "\r", "␍")
	differing := section(archive, changesGolden)
	switch {
	case v.recorded != "":
		noNewErrors(t, want, got)
		return
	case *update && v.golden() && v.changes:
		rewrite(t, path, archive, changesGolden, differences(want, got))
		return
	case *update && v.golden():
		rewrite(t, path, archive, "want", got)
		return
	case v.changes:
		want = override(want, differing)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// read takes the archive apart and returns the wanted answers.
func (m *marked) read(archive *txtar.Archive) (want string) {
	for _, f := range archive.Files {
		text := string(f.Data)
		switch f.Name {
		case "want":
			want = text
		case "do":
			m.readScript(text)
		}
	}
	for _, f := range archive.Files {
		if f.Name != "want" && f.Name != changesGolden && f.Name != "do" {
			m.readFile(f.Name, string(f.Data))
		}
	}
	return want
}

func (m *marked) readScript(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch word, _, _ := strings.Cut(line, " "); word {
		case "":
		case "crlf", "plaintext", "symbols":
			m.options[line] = true
		default:
			m.script = append(m.script, line)
		}
	}
}

// readFile removes the marks of a file's text and remembers their places.
func (m *marked) readFile(name, text string) {
	if m.options["crlf "+name] {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	for {
		at := markSyntax.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		mark := mark{name, at[0]}
		if _, twice := m.marks[text[at[2]:at[3]]]; twice {
			m.t.Fatalf("%s: mark %s exists already", name, text[at[2]:at[3]])
		}
		m.marks[text[at[2]:at[3]]] = mark
		text = text[:at[0]] + text[at[1]:]
	}
	m.files[name] = text
}

func (m *marked) write() {
	for name, text := range m.files {
		path := m.path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *marked) path(name string) string { return filepath.Join(m.root, filepath.FromSlash(name)) }

// fixedNow is the day on which the archives are looked at.
func fixedNow() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }

func (m *marked) begin(v variant) {
	capabilities := lsptest.Modern()
	text := capabilities["textDocument"].(map[string]any)
	text["diagnostic"] = map[string]any{}
	if m.options["plaintext"] {
		delete(text, "hover")
	}
	if v.dynamic {
		lsptest.Dynamic(capabilities)
	}
	if v.changes {
		capabilities["workspace"].(map[string]any)["workspaceEdit"] = map[string]any{}
	}
	s := lsptest.Session{Folders: []string{m.root}, Encodings: []string{v.encoding}, Capabilities: capabilities}
	if v.recorded != "" {
		recorded, err := os.ReadFile(v.recorded)
		if err != nil {
			m.t.Fatal(err)
		}
		if s.Params, err = lsptest.FixtureParams(recorded, m.root); err != nil {
			m.t.Fatal(err)
		}
	}
	m.editor, m.ctx = session(m.t, lsp.Patient(lsp.Options{Now: fixedNow}), s)
	if got := m.editor.Encoding(); got != v.encoding && v.recorded == "" {
		m.t.Fatalf("encoding %s, want %s", got, v.encoding)
	}
	// A pack waits for the code to be read.
	request := map[string]any{"task": "anything", "budgetTokens": 1000}
	if err := m.editor.Execute(m.ctx, "brv.pack", request, nil); code(err) != 0 && code(err) != -32803 {
		m.t.Fatal(err)
	}
}

func (m *marked) ask(words []string) {
	verb, args := words[0], words[1:]
	switch verb {
	case "hover":
		m.hover(m.at(args[0]))
	case "definition":
		at := m.at(args[0])
		locations, err := m.editor.Definition(m.ctx, m.path(at.file), at.offset)
		m.locations(at.file, locations, err)
	case "references":
		at := m.at(args[0])
		locations, err := m.editor.References(m.ctx, m.path(at.file), at.offset, len(args) > 1)
		m.locations(at.file, locations, err)
	case "complete":
		m.complete(m.at(args[0]))
	case "links":
		m.links(args[0])
	case "diagnostics":
		m.diagnostics(args[0])
	case "actions", "curate":
		m.actions(m.at(args[0]), m.at(args[1]), verb == "curate")
	case "fix":
		m.actions(m.at(args[0]), m.at(args[0]), true)
	case "lens":
		m.lenses(args[0])
	case "review":
		m.review(args[0])
	case "edit":
		m.edit(m.at(args[0]), strings.Join(args[1:], " "))
	default:
		for _, area := range []map[string]question{structureQuestions(), editQuestions(), actionQuestions(), placeQuestions(), problemQuestions(), settingsQuestions(), folderQuestions()} {
			if ask, ok := area[verb]; ok {
				ask(m, args)
				return
			}
		}
		m.t.Fatalf("unknown question %q", verb)
	}
}

// question asks the server something, and prints the answer with [marked.line].
type question func(m *marked, args []string)

// at returns a mark's place, with its file open.
func (m *marked) at(name string) mark {
	at, ok := m.marks[name]
	if !ok {
		m.t.Fatalf("no mark %q", name)
	}
	m.open(at.file)
	return at
}

func (m *marked) open(name string) {
	if _, open := m.editor.Text(m.path(name)); open {
		return
	}
	if err := m.editor.Open(m.path(name), "", m.files[name]); err != nil {
		m.t.Fatal(err)
	}
}

// line prints one line of an answer.
func (m *marked) line(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n", args...) }

// markup is a text that a client shows: a string or, where it has markdown, an object.
type markup struct{ Value string }

func (m *markup) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &m.Value)
	}
	var object struct{ Value string }
	err := json.Unmarshal(raw, &object)
	m.Value = object.Value
	return err
}

func (m *marked) failed(err error) bool {
	var failed *lsptest.ResponseError
	if errors.As(err, &failed) {
		m.line("error %d: %s", failed.Code, failed.Message)
	} else if err != nil {
		m.t.Fatal(err)
	}
	return err != nil
}

// place prints a range of a file: where it begins, and what it covers.
func (m *marked) place(name string, r lsptest.Range) string {
	text, open := m.editor.Text(m.path(name))
	if !open {
		raw, err := os.ReadFile(m.path(name))
		if err != nil {
			return fmt.Sprintf("%s: %v", name, err)
		}
		text = string(raw)
	}
	start, err := lsptest.OffsetIn(text, r.Start, m.editor.Encoding())
	end, err2 := lsptest.OffsetIn(text, r.End, m.editor.Encoding())
	if err := errors.Join(err, err2); err != nil {
		m.t.Errorf("%s: %v", name, err)
		return err.Error()
	}
	bytes := lsptest.PositionIn(text, start, "utf-8")
	return fmt.Sprintf("%s:%d:%d %q", name, bytes.Line+1, bytes.Character+1, text[start:end])
}

func (m *marked) hover(at mark) {
	h, err := m.editor.Hover(m.ctx, m.path(at.file), at.offset)
	switch {
	case m.failed(err):
	case h == nil:
		m.line("nothing")
	default:
		m.line("%s", m.place(at.file, *h.Range))
		m.line("%s", h.Contents.Value)
		if lines := strings.Count(h.Contents.Value, "\n") + 1; lines > 24 || len(h.Contents.Value) > 4096 {
			m.t.Errorf("hover of %d lines, %d bytes", lines, len(h.Contents.Value))
		}
	}
}

func (m *marked) locations(from string, locations []lsptest.Location, err error) {
	if m.failed(err) {
		return
	}
	if len(locations) == 0 {
		m.line("nothing")
	}
	for _, l := range locations {
		origin := ""
		if l.Origin != nil {
			origin = m.place(from, *l.Origin) + " -> "
		}
		m.line("%s%s", origin, m.place(m.name(l.URI), l.Range))
	}
}

// name is the path inside the workspace that a URI names.
func (m *marked) name(uri string) string {
	path, err := lsptest.Path(uri)
	if err != nil {
		m.t.Fatal(err)
	}
	rel, err := filepath.Rel(m.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		m.t.Errorf("%s lies outside of the workspace", uri)
	}
	return filepath.ToSlash(rel)
}

func (m *marked) complete(at mark) {
	items, err := m.editor.Complete(m.ctx, m.path(at.file), at.offset)
	if m.failed(err) {
		return
	}
	if len(items) == 0 {
		m.line("nothing")
	}
	for _, i := range items {
		m.line("%s (%s): %s <- %q", i.Label, i.Detail, m.place(at.file, i.TextEdit.Range), i.TextEdit.NewText)
	}
}

func (m *marked) links(name string) {
	m.open(name)
	links, err := m.editor.Links(m.ctx, m.path(name))
	if m.failed(err) {
		return
	}
	for _, l := range links {
		m.line("%s -> %s (%s)", m.place(name, l.Range), m.name(l.Target), l.Tooltip)
	}
}

func (m *marked) diagnostics(name string) {
	m.open(name)
	items, id, unchanged, err := m.editor.PullDiagnostics(m.ctx, m.path(name), "")
	if m.failed(err) {
		return
	}
	if unchanged {
		m.t.Error("unchanged without a previous result")
	}
	if len(items) == 0 {
		m.line("none")
	}
	for _, d := range items {
		m.line("%s: %d %s/%s %s", m.place(name, d.Range), d.Severity, d.Source, d.Code, d.Message)
	}
	if _, _, unchanged, err := m.editor.PullDiagnostics(m.ctx, m.path(name), id); err != nil || !unchanged {
		m.t.Errorf("asking again: unchanged %v, %v", unchanged, err)
	}
}

func (m *marked) actions(from, to mark, resolve bool) {
	actions, err := m.editor.Actions(m.ctx, m.path(from.file), from.offset, to.offset)
	if m.failed(err) {
		return
	}
	if len(actions) == 0 {
		m.line("nothing")
	}
	for _, a := range actions {
		m.line("%s (%s)", a.Title, a.Kind)
		if !resolve || len(a.Edit)+len(a.Data)+len(a.Command) == 0 { // it cannot be chosen now
			continue
		}
		if len(a.Command) > 0 {
			m.line("command %s", m.places(a.Command))
			continue
		}
		resolved, err := m.editor.Resolve(m.ctx, a)
		if !m.failed(err) {
			m.workspaceEdit(resolved.Edit)
		}
	}
}

var placeSyntax = regexp.MustCompile(`"uri":("[^"]+"),"range":(\{"start":\{[^}]*\},"end":\{[^}]*\}\})`)

// places replaces the places in an answer that is printed as it came.
func (m *marked) places(raw json.RawMessage) string {
	return placeSyntax.ReplaceAllStringFunc(string(raw), func(found string) string {
		part := placeSyntax.FindStringSubmatch(found)
		var uri string
		var r lsptest.Range
		if err := errors.Join(json.Unmarshal([]byte(part[1]), &uri), json.Unmarshal([]byte(part[2]), &r)); err != nil {
			m.t.Fatal(err)
		}
		return m.place(m.name(uri), r)
	})
}

// lenses prints the lenses of a file, resolved, and asks for them twice: the answer is
// the same.
func (m *marked) lenses(name string) {
	m.open(name)
	document := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(m.path(name))}}
	var lenses []json.RawMessage
	if err := m.editor.Call(m.ctx, "textDocument/codeLens", document, &lenses); m.failed(err) {
		return
	}
	if len(lenses) == 0 {
		m.line("nothing")
	}
	for _, raw := range lenses {
		var lens struct {
			Range   lsptest.Range
			Command struct {
				Title, Command string
				Arguments      json.RawMessage
			}
		}
		if err := m.editor.Call(m.ctx, "codeLens/resolve", raw, &lens); !m.failed(err) {
			m.line("%s: %s (%s %s)", m.place(name, lens.Range), lens.Command.Title, lens.Command.Command, lens.Command.Arguments)
		}
	}
}

// review prints the document to review an entry by, which this client gets as a result
// and as a document of the server.
func (m *marked) review(name string) {
	m.open(name)
	var result struct{ URI, Text string }
	if m.failed(m.editor.Execute(m.ctx, "brv.reviewEntry", map[string]string{"uri": lsptest.URI(m.path(name))}, &result)) {
		return
	}
	m.line("%s\n%s", result.URI, strings.TrimRight(result.Text, "\n"))
	if text, err := content(m.t, m.editor, result.URI); err != nil || text != result.Text && result.Text != "" {
		m.t.Errorf("%s: %q, %v", result.URI, text, err)
	}
}

// edit is one replacement of an edit.
type edit struct {
	NewText, AnnotationID string
	Range                 lsptest.Range
}

// workspaceEdit prints an edit, in either of its forms.
func (m *marked) workspaceEdit(raw json.RawMessage) {
	var whole struct {
		Changes           map[string][]edit
		ChangeAnnotations map[string]struct {
			Label, Description string
			NeedsConfirmation  bool
		}
		DocumentChanges []struct {
			Kind, URI, AnnotationID string
			Options                 json.RawMessage
			TextDocument            struct{ URI string }
			Edits                   []edit
		}
	}
	if err := json.Unmarshal(raw, &whole); err != nil {
		m.t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(whole.ChangeAnnotations)) {
		a := whole.ChangeAnnotations[id]
		m.line("annotation %s: %s (%s), needs confirmation: %v", id, a.Label, a.Description, a.NeedsConfirmation)
	}
	for _, c := range whole.DocumentChanges {
		if c.Kind != "" {
			m.line("%s %s %s (%s)", c.Kind, m.name(c.URI), c.Options, c.AnnotationID)
		}
		m.edits(c.TextDocument.URI, c.Edits)
	}
	for _, uri := range slices.Sorted(maps.Keys(whole.Changes)) {
		m.edits(uri, whole.Changes[uri])
	}
}

func (m *marked) edits(uri string, edits []edit) {
	for _, e := range edits {
		if e.Range != (lsptest.Range{}) {
			m.line("%s <- %q", m.place(m.name(uri), e.Range), e.NewText)
			continue
		}
		m.line("%s (%s):\n%s", m.name(uri), e.AnnotationID, e.NewText)
	}
}

func (m *marked) edit(at mark, text string) {
	text = strings.ReplaceAll(text, `\n`, "\n")
	if err := m.editor.Edit(m.path(at.file), at.offset, at.offset, text); err != nil {
		m.t.Fatal(err)
	}
}
