package discover

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

var (
	tree = flag.String("tree", "", "a repository's working tree, to be compared with git")
	list = flag.String("list", "", "list the files of -tree with this origin")
)

// TestRealTree compares a walk of a repository with git: the listing, and for
// every path of it and many that its rules speak of, whether it is ignored.
//
//	go test ./codebase/discover -run RealTree -v -tree DIR
func TestRealTree(t *testing.T) {
	if *tree == "" {
		t.Skip("no -tree")
	}
	dir := *tree
	root := jailtest.Open(t, dir)
	defer func() { logFound(t, dir, walk(t, root, Options{})) }()
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return // no repository: only the listing
	}
	ignores, paths := map[string]string{}, []string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		p, _ := filepath.Rel(dir, name)
		if err != nil || p == "." {
			return err
		}
		p = filepath.ToSlash(p)
		if e.Name() == ".git" {
			return fs.SkipDir
		}
		if e.Name() == ".gitignore" && e.Type().IsRegular() {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			ignores[dirOf(p)] = string(text)
		}
		paths = append(paths, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, p := range paths {
		if info, err := os.Lstat(filepath.Join(dir, p)); err == nil && info.IsDir() {
			folders[p] = true
		}
	}
	paths = append(paths, candidates(ignores, folders)...)
	slices.Sort(paths)
	paths = slices.Compact(paths)
	out := git(t, dir, strings.Join(paths, "\x00")+"\x00", "check-ignore", "-z", "--stdin", "--no-index")
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		ignored[p] = true
	}
	wrong, yes := 0, 0
	for _, p := range paths {
		got := ignoredBy(ignores, p, folders[p], false)
		if got != ignored[p] {
			wrong++
			t.Errorf("%q: %v, git says %v", p, got, ignored[p])
		}
		if got {
			yes++
		}
	}
	t.Logf("%d ignore files, %d paths asked, %d ignored, %d differences", len(ignores), len(paths), yes, wrong)
}

// candidates makes paths from each rule, in some folders: what it would match,
// something below that and something beside it.
func candidates(ignores map[string]string, folders map[string]bool) (out []string) {
	made := map[string]bool{}
	for _, text := range ignores {
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.Trim(strings.TrimSpace(line), "!/")
			if line == "" || line[0] == '#' {
				continue
			}
			for _, r := range []*strings.Replacer{
				strings.NewReplacer("**", "x/y", "*", "x", "?", "q", "[", "", "]", "", `\`, ""),
				strings.NewReplacer("**/", "", "*", "", "?", "7", "[", "", "]", "", `\`, ""),
			} {
				if p := r.Replace(line); fs.ValidPath(p) {
					made[p] = true
				}
			}
		}
	}
	dirs := append(slices.Sorted(maps.Keys(folders)), ".")
	step := max(1, len(dirs)/150)
	for i := 0; i < len(dirs); i += step {
		for p := range made {
			for _, q := range []string{p, p + "/x.go", p + "x", "y" + p, path.Join("new", p)} {
				if q = path.Join(dirs[i], q); !folders[q] {
					out = append(out, q)
				}
			}
		}
	}
	return out
}

func logFound(t *testing.T, dir string, d *Found) {
	counts := map[string]int{}
	for _, f := range d.Files {
		text, err := os.ReadFile(filepath.Join(dir, f.Path))
		if err != nil {
			t.Error(err)
			continue
		}
		o := Origin(f.Path, text)
		counts[cmp.Or(o, "written")]++
		if o != "" && o == *list {
			fmt.Println(o, f.Path)
		}
	}
	t.Logf("%d files in %d folders, %v, skipped %v", len(d.Files), len(d.Filter.walked), counts, d.Skipped)
}
