package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
)

// monorepo makes a folder with a project and two more inside of it, all with an entry of
// the same name.
func monorepo(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for dir, title := range map[string]string{"": "Root", "packages/a": "A", "packages/a/deep/b": "B"} {
		at := filepath.Join(root, dir)
		writeFile(t, filepath.Join(at, other), "---\ntitle: Other of "+title+"\n---\nSign: `Sign"+title+"` in `sign.go`.\n")
		writeFile(t, filepath.Join(at, tokens), "See @auth/jwt/other.md\n")
		writeFile(t, filepath.Join(at, "sign.go"), "package sign\n\nfunc Sign"+title+"() {}\n")
	}
	return root
}

// titleOf says by its relation which project an open document belongs to.
func titleOf(t *testing.T, e *lsptest.Editor, file string) string {
	t.Helper()
	h, err := e.Hover(t.Context(), file, find(t, e, file, "auth/jwt/other"))
	if err != nil {
		t.Fatal(err)
	}
	if h == nil {
		return ""
	}
	_, title, _ := strings.Cut(h.Contents.Value, "Other of ")
	return title[:min(len(title), strings.IndexAny(title+"*", "*\n "))]
}

func TestInnermostProjectWins(t *testing.T) {
	root := monorepo(t)
	for name, place := range map[string]struct {
		opened string
		want   map[string]string // folder → project of its entries
	}{
		"at its top":       {"", map[string]string{"": "Root", "packages/a": "A", "packages/a/deep/b": "B"}},
		"at a package":     {"packages/a", map[string]string{"packages/a": "A", "packages/a/deep/b": "B", "": ""}}, // never above
		"inside a package": {"packages/a/deep", map[string]string{"packages/a/deep/b": "B", "packages/a": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{filepath.Join(root, place.opened)}})
			for dir, want := range place.want {
				file := open(t, e, filepath.Join(root, dir), tokens)
				if got := titleOf(t, e, file); got != want {
					t.Errorf("%s: project %q, want %q", dir, got, want)
				}
				l, err := e.Definition(ctx, file, find(t, e, file, "@auth"))
				uri := lsptest.URI(filepath.Join(root, dir, other))
				if err != nil || want != "" && (len(l) != 1 || l[0].URI != uri) || want == "" && len(l) > 0 {
					t.Errorf("%s: definition %v, %v", dir, l, err)
				}
			}
		})
	}
}

// TestFoldersInsideOfAFolder opens folders that lie in each other: a file belongs to the innermost project of any of them.
func TestFoldersInsideOfAFolder(t *testing.T) {
	root := monorepo(t)
	mark := "package x // @brv:auth/jwt/other.md\n"
	for _, dir := range []string{"src", "src/src", "packages/a/src", "packages/a/deep"} {
		writeFile(t, filepath.Join(root, dir, "x.go"), mark)
	}
	for _, test := range []struct{ folders, file, want string }{
		{". src", "src/x.go", "Root"},
		{"src .", "src/x.go", "Root"},
		{". src src/src", "src/src/x.go", "Root"},
		{". packages", "packages/a/src/x.go", "A"},
		{". packages/a", "packages/a/src/x.go", "A"},
		{". packages/a/deep", "packages/a/deep/x.go", "A"},
		{"packages packages/a/deep", "packages/a/deep/x.go", "A"},
		{". .brv/context-tree", tokens, "Root"},
		{"src src/src", "src/src/x.go", ""}, // never above what is open
		{"packages/a/src src", "packages/a/src/x.go", ""},
	} {
		t.Run(test.folders+" "+test.file, func(t *testing.T) {
			var folders []string
			for _, f := range strings.Fields(test.folders) {
				folders = append(folders, filepath.Join(root, f))
			}
			e, _ := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: folders})
			if got := titleOf(t, e, open(t, e, root, test.file)); got != test.want {
				t.Errorf("project %q, want %q", got, test.want)
			}
		})
	}
}

func TestProjectsInsideComeAndGo(t *testing.T) {
	root := monorepo(t)
	inner := filepath.Join(root, "packages", "a")
	e, _ := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}})
	event := func(kind int, path string) {
		t.Helper()
		params := map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(path), "type": kind}}}
		if err := e.Notify("workspace/didChangeWatchedFiles", params); err != nil {
			t.Fatal(err)
		}
	}
	folders := func(event string) {
		t.Helper()
		if err := e.Notify("workspace/didChangeWorkspaceFolders", json.RawMessage(`{"event":`+event+`}`)); err != nil {
			t.Fatal(err)
		}
	}
	as := func(dir string) string { return `[{"uri":"` + lsptest.URI(dir) + `","name":"x"}]` }
	expect := func(step, file, want string) {
		t.Helper()
		if got := titleOf(t, e, file); got != want {
			t.Errorf("%s: project %q, want %q", step, got, want)
		}
	}

	file := open(t, e, inner, "sign.go")
	if err := e.Replace(file, "package sign // @auth/jwt/other.md\n"); err != nil {
		t.Fatal(err)
	}
	entry := open(t, e, inner, tokens)
	expect("opened", entry, "A")
	if err := os.Rename(filepath.Join(inner, ".brv"), filepath.Join(inner, "brv")); err != nil {
		t.Fatal(err)
	}
	event(3, filepath.Join(inner, ".brv"))
	expect("without its .brv", entry, "") // no entry of the outer project
	if err := os.Rename(filepath.Join(inner, "brv"), filepath.Join(inner, ".brv")); err != nil {
		t.Fatal(err)
	}
	event(1, filepath.Join(inner, ".brv"))
	expect("with it again", entry, "A")
	folders(`{"added":` + as(inner) + `,"removed":[]}`)
	expect("as a folder of the client's", entry, "A")
	folders(`{"added":[],"removed":` + as(inner) + `}`)
	expect("found again", entry, "A")
	for _, f := range []string{file, entry} {
		if err := e.CloseDocument(f); err != nil {
			t.Fatal(err)
		}
	}
	entry = open(t, e, inner, tokens)
	expect("opened again", entry, "A")
	folders(`{"added":[],"removed":` + as(root) + `}`)
	expect("without the outer folder", entry, "")
	folders(`{"added":` + as(root) + `,"removed":[]}`)
	expect("with it", entry, "A")
}

// TestFoldersOpenTogether: what one folder uses of another is told in both, and ends with it.
func TestFoldersOpenTogether(t *testing.T) {
	root := t.TempDir()
	lib, web := filepath.Join(root, "lib"), filepath.Join(root, "web")
	writeFile(t, filepath.Join(lib, "go.mod"), "module example.org/lib\n")
	writeFile(t, filepath.Join(lib, "sign.go"), "package lib\n\nfunc Sign() {}\n")
	writeFile(t, filepath.Join(web, "go.mod"), "module example.org/web\n\nrequire example.org/lib v1.0.0\n")
	writeFile(t, filepath.Join(web, "main.go"), "package web\n\nimport \"example.org/lib\"\n\nvar f = lib.Sign\n")
	e, ctx := session(t, lsp.Options{Now: fixedNow},
		lsptest.Session{Folders: []string{lib, web}})
	deps := func(file string) (d codemap.DepsResponse) {
		t.Helper()
		if err := e.Execute(ctx, "brv.deps", map[string]any{"uri": lsptest.URI(file)}, &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := deps(filepath.Join(lib, "sign.go"))
	if d.Elsewhere == nil || len(d.Elsewhere.UsedBy) != 1 || d.Elsewhere.UsedBy[0].User.Repository != "web" {
		t.Errorf("used by %+v", d.Elsewhere)
	}
	file := open(t, e, lib, "sign.go")
	if h, err := e.Hover(ctx, file, find(t, e, file, "Sign")); err != nil || h == nil || !strings.Contains(h.Contents.Value, "Used in web (1 file)") {
		t.Errorf("hover %+v, %v", h, err)
	}
}
