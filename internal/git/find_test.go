package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenFindsTheRepository(t *testing.T) {
	w := newRepo(t)
	head := w.commit("first", "sub/folder/a", "1")
	w.git("worktree", "add", "-q", "-b", "side", filepath.Join(w.dir, "tree"))
	for _, c := range []struct{ name, dir, prefix string }{
		{"top", "", ""}, {"below", "sub/folder", "sub/folder/"}, {"worktree", "tree", ""}, {"below a worktree", "tree/sub", "sub/"},
	} {
		r, err := Open(filepath.Join(w.dir, filepath.FromSlash(c.dir)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := r.Head(); got != head || err != nil || r.Prefix() != c.prefix {
			t.Errorf("%s: Head = %s, %v; prefix %q", c.name, got, err, r.Prefix())
		}
	}
}

func TestOpenFollowsASubmodule(t *testing.T) {
	inner := newRepo(t)
	want := inner.commit("inner", "b", "1")
	w := newRepo(t)
	w.commit("outer", "a", "1")
	w.git("submodule", "add", "-q", inner.dir, "mod")
	r := open(t, filepath.Join(w.dir, "mod"))
	if got, err := r.Head(); got != want || err != nil {
		t.Errorf("Head = %s, %v; want %s", got, err, want)
	}
}

// Each case damages a repository, or leads it to another one.
func TestOpenRefuses(t *testing.T) {
	other := newRepo(t)
	other.commit("secret", "a", "1")
	secret := filepath.Join(other.dir, ".git")
	dotFile := func(text string) func(*workbench) {
		return func(w *workbench) {
			if err := os.RemoveAll(filepath.Join(w.dir, ".git")); err != nil {
				t.Fatal(err)
			}
			w.write(".git", text)
		}
	}
	for name, c := range map[string]struct {
		change func(*workbench)
		want   error
	}{
		"file to another repository": {dotFile("gitdir: " + secret + "\n"), errForeign},
		"file to the network":        {dotFile("gitdir: //evil.invalid/share\n"), errForeign},
		"file to nowhere":            {dotFile("gitdir: nowhere\n"), nil},
		"file without a path":        {dotFile("hello"), nil},
		"large file":                 {dotFile("gitdir: " + strings.Repeat("a", 1<<20)), nil},
		"worktree that does not point back": {func(w *workbench) {
			dotFile("gitdir: meta\n")(w)
			w.write("meta/commondir", secret+"\n")
			w.write("meta/gitdir", filepath.Join(w.dir, ".git")+"\n")
			w.write("meta/HEAD", "ref: refs/heads/main\n")
		}, errForeign},
		"commondir in a plain repository": {func(w *workbench) { w.write(".git/commondir", secret+"\n") }, errForeign},
		"link": {func(w *workbench) {
			dotFile("")(w)
			os.Remove(filepath.Join(w.dir, ".git"))
			if err := os.Symlink(secret, filepath.Join(w.dir, ".git")); err != nil {
				t.Skip(err)
			}
		}, errForeign},
		"alternates on the network": {func(w *workbench) { w.write(".git/objects/info/alternates", "//evil.invalid/objects\n") },
			errForeign},
		"alternates in quotes": {func(w *workbench) { w.write(".git/objects/info/alternates", `"\057/evil.invalid/objects"`) },
			errForeign},
		"no .git":                    {func(w *workbench) { os.RemoveAll(filepath.Join(w.dir, ".git")) }, ErrNone},
		"empty .git":                 {func(w *workbench) { os.RemoveAll(filepath.Join(w.dir, ".git")); w.write(".git/x", "") }, ErrNone},
		"alternates through network": {deepAlternates(t), errForeign},
	} {
		w := newRepo(t)
		w.commit("first", "a", "1")
		c.change(w)
		_, err := Open(w.dir)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	bare := newRepo(t, "--bare")
	if _, err := Open(bare.dir); !errors.Is(err, ErrNone) {
		t.Errorf("bare: %v", err)
	}
	if _, err := Open(filepath.Join(bare.dir, "missing")); err == nil {
		t.Error("missing folder: no error")
	}
}

// deepAlternates puts the network path into the second object store.
func deepAlternates(t *testing.T) func(*workbench) {
	next := realDir(t)
	return func(w *workbench) {
		w.write(".git/objects/info/alternates", next+"\n")
		if err := os.MkdirAll(filepath.Join(next, "info"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(next, "info", "alternates"), []byte("//evil.invalid/o\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHeadOfEveryForm(t *testing.T) {
	w := newRepo(t)
	r := open(t, w.dir)
	expect := func(name, want string) {
		t.Helper()
		if got, err := r.Head(); got != want || err != nil {
			t.Errorf("%s: Head = %q, %v; want %q", name, got, err, want)
		}
	}
	expect("unborn", "")
	first := w.commit("first", "a", "1")
	expect("branch", first)
	w.git("pack-refs", "--all", "--prune")
	expect("packed", first)
	second := w.commit("second", "a", "2")
	expect("loose over packed", second)
	w.git("checkout", "-q", first)
	expect("detached", first)
	w.git("checkout", "-q", "-b", "deep/er")
	expect("branch in a folder", first)
	w.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
	w.git("symbolic-ref", "HEAD", "refs/heads/alias")
	expect("through a symbolic reference", second)
}

func TestHeadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "rubbish": "hello\n", "climbing": "ref: refs/../../secret\n", "absolute": "ref: /etc/passwd\n",
		"outside refs": "ref: config\n", "loop": "ref: refs/heads/loop\n", "short hash": "abcdef\n",
		"tables": "ref: refs/heads/.invalid\n",
	} {
		w := newRepo(t)
		w.commit("first", "a", "1")
		w.write(".git/refs/heads/loop", "ref: refs/heads/loop\n")
		w.write(".git/HEAD", text)
		hash, err := open(t, w.dir).Head()
		if err == nil || hash != "" {
			t.Errorf("%s: Head = %q, %v", name, hash, err)
		}
		if name == "tables" && !errors.Is(err, errUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A repository is called as the addresses of its remotes say it, and no other ones.
func TestCalled(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "sub/a", "1")
	w.git("remote", "add", "origin", "https://x@git.example.org/Owner/Name.git")
	w.git("remote", "add", "fork", "git@git.example.org:me/name")
	w.git("remote", "add", "deep", "ssh://git@git.example.org:22/a/b/c/")
	w.git("remote", "add", "local", "../other")
	w.git("config", "submodule.s.url", "https://git.example.org/sub/module")
	if got := strings.Join(Called(filepath.Join(w.dir, "sub")), " "); got != "owner/name me/name a/b/c" {
		t.Errorf("got %s", got)
	}
	if got := Called(t.TempDir()); got != nil {
		t.Errorf("without a repository: %q", got)
	}
}
