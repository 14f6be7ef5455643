package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// vitals is what a server uses that must not grow.
type vitals struct {
	Goroutines int
	Heap       uint64 // bytes in use after a collection
	files      int
	rss        int // KiB
}

// withVitals adds the call test/vitals.
func withVitals(o lsp.Options) lsp.Options {
	return lsp.WithCall(o, "test/vitals", nil, func(context.Context) (any, error) {
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		raw, err := json.Marshal(vitals{Goroutines: runtime.NumGoroutine(), Heap: m.HeapAlloc})
		return json.RawMessage(raw), err
	})
}

func (c *child) vitals(t *testing.T) (v vitals) {
	t.Helper()
	if err := c.editor.Call(t.Context(), "test/vitals", nil, &v); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	v.files = len(files)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rss, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(rss, &v.rss); err != nil {
		t.Fatal(err)
	}
	return v
}

// mixed sends one request of a long session: each method of the table in turn, and in
// between edits, cancellations, nonsense, and documents that come and go.
func mixed(t *testing.T, c *child, r *rand.Rand, files, methods []string, i int) error {
	e, file := c.editor, files[i%len(files)]
	text, _ := e.Text(file)
	at := cut(r, text)
	switch {
	case i%10 == 1 && len(text) < 2000:
		return e.Edit(file, at, at, difficult[r.IntN(len(difficult))])
	case i%10 == 1:
		return e.Replace(file, "---\ntitle: Anew\n---\nSee @auth/jwt/other.md and @auth/nosuch.md\n")
	case i%50 == 2:
		if err := e.CloseDocument(file); err != nil {
			return err
		}
		return e.Open(file, "markdown", text)
	case i%50 == 3:
		return e.SendBody([]byte(`{"jsonrpc":"2.0","id":`))
	case i%50 == 4:
		return e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(file),
			"type": 2}}})
	}
	place := lsptest.PositionIn(text, at, e.Encoding())
	id, answered, err := e.Begin(methods[i%len(methods)], map[string]any{
		"textDocument": map[string]any{"uri": lsptest.URI(file)}, "position": place, "range": lsptest.Range{Start: place, End: place},
		"context": map[string]any{"diagnostics": []any{}, "includeDeclaration": true}, "positions": []any{place}, "newName": "other",
		"options": map[string]any{"tabSize": 2, "insertSpaces": true}, "query": "token", "command": "brv.query",
		"arguments": []any{map[string]any{"text": fmt.Sprint("tokens ", i%20)}},
	})
	if err == nil && i%10 == 5 {
		err = e.Notify("$/cancelRequest", map[string]any{"id": id})
	}
	if err != nil {
		return err
	}
	if err := answered.Wait(t.Context(), nil); code(err) == -32603 || err != nil && code(err) == 0 {
		return err // any other error is the answer to parameters that do not fit
	}
	return nil
}

// TestSoak keeps a server process busy and looks at what it uses after a tenth of the
// requests and at the end.
func TestSoak(t *testing.T) {
	requests := sampletest.Count(2_000, 100_000)
	c := startChild(t, os.Getpid())
	var files []string
	for _, path := range []string{tokens, other, "auth.go"} {
		files = append(files, open(t, c.editor, c.root, path))
	}
	calls, _ := lsp.Methods()
	calls = slices.DeleteFunc(calls, func(name string) bool { return name == "initialize" || name == "shutdown" })
	random := rand.New(rand.NewPCG(3, 4))
	var warm vitals
	for i := range requests {
		if err := mixed(t, c, random, files, calls, i); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		if i == requests/10 {
			warm = c.vitals(t)
		}
	}
	end := c.vitals(t)
	t.Logf("%d requests of %d methods: %+v, then %+v", requests, len(calls), warm, end)
	if end.Goroutines > warm.Goroutines+3 || end.files > warm.files+3 {
		t.Errorf("goroutines or files grow: %+v, then %+v", warm, end)
	}
	// What is remembered on purpose (packs, answers, edits) is bounded and small.
	if end.Heap > warm.Heap+warm.Heap/4+4<<20 {
		t.Errorf("memory grows: %+v, then %+v", warm, end)
	}
	if exit, err := c.editor.Shutdown(t.Context()); exit != 0 || err != nil {
		t.Error(exit, err)
	}
	c.gone(t)
}
