package syntax

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// readImport parses a whole import statement. Comments inside one are rare and not understood. An invalid
// statement gives no import.
func readImport(lang Language, imp Import) []Import {
	text := strings.TrimSuffix(strings.TrimSpace(imp.Spec), ";")
	imp.Spec = ""
	switch lang {
	case Go:
		return readEmbed(imp, text)
	case Scala:
		return readScala(imp, text)
	case PHP:
		return readPHP(imp, text)
	case CSharp:
		return readUsing(imp, text)
	}
	return readDotted(lang, imp, text)
}

var embedPattern = lazyregexp.New("\"[^\"]*\"|`[^`]*`|\\S+")

// readEmbed reads the patterns of Go's //go:embed. Other comments give no import.
func readEmbed(imp Import, text string) (out []Import) {
	patterns, ok := strings.CutPrefix(text, "//go:embed ")
	for _, pattern := range embedPattern().FindAllString(patterns, -1) {
		if ok {
			imp.Kind, imp.Spec = ImportFile, strings.TrimPrefix(strings.Trim(pattern, "`\""), "all:")
			out = append(out, imp)
		}
	}
	return out
}

// dropWords removes words from the front of a statement, with the blanks around them. It returns the words that it
// found.
func dropWords(text string, words ...string) (string, bool) {
	found := false
	for _, w := range words {
		rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), w)
		if !ok || rest == "" || !isBlank(rest[0]) {
			return text, found
		}
		text, found = strings.TrimLeft(rest, " \t\r\n"), true
	}
	return text, found
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// unspaced joins a path that contains blanks or line breaks.
func unspaced(s string) string {
	if !strings.ContainsAny(s, " \t\r\n") {
		return s
	}
	return strings.Join(strings.Fields(s), "")
}

// readDotted reads the imports of Java, Kotlin and Swift: import a.b.C,
// import a.b.*, import a.b.C as D, import static a.b.C.d, import struct A.B.
func readDotted(lang Language, imp Import, text string) []Import {
	_, text, ok := strings.Cut(text, "import")
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n") // in Kotlin's grammar the statement includes the text behind it
	text, static := dropWords(text, "static")
	if lang == Swift {
		for _, kind := range []string{"struct", "class", "enum", "protocol", "func", "var", "let", "typealias"} {
			text, _ = dropWords(text, kind)
		}
	}
	path, alias, _ := strings.Cut(text, " as ")
	imp.Alias = strings.TrimSpace(alias)
	imp.Spec = unspaced(path)
	if all, ok := strings.CutSuffix(imp.Spec, ".*"); ok {
		imp.Spec, imp.Names = all, []string{"*"}
	}
	if static {
		imp.Kind = ImportStatic
		if i := strings.LastIndexByte(imp.Spec, '.'); i > 0 && imp.Names == nil {
			imp.Spec, imp.Names = imp.Spec[:i], []string{imp.Spec[i+1:]}
		}
	}
	if imp.Spec == "" {
		return nil
	}
	return []Import{imp}
}

// readUsing reads C#'s using directives: using A.B, using static A.B.C,
// using X = A.B.
func readUsing(imp Import, text string) []Import {
	text, global := dropWords(text, "global")
	text, ok := dropWords(text, "using")
	if !ok {
		return nil
	}
	text, static := dropWords(text, "static")
	if static {
		imp.Kind = ImportStatic
	}
	if global {
		imp.Kind = ImportGlobal
	}
	if alias, target, ok := strings.Cut(text, "="); ok {
		imp.Alias, text = strings.TrimSpace(alias), target
	}
	imp.Spec = strings.TrimPrefix(unspaced(text), "global::")
	if imp.Spec == "" {
		return nil
	}
	return []Import{imp}
}

// readScala splits a.b.{C, D => E, _}, c.d into one import for each path.
func readScala(imp Import, text string) []Import {
	text, ok := dropWords(text, "import")
	if !ok {
		return nil
	}
	var out []Import
	for _, part := range splitTopLevel(text) {
		path, selectors, braced := strings.Cut(part, "{")
		path = strings.TrimSuffix(unspaced(path), ".")
		if !braced {
			out = append(out, scalaPath(imp, path))
			continue
		}
		for sel := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(selectors), "}"), ",") {
			if sel = strings.TrimSpace(sel); sel != "" {
				out = append(out, scalaPath(imp, path+"."+sel))
			}
		}
	}
	return out
}

// scalaPath reads a.b.C, a.b._, a.b.*, a.b.given, a.b.C => D and a.b.C as D.
func scalaPath(imp Import, path string) Import {
	for _, arrow := range []string{"=>", " as "} {
		if name, alias, ok := strings.Cut(path, arrow); ok {
			path, imp.Alias = strings.TrimSpace(name), strings.TrimSpace(alias)
			break
		}
	}
	imp.Spec = path
	for _, all := range []string{"._", ".*", ".given"} {
		if p, ok := strings.CutSuffix(path, all); ok {
			imp.Spec, imp.Names = p, []string{"*"}
		}
	}
	return imp
}

// readPHP reads use A\B as C, use A\{B, C as D}, use function A\b, and the
// includes: of require __DIR__ . '/x.php' the text between the quotes.
func readPHP(imp Import, text string) []Import {
	rest, isUse := dropWords(text, "use")
	if !isUse {
		imp.Kind, imp.Spec = ImportFile, quoted(text)
		if imp.Spec == "" {
			return nil
		}
		return []Import{imp}
	}
	rest, _ = dropWords(rest, "function")
	rest, _ = dropWords(rest, "const")
	var out []Import
	for _, part := range splitTopLevel(rest) {
		prefix, group, braced := strings.Cut(part, "{")
		if !braced {
			out = appendPHP(out, imp, "", part)
			continue
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(group), "}"), ",") {
			out = appendPHP(out, imp, unspaced(prefix), name)
		}
	}
	return out
}

func appendPHP(out []Import, imp Import, prefix, name string) []Import {
	name, _ = dropWords(name, "function")
	name, _ = dropWords(name, "const")
	name, alias, _ := strings.Cut(name, " as ")
	imp.Spec = strings.TrimPrefix(prefix+unspaced(name), `\`)
	imp.Alias = strings.TrimSpace(alias)
	if unspaced(name) == "" {
		return out
	}
	return append(out, imp)
}

// quoted returns the first quoted text.
func quoted(s string) string {
	i := strings.IndexAny(s, `'"`)
	if i < 0 {
		return ""
	}
	j := strings.IndexByte(s[i+1:], s[i])
	if j < 0 {
		return ""
	}
	return s[i+1 : i+1+j]
}
