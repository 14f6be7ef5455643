package syntax

import "strings"

// maxUseDepth bounds the nesting of a use tree's braces; real ones stay under 5.
const maxUseDepth = 32

// expandUse opens a Rust use tree, `a::{b, c::{self, D as E}, f::*}`, into one
// import per path: a::b, a::c, a::c::D, a::f::*.
func expandUse(imp Import) []Import {
	var out []Import
	expandTree(imp, "", imp.Spec, maxUseDepth, &out)
	return out
}

func expandTree(imp Import, prefix, tree string, depth int, out *[]Import) {
	tree = strings.TrimSpace(tree)
	if tree == "" || depth == 0 {
		return
	}
	open := strings.IndexByte(tree, '{')
	if open < 0 {
		*out = append(*out, usePath(imp, prefix, tree))
		return
	}
	inner, ok := strings.CutSuffix(tree[open+1:], "}")
	if !ok {
		return
	}
	prefix += strings.Join(strings.Fields(tree[:open]), "")
	for _, part := range splitTopLevel(inner) {
		expandTree(imp, prefix, part, depth-1, out)
	}
}

// usePath reads a path without braces.
func usePath(imp Import, prefix, tree string) Import {
	p, alias, _ := strings.Cut(tree, " as ")
	imp.Alias = strings.TrimSpace(alias)
	imp.Spec = strings.TrimSuffix(prefix+strings.Join(strings.Fields(p), ""), "::self")
	imp.Names = nil
	return imp
}

// splitTopLevel splits at the commas outside braces.
func splitTopLevel(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}
