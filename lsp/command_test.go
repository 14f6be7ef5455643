package lsp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
)

// asking returns the capabilities of a client that applies edits but does not
// preview them; more says how they differ from that.
func asking(more func(workspace map[string]any)) map[string]any {
	capabilities := lsptest.Modern()
	workspace := capabilities["workspace"].(map[string]any)
	delete(workspace["workspaceEdit"].(map[string]any), "changeAnnotationSupport")
	if more != nil {
		more(workspace)
	}
	return capabilities
}

type curated struct {
	Path, Title, Reason, Text string
	Written                   bool
}

// curate selects a function and runs the curate action's command.
func curate(t *testing.T, e *lsptest.Editor, ctx context.Context, root string) curated {
	t.Helper()
	file := open(t, e, root, "auth.go")
	from := find(t, e, file, "// Sign")
	text, _ := e.Text(file)
	actions, err := e.Actions(ctx, file, from, len(text), "refactor.extract")
	if err != nil || len(actions) != 1 || len(actions[0].Edit) > 0 {
		t.Fatalf("actions %v, %v", actions, err)
	}
	var result curated
	if err := e.Run(ctx, actions[0], &result); err != nil {
		t.Fatal(err)
	}
	if result.Path == "" || result.Title == "" {
		t.Errorf("result %+v", result)
	}
	if _, err := os.Stat(filepath.Join(root, result.Path)); !os.IsNotExist(err) {
		t.Errorf("the server wrote %s by itself: %v", result.Path, err)
	}
	return result
}

func answerWrite(title string) lsptest.AnswerFunc {
	return func(json.RawMessage) (any, error) { return map[string]string{"title": title}, nil }
}

func TestCurateAsksThenCreatesTheFile(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: asking(nil)})
	e.Answer("window/showMessageRequest", answerWrite("Write"))
	result := curate(t, e, ctx, root)
	question := e.Received("window/showMessageRequest")
	if !result.Written || len(question) != 1 {
		t.Fatalf("%+v, asked %d times", result, len(question))
	}
	for _, want := range []string{result.Path, result.Title, "func SignToken", `"Write"`, `"Cancel"`} {
		if !strings.Contains(string(question[0].Params), want) {
			t.Errorf("the question lacks %s: %s", want, question[0].Params)
		}
	}
	edits := e.Received("workspace/applyEdit")
	if len(edits) != 1 {
		t.Fatalf("%d edits", len(edits))
	}
	for _, want := range []string{`"kind":"create"`, `"overwrite":false`, lsptest.URI(filepath.Join(root, result.Path)), "SignToken"} {
		if !strings.Contains(string(edits[0].Params), want) {
			t.Errorf("the edit lacks %s: %s", want, edits[0].Params)
		}
	}
	if strings.Contains(string(edits[0].Params), "annotation") {
		t.Error("annotations for a client without them")
	}
	if shown := e.Received("window/showDocument"); len(shown) != 1 {
		t.Errorf("%d documents shown", len(shown))
	}
}

func TestCurateWritesNothingWithoutConsent(t *testing.T) {
	for name, answer := range map[string]lsptest.AnswerFunc{
		"cancelled": answerWrite("Cancel"),
		"dismissed": func(json.RawMessage) (any, error) { return nil, nil },
	} {
		root := project(t)
		e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: asking(nil)})
		e.Answer("window/showMessageRequest", answer)
		if result := curate(t, e, ctx, root); result.Written || result.Reason == "" {
			t.Errorf("%s: %+v", name, result)
		}
		if edits := e.Received("workspace/applyEdit"); len(edits) > 0 {
			t.Errorf("%s: %s", name, edits[0].Params)
		}
	}
}

func TestCurateForClientsThatCannotCreateFiles(t *testing.T) {
	root := project(t)
	capabilities := asking(func(workspace map[string]any) { workspace["workspaceEdit"] = map[string]any{"documentChanges": true} })
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	e.Answer("window/showMessageRequest", answerWrite("Write"))
	result := curate(t, e, ctx, root)
	edits := e.Received("workspace/applyEdit")
	if !result.Written || len(edits) != 1 || !strings.Contains(string(edits[0].Params), `"changes":{"`+lsptest.URI(root)) {
		t.Errorf("%+v, %v", result, edits)
	}
}

// Without applyEdit no question leads to an edit: the action itself carries the entry.
func TestCurateForClientsWithoutEdits(t *testing.T) {
	root := project(t)
	capabilities := asking(func(workspace map[string]any) { delete(workspace, "applyEdit") })
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file := open(t, e, root, "auth.go")
	text, _ := e.Text(file)
	actions, err := e.Actions(ctx, file, find(t, e, file, "// Sign"), len(text), "refactor.extract")
	if err != nil || len(actions) != 1 {
		t.Fatal(actions, err)
	}
	edit := string(actions[0].Edit)
	if !strings.HasPrefix(edit, `{"changes":{"`+lsptest.URI(root)) || !strings.Contains(edit, "SignToken") ||
		len(actions[0].Command) > 0 {
		t.Errorf("%s, %s", edit, actions[0].Command)
	}
}

// A cursor that is a block selects the character below it; that is nothing to keep or ask.
func TestOneCharacterIsNoSelection(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: asking(nil)})
	file := open(t, e, root, "auth.go")
	at := find(t, e, file, "SignToken")
	for length, want := range map[int]bool{1: false, 2: true} {
		actions, err := e.Actions(ctx, file, at, at+length)
		if err != nil || (len(actions) > 0) != want {
			t.Errorf("%d characters: %v, %v", length, actions, err)
		}
	}
}

func TestCurateTellsWhyTheEditorRefused(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: asking(nil)})
	e.Answer("window/showMessageRequest", answerWrite("Write"))
	e.Answer("workspace/applyEdit", func(json.RawMessage) (any, error) {
		return map[string]any{"applied": false, "failureReason": "file exists"}, nil
	})
	if result := curate(t, e, ctx, root); result.Written || !strings.Contains(result.Reason, "file exists") {
		t.Errorf("%+v", result)
	}
}

func TestStaleActionIsRefused(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, "auth.go")
	text, _ := e.Text(file)
	actions, err := e.Actions(ctx, file, find(t, e, file, "// Sign"), len(text), "refactor.extract")
	if err != nil || len(actions) != 1 {
		t.Fatalf("%v, %v", actions, err)
	}
	if err := e.Edit(file, 0, 0, "// first\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Resolve(ctx, actions[0]); code(err) != -32801 {
		t.Errorf("got %v, want -32801", err)
	}
}

func TestActionFilter(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, "auth.go")
	for only, want := range map[string]int{
		"": 4, "refactor": 1, "refactor.extract": 1, "refactor.extract.brv": 1,
		"refactor.extract.brvx": 0, "refactor.ext": 0, "quickfix": 0, "source.fixAll": 0,
	} {
		if got, err := e.Actions(ctx, file, 0, 12, only); err != nil || len(got) != want {
			t.Errorf("only %q: %d actions, %v", only, len(got), err)
		}
	}
}

func TestInitThenCurate(t *testing.T) {
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "main.go"), "package main\n\nfunc main() { println(\"hello\") }\n")
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, "main.go")
	actions, err := e.Actions(ctx, file, 0, 30)
	if err != nil || len(actions) != 1 || actions[0].Title != "Initialise the context tree" {
		t.Fatalf("%v, %v", actions, err)
	}
	if _, err := os.Stat(filepath.Join(root, ".brv")); !os.IsNotExist(err) {
		t.Errorf("something was written by opening: %v", err)
	}
	var report struct{ Written []string }
	if err := e.Run(ctx, actions[0], nil); err != nil {
		t.Fatal(err)
	}
	if asked := e.Received("window/showMessageRequest"); len(asked) != 1 ||
		!strings.Contains(string(asked[0].Params), ".brv/context-tree, in ") {
		t.Errorf("asked %v", asked)
	}
	if _, err := os.Stat(filepath.Join(root, ".brv")); !os.IsNotExist(err) {
		t.Errorf("something was written without a yes: %v", err)
	}
	e.Answer("window/showMessageRequest", answerWrite("Yes"))
	if err := e.Run(ctx, actions[0], &report); err != nil || len(report.Written) == 0 {
		t.Fatalf("%v, %v", report, err)
	}
	if said := e.Received("window/showMessage"); len(said) != 1 {
		t.Errorf("%d messages", len(said))
	}
	if actions, err = e.Actions(ctx, file, 0, 30, "refactor.extract"); err != nil || len(actions) != 1 ||
		actions[0].Title != "Write down what the next person should know" {
		t.Errorf("%v, %v", actions, err)
	}
}

func TestCustomRequests(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{t.TempDir(), root}})
	file := open(t, e, root, "auth.go")
	var answer struct {
		Tier    int
		Sources []struct{ Path string }
	}
	request := map[string]any{"text": "how are tokens signed", "uri": lsptest.URI(file)}
	if err := e.Call(ctx, "brv/query", request, &answer); err != nil || answer.Sources == nil {
		t.Errorf("query: %+v, %v", answer, err)
	}
	var pack struct{ Tokens, Budget int }
	request = map[string]any{
		"task": "change how tokens are signed", "budgetTokens": 2000, "uri": lsptest.URI(file),
		"position": map[string]int{"line": 3, "character": 6}, "workDoneToken": "mine",
	}
	if err := e.Call(ctx, "brv/context", request, &pack); err != nil || pack.Budget != 2000 || pack.Tokens > 2000 {
		t.Errorf("context: %+v, %v", pack, err)
	}
	for request, want := range map[string]string{
		`{"txet": "misspelt"}`:               "unknown key `txet`; the keys are text, also, scope,",
		`{"text": "x", "limit": "many"}`:     "key `limit`: expected a whole number, got a string",
		`{"text": ["x"]}`:                    "key `text`: expected a string, got a list",
		`{"text": "x", "deadlineMs": -1}`:    "deadlineMs: must be 0 to 600000, not -1",
		`{"text": "x", "budgetTokens": 1.5}`: "key `budgetTokens`: expected a whole number, got the number 1.5",
		`{"text": " "}`:                      "the question is empty",
		`{"text": "x", "uri": 7}`:            "uri",
	} {
		err := e.Call(ctx, "brv/query", json.RawMessage(request), nil)
		if code(err) != -32602 || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %s", request, err, want)
		}
	}
	err := e.Call(ctx, "brv/context", json.RawMessage(`{"task": "x", "diagnostics": [{"uri": 5}], "budgetTokens": 100}`), nil)
	if code(err) != -32602 || !strings.Contains(err.Error(), "key `diagnostics.uri`: expected a string, got a number") {
		t.Errorf("inside of a list: %v", err)
	}
}

func TestCommandsGoToTheFolderWithATree(t *testing.T) {
	root, without := project(t), t.TempDir()
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{without, root}})
	file := open(t, e, root, tokens)
	hoverOnce(t, e, ctx, file)
	var report struct{ Entries int }
	if err := e.Execute(ctx, "brv.check", map[string]any{}, &report); err != nil || report.Entries != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	err := e.Execute(ctx, "brv.check", map[string]any{"uri": lsptest.URI(filepath.Join(without, "x.go"))}, nil)
	if code(err) != -32803 || !strings.Contains(err.Error(), "no context tree in this folder") {
		t.Errorf("without a tree: %v", err)
	}
	err = e.Execute(ctx, "brv.check", map[string]any{"uri": "file:///elsewhere/x.go"}, nil)
	if code(err) != -32803 {
		t.Errorf("outside: %v", err)
	}
}

// Commands count problems as the editor shows them, unless they are told otherwise.
func TestCommandsGradeAsTheFolder(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, ".brv/context-tree/a/b/one.md"), "# One\n@a/nosuch.md\n")
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	count := func(command, severity string) (errors, warnings int) {
		t.Helper()
		var r struct{ Errors, Warnings int }
		if err := e.Execute(ctx, command, json.RawMessage(severity), &r); err != nil {
			t.Fatal(err)
		}
		return r.Errors, r.Warnings
	}
	for _, command := range []string{"brv.check", "brv.status"} {
		if broken, _ := count(command, `{}`); broken != 1 {
			t.Errorf("%s: %d errors", command, broken)
		}
	}
	told := map[string]any{"settings": map[string]any{"brv": map[string]any{"diagnostics": map[string]any{"severity": map[string]string{"broken-relation": "information"}}}}}
	if err := e.Notify("workspace/didChangeConfiguration", told); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"brv.check", "brv.status"} {
		if broken, _ := count(command, `{}`); broken != 0 {
			t.Errorf("%s: %d errors", command, broken)
		}
		broken, warnings := count(command, `{"severity": {"broken-relation": "warning"}}`)
		if broken != 0 || warnings != 1 {
			t.Errorf("%s: %d errors, %d warnings", command, broken, warnings)
		}
		for grades, want := range map[string]string{
			`{"nope": "hint"}`:             "key `severity`: \"nope\": no such problem; https://",
			`{"orphans": "hint"}`:          `did you mean "orphan"?`,
			`{"broken-relation": "fatal"}`: "key `severity`: \"broken-relation\": must be error",
		} {
			err := e.Execute(ctx, command, json.RawMessage(`{"severity": `+grades+`}`), nil)
			if code(err) != -32602 || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %s: %v", command, grades, err)
			}
		}
	}
}

// TestCodeCommands asks about the code, by paths and by the editor's positions.
func TestCodeCommands(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	var m codemap.MapResponse
	if err := e.Execute(ctx, "brv.map", map[string]any{"task": "sign", "budgetTokens": 100}, &m); err != nil || m.Files == 0 ||
		m.OutlineTokens > 100 || len(m.Ranked) == 0 {
		t.Errorf("map: %+v, %v", m, err)
	}
	place := map[string]any{"uri": lsptest.URI(filepath.Join(root, "auth.go")), "position": map[string]int{"line": 0, "character": 0}}
	var d codemap.DepsResponse
	if err := e.Execute(ctx, "brv.deps", place, &d); err != nil || d.File.Path != "auth.go" {
		t.Errorf("deps: %+v, %v", d, err)
	}
	if err := e.Execute(ctx, "brv.map", place, &m); err != nil {
		t.Errorf("map of a place: %v", err)
	}
	var s codemap.SymbolsResponse
	if err := e.Execute(ctx, "brv.symbols", map[string]any{"query": "sign"}, &s); err != nil || len(s.Symbols) == 0 ||
		s.Symbols[0].Path != "auth.go" {
		t.Errorf("symbols: %+v, %v", s, err)
	}
	if err := e.Execute(ctx, "brv.deps", map[string]any{"path": "../x.go"}, nil); code(err) != -32602 {
		t.Errorf("a path outside: %v", err)
	}
}
