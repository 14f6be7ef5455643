package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// show writes a difference as text.
func show(d *Difference) string {
	var b strings.Builder
	for _, f := range d.Files {
		fmt.Fprintf(&b, "%c %q", f.Status, f.Path)
		if f.From != "" {
			fmt.Fprintf(&b, " from %q", f.From)
		}
		for _, h := range f.Removed {
			fmt.Fprintf(&b, " -%d%q", h.Line, h.Text)
		}
		for _, h := range f.Added {
			fmt.Fprintf(&b, " +%d%q", h.Line, h.Text)
		}
		if f.Left != "" {
			b.WriteString(" left: " + f.Left)
		}
		b.WriteByte('\n')
	}
	if d.Total != len(d.Files) {
		fmt.Fprintf(&b, "of %d\n", d.Total)
	}
	return b.String()
}

// wantDiff checks a difference.
func wantDiff(t *testing.T, d *Difference, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, show(d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// changed is a repository with one file of each fate between its two commits.
func changed(t *testing.T, args ...string) (w *workbench, first, second string) {
	w = newRepo(t, args...)
	w.write("sub/moved.txt", ten)
	w.write("gone.txt", "a\nb\n")
	w.write("lines.txt", "one\r\ntwo\r\n")
	w.write("sub/image", "\x00\x01")
	w.write("odd \"näme\"\t.txt", "x\n")
	w.write("sub/out.txt", "o\n"+ten)
	first = w.commit("first", "kept.txt", ten)
	if err := errors.Join(os.Remove(filepath.Join(w.dir, "gone.txt")), os.Remove(filepath.Join(w.dir, "sub", "moved.txt")),
		os.Remove(filepath.Join(w.dir, "sub", "out.txt"))); err != nil {
		t.Fatal(err)
	}
	w.write("sub/to.txt", strings.Replace(ten, "3\n", "three\n", 1))
	w.write("out.txt", "o\n"+ten)
	w.write("lines.txt", "one\ntwo\n")
	w.write("sub/image", "\x00\x02")
	w.write("odd \"näme\"\t.txt", "y\n")
	if err := os.Symlink("kept.txt", filepath.Join(w.dir, "link")); err != nil {
		t.Skip(err)
	}
	w.write("big", strings.Repeat("x", maxCompared+1))
	second = w.commit("second\n\nbody\n", "kept.txt", "0\n"+strings.Replace(ten, "5\n6\n", "", 1))
	return w, first, second
}

func TestCommitDiff(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		w, first, second := changed(t, "--object-format="+format)
		r := open(t, w.dir)
		d, err := r.CommitDiff(t.Context(), second, DefaultDiff)
		wantDiff(t, d, err, `A "big" left: over 1 MiB
D "gone.txt" -1"a\nb"
M "kept.txt" -5"5\n6" +1"0"
M "lines.txt"
M "odd \"näme\"\t.txt" -1"x" +1"y"
R "out.txt" from "sub/out.txt"
M "sub/image" left: binary
R "sub/to.txt" from "sub/moved.txt" -3"3" +3"three"
of 9
`)
		if d.Commit != second || d.Parents != 1 || strings.TrimSpace(d.Message) != "second\n\nbody" || d.Time == 0 {
			t.Errorf("%+v", d)
		}
		d, err = open(t, filepath.Join(w.dir, "sub")).CommitDiff(t.Context(), second, DefaultDiff)
		wantDiff(t, d, err, `D "out.txt" -1"o\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10"
M "image" left: binary
R "to.txt" from "moved.txt" -3"3" +3"three"
of 9
`)
		d, err = r.CommitDiff(t.Context(), first, DiffLimits{Files: 2, Lines: 1, Bytes: 1000, Message: 3})
		wantDiff(t, d, err, `A "gone.txt" left: over 1 lines
A "kept.txt" left: over 1 lines
of 7
`)
		if d.Message != "fir" {
			t.Errorf("message %q", d.Message)
		}
		d, err = r.CommitDiff(t.Context(), first, DiffLimits{Files: 2, Lines: 100, Bytes: 10})
		wantDiff(t, d, err, `A "gone.txt" +1"a\nb"
A "kept.txt" left: over the limit of compared files
of 7
`)
	}
}

// The middle of a key says nothing of it, so that credentials go before lines are compared.
func TestNoDifferenceHoldsACredential(t *testing.T) {
	key := func(mark string) string {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, "MIIEpAIBAAKCAQEA%02d%sxv8Zk3mWfPq9sLd2nRtYuHjKbVcXz1aSdFgHjKlQwEr\n", i, mark)
		}
		return "before\n-----BEGIN RSA " + "PRIVATE KEY-----\n" + b.String() + "-----END RSA " + "PRIVATE KEY-----\nbehind " + mark + "\n"
	}
	w := newRepo(t)
	w.commit("first", "key.txt", key("Q7"))
	second := w.commit("second", "key.txt", key("R8"))
	d, err := open(t, w.dir).CommitDiff(t.Context(), second, DefaultDiff)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(d); strings.Contains(got, "MIIEp") || !strings.Contains(got, "behind R8") {
		t.Error(got)
	}
}

func TestMergesAreComparedWithTheirFirstParent(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a", "1\n")
	w.git("checkout", "-q", "-b", "side")
	w.commit("side", "b", "2\n")
	w.git("checkout", "-q", "main")
	w.commit("main", "c", "3\n")
	w.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	d, err := open(t, w.dir).CommitDiff(t.Context(), w.git("rev-parse", "HEAD"), DefaultDiff)
	wantDiff(t, d, err, "A \"b\" +1\"2\"\n")
	if d.Parents != 2 {
		t.Errorf("%d parents", d.Parents)
	}
}

func TestFirstCommitOfAShallowCloneIsUnknown(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a", "1\n")
	w.commit("second", "a", "2\n")
	clone := &workbench{t: t, dir: realDir(t), now: w.now}
	clone.git("clone", "-q", "--depth=1", "file://"+w.dir, ".")
	if d, err := open(t, clone.dir).CommitDiff(t.Context(), clone.git("rev-parse", "HEAD"), DefaultDiff); err == nil ||
		!strings.Contains(err.Error(), "shallow") {
		t.Errorf("%v, %v", d, err)
	}
}

// indexState is the index as it lies there, with its time, and the names beside it.
func indexState(t *testing.T, w *workbench) string {
	t.Helper()
	path := filepath.Join(w.dir, ".git", "index")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(filepath.Join(w.dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(BlobHash(text, 40), info.ModTime(), names)
}

func TestStagedAndWorkDiff(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		w := newRepo(t)
		w.write("a/b/renamed.txt", ten)
		w.write("a/lines.txt", "one\n")
		w.commit("first", "a/b/c.txt", ten)
		w.git("update-index", "--index-version", version)
		if version == "3" {
			w.write("new.txt", "n\n")
			w.git("add", "-N", "new.txt") // what only version 3 can say
		}
		w.git("mv", "a/b/renamed.txt", "a/z.txt")
		w.write("a/b/c.txt", ten+"11\n")
		w.git("add", "a/b/c.txt")
		w.write("a/b/c.txt", ten+"11\n12\n")
		w.write("a/lines.txt", "one\r\n")
		w.write("not followed", "x")
		if err := os.Remove(filepath.Join(w.dir, "a", "z.txt")); err != nil {
			t.Fatal(err)
		}
		before := indexState(t, w)
		r := open(t, w.dir)
		d, err := r.StagedDiff(t.Context(), DefaultDiff)
		wantDiff(t, d, err, "M \"a/b/c.txt\" +11\"11\"\nR \"a/z.txt\" from \"a/b/renamed.txt\"\n")
		want := "M \"a/b/c.txt\" +12\"12\"\nD \"a/z.txt\" -1\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\"\n"
		if version == "3" {
			want += "A \"new.txt\" +1\"n\"\n"
		}
		d, err = r.WorkDiff(t.Context(), DefaultDiff)
		wantDiff(t, d, err, want)
		d, err = open(t, filepath.Join(w.dir, "a", "b")).WorkDiff(t.Context(), DefaultDiff)
		wantDiff(t, d, err, "M \"c.txt\" +12\"12\"\n")
		d, err = open(t, filepath.Join(w.dir, "a", "b")).StagedDiff(t.Context(), DefaultDiff)
		wantDiff(t, d, err, "M \"c.txt\" +11\"11\"\nD \"renamed.txt\" -1\"1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\"\n")
		if after := indexState(t, w); after != before {
			t.Errorf("the git folder changed:\n%s\n%s", before, after)
		}
	}
}

// A file that changed without another size, within one tick of the clock, is read.
func TestWorkDiffReadsWhatMayHaveChangedAfterTheIndex(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a.txt", "1\n")
	w.write("a.txt", "2\n")
	at := time.Unix(1_600_000_000, 0)
	if err := errors.Join(os.Chtimes(filepath.Join(w.dir, "a.txt"), at, at), os.Chtimes(filepath.Join(w.dir, ".git", "index"), at,
		at)); err != nil {
		t.Fatal(err)
	}
	d, err := open(t, w.dir).WorkDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "M \"a.txt\" -1\"1\" +1\"2\"\n")
}

func TestDiffsBeforeTheFirstCommitAndInConflict(t *testing.T) {
	w := newRepo(t)
	r := open(t, w.dir)
	d, err := r.StagedDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "")
	d, err = r.WorkDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "")
	w.write("a", "1\n")
	w.git("add", "a")
	d, err = r.StagedDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "A \"a\" +1\"1\"\n")
	w.record("first")
	w.git("checkout", "-q", "-b", "side")
	w.commit("side", "a", "2\n")
	w.git("checkout", "-q", "main")
	w.commit("main", "a", "3\n")
	if err := w.command("merge", "side").Run(); err == nil {
		t.Fatal("no conflict")
	}
	d, err = r.WorkDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "M \"a\" left: in conflict\n")
	w.git("merge", "--abort")
	w.git("update-index", "--split-index")
	w.commit("split", "b", "1\n")
	if _, err := r.WorkDiff(t.Context(), DefaultDiff); !errors.As(err, new(splitIndex)) {
		t.Errorf("split index: %v", err)
	}
	if _, err := r.StagedDiff(t.Context(), DefaultDiff); !errors.As(err, new(splitIndex)) {
		t.Errorf("split index: %v", err)
	}
}

// A file on disk that became a link, also one that leads out, is not followed.
func TestWorkDiffFollowsNothing(t *testing.T) {
	w := newRepo(t)
	w.write("dir/b", "b\n")
	w.commit("first", "a", "1\n")
	outside := realDir(t)
	if err := errors.Join(os.WriteFile(filepath.Join(outside, "b"), []byte("secret\n"), 0o600),
		os.RemoveAll(filepath.Join(w.dir, "dir")), os.Remove(filepath.Join(w.dir, "a"))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(outside, filepath.Join(w.dir, "dir")),
		os.Symlink(filepath.Join(outside, "b"), filepath.Join(w.dir, "a"))); err != nil {
		t.Skip(err)
	}
	d, err := open(t, w.dir).WorkDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "M \"a\" left: no longer a regular file\nM \"dir/b\" left: no longer a regular file\n")
}

// Nothing that the repository's configuration and attributes name is run by a difference.
func TestDiffsRunNothingOfTheRepository(t *testing.T) {
	w, mark := trap(t)
	w.write("a.txt", "4\n")
	index, err := os.ReadFile(filepath.Join(w.dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(mark)
	os.Remove(mark + ".trace")
	r := open(t, w.dir)
	head, err := r.Resolve(t.Context(), "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.CommitDiff(t.Context(), head, DefaultDiff)
	wantDiff(t, d, err, "A \".gitattributes\" +1\"*.txt diff=evil filter=evil merge=evil\"\nM \"a.txt\" -1\"1\" +1\"2\"\n")
	d, err = r.WorkDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "M \"a.txt\" -1\"3\" +1\"4\"\n")
	// another name in the index, with its checksum wrong as a hostile one may have it
	blob := strings.Replace(string(index), "a.txt", "b.txt", 1)
	if err := os.WriteFile(filepath.Join(w.dir, ".git", "index"), []byte(blob), 0o644); err != nil {
		t.Fatal(err)
	}
	if d, err := r.StagedDiff(t.Context(), DefaultDiff); err == nil {
		wantDiff(t, d, err, "R \"b.txt\" from \"a.txt\"\n")
	}
	if err := os.WriteFile(filepath.Join(w.dir, ".git", "index"), index, 0o644); err != nil {
		t.Fatal(err)
	}
	d, err = r.StagedDiff(t.Context(), DefaultDiff)
	wantDiff(t, d, err, "")
	if said := marked(mark); said != "" {
		t.Errorf("the repository's programs ran:\n%s", said)
	}
}

// The trap works for what differences do: plain git runs the programs there.
func TestTrapCatchesPlainDiffs(t *testing.T) {
	for _, args := range [][]string{{"diff"}, {"diff", "--cached", "HEAD~1"}, {"show"}} {
		w, mark := trap(t)
		w.write("a.txt", "4\n")
		os.Remove(mark)
		_ = w.command(args...).Run()
		if marked(mark) == "" {
			t.Errorf("git %v left no mark: the trap tests nothing", args)
		}
	}
}

func TestResolve(t *testing.T) {
	w := newRepo(t)
	first := w.commit("first", "a", "1")
	second := w.commit("second", "a", "2")
	w.git("tag", "-a", "v1", "-m", "tag", first)
	w.git("branch", "feature/x", first)
	w.git("update-ref", "refs/remotes/origin/main", first)
	w.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	w.git("branch", second[:8], first) // a branch named like the beginning of a hash
	r := open(t, w.dir)
	for _, packed := range []bool{false, true} {
		if packed {
			w.git("pack-refs", "--all")
		}
		for written, want := range map[string]string{
			"HEAD": second, "@": second, "HEAD~1": first, "@^": first, "main": second, "main~": first, "refs/heads/main": second,
			"heads/main": second,
			"v1":         first, "feature/x": first, "origin/main": first, "origin": first, first: first, first[:7]: first,
			second[:8]:    first,
			second + "^1": first,
		} {
			if got, err := r.Resolve(t.Context(), written); err != nil || got != want {
				t.Errorf("%q: %s, %v; want %s", written, got, err, want)
			}
		}
	}
	tree := w.git("rev-parse", "HEAD^{tree}")
	for _, written := range []string{
		"", "-", "--all", "--output=x", "-n", "HEAD~9", "HEAD@{1}", "HEAD@{upstream}", "HEAD:a", ":/first", "HEAD^{/first}",
		"nothing", "^HEAD", "HEAD..main",
		"HEAD --all", "HEAD\n", "HEAD\x00", "../HEAD", "refs/../HEAD", "refs/heads/../../HEAD", "config", "ABCDEF12", "0000000", tree,
		tree[:9], strings.Repeat("a", 500),
		"main~99999999999", "*", "ma?n",
	} {
		if got, err := r.Resolve(t.Context(), written); !errors.Is(err, ErrNoCommit) {
			t.Errorf("%q: %q, %v", written, got, err)
		}
	}
}

// FuzzCompare: without what differs both sides are the same, and each line is in its place.
func FuzzCompare(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd\n")
	f.Add("a\na\na\n\n", "a\n\na\nb")
	f.Add("", "\n")
	f.Add("x\r\ny", "x\ny\n")
	f.Add("1\n2\n3\n4\n5\n", "4\n5\n1\n2\n3\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		removed, added := compare(before, after)
		lines := func(text string) []string { return strings.SplitAfter(string(plainLines(text)), "\n") }
		a, b := without(t, lines(before), removed), without(t, lines(after), added)
		if a != b {
			t.Errorf("%q and %q stay", a, b)
		}
		if before == after && len(removed)+len(added) > 0 {
			t.Error("equal texts differ")
		}
	})
}

func without(t *testing.T, lines []string, hunks []Hunk) string {
	t.Helper()
	var kept []string
	at := 0
	for _, h := range hunks {
		text := strings.Split(h.Text, "\n")
		if h.Line-1 < at || h.Line-1+len(text) > len(lines) || strings.Join(lines[h.Line-1:h.Line-1+len(text)], "") != h.Text+"\n" {
			t.Fatalf("hunk %+v of %q", h, lines)
		}
		kept = append(kept, lines[at:h.Line-1]...)
		at = h.Line - 1 + len(text)
	}
	return strings.Join(append(kept, lines[at:]...), "")
}

// Two long texts without a line in common, and two of one line many times over, take no
// more than their length.
func BenchmarkCompareHostile(b *testing.B) {
	same := strings.Repeat("a\n", 300_000)
	other := strings.Repeat("b\na\n", 150_000)
	for b.Loop() {
		compare(same, other)
	}
}

// FuzzIndex: any bytes give files with paths, or an error.
func FuzzIndex(f *testing.F) {
	entry := append(bytes.Repeat([]byte{0, 0, 0, 1}, 10), bytes.Repeat([]byte{0xab}, 20)...)
	entry = append(entry, 0, 3, 'a', '/', 'b', 0, 0, 0, 0, 0, 0, 0)
	for _, version := range []byte{2, 3, 4} {
		f.Add(append([]byte{'D', 'I', 'R', 'C', 0, 0, 0, version, 0, 0, 0, 1}, entry...))
	}
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := parseIndex(data, 40)
		for _, s := range files {
			if err != nil || s.path == "" || len(s.path) > maxPath || !isHash(s.hash) {
				t.Errorf("%+v, %v", s, err)
			}
		}
	})
}
