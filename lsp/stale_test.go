package lsp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// reviewing is a client that pulls problems, refreshes lenses and opens documents of the
// server's.
func reviewing() map[string]any {
	capabilities := lsptest.Modern()
	capabilities["textDocument"].(map[string]any)["diagnostic"] = map[string]any{}
	workspace := capabilities["workspace"].(map[string]any)
	workspace["diagnostics"] = map[string]any{"refreshSupport": true}
	workspace["codeLens"] = map[string]any{"refreshSupport": true}
	workspace["textDocumentContent"] = map[string]any{}
	return capabilities
}

type reviewed struct {
	URI, Text string
	Shown     bool
}

// listing is the project with an entry that lists its code file.
func listing(t *testing.T) string {
	t.Helper()
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	root := project(t)
	writeFile(t, filepath.Join(root, tokens), "---\ntitle: Tokens\n---\n## Raw Concept\n**Files:**\n- auth.go\n- main.go\n")
	writeFile(t, filepath.Join(root, "main.go"), "package main\n\nfunc main() {}\n")
	return root
}

// When code goes while its entry is open, the client is asked to look again.
func TestCodeThatGoesMakesItsEntryStale(t *testing.T) {
	root := listing(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: reviewing()})
	file := open(t, e, root, tokens)
	argument := map[string]string{"uri": lsptest.URI(file)}
	document := map[string]any{"textDocument": argument}
	var lenses []any
	look := func() (items []lsptest.Diagnostic, err error) {
		t.Helper()
		if err := e.Execute(ctx, "brv.reviewEntry", argument, nil); err != nil { // waits until it is known
			return nil, err
		}
		lenses = nil
		if err := e.Call(ctx, "textDocument/codeLens", document, &lenses); err != nil {
			return nil, err
		}
		items, _, _, err = e.PullDiagnostics(ctx, file, "")
		return items, err
	}
	if items, err := look(); err != nil || len(items) > 0 || len(lenses) != 1 {
		t.Fatalf("%v, %v, %v", items, lenses, err)
	}
	gone := filepath.Join(root, "auth.go")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	event := map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(gone), "type": 3}}}
	if err := e.Notify("workspace/didChangeWatchedFiles", event); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"workspace/diagnostic/refresh", "workspace/codeLens/refresh"} {
		if _, err := e.WaitFor(ctx, method, func(m []lsptest.Message) bool { return len(m) > 0 }); err != nil {
			t.Fatal(err)
		}
	}
	items, err := look()
	if err != nil || len(items) != 1 || items[0].Code != "stale" || items[0].Severity != 2 || len(lenses) != 2 {
		t.Errorf("%v, %v, %v", items, lenses, err)
	}
}

// The lenses of a code file that has no problems are asked for again when an entry that names it becomes stale.
func TestCodeThatGoesChangesLensesOverOtherCode(t *testing.T) {
	root := listing(t)
	capabilities := reviewing()
	capabilities["experimental"] = map[string]any{"brv": map[string]any{"status": true}}
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	document := map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(open(t, e, root, "main.go"))}}
	look := func() string {
		t.Helper()
		var lenses []struct{ Command struct{ Title string } }
		if err := e.Execute(ctx, "brv.reviewEntry", map[string]string{"uri": lsptest.URI(filepath.Join(root, tokens))}, nil); err != nil {
			t.Fatal(err) // waits until it is known
		}
		if err := e.Call(ctx, "textDocument/codeLens", document, &lenses); err != nil || len(lenses) == 0 {
			t.Fatalf("%v, %v", lenses, err)
		}
		return lenses[0].Command.Title
	}
	if title := look(); title != "1 entry" {
		t.Fatal(title)
	}
	gone := filepath.Join(root, "auth.go")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	event := map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(gone), "type": 3}}}
	if err := e.Notify("workspace/didChangeWatchedFiles", event); err != nil {
		t.Fatal(err)
	}
	if _, err := e.WaitFor(ctx, "workspace/codeLens/refresh", func(m []lsptest.Message) bool { return len(m) > 0 }); err != nil {
		t.Fatal(err)
	}
	if title := look(); title != "1 entry · stale" {
		t.Error(title)
	}
	if _, err := e.WaitFor(ctx, "brv/didChangeStatus", func(told []lsptest.Message) bool {
		return strings.Contains(string(told[len(told)-1].Params), `"stale":1`)
	}); err != nil {
		t.Errorf("the status counts it: %v", err)
	}
}

func TestReviewIsShownWhereTheEditorCan(t *testing.T) {
	root := listing(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{t.TempDir(), root}, Capabilities: reviewing()})
	argument := map[string]string{"uri": lsptest.URI(filepath.Join(root, tokens))}
	e.Answer("window/showDocument", func(params json.RawMessage) (any, error) { return map[string]bool{"success": true}, nil })
	var r reviewed
	if err := e.Execute(ctx, "brv.reviewEntry", argument, &r); err != nil || !r.Shown || r.Text != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	shown := e.Received("window/showDocument")
	if len(shown) != 1 || !strings.Contains(string(shown[0].Params), `"uri":"`+r.URI+`"`) {
		t.Errorf("%s: %v", r.URI, shown)
	}
	// With two folders the document says in which one its entry is.
	if text, err := content(t, e, r.URI); err != nil || !strings.HasPrefix(text, "# Review: Tokens\n") {
		t.Errorf("%s: %q, %v", r.URI, text, err)
	}
	if err := e.Execute(ctx, "brv.reviewEntry", map[string]string{}, nil); code(err) != -32602 {
		t.Errorf("without a URI: %v", err)
	}
	e.Answer("window/showDocument", func(json.RawMessage) (any, error) { return nil, nil })
	if err := e.Execute(ctx, "brv.reviewEntry", argument, &r); err != nil || r.Shown || !strings.HasPrefix(r.Text, "# Review: Tokens\n") {
		t.Errorf("answered with null: %+v, %v", r, err)
	}
}

func TestFixesForClientsWithoutActions(t *testing.T) {
	root := listing(t)
	if err := os.Remove(filepath.Join(root, "auth.go")); err != nil {
		t.Fatal(err)
	}
	capabilities := lsptest.Modern()
	delete(capabilities["textDocument"].(map[string]any), "codeAction")
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file := open(t, e, root, tokens)
	var r reviewed
	if err := e.Execute(ctx, "brv.reviewEntry", map[string]string{"uri": lsptest.URI(file)}, &r); err != nil || r.Shown ||
		!strings.Contains(r.Text, "auth.go") {
		t.Fatalf("%+v, %v", r, err)
	}
	at := find(t, e, file, "auth.go")
	actions, err := e.Actions(ctx, file, at, at)
	if err != nil || len(actions) != 0 {
		t.Fatalf("%v, %v", actions, err)
	}
}

// leftBehind is the project with an entry whose function is another since a commit.
func leftBehind(t *testing.T) (root, entry string) {
	t.Helper()
	root = listing(t)
	entry = "---\ntitle: Tokens\nupdatedAt: 2026-03-01T00:00:00Z # read\n---\n## Raw Concept\n**Files:**\n- main.go\n"
	writeFile(t, filepath.Join(root, tokens), entry)
	gitAt(t, root, "2026-02-01T00:00:00Z", "init", "-q")
	gitAt(t, root, "2026-02-01T00:00:00Z", "add", "-A")
	gitAt(t, root, "2026-02-01T00:00:00Z", "commit", "-q", "-m", "one")
	var body strings.Builder
	for _, step := range []string{"header", "claims", "subject", "audience", "issuer", "expiry", "nonce", "scope"} {
		body.WriteString("\tif " + step + "() {\n\t\tpanic(\"no " + step + "\")\n\t}\n")
	}
	writeFile(t, filepath.Join(root, "main.go"), "package main\n\n// main is another.\nfunc main() {\n"+body.String()+"}\n")
	gitAt(t, root, "2026-04-01T00:00:00Z", "commit", "-q", "-a", "-m", "two")
	return root, entry
}

// A confirmation ends the offer to confirm, and its undo brings it back, also while the editor shows the entry as it was before.
func TestUndoneConfirmationIsOfferedAgain(t *testing.T) {
	root, _ := leftBehind(t)
	now := func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
	e, ctx := session(t, lsp.Options{Now: now}, lsptest.Session{Folders: []string{root}, Capabilities: reviewing()})
	entry, code := open(t, e, root, tokens), open(t, e, root, "main.go")
	path := strings.TrimPrefix(tokens, ".brv/context-tree/")
	folder := lsptest.URI(root)
	confirm := map[string]any{"uri": folder, "operations": []any{map[string]string{"type": "CONFIRM", "path": path, "reason": "read"}}}
	for _, step := range []struct {
		command  string
		argument any
		offered  bool
	}{
		{"brv.reviewEntry", map[string]string{"uri": lsptest.URI(entry)}, true}, // waits until it is known
		{"brv.curate", confirm, false},
		{"brv.undo", map[string]string{"uri": folder}, true},
	} {
		if err := e.Execute(ctx, step.command, step.argument, nil); err != nil {
			t.Fatal(err)
		}
		actions, err := e.Actions(ctx, code, 0, 0) // what names the file is told over its first line
		if err != nil {
			t.Fatal(err)
		}
		offers := func(a lsptest.Action) bool { return strings.HasPrefix(a.Title, "Still true: confirm “Tokens”") }
		if slices.ContainsFunc(actions, offers) != step.offered {
			t.Errorf("after %s: %+v", step.command, actions)
		}
	}
}

// What changed and is described as it is now is no problem any more once the entry is
// confirmed: its time is the only thing that changes.
func TestStillTrueEndsTheProblem(t *testing.T) {
	root, entry := leftBehind(t)
	now := func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
	e, ctx := session(t, lsp.Options{Now: now}, lsptest.Session{Folders: []string{root}, Capabilities: reviewing()})
	file := open(t, e, root, tokens)
	look := func() (titles []string, actions []lsptest.Action, problems []lsptest.Diagnostic) {
		t.Helper()
		argument := map[string]string{"uri": lsptest.URI(file)}
		if err := e.Execute(ctx, "brv.reviewEntry", argument, nil); err != nil { // waits until it is known
			t.Fatal(err)
		}
		at := find(t, e, file, "main.go")
		actions, err := e.Actions(ctx, file, at, at)
		if err != nil {
			t.Fatal(err)
		}
		for i := range actions {
			if actions[i], err = e.Resolve(ctx, actions[i]); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range actions {
			titles = append(titles, a.Title)
		}
		problems, _, _, err = e.PullDiagnostics(ctx, file, "")
		if err != nil {
			t.Fatal(err)
		}
		return titles, actions, problems
	}
	titles, actions, problems := look()
	if len(titles) != 2 || titles[0] != "Still true: confirm this entry" || len(problems) != 1 || problems[0].Code != "stale" {
		t.Fatalf("%q, %v", titles, problems)
	}
	var edit struct {
		DocumentChanges []struct {
			Edits []struct {
				Range   lsptest.Range
				NewText string
			}
		}
	}
	if err := json.Unmarshal(actions[0].Edit, &edit); err != nil || len(edit.DocumentChanges) != 1 ||
		len(edit.DocumentChanges[0].Edits) != 1 {
		t.Fatalf("%s, %v", actions[0].Edit, err)
	}
	only := edit.DocumentChanges[0].Edits[0]
	if only.Range.Start != only.Range.End || only.Range.Start.Line != 3 || only.Range.Start.Character != 0 {
		t.Fatalf("not one line more: %+v", only)
	}
	line := strings.Index(entry, "---\n##")
	if err := e.Edit(file, line, line, only.NewText); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(entry, "---\n##", "confirmed: '2026-05-01'\n---\n##", 1)
	if text, _ := e.Text(file); text != want {
		t.Errorf("confirmed: %q", text)
	}
	if titles, _, problems = look(); len(titles)+len(problems) > 0 {
		t.Errorf("confirmed, and yet: %q, %v", titles, problems)
	}
}

// gitAt runs git as nobody in particular at some time.
func gitAt(t *testing.T, dir, date string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
