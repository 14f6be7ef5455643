package lsp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// debounce is more than the server waits before it publishes diagnostics.
const debounce = 200 * time.Millisecond

// project makes a folder with a small context tree and one code file.
func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range map[string]string{
		"go.mod":   "module example.com/app\n",
		"auth.go":  "package auth\n\n// Sign signs.\nfunc SignToken() string { return \"\" }\n",
		tokens:     "---\ntitle: Tokens\n---\nSee @auth/jwt/other.md and `SignToken` in `auth.go`.\n",
		other:      "---\ntitle: Other\n---\nBack to @auth/jwt/tokens.md.\n",
		"plain.md": "# Not in the tree\n",
	} {
		writeFile(t, filepath.Join(root, path), text)
	}
	return root
}

const (
	tokens = ".brv/context-tree/auth/jwt/tokens.md"
	other  = ".brv/context-tree/auth/jwt/other.md"
)

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// open opens a file of a folder with its text on disk.
func open(t testing.TB, e *lsptest.Editor, root, path string) string {
	t.Helper()
	file := filepath.Join(root, path)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Open(file, "", string(text)); err != nil {
		t.Fatal(err)
	}
	return file
}

// find is the offset of the first occurrence of part in an open document.
func find(t *testing.T, e *lsptest.Editor, file, part string) int {
	t.Helper()
	text, _ := e.Text(file)
	at := strings.Index(text, part)
	if at < 0 {
		t.Fatalf("%s: no %q", file, part)
	}
	return at
}

func TestRecordedClients(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/initialize/*.json")
	if err != nil || len(fixtures) != 9 {
		t.Fatalf("%d recorded requests, %v", len(fixtures), err)
	}
	encodings := map[string]string{"nvim12": "utf-8", "helix": "utf-8", "emacs30": "utf-8"}
	for _, path := range fixtures {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			recorded, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			replay(t, recorded, encodings[name])
		})
	}
}

// replay begins a session as a recorded client did and asks it everything.
func replay(t *testing.T, recorded []byte, encoding string) {
	root := project(t)
	params, err := lsptest.FixtureParams(recorded, root)
	if err != nil {
		t.Fatal(err)
	}
	e, ctx := start(t, lsp.Options{Version: "1.2.3", Now: fixedNow})
	result, err := e.Initialize(ctx, lsptest.Session{Params: params})
	if err != nil {
		t.Fatal(err)
	}
	if encoding == "" {
		encoding = "utf-16"
	}
	if e.Encoding() != encoding || result.ServerInfo.Name != "brv-lsp" || result.ServerInfo.Version != "1.2.3" {
		t.Errorf("encoding %s, server %v", e.Encoding(), result.ServerInfo)
	}
	file := open(t, e, root, tokens)
	at := find(t, e, file, "@auth") + 3
	hover, err := e.Hover(ctx, file, at)
	if err != nil || hover == nil || !strings.Contains(hover.Contents.Value, "Other") {
		t.Fatalf("hover %v, %v", hover, err)
	}
	markdown := strings.Contains(string(recorded), `"markdown"`) && !plainHover(t, recorded)
	if (hover.Contents.Kind == "markdown") != markdown || !markdown && strings.Contains(hover.Contents.Value, "**") {
		t.Errorf("hover is %s, the client has markdown: %v", hover.Contents.Kind, markdown)
	}
	if l, err := e.Definition(ctx, file, at); err != nil || len(l) != 1 || !strings.HasSuffix(l[0].URI, other) {
		t.Errorf("definition %v, %v", l, err)
	}
	if l, err := e.References(ctx, file, at, true); err != nil || len(l) != 2 {
		t.Errorf("references %v, %v", l, err)
	}
	if l, err := e.Links(ctx, file); err != nil || len(l) == 0 {
		t.Errorf("links %v, %v", l, err)
	}
	if err := e.Edit(file, 0, 0, ""); err != nil {
		t.Error(err)
	}
	if items, err := e.Complete(ctx, file, find(t, e, file, "@auth/jwt")+1); err != nil || len(items) == 0 {
		t.Errorf("completions %v, %v", items, err)
	}
	actions, err := e.Actions(ctx, file, at, at+5, "refactor.extract")
	if err != nil || len(actions) != 1 || actions[0].Title != "Write down what the next person should know" {
		t.Errorf("actions %v, %v", actions, err)
	}
	if _, pulls := result.Capabilities["diagnosticProvider"]; pulls {
		if _, _, _, err := e.PullDiagnostics(ctx, file, ""); err != nil {
			t.Errorf("diagnostics: %v", err)
		}
	} else if _, err := e.WaitDiagnostics(ctx, file, func([]lsptest.Diagnostic) bool { return true }); err != nil {
		t.Errorf("diagnostics: %v", err)
	}
	if exit, err := e.Shutdown(ctx); exit != 0 || err != nil {
		t.Errorf("exit code %d, %v", exit, err)
	}
}

// plainHover reports whether a recorded client's hover formats lack markdown.
func plainHover(t *testing.T, recorded []byte) bool {
	t.Helper()
	var r struct {
		Params struct {
			Capabilities struct {
				TextDocument struct {
					Hover struct{ ContentFormat []string }
				}
			}
		}
	}
	if err := json.Unmarshal(recorded, &r); err != nil {
		t.Fatal(err)
	}
	return !slices.Contains(r.Params.Capabilities.TextDocument.Hover.ContentFormat, "markdown")
}

func TestServerAnnouncesItself(t *testing.T) {
	e, ctx := start(t, lsp.Options{})
	result, err := e.Initialize(ctx, lsptest.Session{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(result.Capabilities)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"experimental":{"brv":{"apiVersion":1,"commandPrefix":"brv.","commands":["brv.approve",`,
		`"methods":["brv/context","brv/curate/apply",`,
		`"notifications":["brv/didChangeTrust","brv/didChangeSecret","brv/didChangeStatus"]`,
		`"change":2`, `"openClose":true`, `"save":{"includeText":false}`, `"triggerCharacters":["@","/","[","#","\""]`,
		`"workspaceFolders":{"changeNotifications":true,"supported":true}`,
		`"brv.check"`, `"brv.curateSelection"`, `"brv.deps"`, `"brv.init"`, `"brv.map"`, `"brv.pack"`, `"brv.query"`, `"brv.symbols"`,
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("capabilities lack %s: %s", want, raw)
		}
	}
	if strings.Contains(string(raw), "diagnosticProvider") {
		t.Error("pull diagnostics offered to a client without them")
	}
}

func TestEncodingNegotiation(t *testing.T) {
	for _, test := range []struct {
		offered []string
		want    string
	}{
		{nil, "utf-16"},
		{[]string{}, "utf-16"},
		{[]string{"utf-16"}, "utf-16"},
		{[]string{"utf-32", "utf-16", "utf-8"}, "utf-8"},
		{[]string{"utf-32", "utf-16"}, "utf-16"},
		{[]string{"utf-32"}, "utf-32"},
		{[]string{"ebcdic"}, "utf-16"},
	} {
		e, ctx := start(t, lsp.Options{})
		if _, err := e.Initialize(ctx, lsptest.Session{Encodings: test.offered}); err != nil {
			t.Fatal(err)
		}
		if e.Encoding() != test.want {
			t.Errorf("%v: %s, want %s", test.offered, e.Encoding(), test.want)
		}
	}
}

func TestFoldersOfOldClients(t *testing.T) {
	root := project(t)
	for name, params := range map[string]string{
		"rootUri":              `{"rootUri":"` + lsptest.URI(root) + `","capabilities":{}}`,
		"rootPath":             `{"rootPath":"` + root + `","rootUri":null,"capabilities":{}}`,
		"null workspaceFolder": `{"rootUri":"` + lsptest.URI(root) + `","workspaceFolders":null,"capabilities":{}}`,
		"no workspaceFolder":   `{"rootUri":"` + lsptest.URI(root) + `","workspaceFolders":[],"capabilities":{}}`,
	} {
		e, ctx := session(t, lsp.Options{}, lsptest.Session{Params: json.RawMessage(params)})
		file := open(t, e, root, tokens)
		if h, err := e.Hover(ctx, file, find(t, e, file, "@auth")); h == nil || err != nil {
			t.Errorf("%s: hover %v, %v", name, h, err)
		}
	}
}

func TestSingleFileIsQuiet(t *testing.T) {
	root := project(t)
	for name, params := range map[string]string{
		"no folder":   `{"rootUri":null,"capabilities":{}}`,
		"other place": `{"rootUri":"file:///no/such/folder","capabilities":{}}`,
		"not a file":  `{"rootUri":"vscode-remote://ssh/x","capabilities":{}}`,
	} {
		e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Params: json.RawMessage(params)})
		file := open(t, e, root, tokens)
		quiet(t, e, ctx, name, file)
	}
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{root}})
	err := e.Notify(
		"textDocument/didOpen", json.RawMessage(
			`{"textDocument":{"uri":"untitled:Untitled-1","languageId":"go","version":1,"text":"x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	var h *lsptest.Hover
	params := json.RawMessage(`{"textDocument":{"uri":"untitled:Untitled-1"},"position":{"line":0,"character":0}}`)
	if err := e.Call(ctx, "textDocument/hover", params, &h); err != nil || h != nil {
		t.Errorf("hover of an untitled buffer: %v, %v", h, err)
	}
}

// quiet checks that the server has nothing to say about an open file.
func quiet(t *testing.T, e *lsptest.Editor, ctx context.Context, name, file string) {
	t.Helper()
	h, err := e.Hover(ctx, file, find(t, e, file, "@auth"))
	a, err2 := e.Actions(ctx, file, 0, 5)
	items, _, _, err3 := e.PullDiagnostics(ctx, file, "")
	if h != nil || len(a) > 0 || len(items) > 0 || err != nil || err2 != nil || err3 != nil {
		t.Errorf("%s: hover %v, actions %v, diagnostics %v; %v %v %v", name, h, a, items, err, err2, err3)
	}
	alive(t, e, ctx)
	for _, m := range e.Received("") {
		if m.Method != "textDocument/publishDiagnostics" && m.Method != "window/logMessage" {
			t.Errorf("%s: the server sent %s %s", name, m.Method, m.Params)
		}
	}
}

func TestFoldersComeAndGo(t *testing.T) {
	first, second := project(t), project(t)
	writeFile(t, filepath.Join(second, other), "---\ntitle: Second\n---\n")
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{first}})
	file := open(t, e, second, tokens)
	hover := func() string {
		h, err := e.Hover(ctx, file, find(t, e, file, "@auth"))
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			return ""
		}
		return h.Contents.Value
	}
	change := func(event string) {
		if err := e.Notify("workspace/didChangeWorkspaceFolders", json.RawMessage(`{"event":`+event+`}`)); err != nil {
			t.Fatal(err)
		}
	}
	folder := `{"uri":"` + lsptest.URI(second) + `","name":"second"}`
	if got := hover(); got != "" {
		t.Errorf("outside of every folder: %s", got)
	}
	change(`{"added":[` + folder + `],"removed":[]}`)
	if got := hover(); !strings.Contains(got, "Second") {
		t.Errorf("in the added folder: %q", got)
	}
	change(`{"added":[` + folder + `],"removed":[]}`) // again
	change(`{"added":[],"removed":[` + folder + `]}`)
	if got := hover(); got != "" {
		t.Errorf("after the folder was removed: %s", got)
	}
	inner := filepath.Join(first, "packages", "inner")
	writeFile(t, filepath.Join(inner, other), "---\ntitle: Inner\n---\n")
	writeFile(t, filepath.Join(inner, tokens), "See @auth/jwt/other.md\n")
	change(`{"added":[{"uri":"` + lsptest.URI(inner) + `","name":"inner"}],"removed":[]}`)
	file = open(t, e, inner, tokens)
	if got := hover(); !strings.Contains(got, "Inner") {
		t.Errorf("in the inner folder: %q", got)
	}
}

func TestFolderBehindALink(t *testing.T) {
	root := project(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{link}})
	for _, as := range []string{link, root} {
		file := open(t, e, as, tokens)
		l, err := e.Definition(ctx, file, find(t, e, file, "@auth"))
		if err != nil || len(l) != 1 || l[0].URI != lsptest.URI(filepath.Join(link, other)) {
			t.Errorf("opened below %s: %v, %v", as, l, err)
		}
	}
}

func TestLostDocumentIsNotAnsweredAbout(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, tokens)
	at := find(t, e, file, "@auth")
	bad := `{"textDocument":{"uri":"` + lsptest.URI(file) + `","version":2},"contentChanges":[{"range":"everywhere","text":"x"}]}`
	if err := e.Notify("textDocument/didChange", json.RawMessage(bad)); err != nil {
		t.Fatal(err)
	}
	if h, err := e.Hover(ctx, file, at); h != nil || err != nil {
		t.Errorf("hover over a lost document: %v, %v", h, err)
	}
	if err := e.Edit(file, 0, 0, ""); err != nil { // a good edit of an unknown text does not help
		t.Fatal(err)
	}
	if h, err := e.Hover(ctx, file, at); h != nil || err != nil {
		t.Errorf("hover over a lost document: %v, %v", h, err)
	}
	text, _ := e.Text(file)
	if err := e.Replace(file, text); err != nil {
		t.Fatal(err)
	}
	if h, err := e.Hover(ctx, file, at); h == nil || err != nil {
		t.Errorf("after a full text: %v, %v", h, err)
	}
	if err := e.Notify("textDocument/didChange", json.RawMessage(bad)); err != nil {
		t.Fatal(err)
	}
	if err := e.Save(file); err != nil {
		t.Fatal(err)
	}
	target := open(t, e, root, other)
	l, err := e.References(ctx, target, find(t, e, target, "@auth"), false)
	if h, err2 := e.Hover(ctx, file, at); h == nil || err2 != nil || err != nil || len(l) == 0 {
		t.Errorf("after saving: %v, %v, %v", h, err2, err)
	}
}

func TestUnsavedBuffersCount(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, tokens)
	target := open(t, e, root, other)
	if err := e.Replace(target, "---\ntitle: Renamed in the buffer\n---\n"); err != nil {
		t.Fatal(err)
	}
	hover := func() string {
		h, err := e.Hover(ctx, file, find(t, e, file, "@auth"))
		if err != nil || h == nil {
			t.Fatalf("hover %v, %v", h, err)
		}
		return h.Contents.Value
	}
	if got := hover(); !strings.Contains(got, "Renamed in the buffer") {
		t.Errorf("with the buffer: %s", got)
	}
	if err := e.CloseDocument(target); err != nil {
		t.Fatal(err)
	}
	if got := hover(); !strings.Contains(got, "Other") {
		t.Errorf("after closing it: %s", got)
	}
}

func TestWatchersAreRegistered(t *testing.T) {
	root := project(t)
	capabilities := lsptest.Modern()
	capabilities["workspace"].(map[string]any)["didChangeWatchedFiles"] = map[string]any{"dynamicRegistration": true}
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	registered, err := e.WaitFor(ctx, "client/registerCapability", func(m []lsptest.Message) bool { return len(m) > 0 })
	if err != nil || !strings.Contains(string(registered[0].Params), `"workspace/didChangeWatchedFiles"`) {
		t.Errorf("registered %v, %v", registered, err)
	}
}

// TestHoverOnASelection asks about selected words, of which no single one has an
// answer.
func TestHoverOnASelection(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, ".brv/context-tree/auth/jwt/lifetime.md"),
		"---\ntitle: Lifetime of refresh tokens\n---\n## Facts\n- Refresh tokens live seven days [convention]\n")
	source := "package auth\n\n// lifetime of refresh tokens\nvar x = 1\n"
	writeFile(t, filepath.Join(root, "note.go"), source)
	e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}})
	open(t, e, root, "note.go")
	ask := func(selection any) string {
		t.Helper()
		params := map[string]any{
			"textDocument": map[string]any{"uri": lsptest.URI(filepath.Join(root, "note.go"))},
			"position":     map[string]any{"line": 2, "character": 6},
		}
		if selection != nil {
			params["range"] = selection
		}
		var hover struct{ Contents struct{ Value string } }
		if err := e.Call(ctx, "textDocument/hover", params, &hover); err != nil {
			t.Fatal(err)
		}
		return hover.Contents.Value
	}
	ask(nil) // the index may be made by now; the answer below waits for it at most 250 ms
	place := func(character int) map[string]any { return map[string]any{"line": 2, "character": character} }
	for range 100 {
		if got := ask(map[string]any{"start": place(3), "end": place(29)}); strings.Contains(got, "seven days") {
			return
		}
	}
	t.Error("no answer to the selection")
}

// TestNullsInInitialize has a client that says null for everything it lacks.
func TestNullsInInitialize(t *testing.T) {
	e, ctx := start(t, lsp.Options{Now: fixedNow})
	for _, key := range []string{"trace", "capabilities", "clientInfo", "rootUri", "rootPath", "workspaceFolders", "processId",
		"initializationOptions", "locale"} {
		if err := e.Call(ctx, "initialize", map[string]any{"capabilities": map[string]any{}, key: nil, "x": 1}, nil); err != nil &&
			strings.Contains(err.Error(), "-32602") {
			t.Errorf("%s null: %v", key, err)
		}
	}
}

// A client that does not tell of changes sees code that others change, once it asks for
// something.
func TestCodeIsFollowedWithoutTheClient(t *testing.T) {
	root := project(t)
	var passed atomic.Int64
	now := func() time.Time { return fixedNow().Add(time.Duration(passed.Load())) }
	e, ctx := session(t, lsp.Options{Now: now}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, tokens)
	if err := e.Execute(ctx, "brv.symbols", map[string]any{"query": "SignToken"}, nil); err != nil { // the code is read
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, "made.go"), "package auth\n\n// @brv:auth/jwt/tokens.md\nfunc MadeByOthers() {}\n")
	for deadline := time.Now().Add(converged); ; {
		passed.Add(int64(time.Minute))
		var found []struct{ URI string }
		if err := e.Call(ctx, "textDocument/references", map[string]any{
			"textDocument": map[string]any{"uri": lsptest.URI(file)}, "position": lsptest.Position{Line: 1, Character: 8},
			"context": map[string]any{},
		}, &found); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(found, func(l struct{ URI string }) bool { return strings.HasSuffix(l.URI, "/made.go") }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not seen: %v", found)
		}
	}
}
