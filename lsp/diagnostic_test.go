package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// pushing begins a session of a client that problems are sent to, with a clock.
func pushing(t *testing.T) (*lsptest.Editor, context.Context, *lsptest.Clock, string) {
	t.Helper()
	clock := lsptest.NewClock(time.Unix(0, 0))
	root := project(t)
	e, ctx := session(t, withEcho(lsp.Options{After: clock.After}), lsptest.Session{Folders: []string{root}})
	return e, ctx, clock, root
}

func count(n int) func([]lsptest.Diagnostic) bool {
	return func(d []lsptest.Diagnostic) bool { return len(d) == n }
}

// settle lets the debounce pass after everything sent so far was handled.
func settle(t *testing.T, e *lsptest.Editor, ctx context.Context, clock *lsptest.Clock) {
	t.Helper()
	alive(t, e, ctx)
	clock.Advance(debounce)
}

// pushed lets the debounce pass until a file's problems are as wanted: that the code is read may be told after the answer to
// the request that waited for it.
func pushed(t *testing.T, e *lsptest.Editor, ctx context.Context, clock *lsptest.Clock, file string, is func([]lsptest.Diagnostic) bool) (
	items []lsptest.Diagnostic,
) {
	t.Helper()
	eventually(t, func() (bool, string) {
		settle(t, e, ctx, clock)
		soon, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		var err error
		items, err = e.WaitDiagnostics(soon, file, is)
		return err == nil, fmt.Sprint(err)
	})
	return items
}

func TestProblemsArePushed(t *testing.T) {
	e, ctx, clock, root := pushing(t)
	file := open(t, e, root, tokens)
	hoverOnce(t, e, ctx, file) // the workspace is open
	settle(t, e, ctx, clock)
	if _, err := e.WaitDiagnostics(ctx, file, count(0)); err != nil {
		t.Fatal("after opening:", err)
	}
	end, _ := e.Text(file)
	if err := e.Edit(file, len(end), len(end), "@auth/nosuch/entry.md\n"); err != nil {
		t.Fatal(err)
	}
	alive(t, e, ctx)
	if got := len(e.Received("textDocument/publishDiagnostics")); got != 1 {
		t.Errorf("%d lists were sent before the delay was over", got)
	}
	clock.Advance(debounce)
	items, err := e.WaitDiagnostics(ctx, file, count(1))
	if err != nil || items[0].Code != "broken-relation" || items[0].Source != "brv" || items[0].Severity != 1 {
		t.Fatalf("after an edit: %v, %v", items, err)
	}
	if err := e.CloseDocument(file); err != nil {
		t.Fatal(err)
	}
	if _, err := e.WaitDiagnostics(ctx, file, count(0)); err != nil {
		t.Error("after closing:", err)
	}
}

// hoverOnce asks anything that waits for the workspace to be open.
func hoverOnce(t *testing.T, e *lsptest.Editor, ctx context.Context, file string) {
	t.Helper()
	if _, err := e.Hover(ctx, file, 0); err != nil {
		t.Fatal(err)
	}
}

func TestTypingSendsOneList(t *testing.T) {
	e, ctx, clock, root := pushing(t)
	file := open(t, e, root, tokens)
	hoverOnce(t, e, ctx, file)
	settle(t, e, ctx, clock)
	if _, err := e.WaitDiagnostics(ctx, file, count(0)); err != nil {
		t.Fatal(err)
	}
	before := len(e.Received("textDocument/publishDiagnostics"))
	for _, c := range "@auth/nosuch/entry.md\n" {
		text, _ := e.Text(file)
		if err := e.Edit(file, len(text), len(text), string(c)); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
		clock.Advance(100 * time.Millisecond)
	}
	settle(t, e, ctx, clock)
	if _, err := e.WaitDiagnostics(ctx, file, count(1)); err != nil {
		t.Fatal(err)
	}
	if got := len(e.Received("textDocument/publishDiagnostics")) - before; got != 1 {
		t.Errorf("%d lists for one burst of typing", got)
	}
}

func TestListsCarryTheVersionTheyAreAbout(t *testing.T) {
	e, ctx, clock, root := pushing(t)
	file := open(t, e, root, tokens)
	hoverOnce(t, e, ctx, file)
	if err := e.Edit(file, 0, 0, " "); err != nil {
		t.Fatal(err)
	}
	settle(t, e, ctx, clock)
	messages, err := e.WaitFor(ctx, "textDocument/publishDiagnostics", func(m []lsptest.Message) bool { return len(m) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Version int }
	if err := json.Unmarshal(messages[0].Params, &p); err != nil || p.Version != 2 {
		t.Errorf("version %d, %v", p.Version, err)
	}
}

func TestDiskChangesAreSeen(t *testing.T) {
	// The own watcher of the workspace works in real time, so the timers do too.
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, tokens)
	if _, err := e.WaitDiagnostics(ctx, file, count(0)); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(root, other)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	event := map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(gone), "type": 3}}}
	if err := e.Notify("workspace/didChangeWatchedFiles", event); err != nil {
		t.Fatal(err)
	}
	if _, err := e.WaitDiagnostics(ctx, file, count(1)); err != nil {
		t.Error("after the target was deleted:", err)
	}
	writeFile(t, gone, "---\ntitle: Again\n---\n")
	if err := e.Notify("workspace/didChangeWatchedFiles", event); err != nil {
		t.Fatal(err)
	}
	if _, err := e.WaitDiagnostics(ctx, file, count(0)); err != nil {
		t.Error("after it came back:", err)
	}
}

func TestPullingClientIsAskedToPullAgain(t *testing.T) {
	root := project(t)
	capabilities := lsptest.Modern()
	capabilities["textDocument"].(map[string]any)["diagnostic"] = map[string]any{}
	capabilities["workspace"].(map[string]any)["diagnostics"] = map[string]any{"refreshSupport": true}
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file := open(t, e, root, tokens)
	items, id, _, err := e.PullDiagnostics(ctx, file, "")
	if err != nil || len(items) != 0 {
		t.Fatalf("%v, %v", items, err)
	}
	gone := filepath.Join(root, other)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	event := map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(gone), "type": 3}}}
	if err := e.Notify("workspace/didChangeWatchedFiles", event); err != nil {
		t.Fatal(err)
	}
	if _, err := e.WaitFor(ctx, "workspace/diagnostic/refresh", func(m []lsptest.Message) bool { return len(m) > 0 }); err != nil {
		t.Fatal(err)
	}
	if items, _, unchanged, err := e.PullDiagnostics(ctx, file, id); err != nil || unchanged || len(items) != 1 {
		t.Errorf("%v, unchanged %v, %v", items, unchanged, err)
	}
	if sent := e.Received("textDocument/publishDiagnostics"); len(sent) > 0 {
		t.Errorf("problems were sent as well: %s", sent[0].Params)
	}
}

// A comment that names an entry which is not there is a problem of its code file, until
// the entry is there.
func TestLooseCommentsArePushed(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	e, ctx, clock, root := pushing(t)
	writeFile(t, filepath.Join(root, "main.go"), "package main\n\n// Main, see @brv:auth/gone.\nfunc main() {}\n")
	quiet := filepath.Join(root, "quiet.go")
	writeFile(t, quiet, "package main\n")
	file := open(t, e, root, "main.go")
	open(t, e, root, "quiet.go")
	if err := e.Execute(ctx, "brv.check", nil, nil); err != nil { // the code is read
		t.Fatal(err)
	}
	items := pushed(t, e, ctx, clock, file, count(1))
	if items[0].Code != "broken-relation" || items[0].Severity != 2 || items[0].Range.Start.Line != 2 {
		t.Fatalf("%v", items)
	}
	text, _ := e.Text(file)
	mark := strings.Index(text, "@brv:")
	if err := e.Edit(file, mark, mark+len("@brv:"), "brv "); err != nil {
		t.Fatal(err)
	}
	pushed(t, e, ctx, clock, file, count(0))
	for _, m := range e.Received("textDocument/publishDiagnostics") {
		if strings.Contains(string(m.Params), lsptest.URI(quiet)) {
			t.Errorf("nothing was wrong there: %s", m.Params)
		}
	}
}
