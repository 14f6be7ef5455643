package syntax

import "strings"

// maxUseDepth bounds the nesting of a use tree's braces; real ones stay under 5.
const maxUseDepth = 32

// expandUse splits a Rust use tree, `a::{b, c::{self, D as E}, f::*}`, into one import for each path: a::b, a::c,
// a::c::D, a::f::*.
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

// usePath parses a path without braces.
func usePath(imp Import, prefix, tree string) Import {
	p, alias, _ := strings.Cut(tree, " as ")
	imp.Alias = strings.TrimSpace(alias)
	imp.Spec = strings.TrimSuffix(prefix+strings.Join(strings.Fields(p), ""), "::self")
	imp.Names = nil
	return imp
}

// splitTopLevel splits at the commas outside of braces.
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

// modulePaths returns the files that the attributes above a "mod name;" give the
// module.
func (a *assembler) modulePaths(pos int) []string {
	var out []string
	for i := a.leads.before(pos) - 1; i >= 0; i-- {
		l := a.leads.leads[i]
		if l.at.End > pos || strings.TrimSpace(a.src[l.at.End:pos]) != "" {
			break
		}
		if l.skip {
			out = append(pathAttribute(a.text(l.at)), out...)
		}
		pos = l.at.Start
	}
	return out
}

// pathAttribute returns x.rs for #[path = "x.rs"], and all paths of a cfg_attr.
func pathAttribute(text string) []string {
	rest, ok := strings.CutPrefix(text, "#[")
	rest = strings.TrimSpace(rest)
	if !ok || !strings.HasPrefix(rest, "path") && !strings.HasPrefix(rest, "cfg_attr") {
		return nil
	}
	var out []string
	for {
		before, after, found := strings.Cut(rest, "path")
		if !found {
			return out
		}
		rest = after
		value, assigned := strings.CutPrefix(strings.TrimSpace(after), "=")
		if !assigned || before != "" && !strings.ContainsAny(before[len(before)-1:], " \t\r\n,(") {
			continue
		}
		if p := quoted(value); p != "" {
			out = append(out, p)
		}
	}
}
