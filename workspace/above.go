package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Above is the project that the folder here belongs to: the nearest folder at or above it
// with a `.brv` folder; where the search ends without one, the top of its git repository, or
// else here itself.
//
// What stands above can be another user's, who would then say what this one's programs read.
// So the search ends, as git's does (safe.directory, GIT_DISCOVERY_ACROSS_FILESYSTEM):
//
//   - with the folder that holds `.git`: what is above it is another project;
//   - below the home folder, and where another file system begins;
//   - below a folder that everybody may write to, as /tmp is;
//   - below a folder that is somebody else's.
//
// A `.brv` that is a link, or somebody else's, is none. For root, who works in other people's
// folders, the owner of the folder here is nobody else.
func Above(here string) string {
	first, err := os.Stat(here)
	if err != nil {
		return here
	}
	home := homeFolder()
	for dir := here; ; dir = filepath.Dir(dir) {
		if dir != here && !mayHold(dir, first, home) {
			return here
		}
		if info, err := os.Lstat(filepath.Join(dir, brvDir)); err == nil && info.IsDir() && ownedLike(info, first) {
			return dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return here
		}
	}
}

// homeFolder describes the home folder, nil if there is none.
func homeFolder() fs.FileInfo {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	info, err := os.Stat(home)
	if err != nil {
		return nil
	}
	return info
}

// mayHold reports whether the project of a folder may be that of one above it.
func mayHold(above string, here, home fs.FileInfo) bool {
	const everybody = 0o002
	info, err := os.Stat(above)
	return err == nil && (home == nil || !os.SameFile(info, home)) &&
		info.Mode()&(everybody|fs.ModeSticky) == 0 && ownedLike(info, here) && onDeviceOf(info, here)
}

// OuterTree is the name of the tree of a folder around this one.
const OuterTree = "outer"

// Outer is the tree of the nearest project around a folder, as [Above] finds it; none around the top of a repository.
func Outer(root string, taken []Other) []Other {
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return nil
	}
	here, err := os.Stat(root)
	if err != nil || filepath.Dir(root) == root || !mayHold(filepath.Dir(root), here, homeFolder()) {
		return nil
	}
	dir := Above(filepath.Dir(root))
	if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(TreeDir))); err != nil || !info.IsDir() ||
		slices.ContainsFunc(taken, func(o Other) bool { return o.Name == OuterTree || o.Dir == dir }) {
		return nil
	}
	return []Other{{OuterTree, dir}}
}

// maxNesting is how many folders above a file are looked at for a project of its own.
const maxNesting = 64

// Nested finds the project inside the folder root that the file p, a slash path there,
// belongs to: the innermost folder at or above it with a `.brv` folder. "" means that of
// root itself. Nothing above root is looked at, and a link that leaves root is none of its
// folders. It costs a look at the record of each folder on the way.
func Nested(root, p string) string {
	dir := path.Dir(p)
	for _, ours := range []string{brvDir, ".git"} { // what lies in them is no project
		if i := strings.Index("/"+dir+"/", "/"+ours+"/"); i >= 0 {
			dir = path.Clean(dir[:i])
		}
	}
	if dir == "." || strings.Count(dir, "/") >= maxNesting {
		return ""
	}
	r, err := jail.Open(root)
	if err != nil {
		return ""
	}
	defer r.Close()
	for ; dir != "."; dir = path.Dir(dir) {
		if info, err := r.WithoutLinks().Stat(dir + "/" + brvDir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// HasProject reports whether the file p belongs to a project at or inside the folder root.
func HasProject(root, p string) bool {
	info, err := os.Lstat(filepath.Join(root, brvDir))
	return err == nil && info.IsDir() || Nested(root, p) != ""
}
