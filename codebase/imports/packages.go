package imports

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// packages holds the packages, namespaces or (for Swift) modules of the files of a family of languages. Dots join
// the parts of all names. It does not change once made.
type packages struct {
	layout *layout
	byName map[string]*declared
	of     []*declared // by fileID; nil for files of other languages and of no package
	roots  []string    // by fileID: the folder in which the package's folders begin
}

// declared is one package.
type declared struct {
	name     string
	paths    []string // sorted
	definers map[terms.Term][]fileID
	byStem   map[string][]fileID // by the name of the file
}

// maxSegments bounds how many segments of an import path are examined. The longest path in the measured
// repositories has 11.
const maxSegments = 32

// smallPackage bounds the files of a package that is imported as a whole. Up to this number, the import is an edge
// to each file, if no name tells which of them is meant. Larger numbers of edges would mean nothing.
const smallPackage = 8

// family returns the language that represents all languages which can use the packages of lang.
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

// named returns the package of a name, and adds it if it is new.
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

// refreshed returns the packages for r, in which files of the stale packages define other names. Packages that do
// not belong to p are skipped.
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
				continue // it only contains the package object
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

// addObject adds a file with Scala's package object to that package, besides the outer one that the file declares.
func (p *packages) addObject(f *File, name string) {
	object := path.Base(dirOf(f.Path))
	if _, defined := slices.BinarySearch(f.Defines, terms.Name(object)); !defined {
		return
	}
	inner := strings.TrimPrefix(name+"."+object, ".")
	d := p.named(inner)
	d.paths = append(d.paths, f.Path)
}

// dotted writes a package name with dots, also a PHP name, which has backslashes.
func dotted(name string) string {
	return strings.Trim(strings.ReplaceAll(name, `\`, "."), ".")
}

// stem returns the name of a file up to its first dot.
func stem(p string) string {
	base, _, _ := strings.Cut(path.Base(p), ".")
	return base
}

// sourceRoot returns the folder in which the folders of a package begin: dir without the end that matches the
// package's name.
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

// packageByPlace returns the source root and the package of a file that declares none, such as a file that could
// not be parsed.
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
