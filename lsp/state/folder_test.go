package state

import (
	"os"
	"path/filepath"
	"testing"

	"go.lsp.dev/uri"
)

func TestFilePathOfURI(t *testing.T) {
	for raw, want := range map[string]string{
		"file:///a/b.md":                  "/a/b.md",
		"file:///a/with%20space.md":       "/a/with space.md",
		"file:///a/b%40c%3A.md":           "/a/b@c:.md",
		"file:///a/%E4%B8%AD.md":          "/a/中.md",
		"file:///a/../b.md":               "/b.md",
		"file:///a/%2e%2e/%2E%2e/etc/x":   "/etc/x",
		"file:///a//b/./c.md":             "/a/b/c.md",
		"file:///a/b.md#L3":               "/a/b.md",
		"file://host/share/b.md":          "",
		"file://localhost/a/b.md":         "/a/b.md",
		"file://LOCALHOST/a/b.md":         "/a/b.md",
		"FILE://LocalHost/a/b%20c.md":     "/a/b c.md",
		"file://localhost/a/%E4%B8%AD.md": "/a/中.md",
		"file://localhost/a/../b.md":      "/b.md",
		"file://localhost//a/./b.md":      "/a/b.md",
		"file://localhost/a/b.md#L3":      "/a/b.md",
		"file://localhost/a/b%40c%3A.md":  "/a/b@c:.md",
		"file://localhost/":               "/",
		"file://localhost":                "/",
		"file:/a/b.md":                    "/a/b.md",
		"file:///localhost/a.md":          "/localhost/a.md",
		"file://localhost.example.org/a":  "",
		"file://localhost:80/a.md":        "",
		"file://127.0.0.1/a.md":           "",
		"file://me@localhost/a.md":        "",
		"http://localhost/a.md":           "",
		"untitled:Untitled-1":             "",
		"untitled:/a/b.md":                "",
		"vscode-remote://ssh/a/b.md":      "",
		"vscode-notebook-cell:/a/b#ch1":   "",
		"git:/a/b.md?%7B%22path%22%7D":    "",
		"http://example.com/a/b.md":       "",
		"brv://pack/1.md":                 "",
		"/a/b.md":                         "/a/b.md", // no scheme: the URI rules say file
		"file:":                           "/",
		"file:///a/b%zz.md":               "/a/b%zz.md",
		"file:///a/b\u202e.md":            "/a/b\u202e.md",
		"file:///a/%00.md":                "/a/\x00.md",
		"FILE:///a/b.md":                  "/a/b.md",
		"javascript:alert(1)":             "",
		"data:text/plain,file:///a/b.md":  "",
	} {
		u, err := uri.Parse(raw)
		if err != nil {
			u = uri.URI(raw)
		}
		if got, ok := FilePath(u); got != want && ok || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", raw, got, ok, want)
		}
	}
}

func TestInnermostFolderWins(t *testing.T) {
	dir := t.TempDir()
	mkdir := func(parts ...string) string {
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	outer, inner, sibling := mkdir("app"), mkdir("app", "lib"), mkdir("app-other")
	real := mkdir("real", "sub")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Dir(real), link); err != nil {
		t.Skip(err)
	}
	folders := []*Folder{NewFolder(outer), NewFolder(inner), NewFolder(link)}
	for _, test := range []struct {
		path   string
		folder int // -1: none
		rel    string
	}{
		{filepath.Join(outer, "a.go"), 0, "a.go"},
		{filepath.Join(inner, "a.go"), 1, "a.go"},
		{filepath.Join(outer, "library", "a.go"), 0, "library/a.go"},
		{filepath.Join(sibling, "a.go"), -1, ""},
		{filepath.Join(dir, "a.go"), -1, ""},
		{outer, 0, "."},
		{filepath.Join(link, "sub", "a.go"), 2, "sub/a.go"},    // as the client spells it
		{filepath.Join(real, "a.go"), 2, "sub/a.go"},           // the same file's real path
		{filepath.Join(outer, "..", "app", "b.go"), 0, "b.go"}, // never reached uncleaned, but harmless
		{filepath.Join(outer, "....", "b.go"), 0, "..../b.go"}, // a name, not a way out
		{filepath.Join(outer, "not", "there.go"), 0, "not/there.go"},
	} {
		f, rel := Innermost(folders, test.path)
		if test.folder < 0 {
			if f != nil {
				t.Errorf("%s: in %s", test.path, f.Spelled)
			}
			continue
		}
		if f != folders[test.folder] || rel != test.rel {
			t.Errorf("%s: %q in %v, want %q in %s", test.path, rel, f, test.rel, folders[test.folder].Spelled)
		}
	}
	if got := folders[2].URI("sub/a b.go").FsPath(); got != filepath.Join(link, "sub", "a b.go") {
		t.Errorf("a file is named %s", got)
	}
}

func TestFileReachedThroughALinkInsideAnotherFolder(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	if err := os.MkdirAll(filepath.Join(root, "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "pkg"), filepath.Join(dir, "short")); err != nil {
		t.Skip(err)
	}
	f, rel := Innermost([]*Folder{NewFolder(root)}, filepath.Join(dir, "short", "a.go"))
	if f == nil || rel != "pkg/a.go" {
		t.Errorf("%q in %v", rel, f)
	}
}

func TestHomeAndRootHoldManyProjects(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if !NewFolder(home).HoldsManyProjects() || !NewFolder("/").HoldsManyProjects() {
		t.Error("home or root counts as a project")
	}
	if NewFolder(filepath.Join(home, "project")).HoldsManyProjects() {
		t.Error("a project below home counts as home")
	}
}
