package syntax

import (
	"bytes"
	"slices"
)

// Rust's grammar knows what stands between a macro's braces only as a tree of
// tokens. Much of it are ordinary items, switched on and off by features:
//
//	cfg_rt! { mod pool; pub use pool::Pool; }
//	cfg_if! { if #[cfg(unix)] { mod unix; } else { mod other; } }
//
// So such bodies are parsed as sources of their own, and what is found in them is
// filed under their place in the file.

// The bounds of that. Bodies of one depth do not overlap, so that the cost is at
// most maxMacroDepth times that of the file. The sources of tokio nest them three
// deep and have up to 23 in a file (counted).
const (
	maxMacroDepth  = 4
	maxMacroBodies = 1000 // of one file
)

// macroItems returns the bodies of macros that hold items, in order and disjoint,
// from what the query found. A macro inside a function is an expression and not
// looked into.
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

// outside returns the spans that begin neither in one of the others nor in a span
// before them. Both lists are in order.
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

// macroBody returns what stands between the braces of a macro if it looks like
// items: the whole body, or a branch of a macro that is named after cfg.
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
	if open[len(open)-1] == end { // else the file is broken there
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

// itemWords begin an item of Rust.
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

// afterLeads cuts the blanks, comments and attributes that a text begins with.
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
