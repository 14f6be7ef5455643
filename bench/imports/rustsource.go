package main

import (
	"regexp"
	"strings"
)

// rustStatement is one use path, or one mod declaration without a body.
type rustStatement struct {
	spec   string
	mod    bool
	inline []string // the modules with a body around it
	nested bool     // inside another block: a function
}

var (
	rustBlank = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|b?r#*"|b?"(?:[^"\\]|\\.)*"|b?'(?:[^'\\\n]|\\[^\n]{1,9})'`)
	rustToken = regexp.MustCompile(`\{|\}|\bmod\s+(?:r#)?([A-Za-z_]\w*)\s*(\{|;)|\buse\s+([^;{}]*(?:\{[^;]*\})?[^;{}]*);`)
)

// rustStatements finds the use and mod statements of a source file without a
// parser: comments and literals are blanked, braces are counted.
func rustStatements(text string) []rustStatement {
	text = blankRust(text)
	var out []rustStatement
	var names []string // per open brace: the module's name, or ""
	for _, m := range rustToken.FindAllStringSubmatch(text, -1) {
		switch {
		case m[0] == "{":
			names = append(names, "")
		case m[0] == "}":
			names = names[:max(0, len(names)-1)]
		case m[2] == "{":
			names = append(names, m[1])
		default:
			s := rustStatement{spec: m[1], mod: m[2] == ";"}
			for _, n := range names {
				if n != "" {
					s.inline = append(s.inline, n)
				} else {
					s.nested = true
				}
			}
			if s.mod {
				out = append(out, s)
				continue
			}
			for _, p := range rustPaths("", m[3]) {
				s.spec = p
				out = append(out, s)
			}
		}
	}
	return out
}

// blankRust replaces comments and literals by blanks.
func blankRust(text string) string {
	var b strings.Builder
	for {
		at := rustBlank.FindStringIndex(text)
		if at == nil {
			return b.String() + text
		}
		b.WriteString(text[:at[0]])
		b.WriteByte(' ')
		token := text[at[0]:at[1]]
		text = text[at[1]:]
		if strings.HasSuffix(token, `"`) && strings.HasPrefix(strings.TrimPrefix(token, "b"), "r") {
			end := `"` + strings.Repeat("#", strings.Count(token, "#"))
			_, text, _ = strings.Cut(text, end)
		}
	}
}

// rustPaths opens the braces of a use tree.
func rustPaths(prefix, tree string) []string {
	tree = strings.TrimSpace(tree)
	open := strings.IndexByte(tree, '{')
	if open < 0 {
		p, _, _ := strings.Cut(tree, " as ")
		p = strings.TrimSuffix(prefix+strings.Join(strings.Fields(p), ""), "::self")
		if p == "" {
			return nil
		}
		return []string{p}
	}
	end := strings.LastIndexByte(tree, '}')
	if end < open {
		return nil
	}
	prefix += strings.Join(strings.Fields(tree[:open]), "")
	var out []string
	depth, start := 0, open+1
	for i := start; i <= end; i++ {
		switch {
		case tree[i] == '{':
			depth++
		case tree[i] == '}' && i < end:
			depth--
		case (tree[i] == ',' && depth == 0) || i == end:
			if part := strings.TrimSpace(tree[start:i]); part != "" {
				out = append(out, rustPaths(prefix, part)...)
			}
			start = i + 1
		}
	}
	return out
}
