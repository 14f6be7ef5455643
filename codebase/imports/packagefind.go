package imports

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// find returns the files that define what a dotted path names, or the outermost
// name in it that some package defines: a.b.C.D.method leads to C in a.b. The
// package is at least outer. depth counts the segments behind the name.
func (p *packages) find(lang syntax.Language, spec, outer string) (files []fileID, depth int) {
	for pkg, name := range splits(spec) {
		if len(pkg) < len(outer) {
			break
		}
		d := p.byName[pkg]
		if d != nil && (depth == 0 || pkg != "" && (lang == syntax.Scala || isTypeName(name))) {
			found := d.definers[terms.Name(name)]
			if len(found) == 0 && depth == 0 { // by custom a file is named like the type in it
				found = d.byStem[name]
			}
			if len(found) > 0 {
				return found, depth
			}
		}
		depth++
	}
	return nil, depth
}

// definers returns the paths of the files that define what a dotted path names, as
// the compiler of c finds it.
func (p *packages) definers(c *File, spec string) []string {
	found, _ := p.find(c.Language, spec, "")
	return p.layout.sortedPaths(p.closest(c, found))
}

// isTypeName reports whether a name is written like that of a type. Scala's objects,
// whose members can be imported too, often are not.
func isTypeName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return !unicode.IsLower(first)
}

// splits yields the ways to read a dotted path as a package and a name in it,
// longest package first.
func splits(spec string) func(func(pkg, name string) bool) {
	return func(yield func(string, string) bool) {
		for range maxSegments {
			i := strings.LastIndexByte(spec, '.')
			if !yield(spec[:max(i, 0)], spec[i+1:]) || i < 0 {
				return
			}
			spec = spec[:i]
		}
	}
}

// reason says why a dotted path leads nowhere. A package that the folder
// declares should have had the name; so should one inside a package of at least
// three segments, which are specific enough to be one project's.
func (p *packages) reason(spec string) Reason {
	own := true
	for pkg := range splits(spec) {
		if d := p.byName[pkg]; d != nil && pkg != "" && (own || strings.Count(pkg, ".") >= 2) {
			return Missing
		}
		own = false
	}
	return External
}

// closest keeps, of files that define the same name, those that the compiler of
// c would take: from c's own source root, else from the root that shares most
// folders with c's, else from one that is not for tests. Of more than
// maxCandidates it keeps none: the name says nothing then.
func (p *packages) closest(c *File, files []fileID) []fileID {
	if len(files) < 2 {
		return files
	}
	if len(files) > maxCandidates {
		return nil
	}
	own := p.roots[p.layout.ids[c.Path]]
	rank := func(f fileID) (n int) {
		root := p.roots[f]
		n = 16 * sharedFolders(root, own)
		n += 4 * setRank(sourceSet(root), sourceSet(own))
		if !isTestSet(root) {
			n++
		}
		return n
	}
	best, kept := -1, []fileID(nil)
	for _, f := range files {
		switch n := rank(f); {
		case n > best:
			best, kept = n, []fileID{f}
		case n == best:
			kept = append(kept, f)
		}
	}
	return kept
}

// sourceSet returns the platform that a source root is for in the layout of
// Kotlin's multiplatform projects: src/jvmTest/kotlin is for jvm.
func sourceSet(root string) string {
	_, rest, ok := strings.Cut("/"+root+"/", "/src/")
	if !ok {
		return ""
	}
	set, _, _ := strings.Cut(rest, "/")
	return strings.TrimSuffix(strings.TrimSuffix(set, "Main"), "Test")
}

// setRank prefers the same platform, then what is common to all.
func setRank(set, own string) int {
	switch {
	case set == own:
		return 2
	case set == "common":
		return 1
	}
	return 0
}

func isTestSet(root string) bool { return strings.Contains(strings.ToLower(root), "test") }
