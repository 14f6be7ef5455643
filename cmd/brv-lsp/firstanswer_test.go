package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// serverProgram is the program whose first answers are looked at.
var serverProgram = flag.String("server", "",
	"the `program` that TestFirstAnswer runs; none: this test's own copy of it")

// What is asked about: a file of code with a mark and a symbol of its own, and the entry that
// both have to do with. All else in the folder is somebody's real code.
const (
	answerFile  = "first/answer.go"
	answerEntry = ".brv/context-tree/first/answers/given.md"
	answerCode  = "package first\n\n// FirstAnswer is given at once, see @brv:first/answers/given for why.\n" +
		"func FirstAnswer() string { return \"\" }\n"
	answerText = "---\ntitle: Answers are given at once\n---\n" +
		"# Answers are given at once\n\n`first/answer.go` has `FirstAnswer`, see @first/answers/other.md.\n"
	answerOther = "---\ntitle: Other answers\n---\nThey wait.\n"
)

// questions are what an editor asks about the two documents: the document, the text in it that is
// asked about, what of the settled answer must be there, and whether nothing but a parse tells it.
var questions = []struct {
	method, file, at, want string
	parse                  bool
}{
	{"textDocument/hover", answerFile, "FirstAnswer()", "Answers are given at once", true},
	{"textDocument/hover", answerFile, "first/answers/given", "Answers are given at once", false},
	{"textDocument/definition", answerFile, "first/answers/given", "given.md", false},
	{"textDocument/documentLink", answerFile, "", "given.md", false},
	{"textDocument/codeLens", answerFile, "", "1 entry", true},
	{"textDocument/references", answerFile, "FirstAnswer()", "given.md", true},
	{"textDocument/documentLink", answerEntry, "", "answer.go", false},
	{"textDocument/definition", answerEntry, "first/answer.go", "answer.go", false},
	{"textDocument/definition", answerEntry, "FirstAnswer`", "answer.go", true},
	{"textDocument/hover", answerEntry, "FirstAnswer`", "func FirstAnswer", true},
}

// TestFirstAnswer opens documents of a real folder in a server of its own, again and again, and asks
// all questions at once 0 to 500 ms later. Each answer must be the one that the server gives when all
// of the code is read. A parse may take longer than the server's patience where other tests have the
// machine: outside of the nightly test an answer that needs one may be wrong at first, where the server then
// has it asked again and the answer is right.
//
//	BRV_NIGHTLY=1 go test ./cmd/brv-lsp -run TestFirstAnswer -v -timeout 2h [-args -server PROGRAM]
func TestFirstAnswer(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	if runtime.GOOS == "windows" {
		t.Skip("links a program and loads the machine by a shell")
	}
	program := *serverProgram
	if program == "" {
		program = filepath.Join(t.TempDir(), "brv-lsp")
		self, err := os.Executable()
		if err = errors.Join(err, os.Symlink(self, program)); err != nil {
			t.Fatal(err)
		}
	}
	due := sampletest.Some(t, 1, 2)
	for i, folder := range []struct {
		name string
		make func(*testing.T) string
	}{{"net", goNet}, {"own", ownClone}} {
		if !due(i) {
			continue
		}
		t.Run(folder.name, func(t *testing.T) {
			f := &firstAnswers{program: program, root: folder.make(t), kept: t.TempDir(), tries: sampletest.Count(2, 200)}
			f.settle(t)
			t.Run("warm", func(t *testing.T) { f.ask(t, false) })
			t.Run("cold", func(t *testing.T) { f.ask(t, true) })
			loaded(t)
			t.Run("warm beside a load", func(t *testing.T) { f.ask(t, false) })
			t.Run("cold beside a load", func(t *testing.T) { f.ask(t, true) })
		})
	}
}

// goNet is a folder with the sources of Go's package net.
func goNet(t *testing.T) string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no Go sources")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(strings.TrimSpace(string(root)), "src", "net"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ownClone is a clone of this repository, with its history.
func ownClone(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "-q", "../..", dir).CombinedOutput(); err != nil {
		t.Skipf("this is no clone: %v, %s", err, out)
	}
	return dir
}

// loaded keeps every core busy twice over until the test ends.
func loaded(t *testing.T) {
	for range 2 * runtime.NumCPU() {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = busy.Process.Kill(); _ = busy.Wait() })
	}
}

// firstAnswers is a folder, and what is right about it.
type firstAnswers struct {
	program, root string
	kept          string // the cache of warm starts
	tries         int
	right         []string // by question
}

// settle writes the documents, and learns the right answers from a server that has read everything.
func (f *firstAnswers) settle(t *testing.T) {
	for p, text := range map[string]string{
		answerFile: answerCode, answerEntry: answerText, ".brv/context-tree/first/answers/other.md": answerOther,
	} {
		p = filepath.Join(f.root, p)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second is the first that finds a cache
		e, end := f.open(t, f.kept)
		if err := e.Execute(t.Context(), "brv.map", map[string]any{"budgetTokens": 100}, nil); err != nil {
			t.Fatal(err) // it waits for the code
		}
		f.right = f.answers(t, e)
		if _, err := e.Shutdown(t.Context()); err != nil { // what was read is kept
			t.Fatal(err)
		}
		end()
	}
	for i, q := range questions {
		if !strings.Contains(f.right[i], q.want) {
			t.Errorf("%s of %q in %s: %s, want %s", q.method, q.at, q.file, f.right[i], q.want)
		}
	}
}

// ask has the servers started, and counts their right answers.
func (f *firstAnswers) ask(t *testing.T, cold bool) {
	wrong, null, servers := map[string]int{}, 0, 0
	wait := sampletest.Rand(t)
	for range f.tries {
		cache := f.kept
		if cold {
			cache = t.TempDir()
		}
		e, end := f.open(t, cache)
		time.Sleep(time.Duration(wait.IntN(500)) * time.Millisecond) // what is tried
		told, all := len(e.Received(askAgain)), true
		for i, got := range f.answers(t, e) {
			if got != f.right[i] {
				what := fmt.Sprintf("%s %s %s", questions[i].method, questions[i].file, questions[i].at)
				if wrong[what]++; wrong[what] == 1 && got != "null" {
					t.Logf("%s: %s, want %s", what, got, f.right[i])
				}
				if sampletest.Long() || !questions[i].parse {
					t.Errorf("%s: the first answer was wrong", what)
				} else if err := f.toldLater(t, e, i, told); err != nil {
					t.Errorf("%s: the first answer was wrong, and no later one that was asked for is right: %v", what, err)
				}
				all = false
			}
			if got == "null" {
				null++
			}
		}
		if all {
			servers++
		}
		end()
	}
	bad := 0
	for what, n := range wrong {
		t.Logf("%s: %d of %d first answers were wrong", what, n, f.tries)
		bad += n
	}
	t.Logf("%d of %d servers gave right first answers only; of %d answers %d were wrong, %d of them null",
		servers, f.tries, f.tries*len(questions), bad, null)
}

// askAgain is what a server says when it knows more than it did.
const askAgain = "workspace/codeLens/refresh"

// toldLater waits, as often as the server has it asked again beyond the times that it was told before, for
// the right answer to one question.
func (f *firstAnswers) toldLater(t *testing.T, e *lsptest.Editor, question, told int) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		said, err := e.WaitFor(ctx, askAgain, func(said []lsptest.Message) bool { return len(said) > told })
		if err != nil {
			return err
		}
		told = len(said)
		if f.answers(t, e)[question] == f.right[question] {
			return nil
		}
	}
}

// open starts a server with a cache, and opens the documents.
func (f *firstAnswers) open(t *testing.T, cache string) (e *lsptest.Editor, end func()) {
	cmd := exec.Command(f.program, "--stdio")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_CONFIG_HOME="+filepath.Join(f.kept, "config"))
	in, out, err := piped(cmd)
	if err != nil {
		t.Fatal(err)
	}
	e = lsptest.Attach(out, in)
	params := fmt.Sprintf(`{"processId":null,"rootUri":%q,
		"capabilities":{"workspace":{"codeLens":{"refreshSupport":true}}},
		"initializationOptions":{"trusted":true,"codeLens":{"code":true}}}`, lsptest.URI(f.root))
	if _, err := e.Initialize(t.Context(), lsptest.Session{Params: json.RawMessage(params)}); err != nil {
		t.Fatal(err)
	}
	for p, text := range map[string]string{answerFile: answerCode, answerEntry: answerText} {
		if err := e.Open(filepath.Join(f.root, p), "", text); err != nil {
			t.Fatal(err)
		}
	}
	return e, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		e.Close()
	}
}

// answers asks all questions at once.
func (f *firstAnswers) answers(t *testing.T, e *lsptest.Editor) (out []string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var asked []lsptest.Pending
	for _, q := range questions {
		text := answerCode
		if q.file == answerEntry {
			text = answerText
		}
		params := map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(filepath.Join(f.root, q.file))}}
		if q.at != "" {
			params["position"] = lsptest.PositionIn(text, strings.Index(text, q.at)+1, e.Encoding())
		}
		if q.method == "textDocument/references" {
			params["context"] = map[string]bool{"includeDeclaration": false}
		}
		_, answered, err := e.Begin(q.method, params)
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, answered)
	}
	for _, a := range asked {
		var raw json.RawMessage
		if err := a.Wait(ctx, &raw); err != nil {
			raw = json.RawMessage(err.Error())
		}
		if string(raw) == "" {
			raw = json.RawMessage("null")
		}
		out = append(out, string(raw))
	}
	return out
}
