package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// Questions about [retries] and the tiers that answer them.
const (
	onceQuestion = "retry budget three" // 3: one call of a model
	loopQuestion = "retry budget"       // 4: a model with tools
)

// retries is a folder whose tree answers the questions above for no entry alone.
func retries(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for i := range 8 {
		writeFile(t, filepath.Join(root, fmt.Sprintf(".brv/context-tree/misc/t%d/n.md", i)),
			fmt.Sprintf("---\ntitle: Note %d about colour theme %d\n---\nThe palette number %d of buttons is drawn in the corner.\n",
				i, i, i))
	}
	writeFile(t, filepath.Join(root, ".brv/context-tree/net/up/up.md"),
		"---\ntitle: Upload retry budget\n---\nThe retry budget of uploads is three attempts.\n")
	writeFile(t, filepath.Join(root, ".brv/context-tree/net/down/down.md"),
		"---\ntitle: Download retry budget\n---\nThe retry budget of downloads is five attempts.\n")
	return root
}

// asked is a request of the server's to the editor's model.
type asked struct {
	System   string
	Messages []struct {
		Role, Text string
		Calls      []struct {
			ID, Tool  string
			Arguments json.RawMessage
		}
		Results []struct {
			ID, Text string
			IsError  bool
		}
	}
	Tools       []struct{ Name, Description string }
	NoCalls     bool
	MaxTokens   int
	Temperature float64
	PatienceMs  int
}

// modelled begins a session with an editor whose model answers with reply.
func modelled(t *testing.T, o lsp.Options, root string, options map[string]any,
	reply func(n int, q asked) (any, error)) (*lsptest.Editor, context.Context) {
	t.Helper()
	e, ctx := configured(t, o, root, options, nil)
	var mu sync.Mutex
	n := 0
	e.Answer("brv/model/complete", func(raw json.RawMessage) (any, error) {
		var q asked
		if err := json.Unmarshal(raw, &q); err != nil {
			return nil, err
		}
		mu.Lock()
		n++
		turn := n
		mu.Unlock()
		return reply(turn, q)
	})
	return e, ctx
}

// editorOptions are those of a client that has a model and wants it.
func editorOptions(more ...string) map[string]any {
	options := map[string]any{"editorModel": true, "model": map[string]any{"provider": "editor"}}
	for _, key := range more {
		options[key] = true
	}
	return options
}

// modelState is what brv.status says of the model.
type modelState struct{ Provider, Name, Origin, Problem string }

// modelIs asks for the status until the model is as wanted.
func modelIs(t *testing.T, e *lsptest.Editor, ctx context.Context, want modelState) {
	t.Helper()
	eventually(t, func() (bool, string) {
		var s struct{ Model modelState }
		if err := e.Call(ctx, "brv/status", map[string]any{}, &s); err != nil {
			t.Fatal(err)
		}
		last := fmt.Sprintf("%+v, want %+v", s.Model, want)
		if want.Problem != "" && strings.Contains(s.Model.Problem, want.Problem) {
			s.Model.Problem = want.Problem
		}
		return s.Model == want, last
	})
}

// queried is the answer to a question.
type queried struct {
	Tier                  int
	ForReader             bool
	Model, Markdown, Note string
	Sources               []struct {
		Path string
		Used bool
	}
}

func query(t *testing.T, e *lsptest.Editor, ctx context.Context, text string) (r queried) {
	t.Helper()
	if err := e.Call(ctx, "brv/query", map[string]any{"text": text}, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEditorsModelAnswersAndIsChecked(t *testing.T) {
	var got asked
	e, ctx := modelled(t, lsp.Options{}, retries(t), editorOptions(), func(_ int, q asked) (any, error) {
		got = q
		return map[string]any{
			"text":  "## Summary\n\nThree attempts [net/up/up.md], as in [net/up/invented.md].\n",
			"model": "theirs\x00-1", "usage": map[string]int{"input": 12, "output": 3},
		}, nil
	})
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	r := query(t, e, ctx, onceQuestion)
	if r.Tier != 3 || r.ForReader || r.Model != "theirs-1" ||
		!strings.Contains(r.Markdown, "Three attempts [net/up/up.md], as in [unknown source]") ||
		!strings.Contains(r.Note, "net/up/invented.md") || len(r.Sources) == 0 ||
		r.Sources[0].Path != "net/up/up.md" || !r.Sources[0].Used {
		t.Errorf("%+v", r)
	}
	if got.System == "" || len(got.Messages) != 1 || got.Messages[0].Role != "user" ||
		!strings.Contains(got.Messages[0].Text, "The retry budget of uploads is three attempts.") ||
		!strings.Contains(got.Messages[0].Text, onceQuestion) || got.Tools == nil || len(got.Tools) != 0 || got.MaxTokens != 1024 ||
		got.PatienceMs != 30_000 {
		t.Errorf("%+v", got)
	}
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "theirs-1"})
	if r := query(t, e, ctx, onceQuestion); r.Tier != 0 || len(e.Received("brv/model/complete")) != 1 {
		t.Errorf("asked again: %+v", r)
	}
}

func TestEditorsModelUsesTools(t *testing.T) {
	e, ctx := modelled(t, lsp.Options{}, retries(t), editorOptions(), func(n int, q asked) (any, error) {
		if n == 1 {
			calls := []map[string]any{{"id": "a", "tool": q.Tools[0].Name, "arguments": map[string]any{"query": "uploads"}},
				{"id": "b", "tool": "no_such_tool", "arguments": "not even an object"}}
			return map[string]any{"text": "", "calls": calls}, nil
		}
		last := q.Messages[len(q.Messages)-1]
		called := q.Messages[len(q.Messages)-2]
		if last.Role != "tool" || len(last.Results) != 2 || last.Results[0].ID != "a" || last.Results[0].IsError ||
			!last.Results[1].IsError ||
			called.Role != "assistant" || len(called.Calls) != 2 || string(called.Calls[1].Arguments) != `"not even an object"` {
			return nil, fmt.Errorf("not what was called: %+v", q.Messages)
		}
		return map[string]any{"text": "Three [net/up/up.md]."}, nil
	})
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	if r := query(t, e, ctx, loopQuestion); r.Tier != 4 || r.ForReader || !strings.Contains(r.Markdown, "Three [net/up/up.md]") {
		t.Errorf("%+v", r)
	}
}

// TestWhatTheEditorsModelSaysMayBeAnything has passages shown instead.
func TestWhatTheEditorsModelSaysMayBeAnything(t *testing.T) {
	var reply any
	var failure error
	e, ctx := modelled(t, lsp.Options{}, retries(t), editorOptions(), func(int, asked) (any, error) { return reply, failure })
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	for _, c := range []struct {
		reply any
		err   error
		note  string
	}{
		{reply: nil, note: "it has neither text nor tool calls"},
		{reply: 7, note: "expected an object, got a number"},
		{reply: []any{}, note: "expected an object, got a list"},
		{reply: map[string]any{}, note: "it has neither text nor tool calls"},
		{reply: map[string]any{"text": " \n"}, note: "it has neither text nor tool calls"},
		{reply: map[string]any{"text": 3}, note: "key `text`: expected a string, got a number"},
		{reply: map[string]any{"text": "x", "calls": "y"}, note: "key `calls`: expected a list"},
		{reply: map[string]any{"text": "x", "usage": []int{1}}, note: "key `usage`: expected an object"},
		{reply: map[string]any{"text": strings.Repeat("x", 1<<20)}, note: "the limit is 1048576"},
		{reply: map[string]any{"calls": []any{map[string]any{"id": "a", "tool": "t", "arguments": nil}}}, note: "said nothing"},
		{err: &lsptest.ResponseError{Code: -32800, Message: "the user said no\nto this"}, note: "the user said no to this"},
		{err: &lsptest.ResponseError{Code: -32603, Message: strings.Repeat("x", 10_000)}, note: strings.Repeat("x", 100)},
	} {
		reply, failure = c.reply, c.err
		r := query(t, e, ctx, onceQuestion)
		if !r.ForReader || r.Model != "" || !strings.Contains(r.Note, "the model gave no answer") ||
			!strings.Contains(r.Note, c.note) || len(r.Note) > 1000 {
			t.Errorf("%v, %v: %+v", c.reply, c.err, r)
		}
	}
	reply, failure = map[string]any{"text": "Three [net/up/up.md]."}, nil
	if r := query(t, e, ctx, onceQuestion); r.Tier != 3 || r.ForReader {
		t.Errorf("after all that: %+v", r)
	}
}

// cancelled waits until the server has cancelled a request of its own.
func cancelled(t *testing.T, e *lsptest.Editor, ctx context.Context) {
	t.Helper()
	if _, err := e.WaitFor(ctx, "$/cancelRequest", func(m []lsptest.Message) bool { return len(m) > 0 }); err != nil {
		t.Error(err)
	}
}

func TestCancelledQuestionIsCancelledInTheEditor(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	e, ctx := modelled(t, lsp.Options{}, retries(t), editorOptions(), func(int, asked) (any, error) {
		close(begun)
		<-end
		return nil, errors.New("cancelled")
	})
	defer close(end)
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	id, answered, err := e.Begin("brv/query", map[string]any{"text": onceQuestion})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := e.Notify("$/cancelRequest", map[string]any{"id": id}); err != nil {
		t.Fatal(err)
	}
	var failed *lsptest.ResponseError
	if err := answered.Wait(ctx, nil); !errors.As(err, &failed) || failed.Code != -32800 {
		t.Errorf("%v", err)
	}
	cancelled(t, e, ctx)
}

// TestNothingIsWrittenAfterShutdown has the editor's model answer between shutdown and exit; without
// it a proposal is drafted by rules, and written.
func TestNothingIsWrittenAfterShutdown(t *testing.T) {
	root := retries(t)
	writeFile(t, filepath.Join(root, "notes.md"),
		"# Budget of retries\n\nUploads are tried three times, and downloads five times, before somebody is told.\n")
	begun, end := make(chan struct{}), make(chan struct{})
	var once sync.Once
	e, ctx := modelled(t, lsp.Options{}, root, editorOptions(), func(int, asked) (any, error) {
		once.Do(func() { close(begun) })
		<-end
		return nil, errors.New("too late")
	})
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	_, answered, err := e.Begin("brv/curate/propose", map[string]any{"files": []string{"notes.md"}})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := e.Call(ctx, "shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	before := onDisk(t, root)
	close(end)
	var failed *lsptest.ResponseError
	if err := answered.Wait(ctx, nil); !errors.As(err, &failed) || failed.Code != -32800 {
		t.Errorf("the request was answered with %v", err)
	}
	if err := e.Notify("exit", nil); err != nil {
		t.Fatal(err)
	}
	if exit, err := e.ExitCode(ctx); exit != 0 || err != nil {
		t.Error(exit, err)
	}
	if diff := cmp.Diff(before, onDisk(t, root)); diff != "" {
		t.Errorf("written after the answer to shutdown (-before +after)\n%s", diff)
	}
}

// onDisk are the files of a folder.
func onDisk(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSlowEditorsModelIsLeft moves the clock while the editor is silent.
func TestSlowEditorsModelIsLeft(t *testing.T) {
	clock := lsptest.NewClock(fixedNow())
	begun, end := make(chan struct{}), make(chan struct{})
	e, ctx := modelled(t, lsp.Options{After: clock.After, Now: clock.Now}, retries(t), editorOptions(), func(int, asked) (any, error) {
		close(begun)
		<-end
		return nil, errors.New("too late")
	})
	defer close(end)
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	_, answered, err := e.Begin("brv/query", map[string]any{"text": onceQuestion, "workDoneToken": "w"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	clock.Advance(time.Second)
	if _, err := e.WaitFor(ctx, "$/progress", func(m []lsptest.Message) bool {
		return slices.ContainsFunc(m, func(m lsptest.Message) bool {
			return strings.Contains(string(m.Params), `"message":"asking the editor's model"`)
		})
	}); err != nil {
		t.Errorf("%v: %v", err, e.Received("$/progress"))
	}
	clock.Advance(time.Minute)
	var r queried
	if err := answered.Wait(ctx, &r); err != nil || !r.ForReader ||
		!strings.Contains(r.Note, "the editor's model did not answer within 30s") {
		t.Errorf("%+v, %v", r, err)
	}
	cancelled(t, e, ctx)
}

// TestFoundComesBeforeTheAnswer looks at what a client has while the model still thinks.
func TestFoundComesBeforeTheAnswer(t *testing.T) {
	end := make(chan struct{})
	e, ctx := modelled(t, lsp.Options{}, retries(t), editorOptions(), func(int, asked) (any, error) {
		<-end
		return map[string]any{"text": "Three attempts [net/up/up.md]."}, nil
	})
	release := sync.OnceFunc(func() { close(end) })
	defer release()
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	_, answered, err := e.Begin("brv/query", map[string]any{"text": onceQuestion, "partialResultToken": "p"})
	if err != nil {
		t.Fatal(err)
	}
	parts := func(m []lsptest.Message) (out []queried) {
		for _, m := range m {
			var p struct {
				Token any
				Value queried
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			if p.Token == "p" {
				out = append(out, p.Value)
			}
		}
		return out
	}
	if _, err := e.WaitFor(ctx, "$/progress", func(m []lsptest.Message) bool { return len(parts(m)) > 0 }); err != nil {
		t.Fatal(err)
	}
	release()
	var r queried
	if err := answered.Wait(ctx, &r); err != nil || r.ForReader || !strings.Contains(r.Markdown, "Three attempts [net/up/up.md]") {
		t.Errorf("%+v, %v", r, err)
	}
	found := parts(e.Received("$/progress"))
	if len(found) != 1 || !found[0].ForReader || !strings.Contains(found[0].Markdown, "The retry budget of uploads") || len(found[0].Sources) == 0 {
		t.Errorf("%+v", found)
	}
	if err := e.Call(ctx, "brv/query", map[string]any{"text": onceQuestion, "partialResultToken": "p"}, &r); err != nil || r.Tier != 0 ||
		len(parts(e.Received("$/progress"))) != 1 {
		t.Errorf("of an answer that is remembered: %+v, %v", r, err)
	}
}

// TestEditorsModelThatHangsRests asks until the editor is not asked any more, and again a minute later.
func TestEditorsModelThatHangsRests(t *testing.T) {
	clock := lsptest.NewClock(fixedNow())
	begun, end := make(chan struct{}), make(chan struct{})
	e, ctx := modelled(t, lsp.Options{After: clock.After, Now: clock.Now}, retries(t), editorOptions(),
		func(n int, _ asked) (any, error) {
			if n > 5 {
				return map[string]any{"text": "Three [net/up/up.md]."}, nil
			}
			begun <- struct{}{}
			<-end
			return nil, errors.New("too late")
		})
	defer close(end)
	modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
	for range 5 {
		_, answered, err := e.Begin("brv/query", map[string]any{"text": onceQuestion})
		if err != nil {
			t.Fatal(err)
		}
		<-begun
		clock.Advance(30 * time.Second)
		var r queried
		if err := answered.Wait(ctx, &r); err != nil || !strings.Contains(r.Note, "the editor's model did not answer within 30s") {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if r := query(t, e, ctx, onceQuestion); !r.ForReader || !strings.Contains(r.Note,
		"the editor's model failed 5 times in a row and is asked again in 60 s") || len(e.Received("brv/model/complete")) != 5 {
		t.Errorf("%+v", r)
	}
	clock.Advance(time.Minute)
	if r := query(t, e, ctx, onceQuestion); r.ForReader || len(e.Received("brv/model/complete")) != 6 {
		t.Errorf("a minute later: %+v", r)
	}
}

func TestEditorsModelIsAskedOnlyWhereItMayBe(t *testing.T) {
	root := retries(t)
	for _, c := range []struct {
		about   string
		options map[string]any
		want    modelState
	}{
		{"it is off by default", map[string]any{"editorModel": true, "trusted": true}, modelState{Provider: "off"}},
		{"the editor has none", map[string]any{"trusted": true, "model": map[string]any{"provider": "editor"}},
			modelState{Provider: "editor", Problem: "this editor has no model"}},
		{"the folder is not trusted", map[string]any{"trusted": false, "editorModel": true,
			"model": map[string]any{"provider": "editor"}}, modelState{Provider: "editor", Problem: "the editor does not trust the folder"}},
	} {
		e, ctx := modelled(t, lsp.Options{}, root, c.options, func(int, asked) (any, error) { return nil, errors.New("asked") })
		modelIs(t, e, ctx, c.want)
		r := query(t, e, ctx, onceQuestion)
		if !r.ForReader || len(e.Received("brv/model/complete")) != 0 ||
			strings.Contains(r.Note, "the model was not asked: ") != (c.want.Problem != "") {
			t.Errorf("%s: %+v", c.about, r)
		}
	}
}

func TestTrustTurnsTheModelOn(t *testing.T) {
	e, ctx := modelled(t, lsp.Options{}, retries(t), map[string]any{"trusted": false, "editorModel": true,
		"model": map[string]any{"provider": "editor"}},
		func(int, asked) (any, error) { return map[string]any{"text": "Three [net/up/up.md]."}, nil })
	modelIs(t, e, ctx, modelState{Provider: "editor", Problem: "the editor does not trust the folder"})
	for _, trusted := range []bool{true, false} {
		if err := e.Notify("brv/didChangeTrust", map[string]any{"trusted": trusted}); err != nil {
			t.Fatal(err)
		}
		if trusted {
			modelIs(t, e, ctx, modelState{Provider: "editor", Name: "the editor's model"})
		} else {
			modelIs(t, e, ctx, modelState{Provider: "editor", Problem: "the editor does not trust the folder"})
		}
		if r := query(t, e, ctx, onceQuestion+fmt.Sprint(" ", trusted)); r.ForReader == trusted {
			t.Errorf("trusted %v: %+v", trusted, r)
		}
	}
}

// TestKeysComeFromTheEditor has a server on this machine that wants a key, and counts how
// often the editor is asked for one.
func TestKeysComeFromTheEditor(t *testing.T) {
	var mu sync.Mutex
	key, heard := "canary-first", []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		heard = append(heard, r.Header.Get("Authorization"))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices": [{"message": {"role": "assistant", "content": "Three [net/up/up.md]."}, "finish_reason": "stop"}]}`)
	}))
	defer server.Close()
	root, config := retries(t), t.TempDir()
	// Whoever wrote the project wants the key, too.
	writeFile(t, filepath.Join(root, configFile), `{"model": {"endpoint": "https://evil.example/v1", "keyVariable": "OPENAI_API_KEY"}}`)
	set := func(model map[string]any) {
		raw, err := json.Marshal(map[string]any{"brv.model": model})
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(config, "settings.json"), string(raw))
	}
	set(map[string]any{"provider": "openai", "endpoint": server.URL + "/v1", "name": "m"})
	e, ctx := configured(t, lsp.Options{Config: config, Getenv: func(string) string { return "canary-environment" }}, root,
		map[string]any{"secrets": true}, nil)
	e.Answer("brv/secret", func(raw json.RawMessage) (any, error) {
		var p struct{ Origin string }
		if err := json.Unmarshal(raw, &p); err != nil || p.Origin != server.URL {
			return nil, &lsptest.ResponseError{Code: -32602, Message: fmt.Sprintf("asked for %s: %v", p.Origin, err)}
		}
		mu.Lock()
		defer mu.Unlock()
		if key == "" {
			return map[string]any{"key": nil}, nil
		}
		return map[string]any{"key": key}, nil
	})
	waitMessage(t, e, ctx, "brv.model.endpoint: ignored: a project cannot set this")
	modelIs(t, e, ctx, modelState{Provider: "openai", Name: "m", Origin: server.URL})
	// question asks in a tree that changed since the last time, so that no answer is
	// remembered, and returns the key that it went with.
	file := open(t, e, root, ".brv/context-tree/misc/t0/n.md")
	question := func() string {
		t.Helper()
		if err := e.Edit(file, 0, 0, "\n"); err != nil {
			t.Fatal(err)
		}
		if r := query(t, e, ctx, onceQuestion); r.Model == "" {
			t.Fatalf("%+v", r)
		}
		mu.Lock()
		defer mu.Unlock()
		return heard[len(heard)-1]
	}
	until := func(want string, change func()) {
		t.Helper()
		change()
		eventually(t, func() (bool, string) {
			got := question()
			return got == want, fmt.Sprintf("the key is %q, want %q", got, want)
		})
	}
	until("Bearer canary-first", func() {})
	if n := len(e.Received("brv/secret")); n != 1 {
		t.Errorf("the editor was asked %d times", n)
	}
	notify := func(method string, params any) {
		if err := e.Notify(method, params); err != nil {
			t.Fatal(err)
		}
	}
	store := func(now string) {
		mu.Lock()
		key = now
		mu.Unlock()
		notify("brv/didChangeSecret", map[string]any{})
	}
	until("Bearer canary-second", func() { store("canary-second") })
	until("", func() { store("") })
	until("Bearer canary-third", func() { store("canary-third") })
	before := len(e.Received("brv/secret"))
	set(map[string]any{"provider": "openai", "endpoint": server.URL + "/v1", "name": "other"})
	notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	modelIs(t, e, ctx, modelState{Provider: "openai", Name: "other", Origin: server.URL})
	if n := len(e.Received("brv/secret")); n != before+1 {
		t.Errorf("asked %d times after a change of the settings", n-before)
	}
	set(map[string]any{"provider": "off"})
	notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	modelIs(t, e, ctx, modelState{Provider: "off"})
	set(map[string]any{"provider": "openai", "endpoint": server.URL + "/v1"})
	notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	modelIs(t, e, ctx, modelState{Provider: "openai", Origin: server.URL, Problem: "brv.model.name is empty"})
	for _, m := range e.Received("") {
		if strings.Contains(string(m.Params), "canary") {
			t.Errorf("%s has a key: %s", m.Method, m.Params)
		}
	}
}

// TestNobodyIsAskedForKeysWithoutNeed counts the requests of sessions that need none.
func TestNobodyIsAskedForKeysWithoutNeed(t *testing.T) {
	root := retries(t)
	openai := map[string]any{"provider": "openai", "name": "m", "endpoint": "https://llm.example/v1"}
	for _, c := range []struct {
		about   string
		options map[string]any
		want    modelState
	}{
		{"off", map[string]any{"secrets": true}, modelState{Provider: "off"}},
		{"the editor's own", map[string]any{"secrets": true, "editorModel": true, "model": map[string]any{"provider": "editor"}},
			modelState{Provider: "editor", Name: "the editor's model"}},
		{"no store", map[string]any{"model": openai}, modelState{Provider: "openai", Name: "m", Origin: "https://llm.example",
			Problem: "there is no key for https://llm.example"}},
		{"no trust", map[string]any{"secrets": true, "trusted": false, "model": openai}, modelState{Provider: "openai", Name: "m",
			Problem: "the editor does not trust the folder"}},
	} {
		e, ctx := configured(t, lsp.Options{}, root, c.options, nil)
		e.Answer("brv/secret", func(json.RawMessage) (any, error) { return map[string]any{"key": "canary"}, nil })
		modelIs(t, e, ctx, c.want)
		if n := len(e.Received("brv/secret")); n != 0 {
			t.Errorf("%s: asked %d times", c.about, n)
		}
	}
}
