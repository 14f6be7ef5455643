package discover

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// user is a home folder with git as its user set it up, and a place for repositories.
type user struct {
	t    *testing.T
	home string
}

func newUser(t *testing.T) user {
	t.Helper()
	needsGit(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": "", "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(name, value)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	os.Unsetenv("GIT_CONFIG_GLOBAL")
	return user{t, home}
}

func (u user) write(p, text string) {
	jailtest.Write(u.t, u.home, p, text)
}

// git runs git in a folder as the user has it.
func (u user) git(dir string, args ...string) string {
	u.t.Helper()
	args = append([]string{"-C", filepath.Join(u.home, dir), "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		u.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

// compare walks a folder and compares what is found with what git lists.
func (u user) compare(dir, what string) {
	u.t.Helper()
	root, err := jail.Open(filepath.Join(u.home, dir))
	if err != nil {
		u.t.Fatal(err)
	}
	defer root.Close()
	want := strings.FieldsFunc(u.git(dir, "ls-files", "-co", "--exclude-standard", "-z"), func(r rune) bool { return r == 0 })
	slices.Sort(want)
	want = slices.DeleteFunc(slices.Compact(want), func(p string) bool { return p == "module" }) // git lists a submodule as one
	got := pathsOf(walk(u.t, root, Options{Include: []string{"**"}, Exclude: []string{".git"}}).Files)
	if diff := cmp.Diff(want, got); diff != "" {
		u.t.Errorf("%s: %s: -git +walk\n%s", what, dir, diff)
	}
	ignored := Ignored(root)
	for _, p := range want {
		if ignored(p) && u.git(dir, "ls-files", "--", ":(literal)"+p) == "" {
			u.t.Errorf("%s: %s: %s is ignored", what, dir, p)
		}
	}
}

// TestRulesOutsideTheFolderAreGits has set-ups of a user, each a list of files below the home folder; "repo" is a repository with a
// linked working tree "linked", and a submodule "repo/module".
func TestRulesOutsideTheFolderAreGits(t *testing.T) {
	u := newUser(t)
	for _, repo := range []string{"repo", "other"} {
		u.write(repo+"/a.go", "")
		u.write(repo+"/sub/a.go", "")
		u.git(repo, "init", "-q")
		u.git(repo, "add", ".")
		u.git(repo, "commit", "-qm", "x")
	}
	u.git("repo", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", filepath.Join(u.home, "other"), "module")
	u.git("repo", "commit", "-qm", "y")
	u.git("repo", "worktree", "add", "-q", filepath.Join(u.home, "linked"))
	for _, top := range []string{"repo", "linked", "repo/module"} {
		for _, p := range []string{"scratch_a.go", "a.txt", "sub/scratch_b.go", "sub/a.txt", "sub/deep/x.go", "sub/deep/x.txt", "sub/deep/a.txt"} {
			u.write(top+"/"+p, "")
		}
	}
	for name, files := range map[string]map[string]string{
		"none":                        {},
		"the usual file":              {".config/git/ignore": "scratch_*\n"},
		"a file of the configuration": {".gitconfig": "[core]\n\texcludesFile = ~/my ignores\n", "my ignores": "scratch_*\n", ".config/git/ignore": "*.go\n"},
		"in quotes, with a comment":   {".gitconfig": "[Core] ExcludesFile = \"~/my\\\\t # x\" ; y\n", "my\\t # x": "scratch_*\n"},
		"over two lines":              {".gitconfig": "[core]\nexcludesfile = ~/\\\nig\n", "ig": "scratch_*\n"},
		"the last one counts":         {".gitconfig": "[core]\nexcludesfile = ~/a\nexcludesfile = ~/b\n", "a": "*\n", "b": "scratch_*\n"},
		"none by the configuration":   {".gitconfig": "[core]\nexcludesfile =\n", ".config/git/ignore": "*\n"},
		"one that is not there":       {".gitconfig": "[core]\nexcludesfile = ~/gone\n", ".config/git/ignore": "*\n"},
		"of another section":          {".gitconfig": "[core \"x\"]\nexcludesfile = ~/a\n[cores]\nexcludesfile = ~/a\n", "a": "*\n"},
		"in a comment":                {".gitconfig": "[core]\n# excludesfile = ~/a\n; excludesfile = ~/a\n", "a": "*\n"},
		"the other file":              {".config/git/config": "[core]\nexcludesfile = ~/a\n", "a": "scratch_*\n"},
		"both files":                  {".config/git/config": "[core]\nexcludesfile = ~/b\n", ".gitconfig": "[core]\nexcludesfile = ~/a\n", "a": "scratch_*\n", "b": "*\n"},
		"an included file":            {".gitconfig": "[include]\npath = sub/more\n", "sub/more": "[core]\nexcludesfile = ~/a\n", "a": "scratch_*\n"},
		"a file included on a condition": {".gitconfig": "[includeIf \"gitdir:~/repo/\"]\n\tpath = ~/more\n[includeIf \"gitdir:~/other/\"]\npath = ~/less\n",
			"more": "[core]\nexcludesfile = ~/a\n", "less": "[core]\nexcludesfile = ~/b\n", "a": "scratch_*\n", "b": "*\n"},
		"a condition of any place":  {".gitconfig": "[includeIf \"gitdir/i:REPO/\"]\npath = more\n", "more": "[core]\nexcludesfile = ~/a\n", "a": "scratch_*\n"},
		"a condition of a branch":   {".gitconfig": "[includeIf \"onbranch:nobody\"]\npath = more\n", "more": "[core]\nexcludesfile = ~/a\n", "a": "*\n"},
		"a circle":                  {".gitconfig": "[core]\nexcludesfile = ~/a\n", "a": "sub/\n!sub/\nscratch_*\n"},
		"a rule of a place":         {".config/git/ignore": "/sub/deep/x.go\n"},
		"a rule that is taken back": {".config/git/ignore": "*.txt\nscratch_*\n", "repo/.gitignore": "!a.txt\n", "repo/sub/.gitignore": "!scratch_b.go\n"},
		"info/exclude":              {"repo/.git/info/exclude": "scratch_*\n/sub/a.txt\n"},
		"info/exclude takes back":   {"repo/.git/info/exclude": "!scratch_a.go\n", ".config/git/ignore": "scratch_*\n"},
		".gitignore above":          {"repo/.gitignore": "scratch_*\n/sub/deep/*.txt\n", "repo/sub/.gitignore": "/deep/a.txt\n!x.txt\n"},
		"a tracked file":            {"repo/.gitignore": "a.go\n", ".config/git/ignore": "*.txt\n"},
		"of the working tree":       {"linked/.gitignore": "scratch_*\n", "repo/.git/info/exclude": "a.txt\n"},
		"of a submodule":            {"repo/.git/modules/module/info/exclude": "scratch_*\n", "repo/.gitignore": "a.txt\n", ".config/git/ignore": "x.go\n"},
	} {
		for p, text := range files {
			u.write(p, text)
		}
		for _, dir := range []string{"repo/sub", "repo/sub/deep", "linked", "linked/sub", "linked/sub/deep", "repo/module", "repo/module/sub"} {
			u.compare(dir, name)
		}
		for p := range files {
			if err := os.Remove(filepath.Join(u.home, p)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRandomRulesOutsideAreGits has random rules in all places, and folders at any depth of a repository and of a linked working tree.
func TestRandomRulesOutsideAreGits(t *testing.T) {
	u := newUser(t)
	for seed := range rounds(12) {
		rnd := rand.New(rand.NewPCG(uint64(seed), 46))
		repo, linked := fmt.Sprintf("r%d", seed), fmt.Sprintf("l%d", seed)
		u.write(repo+"/k.go", "")
		u.git(repo, "init", "-q")
		u.git(repo, "add", "-f", ".")
		u.git(repo, "commit", "-qm", "x")
		u.git(repo, "worktree", "add", "-q", filepath.Join(u.home, linked))
		for _, top := range []string{repo, linked} {
			for range 50 {
				p := strings.NewReplacer("\\", "x", "\t", "t").Replace(randomPath(rnd)) // what is not plain is not read
				dir := filepath.Join(u.home, top)
				if _, err := os.Lstat(filepath.Join(dir, p)); err == nil || underFile(dir, p) {
					continue
				}
				u.write(top+"/"+p, "")
			}
			for _, p := range []string{".gitignore", "a/.gitignore", "a/b/.gitignore", "b/.gitignore"} {
				if rnd.IntN(2) == 0 && !underFile(filepath.Join(u.home, top), p) {
					u.write(top+"/"+p, randomRules(rnd))
				}
			}
		}
		u.write(repo+"/.git/info/exclude", randomRules(rnd))
		u.write(".config/git/ignore", randomRules(rnd))
		for _, top := range []string{repo, linked} {
			for _, dir := range []string{top, top + "/a", top + "/a/b", top + "/b"} {
				if info, err := os.Stat(filepath.Join(u.home, dir)); err != nil || !info.IsDir() {
					continue
				}
				if err := exec.Command("git", "-C", filepath.Join(u.home, top), "check-ignore", "-q", filepath.Join(u.home, dir)).Run(); err != nil {
					u.compare(dir, fmt.Sprint(seed))
				}
			}
		}
	}
}

// TestAnIgnoredFolderThatIsOpenedIsRead has a folder that the repository around it ignores.
func TestAnIgnoredFolderThatIsOpenedIsRead(t *testing.T) {
	u := newUser(t)
	u.write("repo/.gitignore", "*\n")
	u.write("repo/out/x.go", "")
	u.write("repo/out/.gitignore", "y.go\n")
	u.write("repo/out/y.go", "")
	u.git("repo", "init", "-q")
	root, err := jail.Open(filepath.Join(u.home, "repo/out"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if got := pathsOf(walk(t, root, Options{}).Files); !slices.Equal(got, []string{"x.go"}) {
		t.Errorf("%q", got)
	}
}

// TestTheRepositoryNamesNoFileOfRules has repositories of a stranger, whose configuration and .git file name files elsewhere.
func TestTheRepositoryNamesNoFileOfRules(t *testing.T) {
	u := newUser(t)
	u.write("rules", "*.go\n")
	u.write("else/.git/HEAD", "ref: refs/heads/main\n")
	u.write("else/.git/info/exclude", "*.go\n")
	jailtest.Write(t, u.home, "repo/x.go", "")
	u.git("repo", "init", "-q")
	u.git("repo", "config", "core.excludesFile", filepath.Join(u.home, "rules"))
	u.write("away/x.go", "")
	u.write("away/.git", "gitdir: ../else/.git\n")
	for _, dir := range []string{"repo", "away"} {
		root, err := jail.Open(filepath.Join(u.home, dir))
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if got := pathsOf(walk(t, root, Options{}).Files); !slices.Equal(got, []string{"x.go"}) {
			t.Errorf("%s: %q", dir, got)
		}
	}
}
