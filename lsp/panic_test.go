package lsp_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// sickness says which method panics.
type sickness struct {
	mu         sync.Mutex // guards the fields below
	name       string
	now, later bool
}

func (s *sickness) of(name string) (now, later bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return name == s.name && s.now, name == s.name && s.later
}

func (s *sickness) set(name string, now, later bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name, s.now, s.later = name, now, later
}

// Every method of the table panics once in each of its parts. Every call is answered,
// another call that is under way is not touched, and the session goes on.
func TestPanicInEveryMethod(t *testing.T) {
	var ill sickness
	release := make(chan struct{})
	o := lsp.WithPanics(withBlocking(withEcho(lsp.Options{}), release), ill.of)
	e, ctx := start(t, o)
	calls, notes := lsp.Methods()
	begin := slices.Index(calls, "initialize")
	calls = append([]string{"initialize"}, slices.Delete(calls, begin, begin+1)...)
	panics := 0
	var waiting lsptest.Pending
	for _, name := range calls {
		for _, later := range []bool{false, true} {
			ill.set(name, !later, later)
			if err := e.Call(ctx, name, json.RawMessage(`{}`), nil); code(err) != -32603 {
				t.Errorf("%s: got %v, want -32603", name, err)
			}
			panics++
		}
		ill.set("", false, false)
		if name == "initialize" {
			if _, err := e.Initialize(ctx, lsptest.Session{Folders: []string{project(t)}}); err != nil {
				t.Fatal(err)
			}
			var err error
			if _, waiting, err = e.Begin("test/wait", nil); err != nil {
				t.Fatal(err)
			}
		}
		alive(t, e, ctx)
	}
	for _, name := range notes {
		ill.set(name, true, false)
		if err := e.Notify(name, json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
		panics++
		alive(t, e, ctx)
	}
	close(release)
	if err := waiting.Wait(ctx, nil); err != nil {
		t.Errorf("the call beside all this: %v", err)
	}
	ill.set("", false, false)
	if exit, err := e.Shutdown(ctx); exit != 0 || err != nil {
		t.Errorf("exit code %d, %v", exit, err)
	}
	t.Logf("%d panics in %d calls and %d notifications", panics, len(calls), len(notes))
}

func TestPanicOutsideOfRequests(t *testing.T) {
	var ran sync.WaitGroup
	ran.Add(2)
	o := lsp.WithSpawned(withEcho(lsp.Options{}), func() {
		defer ran.Done()
		panic("spawned")
	})
	e, ctx := session(t, o, lsptest.Session{})
	if err := e.Notify("test/spawn", nil); err != nil {
		t.Fatal(err)
	}
	ran.Wait()
	alive(t, e, ctx)
}

// TestGoroutinesAreGuarded reads this package and those below it: goroutines are started for requests, by Spawn
// and by Options.After, which catch panics; those of releaseWithin and request, which cancels a
// request with the session, do nothing that panics.
func TestGoroutinesAreGuarded(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]int{"releaseWithin": 1, "request": 1, "Background": 1, "withDefaults": 1}
	for _, f := range append(files, below...) {
		if strings.HasSuffix(f, "_test.go") || strings.HasPrefix(f, "lsptest") || strings.HasPrefix(f, "wire") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				ast.Inspect(fn, func(n ast.Node) bool {
					if startsGoroutine(n) {
						allowed[fn.Name.Name]--
					}
					return true
				})
			}
		}
	}
	for name, left := range allowed {
		if left != 0 {
			t.Errorf("%s starts %d goroutines more than are known to be guarded", name, -left)
		}
	}
}

// startsGoroutine recognises a go statement, time.AfterFunc and WaitGroup.Go.
func startsGoroutine(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		x, ok := f.X.(*ast.Ident)
		own := !ok || x.Name != "conn" // the protocol library's read loop
		return f.Sel.Name == "AfterFunc" || f.Sel.Name == "Go" && own
	}
	return false
}
