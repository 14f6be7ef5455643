package syntax

import (
	"bytes"
	"slices"
)

// For Rust's grammar, the text between a macro's braces is only a tree of tokens. Much of it is ordinary items
// that features switch on and off:
//
//	cfg_rt! { mod pool; pub use pool::Pool; }
//	cfg_if! { if #[cfg(unix)] { mod unix; } else { mod other; } }
//
// So such bodies are parsed as separate sources, and the results are recorded at their positions in the file.

// Bounds for parsing these bodies. Bodies of one depth do not overlap, so that the cost is at most maxMacroDepth times that of the
// file. The sources of tokio nest macros three deep, and have up to 23 in a file (counted).
const (
	maxMacroDepth  = 4
	maxMacroBodies = 1000 // of one file
)

// macroItems returns the bodies of macros that contain items, in order and disjoint, from the matches of a query.
// A macro inside a function is an expression and is skipped.
func macroItems(source []byte, matches []match) []Span {
	var bodies, functions []Span
	for _, m := range matches {
		if at, ok := macroBody(source, m); ok {
			bodies = append(bodies, at)
		} else if _, ok := m.find("definition.function"); ok {
			if at, ok := m.find("body"); ok {
				functions = append(functions, at)
			}
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	slices.SortFunc(bodies, bySpan)
	slices.SortFunc(functions, bySpan)
	return outside(bodies, functions)
}

// outside returns the spans that begin neither inside one of the others nor inside an earlier span. Both lists are
// sorted.
func outside(spans, others []Span) []Span {
	var out []Span
	end := 0
	for _, at := range spans {
		for len(others) > 0 && others[0].Start < at.Start {
			end = max(end, others[0].End)
			others = others[1:]
		}
		if at.Start < end {
			continue
		}
		out = append(out, at)
		end = at.End
	}
	return out
}

// macroBody returns the text between the braces of a macro if it looks like items: the whole body, or a branch of
// a macro whose name begins with cfg.
func macroBody(source []byte, m match) (Span, bool) {
	at, ok := m.find("macro.body")
	if !ok {
		if at, ok = m.find("macro.branch"); !ok || !isCfgMacro(source, m) {
			return Span{}, false
		}
	}
	open, end := source[at.Start:at.End], byte('}')
	if at.Len() < 2 || open[0] != '{' && open[0] != '(' {
		return Span{}, false
	}
	if open[0] == '(' {
		end = ')'
	}
	if open[len(open)-1] == end { // otherwise the file is broken there
		at.End--
	}
	at.Start++
	return at, looksLikeItems(source[at.Start:at.End])
}

func isCfgMacro(source []byte, m match) bool {
	at, _ := m.find("macro")
	name := source[at.Start:at.End]
	name = name[bytes.LastIndexByte(name, ':')+1:]
	return bytes.HasPrefix(name, []byte("cfg_"))
}

// itemWords are the words that begin an item of Rust.
var itemWords = map[string]bool{
	"pub": true, "mod": true, "use": true, "fn": true, "struct": true, "enum": true, "trait": true,
	"impl": true, "const": true, "static": true, "type": true, "unsafe": true, "async": true,
	"extern": true, "macro_rules": true,
}

// looksLikeItems reports whether the first word of a text, after comments and
// attributes, begins an item or is another macro.
func looksLikeItems(text []byte) bool {
	text = afterLeads(text)
	n := 0
	for n < len(text) && isWordByte(text[n]) {
		n++
	}
	return itemWords[string(text[:n])] || n > 0 && n < len(text) && text[n] == '!'
}

func isWordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// afterLeads removes the blanks, comments and attributes at the beginning of a text.
func afterLeads(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		end := 0
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			end = bytes.IndexByte(text, '\n')
		case bytes.HasPrefix(text, []byte("/*")):
			end = bytes.Index(text, []byte("*/")) + 1
		case bytes.HasPrefix(text, []byte("#[")), bytes.HasPrefix(text, []byte("#![")):
			end = attributeEnd(text)
		}
		if end <= 0 {
			return text
		}
		text = text[end+1:]
	}
}

// attributeEnd returns the index of the bracket that closes an attribute, or -1.
func attributeEnd(text []byte) int {
	depth := 0
	for i, b := range text {
		switch b {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
