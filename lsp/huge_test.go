package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// mostForHuge is what a file of 100 MB may add to the server's memory: far less than a copy of
// it, and enough for what the race detector makes of the megabyte that is read (17 MiB; 2 without it).
const mostForHuge = 32 << 10 // KiB

// TestHugeFile puts a file of 100 MB, which takes no space on disk, below a running
// server. It is reported, and not read.
func TestHugeFile(t *testing.T) {
	c := startChild(t, os.Getpid())
	before := c.vitals(t)
	file := filepath.Join(c.root, ".brv/context-tree/auth/huge.md")
	writeFile(t, file, "")
	if err := os.Truncate(file, 100<<20); err != nil {
		t.Skip(err)
	}
	reported := func(method string, params any) bool {
		var raw json.RawMessage
		if err := c.editor.Call(t.Context(), method, params, &raw); err != nil {
			t.Fatal(method, err)
		}
		return strings.Contains(string(raw), "too-large") &&
			(method != "workspace/diagnostic" || strings.Contains(string(raw), "huge.md"))
	}
	for deadline := time.Now().Add(converged); !reported("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}); {
		if time.Now().After(deadline) {
			t.Fatal("workspace/diagnostic does not name it")
		}
	}
	if err := c.editor.Open(file, "markdown", strings.Repeat("x", 2<<20)); err != nil { // what an editor that shows parts sends
		t.Fatal(err)
	}
	if !reported("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}}) {
		t.Error("textDocument/diagnostic does not say that it is too large")
	}
	if err := c.editor.CloseDocument(file); err != nil {
		t.Fatal(err)
	}
	p := newProbe(t, c.editor, c.root)
	p.whole(file)
	p.everywhere(file, "", 0)
	after := c.vitals(t)
	t.Logf("resident: %d KiB before, %d KiB after", before.rss, after.rss)
	if after.rss > before.rss+mostForHuge {
		t.Errorf("resident memory grew from %d to %d KiB", before.rss, after.rss)
	}
}

// TestHangingSyntaxHoldsUpNothing has files that keep workers busy until they are killed,
// and asks about other files meanwhile: all those answers come before the first about the
// code that hangs.
func TestHangingSyntaxHoldsUpNothing(t *testing.T) {
	if !syntax.Available {
		t.Skip("no syntax without cgo")
	}
	root := project(t)
	for i := range sampletest.Count(1, 8) { // each takes a worker two seconds of processor time
		for ext, text := range map[string]string{".go": "package x\n" + strings.Repeat(strings.Repeat(`"`, 80)+"\n", 1250),
			".sh": strings.Repeat("<<A", 1000) + "\n" + strings.Repeat(strings.Repeat("<<A", 80)+"\n", 300)} {
			writeFile(t, filepath.Join(root, fmt.Sprintf("hostile%d%s", i, ext)), text+fmt.Sprint(i))
		}
	}
	e, _ := hurried(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, tokens)
	text, _ := e.Text(file)
	_, packed, err := e.Begin("workspace/executeCommand", map[string]any{"command": "brv.deps",
		"arguments": []any{map[string]any{"path": "auth.go"}}})
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan error, 1)
	go func() { all <- packed.Wait(t.Context(), nil) }()
	var slowest time.Duration
	asked, early := 0, 0
	for done := false; !done || asked == 0; asked++ {
		begin := time.Now()
		h, err := e.Hover(t.Context(), file, strings.Index(text, "@auth")+2)
		if err != nil || h == nil {
			t.Fatal(h, err)
		}
		slowest = max(slowest, time.Since(begin))
		select {
		case err := <-all:
			t.Log("the code is read: ", err)
			done = true
		default:
			early++
		}
	}
	t.Logf("%d hovers, %d of them while the code was read; slowest %v", asked, early, slowest.Round(time.Millisecond))
	if early == 0 {
		t.Error("the first hover waited for the code")
	}
}

// heldUp is what an answer may take while a large tree is read, on a machine that does other
// things meanwhile: [workspace.Look], and the [workspace.Answer] that a question may take, nearly twice.
const heldUp = 4 * time.Second

// TestHugeTree opens a tree as large as one may be, 100,000 files: the session begins at once, and what is
// asked while the tree is read is answered from what is read, or looked up, and says so.
func TestHugeTree(t *testing.T) {
	if !long {
		t.Skip("BRV_NIGHTLY=1")
	}
	root := project(t)
	for i := range 99_990 {
		writeFile(t, filepath.Join(root, fmt.Sprintf(".brv/context-tree/d%d/t%d/e%d.md", i%20, i%400, i)),
			fmt.Sprintf("---\ntitle: Entry %d\ntags: [a%d]\n---\nSee @d%d/t%d/e%d.md about thing %d.\n", i, i%97, (i+1)%20, (i+1)%400,
				i+1, i))
	}
	begin := time.Now()
	e, _ := hurried(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}})
	initialized := time.Since(begin)
	t.Logf("initialize: %v", initialized.Round(time.Millisecond))
	if initialized > heldUp {
		t.Errorf("initialize took %v", initialized)
	}
	file := open(t, e, root, tokens)
	text, _ := e.Text(file)
	ask := func(what string, do func() (bool, error)) (found bool) {
		t.Helper()
		from := time.Now()
		found, err := do()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		took := time.Since(from)
		t.Logf("%s: answered (%v) after %v, %v after the beginning", what, found, took.Round(time.Millisecond),
			time.Since(begin).Round(time.Millisecond))
		if took > heldUp {
			t.Errorf("%s took %v", what, took)
		}
		return found
	}
	round := func() (partial bool) {
		hovered := ask("hover", func() (bool, error) {
			h, err := e.Hover(t.Context(), file, strings.Index(text, "@auth")+2)
			return h != nil && strings.Contains(h.Contents.Value, "Other"), err
		})
		if !hovered {
			t.Error("the entry of a relation is not shown")
		}
		ask("workspace/symbol", func() (bool, error) {
			var raw json.RawMessage
			err := e.Call(t.Context(), "workspace/symbol", map[string]any{"query": "entry 77"}, &raw)
			return strings.Contains(string(raw), "Entry 77"), err
		})
		ask("brv.query", func() (bool, error) {
			var raw json.RawMessage
			err := e.Execute(t.Context(), "brv.query", map[string]any{"text": "thing 4711"}, &raw)
			partial = strings.Contains(string(raw), "entries that are not")
			return strings.Contains(string(raw), "e4711.md"), err
		})
		return partial
	}
	if !round() {
		t.Error("the first answer does not say that the tree is being read")
	}
	var raw json.RawMessage
	if err := e.Call(t.Context(), "textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}},
		&raw); err != nil {
		t.Fatal(err)
	}
	t.Logf("problems after %v: %.200s", time.Since(begin).Round(time.Millisecond), raw)
	for round() {
		if time.Since(begin) > 5*time.Minute {
			t.Fatal("answers stay partial")
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("%d MB in use", m.HeapAlloc>>20)
}
