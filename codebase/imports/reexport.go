package imports

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// A barrel is a file that passes on names which other files define: export … from in TypeScript and JavaScript,
// imports in __init__.py, pub use in Rust. An import of such a name depends on the file that defines it. This file
// finds the way there.

// wanted is a name to look for in a file.
type wanted struct{ file, name string }

// maxReach bounds how many files the stars of one barrel lead to, and how often a name is followed from one barrel
// to the next.
const (
	maxReach = 256
	maxHops  = 16
)

// reach lists the files whose names a file passes on, nearest first: itself and the files that its stars lead to.
type reach struct {
	files []*File
	first map[terms.Term]int // name → index of the first file that defines or names it; nil for one file
}

// targetsOf resolves the imports of a file, only once.
func (r *Resolver) targetsOf(f *File) []Target {
	if t, ok := r.targets[f.Path]; ok {
		return t
	}
	t := make([]Target, len(f.Imports))
	for i, imp := range f.Imports {
		t[i] = r.target(f, imp)
	}
	r.targets[f.Path] = t
	return t
}

// passedOn returns the files that define what an import names, if the file that it leads to only passes the names
// on.
func (r *Resolver) passedOn(f *File, imp syntax.Import, t Target) (found []string) {
	if len(t.Paths) == 0 {
		return nil
	}
	for _, name := range r.namesOf(f, imp) {
		if name == "*" {
			continue
		}
		for _, p := range t.Paths {
			if p == f.Path {
				continue
			}
			if q := r.source(wanted{p, name}); q != "" {
				found = append(found, q)
			}
		}
	}
	return found
}

// namesOf returns the names that an import takes from its target file.
func (r *Resolver) namesOf(f *File, imp syntax.Import) []string {
	switch f.Language {
	case syntax.TypeScript, syntax.TSX, syntax.JavaScript:
		if len(imp.Names) == 0 && imp.Alias != "" {
			return []string{"default"}
		}
		return imp.Names
	case syntax.Python:
		return imp.Names
	case syntax.Rust:
		if imp.Kind == syntax.ImportChild {
			return nil
		}
		budget := maxUses
		if _, rest, ok := r.usePath(f, imp, &budget); ok && len(rest) > 0 && rest[0] != "*" {
			return rest[:1]
		}
	}
	return nil
}

// source finds the file that a name comes from, "" if it is not found. The result does not depend on earlier
// calls.
func (r *Resolver) source(w wanted) string {
	if s, ok := r.sources[w]; ok {
		return s
	}
	at, found := w, ""
	for range maxHops {
		next, file := r.step(at)
		if file != "" {
			found = file
		}
		if next == (wanted{}) {
			break
		}
		at = next
	}
	r.sources[w] = found
	return found
}

// step looks for a name among those that a file passes on. file is the file that defines it, or the target of an
// import of it. next, if not zero, is where to look next.
func (r *Resolver) step(w wanted) (next wanted, file string) {
	f := r.giver(w)
	if f == nil {
		return wanted{}, ""
	}
	if definesName(f, w.name) {
		return wanted{}, f.Path
	}
	for i, imp := range f.Imports {
		inner, match := passes(f.Language, imp, w.name)
		if match != passesName {
			continue
		}
		for _, p := range r.targetsOf(f)[i].Paths {
			if p != f.Path {
				return wanted{p, inner}, p
			}
		}
	}
	return wanted{}, ""
}

// giver returns the first file of a reach that defines or mentions the wanted name.
func (r *Resolver) giver(w wanted) *File {
	all := r.reachOf(w.file)
	if all.first == nil && len(all.files) == 1 {
		return all.files[0]
	}
	if i, ok := all.first[terms.Name(w.name)]; ok {
		return all.files[i]
	}
	return nil
}

// reachOf follows the stars of a file, breadth first, each file once.
func (r *Resolver) reachOf(p string) reach {
	if out, ok := r.reaches[p]; ok {
		return out
	}
	var out reach
	if f := r.file(p); f != nil {
		out.files = append(out.files, f)
	}
	seen := map[string]bool{p: true}
	for i := 0; i < len(out.files); i++ {
		f := out.files[i]
		for k, imp := range f.Imports {
			if _, match := passes(f.Language, imp, ""); match != passesAll {
				continue
			}
			for _, q := range r.targetsOf(f)[k].Paths {
				if !seen[q] && len(out.files) < maxReach {
					seen[q] = true
					out.files = append(out.files, r.file(q))
				}
			}
		}
	}
	if len(out.files) > 1 {
		out.first = map[terms.Term]int{}
		for i, f := range out.files {
			out.note(i, f)
		}
	}
	r.reaches[p] = out
	return out
}

// note adds the names of one file to the reach.
func (out *reach) note(i int, f *File) {
	enter := func(t terms.Term) {
		if _, taken := out.first[t]; !taken {
			out.first[t] = i
		}
	}
	for _, t := range f.Defines {
		enter(t)
	}
	for _, imp := range f.Imports {
		for i := range imp.Names {
			enter(terms.Name(imp.Bound(i)))
		}
		switch {
		case f.Language == syntax.Rust && imp.Kind != syntax.ImportChild:
			enter(terms.Name(boundName(imp)))
		case imp.Alias != "":
			enter(terms.Name(imp.Alias))
		}
	}
}

const (
	passesNothing = iota
	passesName
	passesAll
)

// passes reports whether an import can bind a name in its file, and what the name is called in the imported file.
func passes(lang syntax.Language, imp syntax.Import, name string) (inner string, match int) {
	switch {
	case imp.Kind == syntax.ImportChild:
	case lang == syntax.Rust && strings.HasSuffix(imp.Spec, "::*"):
		return name, passesAll
	case lang == syntax.Rust:
		if boundName(imp) == name {
			return imp.Spec[strings.LastIndexByte(imp.Spec, ':')+1:], passesName
		}
	case boundAt(imp, name) >= 0:
		return imp.Names[boundAt(imp, name)], passesName
	case lang == syntax.Python && slices.Contains(imp.Names, "*"):
		return name, passesAll
	case imp.Alias == name && imp.Alias != "":
		return "default", passesName
	case lang != syntax.Python && imp.Kind == syntax.ImportReexport && len(imp.Names) == 0:
		return name, passesAll
	}
	return "", passesNothing
}

// boundAt returns the index of the imported name that is bound to this one, -1 if there is none.
func boundAt(imp syntax.Import, name string) int {
	for i := range imp.Names {
		if imp.Bound(i) == name {
			return i
		}
	}
	return -1
}

// definesName reports whether a file defines a name at its top level.
func definesName(f *File, name string) bool {
	_, ok := slices.BinarySearch(f.Defines, terms.Name(name))
	return ok
}
