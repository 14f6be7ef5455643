package imports

import (
	"cmp"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// narrowed returns the files of an import (paths) that c really uses, if the import names a whole package.
func (r *Resolver) narrowed(c *File, imp syntax.Import, paths []string) []string {
	if len(paths) == 0 || imp.Kind == syntax.ImportFile {
		return paths
	}
	switch c.Language {
	case syntax.Go:
		return r.goNarrowed(c, imp, paths)
	case syntax.Java, syntax.Kotlin, syntax.Scala, syntax.CSharp, syntax.PHP, syntax.Swift:
		return r.packageNarrowed(c, imp, paths)
	}
	return paths
}

// samePackage returns the files that c depends on without an import.
func (r *Resolver) samePackage(c *File) []string {
	switch c.Language {
	case syntax.Go:
		return r.goSamePackage(c)
	case syntax.CSharp:
		return append(r.packageSiblings(c), globallyUsed(r, c)...)
	case syntax.Java, syntax.Kotlin, syntax.Scala, syntax.PHP, syntax.Swift:
		return r.packageSiblings(c)
	case syntax.C, syntax.Cpp:
		return r.sourcesOf(c)
	}
	return nil
}

// usesBehind returns the names that c uses behind a qualifier.
func usesBehind(c *File, qualifier terms.Term) []Use {
	start, _ := slices.BinarySearchFunc(c.Uses, qualifier, func(u Use, q terms.Term) int { return cmp.Compare(u.Qualifier, q) })
	end := start
	for end < len(c.Uses) && c.Uses[end].Qualifier == qualifier {
		end++
	}
	return c.Uses[start:end]
}

// mentions returns the names that c uses without a qualifier, and its qualifiers, sorted: each can be a type of
// the package.
func mentions(c *File) []terms.Term {
	out := make([]terms.Term, 0, len(c.Uses))
	for _, u := range c.Uses {
		if u.Qualifier == 0 {
			out = append(out, u.Name)
		} else if n := len(out); n == 0 || out[n-1] != u.Qualifier {
			out = append(out, u.Qualifier)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
