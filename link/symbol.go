package link

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// A name in inline code: words joined by the separators of the languages. A keyword, type arguments or a call may
// surround it.
var (
	keyword = lazyregexp.New(`^(?:func|function|def|class|struct|interface|type|enum|trait|fn|new|const|async|await)\s+`)
	name    = lazyregexp.New(
		`^[&*]*(\.?)([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}_$][\p{L}\p{N}_$]*)*)!?((?:<[^<>]*>|\[[^\[\]]*\])?)(\(.*\))?$`)
	separators = strings.NewReplacer("::", ".", "#", ".", "->", ".")
)

// own holds qualifiers that mean the current type.
var own = map[string]bool{"this": true, "self": true, "super": true, "cls": true, "crate": true}

// written is a name as an entry writes it. The last word is the symbol's own.
type written struct {
	words  []string
	called bool // it has parentheses: the author means code
	member bool // a dot precedes it, so it names a member of a type
}

func (n written) last() string        { return n.words[len(n.words)-1] }
func (n written) qualifier() []string { return n.words[:len(n.words)-1] }

// nameIn parses a name.
func nameIn(text string) (n written, ok bool) {
	m := name().FindStringSubmatch(keyword().ReplaceAllString(text, ""))
	if m == nil {
		return n, false
	}
	parts := strings.Split(separators.Replace(m[2]), ".")
	for len(parts) > 1 && own[parts[0]] {
		parts = parts[1:]
	}
	return written{words: parts, called: m[4] != "", member: m[1] != ""}, true
}

// symbols resolves a name in the body to the symbols that it can mean.
func (r *resolver) symbols(text string, n written) meaning {
	defs, tests := apart(r.code, r.code.Lookup(n.last()))
	return meaning{refs: r.among(defs, text, n), tests: r.among(tests, text, n), keys: []string{n.last()}}
}

// among returns the definitions that a name can mean.
func (r *resolver) among(defs []codebase.Definition, text string, n written) []CodeRef {
	strength := named
	if len(n.words) > 1 {
		defs, strength = r.fitting(defs, n.qualifier())
	} else if utf8.RuneCountInString(n.last()) < minName {
		return nil
	}
	if n.member {
		defs = slices.DeleteFunc(slices.Clone(defs), func(d codebase.Definition) bool { return d.Symbol.Container == "" })
	}
	symbol, reason := strings.Clone(n.last()), "names `"+text+"`"
	refs := make([]CodeRef, 0, len(defs))
	for _, d := range defs {
		refs = append(refs, CodeRef{
			Path: d.Path, Symbol: symbol, Container: strings.Clone(d.Symbol.Container), Form: FormSymbol,
			Exists: true, Strength: strength, Reason: reason,
		})
	}
	return refs
}

// sure narrows the meanings of a name to the files that the entry lists, including tests, if the entry lists any
// that define it. The rest share the strength. A name that too many files define means nothing.
func sure(m meaning, listed map[string]bool, at markdown.Span) []CodeRef {
	var refs []CodeRef
	for _, of := range [][]CodeRef{m.refs, m.tests} {
		for _, ref := range of {
			if listed[ref.Path] {
				refs = append(refs, ref)
			}
		}
	}
	if len(refs) == 0 {
		refs = slices.Clone(m.refs)
	}
	files := map[string]bool{}
	for _, ref := range refs {
		files[ref.Path] = true
	}
	if len(files) > MaxDefined {
		return nil
	}
	for i := range refs {
		refs[i].Span = at
		if refs[i].Form == FormSymbol {
			refs[i].Strength /= float64(len(files))
		}
	}
	return refs
}

// fitting keeps the definitions that match a qualifier: the type or module around them, the package, the folder or
// the file. If none matches, letter case is ignored, since prose often calls a method by its variable:
// `server.Start()`.
func (r *resolver) fitting(defs []codebase.Definition, qualifier []string) ([]codebase.Definition, float64) {
	for _, try := range []struct {
		equal    func(a, b string) bool
		strength float64
	}{
		{func(a, b string) bool { return a == b }, qualified},
		{strings.EqualFold, loosely},
	} {
		var fit []codebase.Definition
		for _, d := range defs {
			if r.qualifies(d, qualifier, try.equal) {
				fit = append(fit, d)
			}
		}
		if len(fit) > 0 {
			return fit, try.strength
		}
	}
	return nil, 0
}

// qualifies reports whether a definition's full name ends in the qualifier.
func (r *resolver) qualifies(d codebase.Definition, qualifier []string, equal func(a, b string) bool) bool {
	module := ""
	if c, ok := r.code.Chunk(d.Path); ok {
		module = c.Module
	}
	return fits(d.Path, module, d.Symbol.Container, qualifier, equal)
}

// fits compares a qualifier with a symbol's full name: the folder, file or module, then the containers.
func fits(file, module, container string, qualifier []string, equal func(a, b string) bool) bool {
	var around []string
	if container != "" {
		around = strings.Split(separators.Replace(container), ".")
	}
	folders := strings.Split(path.Dir(file), "/")
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	names := [][]string{
		slices.Concat(folders, around),
		slices.Concat(folders, []string{stem}, around),
	}
	if module != "" {
		names = append(names, append([]string{module}, around...))
	}
	return slices.ContainsFunc(names, func(full []string) bool {
		from := len(full) - len(qualifier)
		return from >= 0 && slices.EqualFunc(full[from:], qualifier, equal)
	})
}

// apart separates the definitions in tests, if there are others or if the name is a plain word. `workspace` in
// prose means a folder or the idea, not a test's helper.
func apart(code Code, defs []codebase.Definition) (rest, tests []codebase.Definition) {
	for _, d := range defs {
		if c, ok := code.Chunk(d.Path); ok && c.Type == codebase.Test {
			tests = append(tests, d)
		} else {
			rest = append(rest, d)
		}
	}
	if len(rest) == 0 && len(defs) > 0 && strings.ContainsFunc(defs[0].Symbol.Name, func(r rune) bool { return !unicode.IsLower(r) }) {
		return defs, nil
	}
	return rest, tests
}
