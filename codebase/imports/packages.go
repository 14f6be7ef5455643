package imports

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// packages are the packages, or namespaces, or for Swift the modules, of the
// files of a family of languages. Names are joined by dots in all of them. Once
// made they do not change.
type packages struct {
	layout *layout
	byName map[string]*declared
	of     []*declared // by fileID; nil for files of other languages and of no package
	roots  []string    // by fileID: the folder that the package's folders start from
}

// declared is one package.
type declared struct {
	name     string
	paths    []string // sorted
	definers map[terms.Term][]fileID
	byStem   map[string][]fileID // by the name of the file
}

// maxSegments bounds the segments of an import path that are looked at; the
// longest in the repositories measured has 11.
const maxSegments = 32

// smallPackage is the number of files up to which an import of a whole package
// is an edge to each, where no name says which of them is meant. More edges
// would say nothing.
const smallPackage = 8

// family returns the language whose packages files of lang can see.
func family(lang syntax.Language) syntax.Language {
	switch lang {
	case syntax.Java, syntax.Kotlin, syntax.Scala:
		return syntax.Java
	}
	return lang
}

// packagesOf returns the packages of a language's family.
func (r *Resolver) packagesOf(lang syntax.Language) *packages {
	lang = family(lang)
	if p := r.indexes.packages[lang]; p != nil {
		return p
	}
	if r.indexes.packages == nil {
		r.indexes.packages = map[syntax.Language]*packages{}
	}
	p := r.newPackages(lang)
	r.indexes.packages[lang] = p
	return p
}

func (r *Resolver) newPackages(lang syntax.Language) *packages {
	p := &packages{r.layout, map[string]*declared{}, make([]*declared, len(r.sorted)), make([]string, len(r.sorted))}
	roots := map[string]bool{}
	var unread []fileID
	for i, f := range r.sorted {
		id := fileID(i)
		switch {
		case family(f.Language) != lang:
		case lang == syntax.Swift:
			if name := moduleOfSwift(f.Path); name != "" {
				p.add(id, f, name, "")
			}
		case isUnread(f):
			unread = append(unread, id)
		default:
			name := dotted(f.Module)
			root := sourceRoot(dirOf(f.Path), name)
			roots[root] = true
			p.add(id, f, name, root)
		}
	}
	for _, id := range unread {
		root, name := packageByPlace(r.layout.paths[id], roots)
		p.add(id, r.sorted[id], name, root)
	}
	for _, d := range p.byName {
		slices.Sort(d.paths)
	}
	return p
}

// named returns the package of a name, a new one if there is none.
func (p *packages) named(name string) *declared {
	d := p.byName[name]
	if d == nil {
		d = &declared{name: name, definers: map[terms.Term][]fileID{}, byStem: map[string][]fileID{}}
		p.byName[name] = d
	}
	return d
}

func (p *packages) add(id fileID, f *File, name, root string) {
	d := p.named(name)
	d.paths = append(d.paths, f.Path)
	p.of[id], p.roots[id] = d, root
	if isPackageObject(f) {
		p.addObject(f, name)
	}
	d.byStem[stem(f.Path)] = append(d.byStem[stem(f.Path)], id)
	for _, n := range f.Defines {
		d.definers[n] = append(d.definers[n], id)
	}
}

// refreshed returns the packages for r, in which files of the stale packages define
// other names. Packages that are not of p are passed over.
func (p *packages) refreshed(r *Resolver, stale map[*declared]bool) *packages {
	out := p
	for d := range stale {
		if d == nil || p.byName[d.name] != d {
			continue
		}
		if out == p {
			out = &packages{p.layout, maps.Clone(p.byName), slices.Clone(p.of), p.roots}
		}
		fresh := *d
		fresh.definers = map[terms.Term][]fileID{}
		for _, path := range d.paths {
			id := p.layout.ids[path]
			if p.of[id] != d {
				continue // it only holds the package's object
			}
			out.of[id] = &fresh
			for _, n := range r.sorted[id].Defines {
				fresh.definers[n] = append(fresh.definers[n], id)
			}
		}
		out.byName[d.name] = &fresh
	}
	return out
}

// addObject makes a file that holds Scala's package object one of that package,
// beside the one above it that the file declares.
func (p *packages) addObject(f *File, name string) {
	object := path.Base(dirOf(f.Path))
	if _, defined := slices.BinarySearch(f.Defines, terms.Name(object)); !defined {
		return
	}
	inner := strings.TrimPrefix(name+"."+object, ".")
	d := p.named(inner)
	d.paths = append(d.paths, f.Path)
}

// dotted writes a package name with dots: PHP's has backslashes.
func dotted(name string) string {
	return strings.Trim(strings.ReplaceAll(name, `\`, "."), ".")
}

// stem returns the name of a file up to its first dot.
func stem(p string) string {
	base, _, _ := strings.Cut(path.Base(p), ".")
	return base
}

// sourceRoot returns the folder that the folders of a package start from: dir
// without as much of the package's name as it ends in.
func sourceRoot(dir, pkg string) string {
	for pkg != "" && dir != "" {
		i := strings.LastIndexByte(pkg, '.')
		if path.Base(dir) != pkg[i+1:] {
			break
		}
		dir, pkg = dirOf(dir), pkg[:max(i, 0)]
	}
	return dir
}

// packageByPlace returns the source root and the package of a file that declares
// none, as a file that could not be parsed.
func packageByPlace(p string, roots map[string]bool) (root, pkg string) {
	dir := dirOf(p)
	for root = dir; root != "" && !roots[root]; {
		root = dirOf(root)
	}
	if !roots[root] {
		return dir, ""
	}
	rest, _ := under(dir, root)
	return root, strings.ReplaceAll(rest, "/", ".")
}
