package format

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// accepted is a text with one side of each of its conflicts.
func accepted(text string, side Side) string {
	var edits []markdown.Edit
	for _, c := range Conflicts(text) {
		edits = append(edits, c.Accept(side)...)
	}
	return markdown.ApplyEdits(text, edits)
}

// TestAcceptIsWhatGitWouldHaveWritten merges random texts with git, and compares each side of its
// conflicts with what git writes when it is told to take that side.
func TestAcceptIsWhatGitWouldHaveWritten(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	r := rand.New(rand.NewSource(1))
	names := []string{"ours", "base", "theirs"}
	merged := func(style string, how ...string) string {
		args := slices.Concat([]string{"-c", "merge.conflictStyle=" + style, "merge-file", "-p", "-q"}, how, names)
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 127) {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	found := 0
	for i := range 60 {
		eol := []string{"\n", "\r\n"}[i%2]
		var base []string
		for range 3 + r.Intn(12) {
			base = append(base, fmt.Sprintf("line %d", r.Intn(30)))
		}
		for n, name := range names {
			lines := slices.Clone(base)
			for range []int{2, 0, 2}[n] {
				at := r.Intn(len(lines))
				lines = slices.Replace(lines, at, at+r.Intn(2), []string{name, "```", "---", "also " + name}[r.Intn(4)])
			}
			text := strings.Join(lines, eol)
			if r.Intn(3) > 0 {
				text += eol
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, style := range []string{"merge", "diff3", "zdiff3"} {
			torn := merged(style)
			found += len(Conflicts(torn))
			for how, side := range map[string]Side{"--ours": Ours, "--theirs": Theirs} {
				want, got := merged(style, how), accepted(torn, side)
				if strings.TrimSuffix(want, eol) != strings.TrimSuffix(got, eol) { // at a file's end git adds one before a marker
					t.Fatalf("%s %s of\n%q (-git +here)\n%s", style, how, torn, cmp.Diff(want, got))
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d conflicts", found)
	}
}

// FuzzConflicts: the parts of conflicts are whole lines in order; accepting a side deletes the rest of
// them and no other byte, and leaves no marker of theirs; whatever stands there, no edit is made of an entry that
// is in conflict.
func FuzzConflicts(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*/conflict.txtar")
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(string(file.Data))
			f.Add(strings.ReplaceAll(string(file.Data), "\n", "\r\n"))
			f.Add(strings.TrimSuffix(string(file.Data), "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := Conflicts(text)
		markers := func(text string) (n int) {
			for line := range strings.Lines(text) {
				if marker(strings.TrimSuffix(line, "\n")) != 0 {
					n++
				}
			}
			return n
		}
		lineStart := func(at int) bool { return at == 0 || at == len(text) || text[at-1] == '\n' }
		end := 0
		for _, c := range found {
			for _, at := range []markdown.Span{c.At, c.Ours, c.Theirs} {
				if at.Start < c.At.Start || at.End < at.Start || at.End > c.At.End || !lineStart(at.Start) || !lineStart(at.End) {
					t.Fatalf("%+v of %q", c, text)
				}
			}
			if c.At.Start < end || c.Certain && c.Ours.End >= c.Theirs.Start {
				t.Fatalf("%+v behind %d of %q", c, end, text)
			}
			end = c.At.End
		}
		for side, kept := range map[Side]func(Conflict) string{
			Ours: func(c Conflict) string { return c.Ours.Of(text) }, Theirs: func(c Conflict) string { return c.Theirs.Of(text) },
			Both: func(c Conflict) string { return c.Ours.Of(text) + c.Theirs.Of(text) },
		} {
			want, at, outside := "", 0, 0
			for _, c := range found {
				outside += markers(text[at:c.At.Start])
				want, at = want+text[at:c.At.Start], c.At.End
				if c.Certain {
					want += kept(c)
				} else {
					want += c.At.Of(text)
					outside += markers(c.At.Of(text))
				}
			}
			want, outside = want+text[at:], outside+markers(text[at:])
			if got := accepted(text, side); got != want || markers(got) != outside {
				t.Fatalf("side %d of %q\nis   %q\nwant %q with %d markers", side, text, got, want, outside)
			}
		}
		e := Parse("a/b/c.md", text)
		accountedFor(t, e)
		if (e.Unmerged() != nil) != (len(found) > 0) || e.Unmerged() != nil && e.FieldEdit("title", "new") != (markdown.Edit{}) {
			t.Fatalf("%d conflicts, but %v", len(found), e.Unmerged())
		}
		for _, r := range e.Relations {
			if r.At.Start < 0 || r.At.End > len(text) || r.At.End < r.At.Start {
				t.Fatalf("relation at %v of %q", r.At, text)
			}
		}
	})
}
