package imports

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// find returns the files that define what a dotted path names, or the outermost name in it that a package defines:
// for a.b.C.D.method, the files of C in a.b. The package is outer or one inside it. depth counts the segments
// behind the name.
func (p *packages) find(lang syntax.Language, spec, outer string) (files []fileID, depth int) {
	for pkg, name := range splits(spec) {
		if len(pkg) < len(outer) {
			break
		}
		d := p.byName[pkg]
		if d != nil && (depth == 0 || pkg != "" && (lang == syntax.Scala || isTypeName(name))) {
			found := d.definers[terms.Name(name)]
			if len(found) == 0 && depth == 0 { // by convention, a file has the name of its type
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

// isTypeName reports whether a name is written like that of a type. Scala's objects, whose members can be imported
// too, are often written otherwise.
func isTypeName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return !unicode.IsLower(first)
}

// splits yields the ways to read a dotted path as a package and a name in it, longest package first.
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

// reason returns why a dotted path leads nowhere. It is Missing for a package that the folder declares. It is
// Missing too inside a package of at least three segments, since such a name is specific to one project.
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

// closest chooses among files that define the same name, as the compiler of c would: files from c's own source
// root, or else from the root that shares the most folders with c's, or else from a root that is not for tests. It
// returns none of more than maxCandidates, since the name means nothing then.
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

// sourceSet returns the platform of a source root in the layout of Kotlin's multiplatform projects: jvm for
// src/jvmTest/kotlin.
func sourceSet(root string) string {
	_, rest, ok := strings.Cut("/"+root+"/", "/src/")
	if !ok {
		return ""
	}
	set, _, _ := strings.Cut(rest, "/")
	return strings.TrimSuffix(strings.TrimSuffix(set, "Main"), "Test")
}

// setRank ranks the same platform first, then the common one.
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
