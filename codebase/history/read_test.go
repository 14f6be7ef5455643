package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

func TestReadCountsWhatSaysSomething(t *testing.T) {
	p := newProject(t)
	p.commit("one", "a", "sub/b")
	var many []string
	for i := range maxFiles + 1 {
		many = append(many, fmt.Sprintf("many/%d", i))
	}
	p.commit("sweep", many...)
	p.commit("limit", many[:maxFiles]...)
	p.commit("nothing")
	p.git("checkout", "-q", "-b", "side", "HEAD~2")
	p.commit("side", "c")
	p.git("checkout", "-q", "main")
	p.git("merge", "-q", "--no-ff", "-m", "join", "side")
	h := p.read("", Options{})
	slices.Sort(many[:maxFiles])
	expect(t, "whole", brief(h), "side: c", "limit: "+strings.Join(many[:maxFiles], " "), "one: a sub/b")
	if want := p.git("rev-parse", "HEAD"); h.Head() != want || h.Partial() != "" {
		t.Errorf("Head = %s, Partial %q; want %s", h.Head(), h.Partial(), want)
	}
	expect(t, "below", brief(p.read("sub", Options{})), "one: b")
	expect(t, "at most", brief(p.read("", Options{MaxCommits: 2})), "side: c")
	expect(t, "from", brief(p.read("", Options{Head: p.git("rev-parse", "HEAD~3")})), "one: a sub/b")
}

func TestMovedFilesKeepTheirHistory(t *testing.T) {
	p := newProject(t)
	p.commit("oldest", "a", "b")
	p.move("a", "lib/a")
	p.commit("into lib")
	p.commit("middle", "lib/a", "b")
	p.move("lib/a", "src/a")
	p.commit("into src")
	p.commit("another file of the old name", "a")
	h := p.read("", Options{})
	expect(t, "commits", brief(h), "another file of the old name: a", "into src: src/a", "middle: b src/a", "into lib: src/a",
		"oldest: b src/a")
	if co := h.CoChange("src/a"); len(co) != 1 || co["b"] == 0 {
		t.Errorf("CoChange = %v", co)
	}
}

// A commit that moves the whole tree counts for nothing but the names.
func TestMovedTreeKeepsItsHistory(t *testing.T) {
	p := newProject(t)
	p.commit("oldest", "old/5", "old/70")
	var all []string
	for i := range 2 * maxFiles {
		all = append(all, fmt.Sprint("old/", i))
	}
	p.commit("import", all...)
	p.move("old", "new/place")
	p.commit("move")
	expect(t, "commits", brief(p.read("", Options{})), "oldest: new/place/5 new/place/70")
}

func TestIncrementalIsTheSameAsWhole(t *testing.T) {
	p := newProject(t)
	p.commit("one", "a", "b")
	p.commit("two", "b", "c")
	before := p.read("", Options{})
	stored, err := decode(encode(before))
	if err != nil {
		t.Fatal(err)
	}
	p.move("b", "moved/b")
	p.commit("move")
	p.commit("three", "moved/b", "d")
	p.git("checkout", "-q", "-b", "side", "HEAD~2")
	p.commit("side", "e")
	p.git("checkout", "-q", "main")
	p.git("merge", "-q", "--no-ff", "-m", "join", "side")
	whole := p.read("", Options{})
	for name, old := range map[string]*History{"in memory": before, "stored": stored} {
		h := p.read("", Options{Before: old})
		if dump(h) != dump(whole) {
			t.Errorf("%s:\n%s\nwhole:\n%s", name, dump(h), dump(whole))
		}
		if h.commits.times[h.Len()-1] != old.commits.times[old.Len()-1] ||
			fmt.Sprint(h.Votes(words("one two three"))) != fmt.Sprint(whole.Votes(words("one two three"))) {
			t.Errorf("%s: votes differ", name)
		}
	}
	if h := p.read("", Options{Before: whole}); h != whole {
		t.Error("nothing new, and still another history")
	}
	expect(t, "bounded", brief(p.read("", Options{Before: before, MaxCommits: 4})), brief(whole)[:4]...)
}

// Histories that the new one does not continue are not used.
func TestIncrementalNoticesWhatIsOther(t *testing.T) {
	p := newProject(t)
	p.commit("one", "a", "sub/b")
	p.commit("two", "a")
	before := p.read("", Options{})
	p.git("commit", "-q", "--amend", "-m", "rewritten")
	expect(t, "rewritten", brief(p.read("", Options{Before: before})), "rewritten: a", "one: a sub/b")
	expect(t, "other folder", brief(p.read("sub", Options{Before: before})), "one: b")
	gone := &History{head: strings.Repeat("ab", 20), headTime: before.headTime, paths: before.paths, commits: before.commits}
	expect(t, "gone", brief(p.read("", Options{Before: gone})), "rewritten: a", "one: a sub/b")
	expect(t, "empty", brief(p.read("", Options{Before: &History{}})), "rewritten: a", "one: a sub/b")
}

// A working tree that is at another branch takes what it has in common with the history that was kept, but for names that a
// move of the other branch gave.
func TestHistoryOfAnotherBranchIsContinued(t *testing.T) {
	p := newProject(t)
	p.commit("one", "a", "b")
	p.commit("two", "b", "c")
	p.git("branch", "side")
	p.git("branch", "moved")
	for i := range 70 {
		p.commit(fmt.Sprint("main ", i), "a")
	}
	main := p.read("", Options{})
	cache := t.TempDir()
	if err := main.Keep(cache, "repository"); err != nil {
		t.Fatal(err)
	}
	p.git("checkout", "-q", "side")
	p.commit("side", "c", "e")
	kept := Kept(cache, "repository")
	side := p.read("", Options{Before: kept})
	if want := p.read("", Options{}); dump(side) != dump(want) || side.known != 2 {
		t.Errorf("%d were known\n%s\nwhole:\n%s", side.known, dump(side), dump(want))
	}
	if err := side.Keep(cache, "repository"); err != nil || Kept(cache, "repository").Head() != main.Head() {
		t.Errorf("what all have in common was replaced for one commit: %v", err)
	}
	p.git("checkout", "-q", "moved")
	p.move("a", "b2")
	p.commit("move")
	moved := p.read("", Options{})
	p.git("checkout", "-q", "side")
	if h := p.read("", Options{Before: moved}); h.known != 0 || dump(h) != dump(side) {
		t.Errorf("a move of another branch stays: %d known\n%s", h.known, dump(h))
	}
}

func TestProgressComesFirst(t *testing.T) {
	p := newProject(t)
	var stream strings.Builder
	for i := range firstAnswer + 10 {
		fmt.Fprintf(&stream, "commit refs/heads/long\nmark :%d\ncommitter a <a@example.org> %d +0000\ndata 4\nword\n", i+1, firstDay+i)
		fmt.Fprintf(&stream, "M 644 inline f%d\ndata 6\n%05d\n\n", i%50, i)
	}
	p.fastImport(stream.String())
	p.git("symbolic-ref", "HEAD", "refs/heads/long")
	var early []*History
	h := p.read("", Options{Progress: func(h *History) { early = append(early, h) }})
	if len(early) != 1 || early[0].Partial() == "" || early[0].Head() != h.Head() {
		t.Fatalf("progress: %d histories", len(early))
	}
	if early[0].Len() >= h.Len() || early[0].Len() < firstAnswer-1 || h.Partial() != "" {
		t.Errorf("early %d commits, then %d, %q", early[0].Len(), h.Len(), h.Partial())
	}
	// A part is not continued, but read again.
	if again := p.read("", Options{Before: early[0]}); dump(again) != dump(h) {
		t.Error("the early part was continued")
	}
}

func TestReadWithoutHistory(t *testing.T) {
	p := &project{t: t, dir: t.TempDir()}
	p.git("init", "-q")
	h := p.read("", Options{})
	if h.Len() != 0 || h.Head() != "" || len(h.Votes(words("anything"))) != 0 || h.CoChange("a") != nil {
		t.Errorf("unborn: %s", dump(h))
	}
	if _, ok := h.Age("a"); ok {
		t.Error("a file of an empty history has an age")
	}
}

// What lies before the damage is the history, but for the commit next to it; without anything before it there is none.
func TestDamagedRepository(t *testing.T) {
	p := newProject(t)
	p.commit("one", "a")
	p.commit("two", "b")
	p.commit("three", "c")
	p.commit("four", "c")
	tree := p.git("rev-parse", "HEAD~3^{tree}")
	if err := os.Remove(filepath.Join(p.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	h := p.read("", Options{})
	if expect(t, "damaged", brief(h), "four: c"); !strings.Contains(h.Partial(), tree) {
		t.Errorf("Partial = %q", h.Partial())
	}
	tree = p.git("rev-parse", "HEAD^{tree}")
	if err := os.Remove(filepath.Join(p.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := Read(t.Context(), repo, Options{}); err == nil {
		t.Errorf("no error, %d commits", h.Len())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ended, repo, Options{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
