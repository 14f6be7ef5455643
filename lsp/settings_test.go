package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

const configFile = ".brv/config.json"

// configured begins a session with initialization options, in a client that answers
// workspace/configuration with what pull says, or cannot be asked if that is nil.
func configured(t *testing.T, o lsp.Options, root string, options map[string]any, pull func() any) (*lsptest.Editor, context.Context) {
	t.Helper()
	e, ctx := start(t, o)
	capabilities := lsptest.Modern()
	workspace := capabilities["workspace"].(map[string]any)
	if pull != nil {
		workspace["configuration"] = true
		workspace["didChangeConfiguration"] = map[string]any{"dynamicRegistration": true}
		e.Answer("workspace/configuration", func(raw json.RawMessage) (any, error) {
			var p struct {
				Items []struct{ ScopeURI, Section string } `json:"items"`
			}
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, err
			}
			var answers []any
			for _, item := range p.Items {
				if item.Section != "brv" || item.ScopeURI == "" {
					return nil, &lsptest.ResponseError{Code: -32602, Message: "asked for " + item.Section + " of " + item.ScopeURI}
				}
				answers = append(answers, pull())
			}
			return answers, nil
		})
	}
	params, err := json.Marshal(map[string]any{
		"processId": nil, "rootUri": nil, "capabilities": capabilities, "initializationOptions": options,
		"workspaceFolders": []any{map[string]any{"uri": lsptest.URI(root), "name": "x"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Initialize(ctx, lsptest.Session{Params: params}); err != nil {
		t.Fatal(err)
	}
	return e, ctx
}

// settled asks for the settings that hold in a folder until they are as wanted.
func settled(t *testing.T, e *lsptest.Editor, ctx context.Context, root, want string) {
	t.Helper()
	eventually(t, func() (bool, string) {
		var got string
		if err := e.Call(
			ctx, "test/settings", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(filepath.Join(root, "auth.go"))}},
			&got); err != nil {
			t.Fatal(err)
		}
		return got == want, got + ", want " + want
	})
}

// rewrite changes the project's settings, and tells the server of it.
func setProject(t *testing.T, e *lsptest.Editor, root, text string) {
	t.Helper()
	file := filepath.Join(root, configFile)
	writeFile(t, file, text)
	if err := e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(file),
		"type": 2}}}); err != nil {
		t.Fatal(err)
	}
}

// showing has a session say the settings that its tests look at: budget, code lens over
// code, exclusions, and whether the folder is trusted.
func showing(trusted bool) lsp.Options {
	return lsp.WithSettings(lsp.Options{Trust: func(string) (bool, string) { return trusted, "nobody said so" }}, "test/settings")
}

// messages are those that the user was shown so far.
func messages(e *lsptest.Editor) string {
	var all []string
	for _, m := range e.Received("window/showMessage") {
		var p struct{ Message string }
		_ = json.Unmarshal(m.Params, &p)
		all = append(all, p.Message)
	}
	return strings.Join(all, "\n")
}

func waitMessage(t *testing.T, e *lsptest.Editor, ctx context.Context, part string) {
	t.Helper()
	_, err := e.WaitFor(ctx, "window/showMessage", func([]lsptest.Message) bool { return strings.Contains(messages(e), part) })
	if err != nil {
		t.Fatalf("no %q in\n%s", part, messages(e))
	}
}

func TestSettingsComeInLayers(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, configFile),
		`{"codeLens": {"code": false}, "code": {"exclude": ["a/**"]}, "pack": {"budgetTokens": 1000}}`)
	var pulled atomic.Value
	pulled.Store(`{"code": {"exclude": ["c/**"]}}`)
	e, ctx := configured(t, showing(true), root,
		map[string]any{"pack": map[string]any{"budgetTokens": 2000}, "code": map[string]any{"exclude": []string{"b/**"}}},
		func() any { return json.RawMessage(pulled.Load().(string)) })
	settled(t, e, ctx, root, "2000 false [a/** c/**] true")
	if _, err := e.WaitFor(ctx, "client/registerCapability", func(m []lsptest.Message) bool {
		for _, m := range m {
			if strings.Contains(string(m.Params), "workspace/didChangeConfiguration") {
				return true
			}
		}
		return false
	}); err != nil {
		t.Error(err)
	}

	pulled.Store(`{"pack": {"budgetTokens": 3000}}`)
	if err := e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}); err != nil {
		t.Fatal(err)
	}
	settled(t, e, ctx, root, "3000 false [a/** b/**] true")

	setProject(t, e, root, `{}`)
	settled(t, e, ctx, root, "3000 true [b/**] true")
	if shown := messages(e); shown != "" {
		t.Errorf("the user was told:\n%s", shown)
	}
}

func TestSettingsArePushedByOlderClients(t *testing.T) {
	root := project(t)
	e, ctx := configured(t, showing(true), root, nil, nil)
	settled(t, e, ctx, root, "8000 true [] true")
	for _, step := range []struct{ payload, want string }{
		{`{"brv": {"codeLens": {"code": false}}}`, "8000 false [] true"},
		{`{"python": {"codeLens": {"code": true}}}`, "8000 false [] true"},
		{`null`, "8000 false [] true"},
		{`{"brv": {}}`, "8000 true [] true"},
	} {
		if err := e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(step.payload)}); err != nil {
			t.Fatal(err)
		}
		settled(t, e, ctx, root, step.want)
	}
}

func TestWrongSettingsAreToldOnce(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, configFile),
		"{\"server\": {\"path\": \"./evil\"},\n \"pack\": {\"budgetTokens\": 99999}, \"codeLens\": {\"code\": false}}")
	e, ctx := configured(t, showing(true), root, map[string]any{"hover": map[string]any{"code": "yes"}},
		func() any { return map[string]any{"nope": 1} })
	waitMessage(
		t, e, ctx,
		"brv: .brv/config.json: 1:21: brv.server.path: ignored: a project cannot set this, only your own settings can (and 1 more)")
	waitMessage(t, e, ctx, `brv: initialization options: brv.hover.code: expected true or false, not "yes"`)
	waitMessage(t, e, ctx, "brv: settings: brv.nope: no such setting")
	settled(t, e, ctx, root, "8000 false [] true")
	for range 3 {
		if err := e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}); err != nil {
			t.Fatal(err)
		}
	}
	setProject(t, e, root, `{"codeLens": {"code": true}, "nope": 1}`)
	settled(t, e, ctx, root, "8000 true [] true")
	waitMessage(t, e, ctx, "brv: .brv/config.json: 1:38: brv.nope")
	if shown := messages(e); strings.Count(shown, "\n") != 3 {
		t.Errorf("the user was told:\n%s", shown)
	}
}

func TestProjectSettingsHaveProblems(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, configFile), `{"hover": {"code": 1}}`)
	e, ctx := configured(t, showing(true), root, nil, nil)
	file := open(t, e, root, configFile)
	found, err := e.WaitDiagnostics(ctx, file, func(d []lsptest.Diagnostic) bool { return len(d) > 0 })
	if err != nil || len(found) != 1 || found[0].Code != "setting" || found[0].Range.Start.Character != 19 ||
		found[0].Range.End.Character != 20 {
		t.Fatalf("%+v, %v", found, err)
	}
	if err := e.Edit(file, 19, 20, "true"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.WaitDiagnostics(ctx, file, func(d []lsptest.Diagnostic) bool { return len(d) == 0 }); err != nil {
		t.Error(err)
	}
}

func TestWhichCodeIsReadIsASetting(t *testing.T) {
	root := project(t)
	var pulled atomic.Value
	pulled.Store(`{}`)
	e, ctx := configured(t, showing(true), root, nil, func() any { return json.RawMessage(pulled.Load().(string)) })
	file := open(t, e, root, tokens)
	if err := e.Edit(file, 0, 0, ""); err != nil {
		t.Fatal(err)
	}
	symbols := func() (total int, err error) {
		var r struct{ Total int }
		err = e.Execute(ctx, "brv.symbols", map[string]any{"query": "SignToken"}, &r)
		return r.Total, err
	}
	if n, err := symbols(); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	for _, step := range []struct {
		pulled, want, failure string
	}{
		{`{"code": {"exclude": ["auth.*"]}}`, "8000 true [auth.*] true", ""},
		{`{"code": {"scan": false}}`, "8000 true [] true", "brv.code.scan"},
	} {
		pulled.Store(step.pulled)
		if err := e.Notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}); err != nil {
			t.Fatal(err)
		}
		settled(t, e, ctx, root, step.want)
		eventually(t, func() (bool, string) {
			n, err := symbols()
			ok := n == 0 && (err == nil) == (step.failure == "")
			if ok && err != nil && !strings.Contains(err.Error(), step.failure) {
				t.Error(err)
			}
			return ok, fmt.Sprintf("%s: %d, %v", step.pulled, n, err)
		})
	}
	// What is open stays open.
	if hover, err := e.Hover(ctx, file, find(t, e, file, "@auth")+3); err != nil || hover == nil {
		t.Errorf("%v, %v", hover, err)
	}
}

func TestPackHasTheUsualBudget(t *testing.T) {
	root := project(t)
	e, ctx := configured(t, showing(true), root, map[string]any{"pack": map[string]any{"budgetTokens": 777, "tokenizer": "bytes"}}, nil)
	var p struct {
		Budget, Tokens int
		Text           string
	}
	if err := e.Call(ctx, "brv/context", map[string]any{"task": "sign tokens"}, &p); err != nil || p.Budget != 777 ||
		p.Tokens != len(p.Text) {
		t.Errorf("%+v, %v", p, err)
	}
	if err := e.Call(ctx, "brv/context", map[string]any{"task": "sign tokens", "budgetTokens": 555, "tokenizer": "o200k_base"},
		&p); err != nil || p.Budget != 555 || p.Tokens >= len(p.Text) {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestTrust has each who may say that a folder is trusted say so.
func TestTrust(t *testing.T) {
	for _, c := range []struct {
		about   string
		options map[string]any
		store   bool
		want    bool
		why     string
	}{
		{"nobody", nil, false, false, "nobody said so"},
		{"the user", nil, true, true, ""},
		{"the editor", map[string]any{"trusted": true}, false, true, ""},
		{"the editor says no", map[string]any{"trusted": false}, true, false, "the editor does not trust the folder"},
		{"the editor says nothing", map[string]any{"trusted": nil}, true, true, ""},
		{"what is no answer", map[string]any{"trusted": "yes"}, false, false, "nobody said so"},
	} {
		root := project(t)
		e, ctx := configured(t, showing(c.store), root, c.options, nil)
		status := func() (trusted bool, why string) {
			var s struct {
				Trusted   bool
				Untrusted string
			}
			if err := e.Execute(ctx, "brv.status", map[string]any{}, &s); err != nil {
				t.Fatal(err)
			}
			return s.Trusted, s.Untrusted
		}
		if trusted, why := status(); trusted != c.want || why != c.why {
			t.Errorf("%s: %v, %q", c.about, trusted, why)
		}
		for _, now := range []bool{true, false} {
			if err := e.Notify("brv/didChangeTrust", map[string]any{"trusted": now}); err != nil {
				t.Fatal(err)
			}
			eventually(t, func() (bool, string) {
				trusted, why := status()
				return trusted == now, why
			})
		}
	}
}

// TestTrustOfTheUserIsLookedAtAgain grants it in another process, so to speak.
func TestTrustOfTheUserIsLookedAtAgain(t *testing.T) {
	root := project(t)
	var granted atomic.Bool
	trust := func(string) (bool, string) { return granted.Load(), "not yet" }
	e, ctx := configured(t, lsp.WithSettings(lsp.Options{Trust: trust}, "test/settings"), root, nil, nil)
	settled(t, e, ctx, root, "8000 true [] false")
	granted.Store(true)
	if err := e.Notify("brv/didChangeTrust", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	settled(t, e, ctx, root, "8000 true [] true")
}

// TestTrustEndsWithTheSettingsItWasGivenFor changes the project's file under a session.
func TestTrustEndsWithTheSettingsItWasGivenFor(t *testing.T) {
	root := project(t)
	trust := func(folder string) (bool, string) {
		_, err := os.Stat(filepath.Join(folder, configFile))
		return err != nil, "changed"
	}
	e, ctx := configured(t, lsp.WithSettings(lsp.Options{Trust: trust}, "test/settings"), root, nil, nil)
	settled(t, e, ctx, root, "8000 true [] true")
	setProject(t, e, root, `{"codeLens": {"code": false}}`)
	settled(t, e, ctx, root, "8000 false [] false")
}

func TestEditorsWithMarkdownOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name    string
		options map[string]any
		want    bool
	}{
		{"Neovim", nil, false},
		{"Visual Studio Code", nil, true},
		{"VSCodium", map[string]any{"builtinMarkdown": false}, false},
		{"Neovim", map[string]any{"builtinMarkdown": true}, true},
	} {
		if got := lsp.BuiltinMarkdown(c.name, c.options); got != c.want {
			t.Errorf("%s, %v: %v", c.name, c.options, got)
		}
	}
}

// A context tree that is a link is not read. Whoever opens the folder is told so once, with what to do, in any client.
func TestALinkedTreeIsTold(t *testing.T) {
	for _, c := range []struct{ link, to, told string }{
		{".brv/context-tree", "../k", ".brv/context-tree is a symbolic link"},
		{".brv/context-tree", "../nowhere", ".brv/context-tree is a symbolic link"},
		{".brv/context-tree", "../file.md", ".brv/context-tree is a symbolic link"},
		{".brv/context-tree", t.TempDir(), ".brv/context-tree is a symbolic link"},
		{".brv/context-tree", "context-tree", ".brv/context-tree is a symbolic link"},
		{"inner/.brv/context-tree", "../../k", ".brv/context-tree is a symbolic link"},
		{".brv", "nowhere", ".brv is a symbolic link"},
		{".brv", "other", ".brv is a symbolic link"},
		{".brv", ".", ".brv is a symbolic link"},
		{"inner/.brv", "../other", ".brv is a symbolic link"},
		{"docs", "k", ""},
		{".brv/context-tree/auth", "../../k", ""}, // entries beside it are read
	} {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"k/jwt/tokens.md", "other/context-tree/auth/jwt/tokens.md", "file.md", "inner/go.mod", "inner/a.md"} {
			writeFile(t, filepath.Join(root, p), "# Tokens\n")
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, c.link)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(c.to, filepath.Join(root, c.link)); err != nil {
			t.Skip(err)
		}
		folder := filepath.Join(root, strings.TrimSuffix(strings.TrimSuffix(c.link, ".brv/context-tree"), ".brv"))
		if c.told == "" {
			folder = root
		}
		e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{folder}, Capabilities: map[string]any{}})
		if err := e.Execute(ctx, "brv.reindex", map[string]any{}, nil); err != nil && c.told == "" {
			t.Fatal(err)
		}
		about := func(all []lsptest.Message) (told []string) {
			for _, m := range all {
				if strings.Contains(string(m.Params), "is a symbolic link, which brv-lsp does not follow") {
					told = append(told, string(m.Params))
				}
			}
			return told
		}
		if c.told != "" {
			if _, err := e.WaitFor(ctx, "window/showMessage", func(all []lsptest.Message) bool { return len(about(all)) > 0 }); err != nil {
				t.Fatal(c.link, err)
			}
		}
		told := about(e.Received("window/showMessage"))
		if c.told == "" && len(told) > 0 || c.told != "" && (len(told) != 1 || !strings.Contains(told[0], c.told) ||
			!strings.Contains(told[0], "replace the link with the folder itself")) {
			t.Errorf("%s to %s: told %q", c.link, c.to, told)
		}
	}
}
