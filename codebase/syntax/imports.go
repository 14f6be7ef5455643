package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// addImport records the matches of one import statement.
func (a *assembler) addImport(m match) bool {
	at, kind, ok := importNode(m)
	if !ok {
		return false
	}
	if r, ok := m.find("require"); ok && !a.isRequireWord(a.text(a.trimmed(r))) {
		return true
	}
	imp := a.imports[at]
	if imp == nil {
		imp = &Import{Kind: kind, At: at}
		a.imports[at] = imp
	}
	if _, ok := m.find("public"); ok {
		imp.Kind = ImportReexport
	}
	for _, c := range m {
		switch c.name {
		case "import.spec":
			imp.Spec = a.spec(c.at)
		case "import.text":
			imp.Spec = a.text(c.at)
		case "import.name":
			imp.Names = append(imp.Names, unquote(a.text(c.at)))
		case "import.as":
			imp.rename(unquote(a.text(c.at)))
		case "import.alias":
			imp.Alias = a.text(a.trimmed(c.at))
		}
	}
	return true
}

// rename sets the local name for the last of Names.
func (m *Import) rename(as string) {
	last := len(m.Names) - 1
	if last < 0 || as == m.Names[last] {
		return
	}
	for len(m.As) <= last {
		m.As = append(m.As, "")
	}
	m.As[last] = as
}

// isRequireWord reports whether a command or function of this name imports the file that its first argument names.
func (a *assembler) isRequireWord(name string) bool {
	switch a.lang {
	case Bash:
		return name == "source" || name == "."
	case Rust:
		return name == "include" || name == "include_str" || name == "include_bytes"
	case Python:
		return name == "import_module" || name == "__import__"
	case Elixir:
		return name == "alias" || name == "import" || name == "use" || name == "require"
	}
	return name == "require" || name == "URL" || name == "import.meta.resolve" ||
		a.lang == Ruby && (name == "require_relative" || name == "load")
}

// spec returns the target of an import: a string without its quotes, a header without its brackets, or a shell
// word without its quotes but with its variables.
func (a *assembler) spec(at Span) string {
	s := a.text(a.trimmed(at))
	if a.lang == Bash {
		return strings.NewReplacer(`"`, "", `'`, "").Replace(s)
	}
	if rest, ok := strings.CutPrefix(s, "<"); ok {
		return strings.TrimSuffix(rest, ">")
	}
	return unquote(s)
}

func importNode(m match) (Span, ImportKind, bool) {
	for _, c := range m {
		switch c.name {
		case "import":
			return c.at, ImportModule, true
		case "import.text":
			return c.at, importText, true
		case "import.system":
			return c.at, ImportSystem, true
		case "import.reexport":
			return c.at, ImportReexport, true
		case "import.mod":
			return c.at, ImportChild, true
		case "import.file":
			return c.at, ImportFile, true
		}
	}
	return Span{}, "", false
}

// importText marks an import that is still the text of a whole statement.
const importText ImportKind = "text"

// sortedImports orders the imports, and splits those that contain several.
func (a *assembler) sortedImports() []Import {
	var out []Import
	for _, at := range a.importsAt {
		imp := *a.imports[at]
		switch {
		case imp.Spec == "":
		case imp.Kind == importText:
			imp.Kind = ImportModule
			out = append(out, readImport(a.lang, imp)...)
		case imp.Kind == ImportChild:
			imp.Names = a.modulePaths(at.Start)
			out = append(out, imp)
		case a.lang == Rust && imp.Kind != ImportFile:
			out = append(out, expandUse(imp)...)
		default:
			out = append(out, imp)
		}
	}
	slices.SortStableFunc(out, func(x, y Import) int {
		return cmp.Or(cmp.Compare(x.At.Start, y.At.Start), cmp.Compare(x.Spec, y.Spec))
	})
	return out
}
