package codebase

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// trees are working trees of one repository, which share a cache.
type trees struct {
	*testing.T
	dir, cache string
	settled    int
}

func newTrees(t *testing.T, files map[string]string) *trees {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	w := &trees{T: t, dir: jailtest.Folder(t, files).Dir(), cache: t.TempDir()}
	w.git("init", "-q", "-b", "main")
	w.commit("main")
	return w
}

func (w *trees) git(args ...string) {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %q: %v: %s", args, err, out)
	}
}

func (w *trees) commit(message string) {
	w.Helper()
	w.git("add", "-A")
	w.git("commit", "-qm", message)
}

// settle makes a working tree one whose files are older than its index, as one is that was not made this moment.
func (w *trees) settle(dir string) {
	w.Helper()
	index := git.IndexOf(dir)
	paths, _ := index.Paths()
	w.settled++ // git compares seconds
	old := time.Now().Add(-time.Hour * time.Duration(w.settled))
	for _, p := range paths {
		if err := os.Chtimes(filepath.Join(dir, p), old, old); err != nil {
			w.Fatal(err)
		}
	}
	w.git("-C", dir, "update-index", "-q", "--refresh")
}

// linked adds a working tree.
func (w *trees) linked(name string, args ...string) string {
	w.Helper()
	dir := filepath.Join(w.TempDir(), name)
	w.git(append([]string{"worktree", "add", "-q", dir}, args...)...)
	w.settle(dir)
	return dir
}

// scan maps a working tree as a new program does, and says how many files it read and parsed.
func (w *trees) scan(dir string) (m *RepoMap, parser *counting) {
	w.Helper()
	root, err := jail.Open(dir)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { root.Close() })
	parser = &counting{}
	if m, err = Scan(w.Context(), root, Options{Parser: parser, Cache: w.cache, Repository: git.Shared(dir)}); err != nil {
		w.Fatal(err)
	}
	if err := m.Save(); err != nil {
		w.Fatal(err)
	}
	return m, parser
}

// expect compares how many files were read and parsed since the last time.
func (w *trees) expect(what string, m *RepoMap, parser *counting, read, parsed int64) {
	w.Helper()
	if r, p := m.scanner.reads.Swap(0), parser.n.Swap(0); r != read || p != parsed {
		w.Errorf("%s: %d files read and %d parsed, want %d and %d", what, r, p, read, parsed)
	}
}

const many = 200

func manyFiles(text string, from, to int) map[string]string {
	files := map[string]string{}
	for i := from; i < to; i++ {
		files[fmt.Sprintf("d%d/f%d.go", i%7, i)] = fmt.Sprintf("package f%d // %s\n", i, text)
	}
	return files
}

// TestWorkingTreesReadWhatDiffers: one that was made of a commit which another has read reads nothing, and else what differs.
func TestWorkingTreesReadWhatDiffers(t *testing.T) {
	w := newTrees(t, manyFiles("main", 0, many))
	w.settle(w.dir)
	m, parser := w.scan(w.dir)
	w.expect("the first", m, parser, many, many)
	m, parser = w.scan(w.dir)
	w.expect("the first again", m, parser, 0, 0)
	second := w.linked("second", "-b", "second")
	m, parser = w.scan(second)
	w.expect("the second", m, parser, 0, 0)
	if text, err := m.Read("d1/f1.go"); err != nil || text != "package f1 // main\n" {
		t.Errorf("%q, %v", text, err)
	}

	// An edit that is not committed is its working tree's own.
	jailtest.Write(t, second, "d1/f1.go", "package edited\n")
	edited, parser := w.scan(second)
	w.expect("an edit", edited, parser, 1, 1)
	a, _ := edited.Chunk("d1/f1.go")
	m, parser = w.scan(w.dir)
	w.expect("the first after an edit of the second", m, parser, 0, 0)
	if b, _ := m.Chunk("d1/f1.go"); a.Hash == b.Hash {
		t.Error("the edit of one is in the other")
	}

	// A change of branches under a program that runs, of which the contents are unknown, and known from another working tree.
	w.git("-C", second, "checkout", "-q", "--", ".")
	for p, text := range manyFiles("other", 0, 80) {
		jailtest.Write(t, second, p, text)
	}
	w.git("-C", second, "commit", "-qam", "other")
	w.settle(second)
	w.git("-C", w.dir, "checkout", "-q", "--detach", "second")
	w.settle(w.dir)
	m, err := m.Update(t.Context(), []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	w.expect("to a branch that nobody has read", m, parser, 80, 80)
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	m, parser = w.scan(second)
	w.expect("the second at that branch", m, parser, 0, 0)
	w.git("-C", second, "checkout", "-q", "--detach", "main")
	w.settle(second)
	parser.n.Store(0)
	if m, err = m.Update(t.Context(), []string{"."}); err != nil {
		t.Fatal(err)
	}
	w.expect("back to what the first has read", m, parser, 0, 0)
	whole, _ := w.scan(w.linked("third", "main", "--detach"))
	sameMap(t, "a change of branches", m, whole)
}

// TestContentIsNotTakenByItsName: data of another repository are not found by the names of its contents, whatever an index says,
// and of the own ones a file has what it holds.
func TestContentIsNotTakenByItsName(t *testing.T) {
	w := newTrees(t, manyFiles("main", 0, many))
	w.settle(w.dir)
	w.scan(w.dir)
	secret := git.BlobHash([]byte("package f1 // main\n"), 40)

	// Another repository's index names the contents of this one for files of its own.
	other := newTrees(t, manyFiles("evil", 0, many))
	other.cache = w.cache
	for i := range many {
		p := fmt.Sprintf("d%d/f%d.go", i%7, i)
		jailtest.Write(t, other.dir, p, fmt.Sprintf("package f%d // evil\n", i))
	}
	other.settle(other.dir)
	index, err := os.ReadFile(filepath.Join(other.dir, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	mine := git.BlobHash([]byte("package f1 // evil\n"), 40)
	forged := bytes.ReplaceAll(index, raw(mine), raw(secret))
	if bytes.Equal(forged, index) {
		t.Fatal("nothing was forged")
	}
	if err := os.WriteFile(filepath.Join(other.dir, ".git/index"), forged, 0o600); err != nil {
		t.Fatal(err)
	}
	m, parser := other.scan(other.dir)
	w.expect("the other repository", m, parser, many, many)
	if c, _ := m.Chunk("d1/f1.go"); c.Hash != sumOf("package f1 // evil\n") {
		t.Error("the index led to what another repository holds")
	}
	// Nor was anything put under a name that is not the content's.
	m, parser = w.scan(w.linked("second", "--detach"))
	w.expect("a working tree of the first", m, parser, 0, 0)
	if c, _ := m.Chunk("d1/f1.go"); c.Hash != sumOf("package f1 // main\n") {
		t.Error("the other repository put something into the cache")
	}
}

func raw(hash string) []byte {
	b, _ := hex.DecodeString(hash)
	return b
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
