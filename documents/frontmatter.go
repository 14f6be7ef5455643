package documents

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// maxFrontmatter bounds the length of frontmatter, in bytes.
const maxFrontmatter = 64 << 10

// fields holds the keys at the left margin of frontmatter, each with a list of values. They are parsed line by
// line. So a broken key hides no other, and the rules of editors can have lists and globs that are not valid YAML
// (`globs: *.ts, src/**`).
type fields map[string][]string

// frontmatter returns the fields of a text, and the offset of the text behind them. Frontmatter without an end is
// none.
func frontmatter(text string) (fields, int) {
	first, pos := markdown.CutLine(text, 0)
	fence, sign := strings.TrimRight(strings.TrimPrefix(first, markdown.ByteOrderMark), " \t"), ":"
	switch fence {
	case "---":
	case "+++": // TOML
		sign = "="
	default:
		return nil, 0
	}
	f, key, folds := fields{}, "", false
	for pos < min(len(text), maxFrontmatter) {
		line, next := markdown.CutLine(text, pos)
		pos = next
		trimmed := strings.TrimSpace(line)
		name, value, ok := strings.Cut(line, sign)
		switch {
		case strings.TrimRight(line, " \t") == fence:
			if len(f) == 0 && strings.TrimSpace(text[:pos]) != fence+"\n"+fence { // a horizontal rule
				return nil, 0
			}
			return f, pos
		case strings.HasPrefix(trimmed, "- ") && key != "":
			f[key] = append(f[key], unquoted(trimmed[2:]))
		case folds && strings.HasPrefix(line, " ") && trimmed != "":
			f[key] = []string{strings.TrimSpace(f.one(key) + " " + trimmed)}
		case trimmed == "" || line[0] == ' ' || line[0] == '\t' || line[0] == '#':
		case ok:
			key, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
			if folds = value != "" && len(value) <= 2 && strings.Trim(value, ">|+-") == ""; folds { // the following lines are the value
				value = ""
			}
			f[key] = listed(value)
		}
	}
	return nil, 0
}

// one returns the value of a field with a single value.
func (f fields) one(key string) string { return strings.Join(f[key], ", ") }

// listed splits a value at its commas, except for those in braces and in quotes.
func listed(value string) (out []string) {
	if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") {
		value = value[1 : len(value)-1]
	} else if unquoted(value) != value {
		value = unquoted(value) // readers of rules treat "a, b" as a list
	}
	depth, from, quote := 0, 0, rune(0)
	add := func(to int) {
		if v := unquoted(strings.TrimSpace(value[from:to])); v != "" {
			out = append(out, v)
		}
		from = to + 1
	}
	for i, c := range value {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.TrimSpace(value[from:i]) == "":
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth <= 0:
			add(i)
		}
	}
	if from <= len(value) {
		add(len(value))
	}
	return out
}

func unquoted(s string) string {
	s = strings.TrimSpace(s)
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
