package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Above each case: the folders that there are, from the top down; a mark behind a name says what
// it holds or is. The search begins in the last one.
func TestAbove(t *testing.T) {
	type folder struct {
		name      string
		brv, git  bool
		link      bool        // its .brv is a link
		mode      fs.FileMode // 0: 0755
		owner     int         // of the folder, 0: the user
		brvsOwner int
	}
	const other = 65534
	for name, c := range map[string]struct {
		way  []folder
		home string // the home folder
		want string
	}{
		"here":                         {[]folder{{name: "a", brv: true}, {name: "b", brv: true}}, "", "b"},
		"above":                        {[]folder{{name: "a", brv: true}, {name: "b"}, {name: "c"}}, "", "a"},
		"the repository's top":         {[]folder{{name: "a", brv: true}, {name: "b", git: true}, {name: "c"}}, "", "b"},
		"a tree inside the repository": {[]folder{{name: "a", git: true}, {name: "b", brv: true}, {name: "c"}}, "", "b"},
		"both in one folder":           {[]folder{{name: "a", git: true, brv: true}, {name: "b"}}, "", "a"},
		"none":                         {[]folder{{name: "a"}, {name: "b"}}, "", "b"},
		"the home folder":              {[]folder{{name: "a", brv: true}, {name: "b"}}, "a", "b"},
		"above the home folder":        {[]folder{{name: "a", brv: true}, {name: "b"}, {name: "c"}}, "b", "c"},
		"here is the home folder":      {[]folder{{name: "a", brv: true}}, "a", "a"},
		"a link":                       {[]folder{{name: "a", link: true}, {name: "b"}}, "", "b"},
		"sticky":                       {[]folder{{name: "a", brv: true, mode: 0o777 | fs.ModeSticky}, {name: "b"}}, "", "b"},
		"writable for all":             {[]folder{{name: "a", brv: true, mode: 0o777}, {name: "b"}}, "", "b"},
		"through one that is writable": {[]folder{{name: "a", brv: true}, {name: "b", mode: 0o777}, {name: "c"}}, "", "c"},
		"here is writable for all":     {[]folder{{name: "a", brv: true, mode: 0o777}}, "", "a"},
		"somebody else's":              {[]folder{{name: "a", brv: true, owner: other, brvsOwner: other}, {name: "b"}}, "", "b"},
		"somebody else's .brv":         {[]folder{{name: "a", brv: true, brvsOwner: other}, {name: "b"}}, "", "b"},
		"the owner of here": {[]folder{{name: "a", brv: true, owner: other, brvsOwner: other}, {name: "b", owner: other}},
			"", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			at, want := t.TempDir(), ""
			t.Setenv("HOME", "/nowhere")
			for _, f := range c.way {
				if f.owner != 0 || f.brvsOwner != 0 {
					asRoot(t)
				}
				at = filepath.Join(at, f.name)
				mode := f.mode
				if mode == 0 {
					mode = 0o755
				}
				must(t, os.Mkdir(at, 0o755))
				if f.brv {
					must(t, os.Mkdir(filepath.Join(at, ".brv"), 0o755))
				}
				if f.git {
					must(t, os.Mkdir(filepath.Join(at, ".git"), 0o755))
				}
				if f.link {
					must(t, os.Symlink(".", filepath.Join(at, ".brv")))
				}
				if f.brvsOwner != 0 {
					must(t, os.Chown(filepath.Join(at, ".brv"), f.brvsOwner, f.brvsOwner))
				}
				if f.owner != 0 {
					must(t, os.Chown(at, f.owner, f.owner))
				}
				must(t, os.Chmod(at, mode))
				if f.name == c.want {
					want = at
				}
				if f.name == c.home {
					t.Setenv("HOME", at)
				}
			}
			if got := Above(at); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// asRoot skips a case where nobody can give a folder to another user.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
}

// A `.brv` that a stranger put into a folder of the user's, or of everybody, is not read, whoever
// opens that.
func TestAStrangersTreeIsNotRead(t *testing.T) {
	asRoot(t)
	w := open(t, map[string]string{".brv/context-tree/a/b/x.md": "---\ntitle: X\n---\n"}, Options{})
	if w.View().Tree().Len() != 1 {
		t.Fatal("the user's own is not read")
	}
	must(t, os.Chown(filepath.Join(w.Root(), ".brv"), 65534, 65534))
	w.home.refresh(nil)
	if w.View().Tree().Len() != 0 || w.HasTree() {
		t.Error("it is read")
	}
	if err := w.NoTree(); !errors.Is(err, ErrNoTree) || err == ErrNoTree {
		t.Error(err)
	}
}
