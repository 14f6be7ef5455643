package imports

import (
	"maps"
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// indexes find files by path, package and name. Each is made when the first
// import needs it, in time linear in the files, and does not change then: the
// resolvers of the next states share it.
type indexes struct {
	packages   map[syntax.Language]*packages // by the language that stands for its family
	goPackages []*goPackage                  // by the number of the folder
	paths      *pathIndex
	vendored   *bool // whether a vendor folder exists
}

// without returns the indexes for r, whose files are those of before but for the
// changed ones. What another definition or package name of a file touches is
// made again: the package it belongs to, or all packages of its family.
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

// samePlace reports whether two states of a file surely belong to the same package.
func samePlace(old, now *File) bool {
	return old.Language == now.Language && old.Module == now.Module && isUnread(old) == isUnread(now) && !isPackageObject(now)
}

// isUnread tells a file that says nothing of its package, as one that could not be
// parsed.
func isUnread(f *File) bool { return f.Module == "" && len(f.Defines) == 0 }

// isPackageObject tells a file that may hold a package object of Scala.
func isPackageObject(f *File) bool {
	return f.Language == syntax.Scala && path.Base(f.Path) == "package.scala"
}
