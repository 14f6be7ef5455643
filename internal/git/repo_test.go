package git

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// workbench makes repositories with the git program, as a user would.
type workbench struct {
	t   *testing.T
	dir string
	now int64
}

// newRepo makes an empty repository on branch main.
func newRepo(t *testing.T, args ...string) *workbench {
	t.Helper()
	w := &workbench{t: t, dir: realDir(t), now: 1_700_000_000}
	w.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return w
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// git runs git in the repository, with fixed names and a clock that counts minutes.
func (w *workbench) git(args ...string) string {
	w.t.Helper()
	out, err := w.command(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *workbench) command(args ...string) *exec.Cmd {
	w.now += 60
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	date := strconv.FormatInt(w.now, 10) + " +0000"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date, "GIT_ALLOW_PROTOCOL=file"}
	return cmd
}

func (w *workbench) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// commit writes a file and commits everything.
func (w *workbench) commit(message, name, text string) string {
	w.t.Helper()
	w.write(name, text)
	w.git("add", "-A")
	return w.record(message)
}

// record commits what is staged, with any message.
func (w *workbench) record(message string) string {
	w.t.Helper()
	cmd := w.command("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-F", "-")
	cmd.Stdin = bytes.NewReader([]byte(message))
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("commit: %v\n%s", err, out)
	}
	return w.git("rev-parse", "HEAD")
}

// open opens a folder that must be in a repository.
func open(t *testing.T, dir string) *Repository {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// log reads the whole log in a readable form, a commit a line.
func log(t *testing.T, r *Repository, opts LogOptions) (lines []string, err error) {
	t.Helper()
	if opts.Head == "" {
		if opts.Head, err = r.Head(); err != nil {
			return nil, err
		}
	}
	if opts.MaxMessage == 0 {
		opts.MaxMessage, opts.MaxChanges = 1000, 100
	}
	err = r.Log(t.Context(), opts, func(c Commit) error {
		lines = append(lines, describe(c))
		return nil
	})
	return lines, err
}

func describe(c Commit) string {
	var b strings.Builder
	b.WriteString(strconv.Quote(strings.TrimSuffix(c.Message, "\n")))
	if c.Parents != 1 {
		b.WriteString(" parents=" + strconv.Itoa(c.Parents))
	}
	for _, change := range c.Changes {
		b.WriteByte(' ')
		if change.From != "" {
			b.WriteString(strconv.Quote(change.From) + "→")
		}
		b.WriteString(strconv.Quote(change.Path))
	}
	if c.Total != len(c.Changes) {
		b.WriteString(" of " + strconv.Itoa(c.Total))
	}
	return b.String()
}
