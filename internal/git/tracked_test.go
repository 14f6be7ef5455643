package git

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// An index has the paths that git lists; of a folder below the top, the paths below it, in both forms of names.
func TestIndexIsReadAsGitDoes(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		w := newRepo(t, "--object-format="+format)
		for _, p := range strings.Fields("a.b a/b a/b.c ab é/ü.go z/" + strings.Repeat("long", 50) + " z/x z/x.y q") {
			w.write(p, p)
		}
		w.git("add", ".")
		w.git("commit", "-qm", "x")
		w.write("new", "new")
		w.git("add", "-N", "new") // version 3 where a flag needs it
		for _, version := range []string{"2", "4"} {
			w.git("update-index", "--index-version", version)
			for _, dir := range []string{"", "z", "é"} {
				want := strings.Split(strings.TrimRight(w.git("-C", filepath.Join(w.dir, dir), "ls-files", "-z"), "\x00"), "\x00")
				if got, _ := IndexOf(filepath.Join(w.dir, dir)).Paths(); !slices.Equal(got, want) {
					t.Errorf("%s, version %s, %q: %q, git has %q", format, version, dir, got, want)
				}
			}
		}
	}
}

// Of a split index, all files are known: those of its shared part, those that were replaced, and those that were added.
func TestASplitIndexHasItsSharedFiles(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		w := newRepo(t, "--object-format="+format)
		w.write("a", "a")
		w.write("m/b", "b")
		w.commit("first", "z", "1")
		w.git("-c", "splitIndex.maxPercentChange=100", "update-index", "--split-index")
		w.write("c", "c")
		w.write("a", "other")
		w.git("add", ".")
		x := IndexOf(w.dir)
		if got, _ := x.Paths(); !slices.Equal(got, strings.Fields("a c m/b z")) {
			t.Errorf("%s: %q", format, got)
		}
		if got, err := open(t, w.dir).Staged("m"); got != "m/b" || err != nil {
			t.Errorf("%s: %q, %v", format, got, err)
		}
	}
}

// What the index says of a file that is as git left it is its content's name; of any other nothing is said.
func TestBlobsAreThoseOfUnchangedFiles(t *testing.T) {
	w := newRepo(t)
	for _, p := range strings.Fields("same edited touched replaced assumed sized conflict") {
		w.write(p, "text of "+p)
		if err := os.Chtimes(filepath.Join(w.dir, p), time.Time{}, time.Unix(1_700_000_000, 123)); err != nil {
			t.Fatal(err)
		}
	}
	w.git("add", ".")
	w.git("commit", "-qm", "x")
	w.write("intended", "")
	w.git("add", "-N", "intended")
	w.git("update-index", "--assume-unchanged", "assumed")
	w.write("untracked", "")
	w.write("edited", "other text")
	w.write("sized", "text and more")
	at := time.Unix(1_700_000_000, 123)
	for p, as := range map[string]time.Time{"touched": at.Add(1), "sized": at} {
		if err := os.Chtimes(filepath.Join(w.dir, p), time.Time{}, as); err != nil {
			t.Fatal(err)
		}
	}
	w.write("twin", "text of replaces")
	if err := os.Rename(filepath.Join(w.dir, "twin"), filepath.Join(w.dir, "replaced")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(w.dir, "replaced"), time.Time{}, at); err != nil {
		t.Fatal(err)
	}
	record := func(p string) jail.Record {
		info, err := os.Lstat(filepath.Join(w.dir, p))
		if err != nil {
			t.Fatal(err)
		}
		return jail.RecordOf(info)
	}
	index := IndexOf(w.dir)
	for p, named := range map[string]bool{"same": true, "conflict": true, "edited": false, "touched": false, "replaced": false,
		"assumed": false, "sized": false, "intended": false, "untracked": false} {
		want := ""
		if named {
			want = w.git("rev-parse", ":"+p)
		}
		if got := index.Blob(p, record(p)); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	late := index
	late.written = at
	if got := late.Blob("same", record("same")); got != "" {
		t.Errorf("a file as new as the index: %s", got)
	}
}

// What working trees have in common is confirmed in both directions.
func TestSharedIsOfTheRepository(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "sub/a", "1")
	w.git("worktree", "add", "-q", "-b", "side", filepath.Join(w.dir, "tree"))
	w.git("clone", "-q", "--bare", w.dir, filepath.Join(w.dir, "x.git"))
	w.git("-C", filepath.Join(w.dir, "x.git"), "worktree", "add", "-q", "-f", filepath.Join(w.dir, "bare"), "main")
	w.write("forged/.git", "gitdir: "+filepath.Join(w.dir, ".git/worktrees/tree")+"\n")
	w.write("forged/a", "")
	common, bare := filepath.Join(w.dir, ".git")+"\x00", filepath.Join(w.dir, "x.git")+"\x00"
	for dir, want := range map[string]string{"": common, "tree": common, "sub": common + "sub/", "tree/sub": common + "sub/",
		"bare": bare, "bare/sub": bare + "sub/", "forged": ""} {
		if got := Shared(filepath.Join(w.dir, dir)); got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
}

// In version 4 a path may begin as the one before does: a small file must not name gigabytes.
func TestPathsOfAnIndexAreBounded(t *testing.T) {
	for _, first := range []int{maxPath - 100, 200_000} {
		const more = 100_000
		index := []byte("DIRC\x00\x00\x00\x04")
		index = binary.BigEndian.AppendUint32(index, more+1)
		fixed := strings.Repeat("\x00", 62)
		index = append(index, fixed+"\x00"+strings.Repeat("a", first)+"\x00"...)
		for range more {
			index = append(index, fixed+"\x00\x00"...) // the same path again
		}
		if got, err := parseEntries(index, 40); err == nil {
			t.Errorf("a first path of %d bytes: %d paths", first, len(got))
		}
	}
}

// What a repository was cloned from is its own word, as text.
func TestOriginIsATextOfTheConfiguration(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a", "1")
	if got := Origin(w.dir); got != "" {
		t.Errorf("of no clone: %q", got)
	}
	w.git("clone", "-q", w.dir, filepath.Join(w.dir, "clone"))
	w.git("-C", filepath.Join(w.dir, "clone"), "worktree", "add", "-q", filepath.Join(w.dir, "linked"))
	for _, c := range []struct{ dir, url, want string }{
		{"clone", "", w.dir}, {"linked", "", w.dir}, {"clone", "file://" + w.dir, w.dir},
		{"clone", "https://example.org/x.git", "https://example.org/x.git"}, {"clone", `//evil.invalid/"share"`, `//evil.invalid/"share"`},
	} {
		if c.url != "" {
			w.git("-C", filepath.Join(w.dir, c.dir), "config", "remote.origin.url", c.url)
		}
		if got := Origin(filepath.Join(w.dir, c.dir)); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.dir, c.url, got, c.want)
		}
	}
}
