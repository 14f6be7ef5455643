package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestOverlayIsSeenAndDropped(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	before := w.View()
	w.Overlay(workspacetest.TokensPath, "# Changed\n@auth/jwt/rotation.md")
	e, _ := w.View().Tree().Entry("auth/jwt/tokens.md")
	if e.Title != "Changed" {
		t.Errorf("title %q", e.Title)
	}
	if e, _ := before.Tree().Entry("auth/jwt/tokens.md"); e.Title != "Access tokens" {
		t.Error("the older view changed")
	}
	v := w.View()
	w.Overlay("src/sign.go", "package src")
	if w.View().Tree() != v.Tree() {
		t.Error("a code buffer made a new tree")
	}
	w.Drop(workspacetest.TokensPath)
	if e, _ := w.View().Tree().Entry("auth/jwt/tokens.md"); e.Title != "Access tokens" {
		t.Errorf("after closing the title is %q", e.Title)
	}
}

func TestInit(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{"a.go": "package a"}, workspace.Options{})
	if w.HasTree() {
		t.Fatal("a tree where there is none")
	}
	if _, err := diagnosis.Check(t.Context(), w.View(), diagnosis.CheckRequest{}); !errors.Is(err, workspace.ErrNoTree) {
		t.Errorf("check says %v", err)
	}
	for _, want := range []int{2, 0} {
		plan, err := w.Init(t.Context(), workspace.InitRequest{DryRun: true})
		if err != nil || len(plan.Written) != want || w.HasTree() != (want == 0) {
			t.Errorf("would write %v, %v", plan, err)
		}
		r, err := w.Init(t.Context(), workspace.InitRequest{})
		if err != nil || len(r.Written) != want || !w.HasTree() {
			t.Errorf("wrote %v, %v", r, err)
		}
	}
}

func TestOpeningWritesNothing(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{Watch: true, CodeScan: true})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := consult.Query(t.Context(), w.View(), consult.QueryRequest{Text: "access tokens"}); err != nil {
		t.Fatal(err)
	}
	found := 0
	err := filepath.WalkDir(w.Root(), func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found++
		}
		return err
	})
	if err != nil || found != len(workspacetest.Files) {
		t.Errorf("%d files, there were %d (%v)", found, len(workspacetest.Files), err)
	}
}

// TestHostileCode has files that abort or hang a parser, and some that are no
// text: the workspace answers, and says which files it knows only in part.
func TestHostileCode(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{
		".brv/context-tree/a/b/c.md": "# C\n`Fine` is fine.\n",
		"arrows.md":                  strings.Repeat("> ", 512),
		"arrows.ts":                  strings.Repeat("> ", 512),
		"quotes.js":                  strings.Repeat("\"", 100_000),
		"nul.go":                     "package a\x00",
		"fine.go":                    "package a\n\nfunc Fine() {}\n",
	}, workspace.Options{})
	if err := os.WriteFile(filepath.Join(w.Root(), "huge.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(w.Root(), "huge.go"), 100<<20); err != nil { // sparse
		t.Fatal(err)
	}
	r, err := diagnosis.Check(t.Context(), w.View(), diagnosis.CheckRequest{Code: true})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range r.Findings {
		found[f.Path] = f.Code + " " + f.Message
	}
	for _, p := range []string{"arrows.ts", "quotes.js", "nul.go", "huge.go"} {
		if !strings.Contains(found[p], "read") {
			t.Errorf("%s is not reported: %q", p, found)
		}
	}
	if r.Errors > 0 || found["fine.go"] != "" {
		t.Errorf("findings %v", found)
	}
	a, err := describe.Place(t.Context(), w.View(), describe.Request{Path: "fine.go", Offset: len("package a\n\nfunc F")})
	if err != nil || a == nil || a.Kind != describe.KindCode || a.Name != "Fine" || len(a.Entries) != 1 || a.Entries[0].Title != "C" {
		t.Errorf("hover on code beside the hostile files: %+v, %v", a, err)
	}
}

// TestReadersAndWriters has views read while buffers and the disk change; the
// race detector watches, and every view stays whole.
func TestReadersAndWriters(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				v := w.View()
				e, ok := v.Tree().Entry("auth/jwt/tokens.md")
				if !ok || len(v.Tree().Relations(e.Path)) < len(e.Relations) {
					t.Error("a view without its entry or relations")
					return
				}
				if _, err := describe.Place(ctx, v, describe.Request{Path: workspacetest.TokensPath, Offset: 40}); err != nil &&
					ctx.Err() == nil {
					t.Error(err)
				}
				if _, err := v.Search(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				v.Links().Of(e.Path)
			}
		})
	}
	for i := range 200 {
		w.Overlay(workspacetest.TokensPath, strings.Replace(workspacetest.TokensText, "Access", fmt.Sprint("Access", i), 1))
		if i%50 == 0 {
			workspacetest.Write(t, w.Root(), ".brv/context-tree/auth/jwt/rotation.md", fmt.Sprintf("# %d", i))
			w.DiskChanged([]string{".brv/context-tree/auth/jwt/rotation.md"})
		}
	}
	stop()
	readers.Wait()
	if e, _ := w.View().Tree().Entry("auth/jwt/tokens.md"); e.Title != "Access199 tokens" {
		t.Errorf("last title %q", e.Title)
	}
}
