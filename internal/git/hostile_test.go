package git

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// trap is a repository whose configuration runs a program wherever git would run one.
// The program leaves a mark.
func trap(t *testing.T) (w *workbench, mark string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the trap is a shell script")
	}
	w = newRepo(t)
	outside := realDir(t)
	mark = filepath.Join(outside, "mark")
	evil := filepath.Join(outside, "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $@\" >> '"+mark+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.commit("first", "a.txt", "1\n")
	w.write(".gitattributes", "*.txt diff=evil filter=evil merge=evil\n")
	w.commit("second", "a.txt", "2\n")
	w.sign(w.commit("third", "a.txt", "3\n"))
	more := filepath.Join(outside, "more.config")
	hooks := filepath.Join(w.dir, ".git", "hooks")
	for _, name := range []string{"post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"} {
		text, err := os.ReadFile(evil)
		if err == nil {
			err = os.MkdirAll(hooks, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(hooks, name), text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	config := fmt.Sprintf(`
[core]
	fsmonitor = %[1]s
	pager = %[1]s
	hooksPath = %[2]s
	sshCommand = %[1]s
	gitProxy = %[1]s
	askPass = %[1]s
	alternateRefsCommand = %[1]s
	editor = %[1]s
[pager]
	log = %[1]s
[log]
	showSignature = true
	mailmap = true
[gpg]
	program = %[1]s
[gpg "ssh"]
	allowedSignersFile = /dev/null
	program = %[1]s
[diff]
	external = %[1]s
[diff "evil"]
	command = %[1]s
	textconv = %[1]s
[filter "evil"]
	clean = %[1]s
	smudge = %[1]s
	process = %[1]s
[alias]
	log = !%[1]s
	merge-base = !%[1]s
[credential]
	helper = %[1]s
[extensions]
	partialClone = origin
[remote "origin"]
	url = ssh://evil.invalid/repo
	promisor = true
	partialclonefilter = tree:0
	uploadpack = %[1]s
[uploadpack]
	packObjectsHook = %[1]s
[trace2]
	eventTarget = %[3]s.trace
[include]
	path = %[4]s
[includeIf "gitdir:/"]
	path = %[4]s
`, evil, hooks, mark, more)
	if err := os.WriteFile(more, []byte("[core]\n\tpager = "+evil+"\n\tfsmonitor = "+evil+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.dir, ".git", "config")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(old), "repositoryformatversion = 0", "repositoryformatversion = 1", 1) + config
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return w, mark
}

// sign gives the newest commit a signature, which is checked by a program.
func (w *workbench) sign(commit string) {
	w.t.Helper()
	header, message, _ := strings.Cut(w.git("cat-file", "commit", commit), "\n\n")
	cmd := w.command("hash-object", "-t", "commit", "-w", "--stdin")
	cmd.Stdin = strings.NewReader(header + "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n" +
		message + "\n")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	w.git("update-ref", "HEAD", strings.TrimSpace(string(out)))
}

// marked returns what the trap's programs wrote.
func marked(mark string) string {
	var all string
	for _, name := range []string{mark, mark + ".trace"} {
		text, _ := os.ReadFile(name)
		all += string(text)
	}
	return all
}

// The trap works: plain git in that repository runs the programs.
func TestTrapCatchesPlainGit(t *testing.T) {
	for _, args := range [][]string{{"status"}, {"log"}, {"log", "-p", "--ext-diff"}, {"log", "-p", "--textconv"}, {"fetch"}} {
		w, mark := trap(t)
		_ = w.command(args...).Run()
		if marked(mark) == "" {
			t.Errorf("git %v left no mark: the trap tests nothing", args)
		}
	}
}

func TestNothingOfTheRepositoryRuns(t *testing.T) {
	for name, value := range map[string]string{"GIT_DIR": "/nowhere", "GIT_PAGER": "false", "GIT_EXTERNAL_DIFF": "false",
		"GIT_TRACE2_EVENT": "1",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "log.showSignature", "GIT_CONFIG_VALUE_0": "true", "GIT_SSH_COMMAND": "false"} {
		t.Setenv(name, value)
	}
	w, mark := trap(t)
	r := open(t, w.dir)
	for _, renames := range []Renames{NoRenames, ExactRenames, SimilarRenames} {
		lines, err := log(t, r, LogOptions{Renames: renames})
		want := []string{`"third" "a.txt"`, `"second" ".gitattributes" "a.txt"`, `"first" parents=0`}
		if err != nil || strings.Join(lines, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %q, %v", renames, lines, err)
		}
	}
	if h, err := r.Hooks(t.Context()); err != nil || h.Top != r.top {
		t.Errorf("Hooks = %+v, %v", h, err)
	}
	if said := marked(mark); said != "" {
		t.Errorf("the repository's programs ran:\n%s", said)
	}
}

// Hooks are looked for where the user's git looks: as the system, the user, the repository and the working tree say.
func TestHooksAreWhereGitLooks(t *testing.T) {
	w, _ := trap(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG", filepath.Join(home, "nothing")) // counts for git config alone
	r := open(t, w.dir)
	config := filepath.Join(w.dir, ".git", "config")
	w.git("config", "--unset-all", "core.hooksPath")
	before, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ local, user, dir, set string }{
		{"", "", filepath.Join(r.top, ".git", "hooks"), ""},
		{"", "[core]\nhooksPath = ~/h\n", filepath.Join(resolved(home), "h"), "global, "},
		{"[core]\nhooksPath = a/b\n", "[core]\nhooksPath = ~/h\n", filepath.Join(r.top, "a", "b"), "local, .git/config"},
		{"[include]\npath = more\n", "", filepath.Join(r.top, "more"), "local, .git/more"},
		{"[core]\nhooksPath = /a b/c\n", "", "/a b/c", "local, .git/config"},
		{"[core]\nhooksPath =\n", "", "", ""},
		{"[core\n", "", "", ""},
	} {
		if err := errors.Join(os.WriteFile(config, slices.Concat(before, []byte(c.local)), 0o644),
			os.WriteFile(filepath.Join(w.dir, ".git", "more"), []byte("[core]\nhooksPath = more\n"), 0o644),
			os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(c.user), 0o644)); err != nil {
			t.Fatal(err)
		}
		h, err := r.Hooks(t.Context())
		asWanted := err == nil && h.Dir == c.dir && strings.HasPrefix(h.Set, c.set) && (h.Set == "") == (c.set == "")
		if c.dir == "" && err == nil || c.dir != "" && !asWanted {
			t.Errorf("%q, %q: %+v, %v", c.local, c.user, h, err)
		}
	}
}

// A missing object is not fetched, though the repository says from where.
func TestPromisedObjectsAreNotFetched(t *testing.T) {
	w, mark := trap(t)
	tree := w.commandOutput("rev-parse", "HEAD~1^{tree}")
	if err := os.Remove(filepath.Join(w.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	os.Remove(mark)
	os.Remove(mark + ".trace")
	_, err := log(t, open(t, w.dir), LogOptions{})
	if err == nil || !strings.Contains(err.Error(), tree) {
		t.Errorf("error %v does not name the missing tree", err)
	}
	if said := marked(mark); said != "" {
		t.Errorf("the repository's programs ran:\n%s", said)
	}
}

// commandOutput is git without the repository's own configuration.
func (w *workbench) commandOutput(args ...string) string {
	w.t.Helper()
	path := filepath.Join(w.dir, ".git", "config")
	config, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		w.t.Fatal(err)
	}
	defer os.WriteFile(path, config, 0o644)
	return w.git(args...)
}

func TestReplacementsAndGraftsDoNotCount(t *testing.T) {
	w := newRepo(t)
	first := w.commit("first", "a", "1")
	second := w.commit("second", "a", "2")
	w.commit("third", "a", "3")
	w.git("replace", second, first)
	w.write(".git/info/grafts", w.git("rev-parse", "HEAD")+"\n")
	lines, err := log(t, open(t, w.dir), LogOptions{})
	if err != nil || len(lines) != 3 || lines[1] != `"second" "a"` {
		t.Errorf("%q, %v", lines, err)
	}
}

// A tree that contains itself many times over: 10^10 files in a dozen objects.
func TestBombIsBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux bounds the memory of another process")
	}
	w := newRepo(t)
	first := w.commit("first", "a", "1")
	entry := "100644 blob " + w.git("hash-object", "-w", "a")
	for range 10 {
		var list strings.Builder
		for i := range 10 {
			fmt.Fprintf(&list, "%s\tf%d\n", entry, i)
		}
		cmd := w.command("mktree")
		cmd.Stdin = strings.NewReader(list.String())
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		entry = "040000 tree " + strings.TrimSpace(string(out))
	}
	tree := entry[len("040000 tree "):]
	bomb := w.git("commit-tree", "-p", first, "-m", "bomb", tree)
	r := open(t, w.dir)
	r.limits.memory = 64 << 20
	lines, err := log(t, r, LogOptions{Head: bomb})
	if err == nil || !strings.Contains(err.Error(), "memory") || len(lines) > 0 {
		t.Errorf("%d commits, error %v", len(lines), err)
	}
}

// Pipes in place of files never deliver a byte: reading one would wait for ever.
func TestPipesAreNotWaitedFor(t *testing.T) {
	pipe := func(path string) {
		if err := exec.Command("mkfifo", path).Run(); err != nil {
			t.Skip("no named pipes:", err)
		}
	}
	w := newRepo(t)
	head := w.commit("first", "a", "1")
	w.record("second")
	w.git("gc", "-q")
	for _, name := range []string{"idx", "pack"} {
		files, _ := filepath.Glob(filepath.Join(w.dir, ".git", "objects", "pack", "*."+name))
		for _, path := range files {
			os.Remove(path)
			pipe(path)
		}
	}
	r := open(t, w.dir)
	r.limits.stall = 200 * time.Millisecond
	if _, err := log(t, r, LogOptions{Head: head}); err == nil {
		t.Error("packs: no error")
	}
	os.Remove(filepath.Join(w.dir, ".git", "HEAD"))
	pipe(filepath.Join(w.dir, ".git", "HEAD"))
	if _, err := r.Head(); !errors.Is(err, jail.ErrNotRegular) {
		t.Errorf("HEAD: %v", err)
	}
	pipe(filepath.Join(w.dir, ".git", "objects", "info", "alternates"))
	if _, err := Open(w.dir); !errors.Is(err, jail.ErrNotRegular) {
		t.Errorf("alternates: %v", err)
	}
}
