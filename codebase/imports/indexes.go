package imports

import (
	"maps"
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// indexes find files by path, package and name. Each one is made when an import first needs it, in time linear in
// the files. It does not change afterwards, so the resolvers of later states share it.
type indexes struct {
	packages   map[syntax.Language]*packages // by the language that represents the family
	goPackages []*goPackage                  // by the number of the folder
	paths      *pathIndex
	vendored   *bool // whether a vendor folder exists
}

// without returns the indexes for r, which has the same files as before except for the changed ones. If a file's
// definitions or package name changed, its package is made again, or all packages of its family.
func (x indexes) without(r *Resolver, before []*File, changed []fileID) indexes {
	x.packages, x.goPackages = maps.Clone(x.packages), slices.Clone(x.goPackages)
	stale := map[*declared]bool{}
	for _, id := range changed {
		old, now := before[id], r.sorted[id]
		if old.Language == now.Language && old.Module == now.Module && slices.Equal(old.Defines, now.Defines) {
			continue
		}
		if x.goPackages != nil {
			x.goPackages[r.layout.folders[dirOf(now.Path)].number] = nil
		}
		for _, lang := range []syntax.Language{family(old.Language), family(now.Language)} {
			p := x.packages[lang]
			if p == nil {
				continue
			}
			if !samePlace(old, now) {
				delete(x.packages, lang)
				continue
			}
			stale[p.of[id]] = true
		}
	}
	for lang, p := range x.packages {
		x.packages[lang] = p.refreshed(r, stale)
	}
	return x
}

// samePlace reports whether two states of a file certainly belong to the same package.
func samePlace(old, now *File) bool {
	return old.Language == now.Language && old.Module == now.Module && isUnread(old) == isUnread(now) && !isPackageObject(now)
}

// isUnread recognises a file that names no package, such as one that could not be parsed.
func isUnread(f *File) bool { return f.Module == "" && len(f.Defines) == 0 }

// isPackageObject recognises a file that may contain a package object of Scala.
func isPackageObject(f *File) bool {
	return f.Language == syntax.Scala && path.Base(f.Path) == "package.scala"
}
