package discover

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

func walk(t testing.TB, root *jail.Root, opts Options) *Found {
	t.Helper()
	d, err := Walk(t.Context(), root, opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// same compares two results but for their rules.
func same(t *testing.T, want, got *Found) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Found{}, "Filter"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCodeIsFoundAndNothingElse(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{
		"a.go": "", "B.TS": "", "lib/x.rb": "", "ui/x.vue": "", "Makefile": "", "build.gradle": "", "Dockerfile.dev": "",
		"README.md": "", "data.json": "", "page.html": "", "x.css": "", "logo.svg": "", "notes": "",
		"node_modules/x.js": "", "lib/vendor/x.go": "", "lib/dist/x.js": "", ".brv/x.go": "",
		"skip/x.go": "", "skip/deep/x.go": "", "big.go": strings.Repeat("x", 101), "go.mod": "module m\n", "lib/go.mod": "module l\n",
	})
	d := walk(t, root, Options{Exclude: []string{"skip/*.go"}, MaxFileSize: 100,
		Config: func(p string) bool { return path.Base(p) == "go.mod" }})
	want := []string{"B.TS", "Dockerfile.dev", "Makefile", "a.go", "build.gradle", "lib/x.rb", "skip/deep/x.go", "ui/x.vue", "x.css"}
	if diff := cmp.Diff(want, pathsOf(d.Files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"big.go": "too large"}, d.Skipped); diff != "" {
		t.Errorf("skipped -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"go.mod": "module m\n", "lib/go.mod": "module l\n"}, d.Configs); diff != "" {
		t.Errorf("configs -want +got:\n%s", diff)
	}
}

func TestPatternsChooseFiles(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "", "x/b.md": "", "x/c.txt": "", "x/y/d.md": "", "z/e.md": ""})
	d := walk(t, root, Options{Include: []string{"x/**/*.{md,txt}"}, Exclude: []string{"**/y"}})
	if diff := cmp.Diff([]string{"x/b.md", "x/c.txt"}, pathsOf(d.Files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := Walk(t.Context(), root, Options{Include: []string{"[a"}}); err == nil {
		t.Error("a malformed pattern is accepted")
	}
}

func TestLinksAreListedAndNotFollowed(t *testing.T) {
	outside := t.TempDir()
	jailtest.Write(t, outside, "secret.go", "")
	root := jailtest.Folder(t, map[string]string{"a.go": "", "sub/b.go": ""})
	for name, to := range map[string]string{"in.go": "a.go", "out.go": outside + "/secret.go", "dir": "sub", "outdir": outside,
		"loop.go": "loop.go", ".gitignore": outside + "/secret.go"} {
		if err := os.Symlink(to, filepath.Join(root.Dir(), name)); err != nil {
			t.Skip(err)
		}
	}
	d := walk(t, root, Options{})
	if diff := cmp.Diff([]string{"a.go", "sub/b.go"}, pathsOf(d.Files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want := map[string]string{"in.go": "not a regular file", "out.go": "not a regular file", "loop.go": "not a regular file"}
	if diff := cmp.Diff(want, d.Skipped); diff != "" {
		t.Errorf("skipped -want +got:\n%s", diff)
	}
	if _, err := Stat(root, "in.go"); !errors.Is(err, jail.ErrNotRegular) {
		t.Error(err)
	}
}

// repository makes what git takes for one.
func repository(files map[string]string, dir string) {
	files[path.Join(dir, ".git/HEAD")] = "ref: refs/heads/main\n"
}

func TestRepositoriesInsideARepositoryAreNotEntered(t *testing.T) {
	files := map[string]string{
		"a.go": "", "clone/x.go": "", "sub/module/x.go": "", "sub/module/.git": "gitdir: ../../.git/modules/x\n",
		"odd/x.go": "", "odd/.git": "not what git writes", "empty/x.go": "", "empty/.git/x": "",
	}
	repository(files, "")
	repository(files, "clone")
	root := jailtest.Folder(t, files)
	d := walk(t, root, Options{})
	if diff := cmp.Diff([]string{"a.go", "empty/x.go", "odd/x.go"}, pathsOf(d.Files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"clone": "another repository", "sub/module": "another repository"}, d.Skipped); diff != "" {
		t.Errorf("skipped -want +got:\n%s", diff)
	}
	if !d.Filter.UnderExcluded("clone/new/y.go") || d.Filter.UnderExcluded("sub/y.go") {
		t.Error("the filter forgot which folders are repositories")
	}
}

func TestRepositoriesSideBySideHaveTheirOwnRules(t *testing.T) {
	files := map[string]string{
		".gitignore": "*.go\n", "top.go": "", "plain/x.go": "", "one/x.go": "", "one/y.go": "", "one/.git/info/exclude": "y.go\n",
		"two/y.go": "", "two/inner/z.go": "",
	}
	for _, dir := range []string{"one", "two", "two/inner"} {
		repository(files, dir)
	}
	d := walk(t, jailtest.Folder(t, files), Options{})
	if diff := cmp.Diff([]string{"one/x.go", "two/y.go"}, pathsOf(d.Files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"two/inner": "another repository"}, d.Skipped); diff != "" {
		t.Errorf("skipped -want +got:\n%s", diff)
	}
}

func TestWalkListsWhatGitDoes(t *testing.T) {
	needsGit(t)
	listed, all := 0, 0
	for seed := range rounds(40) {
		rnd := rand.New(rand.NewPCG(uint64(seed), 11))
		dir := t.TempDir()
		git(t, dir, "", "init", "-q")
		for range 60 {
			p := strings.ReplaceAll(randomPath(rnd), "\\", "x")
			if _, err := os.Lstat(filepath.Join(dir, p)); err == nil || underFile(dir, p) {
				continue
			}
			jailtest.Write(t, dir, p, "")
			all++
			if rnd.IntN(6) == 0 {
				all++
				jailtest.Write(t, dir, path.Join(path.Dir(p), ".gitignore"), randomRules(rnd))
			}
		}
		jailtest.Write(t, dir, ".git/info/exclude", randomRules(rnd))
		want := strings.Split(strings.TrimSuffix(git(t, dir, "", "ls-files", "-coz", "--exclude-standard"), "\x00"), "\x00")
		slices.Sort(want)
		want = slices.DeleteFunc(want, func(p string) bool { return !sanitize.Plain(p) }) // which are not read
		got := pathsOf(walk(t, jailtest.Open(t, dir), Options{Include: []string{"**"}}).Files)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" && !(len(got) == 0 && len(want) == 1 && want[0] == "") {
			t.Fatalf("seed %d: -git +walk:\n%s", seed, diff)
		}
		listed += len(got)
	}
	if listed < all/4 || listed > all*9/10 {
		t.Errorf("%d of %d files listed: the rules say too little", listed, all)
	}
}

// underFile reports whether a folder of p would have to stand where a file does.
func underFile(dir, p string) bool {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if info, err := os.Lstat(filepath.Join(dir, d)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

func TestWalkIsTheSameOnAnyNumberOfProcessors(t *testing.T) {
	root := jailtest.Folder(t, manyFiles(40, 5))
	for _, opts := range []Options{{}, {maxFolders: 17}, {maxFiles: 61}} {
		before := runtime.GOMAXPROCS(1)
		want := walk(t, root, opts)
		runtime.GOMAXPROCS(8)
		for range 5 {
			same(t, want, walk(t, root, opts))
		}
		runtime.GOMAXPROCS(before)
	}
}

func manyFiles(folders, each int) map[string]string {
	files := map[string]string{}
	for i := range folders {
		dir := fmt.Sprintf("d%d/e%d/f%d", i%7, i%3, i)
		for j := range each {
			files[fmt.Sprintf("%s/x%d.go", dir, j)] = "package x"
		}
	}
	return files
}

func TestLimitsAreSaid(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a/x.go": "", "b/x.go": "", "c/x.go": "", "d.go": ""})
	d := walk(t, root, Options{maxFolders: 3})
	if diff := cmp.Diff([]string{"a/x.go", "b/x.go", "d.go"}, pathsOf(d.Files)); diff != "" || d.Skipped["c"] != "too many folders" {
		t.Errorf("%v\n%s", d.Skipped, diff)
	}
	d = walk(t, root, Options{maxFiles: 2})
	if diff := cmp.Diff([]string{"a/x.go", "d.go"}, pathsOf(d.Files)); diff != "" || d.Skipped["b"] != "too many files" {
		t.Errorf("%v\n%s", d.Skipped, diff)
	}
}

func TestWalkEndsWithItsContext(t *testing.T) {
	root := jailtest.Folder(t, manyFiles(30, 2))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Walk(ctx, root, Options{Progress: func(folders, files int) {
		if folders == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestProgressReachesTheEnd(t *testing.T) {
	root := jailtest.Folder(t, manyFiles(10, 2))
	folders, files := 0, 0
	d := walk(t, root, Options{Progress: func(a, b int) { folders, files = max(folders, a), max(files, b) }})
	if folders != len(d.Filter.walked) || files != len(d.Files) || files != 20 {
		t.Error(folders, files)
	}
}

func TestUnreadableFolderIsSkippedWithItsReason(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "", "locked/b.go": ""})
	locked := filepath.Join(root.Dir(), "locked")
	if err := os.Chmod(locked, 0); err != nil {
		t.Skip(err)
	}
	defer os.Chmod(locked, 0o755)
	if _, err := os.ReadDir(locked); err == nil {
		t.Skip("this user may read everything")
	}
	d := walk(t, root, Options{})
	if len(d.Files) != 1 || d.Skipped["locked"] != "permission denied" {
		t.Error(d.Files, d.Skipped)
	}
	if _, err := Walk(t.Context(), jailtest.Open(t, filepath.Join(root.Dir(), "a.go")), Options{}); err == nil {
		t.Error("a file is walked")
	}
}

func TestRecordTellsAChange(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "one"})
	before := walk(t, root, Options{}).Files[0]
	if again, err := Stat(root, "a.go"); err != nil || !again.Same(before) {
		t.Errorf("%+v, %v, want %+v", again, err, before)
	}
	name := filepath.Join(root.Dir(), "a.go")
	jailtest.Write(t, root.Dir(), "new", "two")
	if err := os.Chtimes(filepath.Join(root.Dir(), "new"), before.ModTime, before.ModTime); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root.Dir(), "new"), name); err != nil { // same size and time
		t.Fatal(err)
	}
	after, err := Stat(root, "a.go")
	if err != nil || before.Inode != 0 && after.Same(before) {
		t.Errorf("a replaced file passes for the old one: %+v, %v", after, err)
	}
	at := time.Unix(1000, 0)
	for _, c := range []struct {
		mod, changed time.Time
		want         bool
	}{
		{at.Add(-3 * time.Second), time.Time{}, false},
		{at.Add(-time.Second), time.Time{}, true},
		{at.Add(-time.Hour), at.Add(-time.Second), true}, // the time was set back
		{at.Add(time.Hour), at, true},
		{at.Add(-racyWindow), at.Add(-racyWindow), false},
	} {
		if got := (File{ModTime: c.mod, Changed: c.changed}).Racy(at); got != c.want {
			t.Errorf("%v, %v: %v", c.mod, c.changed, got)
		}
	}
}

func TestFilterKnowsWhatItWalked(t *testing.T) {
	f := walk(t, jailtest.Folder(t, map[string]string{".gitignore": "gen/\n*.tmp.go\n", "a/b/x.go": "", "gen/x.go": ""}), Options{}).Filter
	for p, want := range map[string]bool{"a/new.go": true, "a/x.tmp.go": false, "gen/x.go": false, "new/x.go": false, "a/x.md": false} {
		if f.WantsFile(p) != want {
			t.Errorf("WantsFile(%s) is %v", p, !want)
		}
	}
	for p, want := range map[string]bool{"gen/x/y.go": true, "node_modules/x.js": true, "a/dist": true, "a/b/c/d.go": false,
		"new/x.go": false} {
		if f.UnderExcluded(p) != want {
			t.Errorf("UnderExcluded(%s) is %v", p, !want)
		}
	}
	if !f.Known("") || !f.Known("a/b") || f.Known("gen") || f.Known("new") {
		t.Error("Known is wrong")
	}
}

// TestListOfCodeHasNoGrammar: an extension with a grammar is code by that.
func TestListOfCodeHasNoGrammar(t *testing.T) {
	for ext := range codeWithoutGrammar {
		if syntax.LanguageOf("x"+ext) != "" {
			t.Errorf("%s has a grammar", ext)
		}
	}
}

// TestFoldersThatChangeDuringTheWalk replaces, removes and closes folders after they were
// listed and before they are read.
func TestFoldersThatChangeDuringTheWalk(t *testing.T) {
	outside := t.TempDir()
	jailtest.Write(t, outside, "secret.go", "package s")
	for _, c := range []struct {
		name    string
		change  func(dir string) error
		skipped map[string]string
	}{
		{"removed", os.RemoveAll, nil},
		{"a link out", func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Symlink(outside, dir)) }, nil},
		{"a link inside", func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Symlink("stays", dir)) }, nil},
		{"a file", func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) }, nil},
		{"unreadable", func(dir string) error { return os.Chmod(dir, 0) }, map[string]string{"goes": "permission denied"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := jailtest.Folder(t, map[string]string{"a.go": "", "goes/x.go": "", "goes/deep/y.go": "", "stays/z.go": ""})
			goes := filepath.Join(root.Dir(), "goes")
			t.Cleanup(func() { os.Chmod(goes, 0o700) })
			if c.skipped != nil && (os.Geteuid() == 0 || runtime.GOOS == "windows") {
				t.Skip("this user may read everything")
			}
			d := walk(t, root, Options{Progress: func(folders, _ int) {
				if folders == 1 {
					if err := c.change(goes); err != nil {
						t.Skip(err)
					}
				}
			}})
			if diff := cmp.Diff([]string{"a.go", "stays/z.go"}, pathsOf(d.Files)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.skipped, d.Skipped, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("skipped -want +got:\n%s", diff)
			}
			if d.Filter.Known("goes") {
				t.Error("the folder counts as walked")
			}
		})
	}
}

// TestRulesThatCostTooMuchAreLeftOut walks folders with more steps in their patterns than a walk may take: they are read
// without ignore rules, the file that took the steps is listed, and what the walk leaves decides as it did.
func TestRulesThatCostTooMuchAreLeftOut(t *testing.T) {
	hostile := "*.js\n" + strings.Repeat("*a*a*a*a*a*a*b?\n", 400)
	files := map[string]string{".gitignore": "*.ts\n", "x.ts": "", "evil/.gitignore": hostile,
		"good/.gitignore": "*.py\n", "good/x.py": "", "good/x.go": ""}
	for i := range 20 {
		files[fmt.Sprintf("evil/%s%d.js", strings.Repeat("a", 60), i)] = ""
		files[fmt.Sprintf("evil/d%d/%s.js", i, strings.Repeat("a", 60))] = ""
	}
	repository(files, "")
	root := jailtest.Folder(t, files)
	first := walk(t, root, Options{maxSteps: 1000})
	want := map[string]string{"evil/.gitignore": "its patterns take too long to match, so some folders are read without ignore rules"}
	if diff := cmp.Diff(want, first.Skipped); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(first.Files) != 41 || first.Filter.WantsFile("x.ts") || first.Filter.WantsFile("good/x.py") {
		t.Errorf("%d files: %v", len(first.Files), pathsOf(first.Files))
	}
	for _, f := range first.Files {
		if !first.Filter.WantsFile(f.Path) {
			t.Errorf("%s is read and not wanted", f.Path)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	same(t, first, walk(t, root, Options{maxSteps: 1000}))
}

// A file without an extension is code if it may be run and its first line names a program that is known.
func TestScriptsAreKnownByTheirFirstLine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file is marked as a program")
	}
	root := jailtest.Folder(t, map[string]string{
		".gitignore": "ignored\n", "bin/run": "#!/usr/bin/env python3\n", "bin/ruby": "#!/usr/bin/ruby -w\n", "bin/notes": "#!/bin/sh\n",
		"bin/elf": "\x7fELF", "bin/other": "#!/usr/bin/awk -f\n", "ignored": "#!/bin/sh\n", "plain": "text\n",
	})
	for _, p := range []string{"bin/run", "bin/ruby", "bin/elf", "bin/other", "ignored", "plain"} {
		if err := os.Chmod(filepath.Join(root.Dir(), p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	found := walk(t, root, Options{})
	if got, want := pathsOf(found.Files), []string{"bin/ruby", "bin/run"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !found.Filter.WantsFile("bin/run") || found.Filter.WantsFile("bin/notes") {
		t.Error("the filter does not know them")
	}
	if got := pathsOf(walk(t, root, Options{Include: []string{"**/*.go"}}).Files); len(got) > 0 {
		t.Errorf("%q beside the patterns", got)
	}
}
