package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// modifiers are the keywords before a definition's name that determine its visibility and whether it can change.
type modifiers uint16

const (
	public modifiers = 1 << iota
	protected
	internal
	private
	static
	final
	constant
	inline
	local
	let
	stored // Kotlin's and Scala's val
)

var modifierOf = map[string]modifiers{
	"public": public, "open": public, "protected": protected, "internal": internal,
	"private": private, "fileprivate": private, "file": private,
	"static": static, "final": final, "readonly": final,
	"const": constant, "constexpr": constant, "constinit": constant,
	"defp": private, "defmacrop": private, "defguardp": private,
	"inline": inline, "local": local, "let": let, "val": stored,
}

// maxHeadOfDefinition bounds the text in which modifiers are looked for, in bytes.
const maxHeadOfDefinition = 256

// modifiers reads the words between a definition's start and its name, after its decorators, up to the first
// character that cannot be part of one.
func (a *assembler) modifiers(d *definition) modifiers {
	start := a.afterDecorators(d.inner.Start, d.NameAt.Start)
	head := a.src[start:max(start, min(d.NameAt.Start, start+maxHeadOfDefinition))]
	var m modifiers
	for head != "" {
		n := strings.IndexFunc(head, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if n < 0 {
			return m | modifierOf[head]
		}
		word, rest := head[:n], head[n:]
		if rest[0] == '(' { // Swift's private(set) is about the setter
			end := strings.IndexByte(rest, ')')
			if word == "" || end < 0 {
				return m
			}
			head = rest[end+1:]
			continue
		}
		m |= modifierOf[word]
		if strings.IndexByte("{=<;[", rest[0]) >= 0 {
			return m
		}
		_, size := utf8.DecodeRuneInString(rest)
		head = rest[size:]
	}
	return m
}

// isExported reports whether code in other folders of the same program can name a definition. A member is at most
// as visible as its type.
func (a *assembler) isExported(d *definition, parent scope) bool {
	switch a.lang {
	case Go:
		r, _ := utf8.DecodeRuneInString(d.Name)
		return unicode.IsUpper(r)
	case Python:
		return !strings.HasPrefix(d.Name, "_") || strings.HasPrefix(d.Name, "__") && strings.HasSuffix(d.Name, "__")
	case Rust:
		return d.public || parent.exported && (parent.kind == Interface || parent.kind == Struct)
	case Bash:
		return !strings.HasPrefix(d.Name, "_")
	case Lua:
		return !strings.HasPrefix(d.Name, "_") && (d.mods&local == 0 || a.exported[d.Name])
	case SQL, Protobuf, HCL:
		return true
	case TypeScript, TSX, JavaScript:
		return a.isExportedScript(d, parent)
	}
	return a.isVisible(d, parent) && (parent.name == "" || parent.exported)
}

func (a *assembler) isExportedScript(d *definition, parent scope) bool {
	if d.private || strings.HasPrefix(d.Name, "#") {
		return false
	}
	if d.Container == "" {
		return d.public || a.exported[d.Name]
	}
	return d.public || parent.exported || a.exported[d.Container]
}

// isVisible is isExported without regard to the enclosing scope, for languages with keywords for visibility.
// Without a keyword, the default in Java is the package; in C# the type (and for a type the assembly); elsewhere
// it is public.
func (a *assembler) isVisible(d *definition, parent scope) bool {
	inOpenType := parent.kind == Interface || parent.kind == Enum && d.Kind == Constant
	switch a.lang {
	case Java:
		return d.mods&(public|protected) != 0 || inOpenType && d.mods&private == 0
	case CSharp:
		if d.mods&(public|protected|internal) != 0 || inOpenType {
			return true
		}
		return !parent.kind.IsType() && d.mods&private == 0
	case C:
		return d.mods&static == 0 || d.mods&inline != 0
	case Cpp:
		if parent.kind.IsType() {
			return parent.kind == Enum || a.section(parent, d.NameAt.Start)
		}
		return d.mods&static == 0 || d.mods&inline != 0
	}
	return d.mods&private == 0
}

// isPrivateField reports whether a definition is a field or property that code outside of its type cannot name.
// Such fields are no symbols.
func (a *assembler) isPrivateField(d *definition, parent scope) bool {
	if d.Kind != Variable {
		return false
	}
	if a.lang == Kotlin && d.Container != "" { // it may be a parameter of a class without a body
		return d.mods&private != 0
	}
	if !parent.kind.IsType() {
		return false
	}
	switch a.lang {
	case Java, PHP, Scala, Swift:
		return d.mods&private != 0
	case CSharp, Cpp:
		return !a.isVisible(d, parent)
	}
	return false
}

// isNoise reports whether a definition is not really one: a C++ annotation that looks like a member,
// GUARDED_BY(mu), or a local alias at the top of a Lua file.
func (a *assembler) isNoise(d *definition) bool {
	switch a.lang {
	case Cpp:
		return (d.Kind == Function || d.Kind == Method) && d.Body.Len() == 0 && len(d.Name) > 2 &&
			d.Name == strings.ToUpper(d.Name) && !strings.HasPrefix(d.Name, "~") && strings.Contains(d.Name, "_")
	case Lua:
		return d.Kind == Variable && d.mods&local != 0 && d.Body.Len() == 0
	}
	return false
}

// section reports whether a C++ member at pos is in a section of its class that others can use. protected counts,
// as in other languages.
func (a *assembler) section(parent scope, pos int) bool {
	open := parent.kind != Class
	for _, s := range a.sections[parent.at.Start] {
		if s.at > pos {
			break
		}
		open = s.open
	}
	return open
}
