package lsp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
//     curate FROM TO · fix MARK · lens, review FILE · edit MARK TEXT; more in marker_*_test.go. Before them may stand: crlf FILE
//
// (written
//
//	  with CRLF line ends), plaintext (the client shows no markdown), symbols
//	  (code is parsed, which a build without cgo cannot).
//	- `want` holds the answers. Places are printed as line:column in bytes and
//	  with the text they cover, so that the same answers are wanted in all three
//	  position encodings, with and without dynamic registration. `want.changes` holds
//	  those that differ for a client whose edits have `changes` only.
//
// In a long run an archive is run in every combination of these, and with each recorded
// client; see [variant.usual] for the others. What a
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

	whole    *lsptest.Editor // of a client that understands all that problems can have, once it is asked
	wholeCtx context.Context
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
	all, runs := variants(t), 0
	for _, v := range all {
		for _, path := range v.usual(t, archives) {
			runs++
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				runMarked(t, path, v)
			})
		}
	}
	t.Logf("%d archives, %d clients, %d runs", len(archives), len(all), runs)
	if (long || *update) && runs != len(archives)*len(all) {
		t.Error("not the whole product")
	}
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
		t.Errorf("-want +got (if it is meant: go test ./lsp -run Marked -update, twice, and read the difference):\n%s", diff)
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
	m.editor, m.ctx = session(m.t, lsp.Options{Now: fixedNow}, s)
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
		for _, area := range []map[string]question{structureQuestions(), editQuestions(), actionQuestions(), placeQuestions(),
			problemQuestions(), settingsQuestions(), folderQuestions()} {
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

func (m *marked) edit(at mark, text string) {
	text = strings.ReplaceAll(text, `\n`, "\n")
	if err := m.editor.Edit(m.path(at.file), at.offset, at.offset, text); err != nil {
		m.t.Fatal(err)
	}
}
