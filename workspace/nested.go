package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

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
