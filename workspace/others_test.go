package workspace_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// listed are the files below a folder with their sizes.
func listed(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil {
			out = append(out, p+" "+d.Type().String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOtherTreesAreInput has trees that a user added and that others filled: with links, a file of 2 MB, each other's names,
// a tree of the same name twice, and one that is gone.
func TestOtherTreesAreInput(t *testing.T) {
	config, team := t.TempDir(), t.TempDir()
	const dir = ".brv/context-tree/"
	secret := filepath.Join(t.TempDir(), "secret.md")
	workspacetest.Write(t, filepath.Dir(secret), "secret.md", "# Secret\nxyzzy\n")
	workspacetest.Write(t, team, dir+"a/b/c.md", "# C\nSee @me:a/b/c.md, @team:a/b/d.md, @a/b/d.md, @../../x.md and [up](../../../../x.md).\n")
	workspacetest.Write(t, team, dir+"a/b/d.md", "# D\nText.\n")
	workspacetest.Write(t, team, dir+"a/b/large.md", "# Large\n"+strings.Repeat("word ", 400_000))
	workspacetest.Write(t, config, "trees/me/"+dir+"a/b/c.md", "# Mine\nSee @team:a/b/c.md.\n")
	workspacetest.Write(t, config, "trees/me.path", team)
	workspacetest.Write(t, config, "trees/team.path", team+"\n")
	workspacetest.Write(t, config, "trees/gone.path", filepath.Join(team, "gone"))
	workspacetest.Write(t, config, "trees/n/"+dir+"a/b/c.md", "# A name of one letter\n")
	if err := os.Symlink(secret, filepath.Join(team, dir, "a/b/link.md")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(team, filepath.Join(config, "trees", "linked")); err != nil {
		t.Fatal(err)
	}
	before := append(listed(t, team), listed(t, config)...)
	w := workspacetest.Open(t, map[string]string{dir + "own/a/b.md": "# Own\nSee @team:a/b/c.md.\n"},
		workspace.Options{Unhurried: true}.WithOthers(config))
	all := w.View().Trees()
	var paths []string
	for _, e := range all.Entries() {
		paths = append(paths, e.Path)
	}
	if want := []string{"me:a/b/c.md", "own/a/b.md", "team:a/b/c.md", "team:a/b/d.md"}; !slices.Equal(paths, want) {
		t.Errorf("entries %q, not %q", paths, want)
	}
	for from, want := range map[string]string{"own/a/b.md": "team:a/b/c.md", "me:a/b/c.md": "team:a/b/c.md",
		"team:a/b/c.md": "me:a/b/c.md team:a/b/d.md team:a/b/d.md"} {
		var targets []string
		for _, r := range all.Relations(from) {
			if r.Target != "" {
				targets = append(targets, r.Target)
			}
		}
		if got := strings.Join(targets, " "); got != want {
			t.Errorf("%s leads to %s, not %s", from, got, want)
		}
	}
	r, err := consult.Read(t.Context(), w.View(), consult.ReadRequest{Paths: []string{"team:a/b/d.md"}, BudgetTokens: 500})
	if err != nil || r.Items[0].Path != "team:a/b/d.md" || !strings.Contains(r.Text, "Text.") {
		t.Errorf("read %+v, %v", r, err)
	}
	if e := w.View().Tree(); e.Len() != 1 || e.Relations("own/a/b.md")[0].Problem() != "" {
		t.Errorf("the folder's own tree has %d entries, relations %+v", e.Len(), e.Relations("own/a/b.md"))
	}
	if after := append(listed(t, team), listed(t, config)...); !slices.Equal(after, before) {
		t.Errorf("reading left %q of %q", after, before)
	}
}

// TestOtherTreesAreFollowed changes another tree, and the folder's own, while both are open.
func TestOtherTreesAreFollowed(t *testing.T) {
	team := t.TempDir()
	const dir = ".brv/context-tree/"
	workspacetest.Write(t, team, dir+"a/b/c.md", "# C\nText.\n")
	root := t.TempDir()
	workspacetest.Write(t, root, dir+"own/a/b.md", "# Own\n")
	now := workspacetest.Now
	told := make(chan workspace.Change, 9)
	w, err := workspace.Open(t.Context(), root, workspace.Options{Unhurried: true, FollowCode: true, NoCode: true,
		Now: func() time.Time { return now }, Others: []workspace.Other{{Name: "team", Dir: team}},
		Changed: func(c workspace.Change) { told <- c }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	has := func(want ...string) {
		t.Helper()
		var paths []string
		for _, e := range w.View().Trees().Entries() {
			paths = append(paths, e.Path)
		}
		if !slices.Equal(paths, want) {
			t.Errorf("entries %q, not %q", paths, want)
		}
	}
	has("own/a/b.md", "team:a/b/c.md")
	workspacetest.Write(t, team, dir+"a/b/d.md", "# D\n")
	if err := os.Remove(filepath.Join(team, dir, "a/b/c.md")); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	w.LookAtOthers(context.WithoutCancel(t.Context()))
	if c := <-told; !c.Tree {
		t.Errorf("told %+v", c)
	}
	has("own/a/b.md", "team:a/b/d.md")
	w.Overlay(dir+"own/a/new.md", "# New\n")
	has("own/a/b.md", "own/a/new.md", "team:a/b/d.md")
}

// TestTheTreeAroundAFolderIsRead opens packages of a repository that has a tree at its top.
func TestTheTreeAroundAFolderIsRead(t *testing.T) {
	top := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	const dir = ".brv/context-tree/"
	workspacetest.Write(t, top, ".git/HEAD", "ref: refs/heads/main\n")
	workspacetest.Write(t, top, dir+"all/of/it.md", "# Of all\n")
	workspacetest.Write(t, top, "billing/"+dir+"a/b/own.md", "# Own\nSee @outer:all/of/it.md.\n")
	workspacetest.Write(t, top, "plain/src/x.go", "package src\n")
	workspacetest.Write(t, top, "lib/.git", "gitdir: ../.git/modules/lib\n")
	for folder, want := range map[string]string{".": "all/of/it.md", "billing": "a/b/own.md outer:all/of/it.md", "plain/src": "outer:all/of/it.md",
		"lib": ""} {
		for _, taken := range []bool{false, true} {
			o := workspace.Options{NoCode: true}
			if taken { // by the user: the name is theirs
				o.Others = []workspace.Other{{Name: workspace.OuterTree, Dir: t.TempDir()}}
				want = strings.TrimSuffix(strings.TrimSuffix(want, "outer:all/of/it.md"), " ")
			}
			w, err := workspace.Open(t.Context(), filepath.Join(top, folder), o)
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, e := range w.View().Trees().Entries() {
				paths = append(paths, e.Path)
			}
			if got := strings.Join(paths, " "); got != want {
				t.Errorf("%s: %s, not %s", folder, got, want)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
