package history

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/git"
)

// project is a repository made by the git program. Its clock counts days.
type project struct {
	t   testing.TB
	dir string
	day int64
}

const firstDay = 1_700_000_000 // seconds since 1970

func newProject(t testing.TB) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	p.git("init", "-q", "-b", "main")
	p.commit("first")
	return p
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	return p.feed("", args...)
}

// fastImport makes many commits at once.
func (p *project) fastImport(stream string) { p.feed(stream, "fast-import", "--quiet") }

func (p *project) feed(input string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Dir = p.dir
	date := fmt.Sprintf("%d +0000", firstDay+p.day*24*60*60)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit changes files, one day after the commit before, and returns the hash.
func (p *project) commit(message string, files ...string) string {
	p.t.Helper()
	p.day++
	for _, name := range files {
		path := filepath.Join(p.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name+strconv.FormatInt(p.day, 10)), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", message)
	return p.git("rev-parse", "HEAD")
}

func (p *project) move(from, to string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(p.dir, to)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	p.git("mv", from, to)
}

// read reads the history of a folder of the project.
func (p *project) read(folder string, opts Options) *History {
	p.t.Helper()
	repo, err := git.Open(filepath.Join(p.dir, folder))
	if err != nil {
		p.t.Fatal(err)
	}
	h, err := Read(context.Background(), repo, opts)
	if err != nil {
		p.t.Fatal(err)
	}
	return h
}

// dump is all that a history holds but the numbers of its files, as text.
func dump(h *History) string {
	var b strings.Builder
	fmt.Fprintf(&b, "head %s at %d prefix %q partial %q\n", h.head, h.headTime, h.prefix, h.partial)
	for i := range h.Len() {
		files := h.Files(i)
		slices.Sort(files)
		words, counts := h.commits.termsOf(i)
		fmt.Fprintf(&b, "%s %d %q %q of %d %v %v\n", h.Hash(i), h.commits.times[i], h.Subject(i), files, h.commits.totals[i], words, counts)
	}
	return b.String()
}

// brief lists subjects and files.
func brief(h *History) (lines []string) {
	for i := range h.Len() {
		files := h.Files(i)
		slices.Sort(files)
		lines = append(lines, h.Subject(i)+": "+strings.Join(files, " "))
	}
	return lines
}

func expect(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", name, got, want)
	}
}

// words makes a question of a text, each word once.
func words(text string) (query []Weighted) {
	seen := map[terms.Term]bool{}
	terms.Scan(text, func(term terms.Term, _ int) {
		if !seen[term] {
			query = append(query, Weighted{term, 1})
		}
		seen[term] = true
	})
	return query
}

// ranked lists files by their sum of votes, best first.
func ranked(votes map[string]Vote) []string {
	return slices.SortedFunc(maps.Keys(votes), func(a, b string) int {
		return cmp.Or(cmp.Compare(votes[b].Sum, votes[a].Sum), cmp.Compare(a, b))
	})
}
