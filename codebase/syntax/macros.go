package syntax

import (
	"bytes"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

var (
	typeWords = map[string]bool{"class": true, "struct": true, "union": true, "enum": true, "namespace": true}
	// namedType matches the text between a macro and the name of a type. functionHead matches the text between a
	// macro and the type of a function.
	namedType = lazyregexp.New(`^(?:\s+[A-Z_][A-Z0-9_]{2,}(?:\([^()\n]*\))?)*\s+\w[\w:<>, ]*\s*[:{;]`)
	// definedType matches the text between a macro in small letters and the body of a type.
	definedType = lazyregexp.New(`^[ \t]+\w+(?:[ \t]+final)?\s*(?::[^:;{][^;{]*)?\{`)
	// definedNothing matches a macro that a file defines as empty, which may stand anywhere.
	definedNothing = lazyregexp.New(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^()\n]*\))?[ \t]*(?:/\*[^*\n]*\*/)?[ \t\r]*$`)
	functionHead   = lazyregexp.New(`^[ \t]+(?:[\w:<>,*&]+[ \t*&]+)+\w+[ \t]*\(`)
)

const lowerCase = "abcdefghijklmnopqrstuvwxyz"

// The bounds, in bytes, of the text that is examined behind a macro, and of a macro's arguments.
const maxTypeHead, maxArguments = 300, 2000

// blankMacros blanks macros where C and C++ allow no name. Macros are names in capitals, with or without
// arguments. A library may put a prefix before its macros (lib_EXPORT): such a name counts before the name of a
// type, and with arguments.
//
//	class EXPORT Widget : public Base {    before the name of a type
//	Q_OBJECT                               alone on a line, if no brace follows: then it may define a function
//	EXPORT const char *name(               before the head of a function
//	int n GUARDED_BY(mu);                  behind a declaration
//	void f(UPARAM(ref) Value& v)           with arguments before a parameter
func blankMacros(source []byte) {
	nothing := map[string]bool{}
	for _, at := range definedNothing().FindAllSubmatch(source, -1) {
		nothing[string(at[1])] = true
	}
	lineStart := 0
	head := false // behind class or a similar word, and macros
	for i := 0; i < len(source); {
		c := source[i]
		switch {
		case c == '\n':
			i++
			lineStart = i
			continue
		case c == '#' && len(bytes.TrimSpace(source[lineStart:i])) == 0: // a directive
			for i < len(source) && source[i] != '\n' {
				i++
			}
			continue
		case !isWordByte(c):
			head = head && isBlank(c)
			i++
			continue
		}
		start := i
		for i < len(source) && isWordByte(source[i]) {
			i++
		}
		word := source[start:i]
		name := bytes.TrimLeft(word, lowerCase)
		gone := nothing[string(word)]
		prefixed := !gone && len(name) < len(word)
		if !gone && (len(name) < 3 || bytes.ContainsAny(name, lowerCase) || name[0] <= '9' || prefixed && name[0] != '_') {
			after := source[i:min(len(source), i+maxTypeHead)]
			if head && !typeWords[string(word)] && !bytes.HasPrefix(bytes.TrimLeft(after, " \t"), []byte("final")) && definedType().Match(after) {
				overwrite(word, "")
				continue
			}
			head = typeWords[string(word)]
			continue
		}
		end := macroEnd(source, i)
		if prefixed && !head && end == i {
			continue
		}
		before, after := bytes.TrimRight(source[:start], " \t\r\n"), bytes.TrimLeft(source[end:], " \t\r")
		lead := bytes.TrimSpace(source[lineStart:start])
		var blank bool
		switch first := len(lead) == 0; {
		case gone:
			blank = true
		case head:
			blank = namedType().Match(source[end:min(len(source), end+maxTypeHead)]) && !bytes.HasPrefix(after, []byte("final"))
		case first && (len(after) == 0 || after[0] == '\n'):
			blank = !bytes.HasPrefix(bytes.TrimSpace(after[:min(len(after), maxTypeHead)]), []byte("{"))
		case end > i && (bytes.HasSuffix(before, []byte("(")) || bytes.HasSuffix(before, []byte(","))) && len(after) > 0 && isWordByte(after[0]):
			blank = true
		case len(before) > 0 && !first && (isWordByte(before[len(before)-1]) || before[len(before)-1] == ')') && len(after) > 0:
			blank = bytes.IndexByte([]byte(",;{=}\n"), after[0]) >= 0
		}
		if !blank && !head && (len(lead) == 0 || bytes.HasPrefix(lead, []byte("extern"))) {
			blank = functionHead().Match(source[end:])
		}
		if head = head && blank; blank {
			overwrite(source[start:end], "")
			i = end
		}
	}
}

// macroEnd returns the end of the arguments that begin on a name's line, or the end of the name.
func macroEnd(source []byte, name int) int {
	depth := 0
	for i := name; i < min(len(source), name+maxArguments) && (depth > 0 || source[i] != '\n'); i++ {
		switch source[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case ' ', '\t':
		default:
			if depth == 0 {
				return name
			}
		}
	}
	return name
}
