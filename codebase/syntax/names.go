package syntax

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// trimmed removes the blanks around a span's text. In Lua's grammar a node includes the blanks before it.
func (a *assembler) trimmed(s Span) Span {
	for s.Start < s.End && isBlank(a.src[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && isBlank(a.src[s.End-1]) {
		s.End--
	}
	return s
}

// split splits a qualified name into its container and its last part: C++'s a::B<T>::f, Lua's M.sub.f and M:f.
func (a *assembler) split(at Span) (container string, name Span) {
	text := a.text(at)
	var last int
	switch a.lang {
	case Cpp, Ruby:
		last = lastScope(text)
	case Lua:
		last = strings.LastIndexAny(text, ".:") + 1
	case Protobuf:
		last = strings.LastIndexByte(text, '.') + 1
	}
	if last == 0 {
		return "", at
	}
	container = strings.TrimRight(text[:last], ".: \t\r\n")
	return dotted(container), a.trimmed(Span{at.Start + last, at.End})
}

// nameTest gives the name Suite.Case to a test that is written as a macro, TEST_F(Suite, Case) { … }.
func (a *assembler) nameTest(d *definition) {
	if a.lang != Cpp || d.Kind != Function || d.inner.Start != d.NameAt.Start ||
		d.Name != strings.ToUpper(d.Name) || d.Body.Start <= d.NameAt.End {
		return
	}
	args := a.trimmed(Span{d.NameAt.End, d.Body.Start})
	text := a.text(args)
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return
	}
	suite, name, ok := strings.Cut(text[1:len(text)-1], ",")
	if !ok || strings.ContainsAny(name, ",()<>&*") {
		return
	}
	d.Name = strings.TrimSpace(suite) + "." + strings.TrimSpace(name)
	d.NameAt = a.trimmed(Span{args.Start + 1, args.End - 1})
}

// lastScope returns the index after the last :: that is outside of angle brackets and before an operator's name,
// which may contain such brackets.
func lastScope(s string) int {
	depth, last := 0, 0
	for i := 0; i+1 < len(s); i++ {
		switch {
		case s[i] == '<':
			depth++
		case s[i] == '>':
			depth--
		case depth == 0 && s[i] == ':' && s[i+1] == ':':
			i++
			last = i + 1
			if strings.HasPrefix(strings.TrimLeft(s[last:], " "), "operator") {
				return last
			}
		}
	}
	return last
}

// dotted writes a C++ path in the form of containers: without template arguments, joined by dots.
func dotted(s string) string {
	if !strings.ContainsAny(s, "<: \n\t") {
		return s
	}
	var b strings.Builder
	depth := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth > 0 || isBlank(c):
		case c != ':':
			b.WriteByte(c)
		case b.Len() > 0 && s[i-1] != ':':
			b.WriteByte('.')
		}
	}
	return b.String()
}

// afterComments moves the start of a Lua statement behind its documentation, which the grammar includes in the
// statement.
func (a *assembler) afterComments(s Span) Span {
	for {
		s = a.trimmed(s)
		text := a.text(s)
		if !strings.HasPrefix(text, "--") {
			return s
		}
		end := "\n"
		if strings.HasPrefix(text, "--[[") {
			end = "]]"
		}
		i := strings.Index(text, end)
		if i < 0 {
			return s
		}
		s.Start += i + len(end)
	}
}

var moduleSource = lazyregexp.New(`(?m)^\{?[ \t]*(?:source|config_path)\s*=\s*"([^"\n]+)"`)

// sourced holds the blocks that name another module; the last two are Terragrunt's.
var sourced = map[string]bool{"module": true, "terraform": true, "dependency": true}

// addBlock records one top-level block of HCL, which is addressed by its labels: resource "aws_vpc" "main" as
// aws_vpc.main, variable "x" as var.x. A block without a label has no name.
func (a *assembler) addBlock(at Span) {
	open := strings.IndexByte(a.text(at), '{')
	if open < 0 {
		return
	}
	head := a.src[at.Start : at.Start+open]
	words, label := blockWords(head, at.Start)
	if s := moduleSource().FindStringSubmatch(a.src[at.Start+open : at.End]); s != nil && len(words) > 0 && sourced[words[0]] {
		a.imports[at] = &Import{Spec: s[1], At: at}
	}
	if len(words) < 2 || label.Len() == 0 {
		return
	}
	d := definition{inner: at}
	d.Name, d.NameAt, d.Range = words[len(words)-1], label, at
	d.Body = Span{at.Start + open, at.End}
	d.Kind, d.Container = Struct, strings.Join(words[1:len(words)-1], ".")
	switch words[0] {
	case "resource":
	case "variable":
		d.Kind, d.Container = Variable, "var"
	case "output":
		d.Kind, d.Container = Variable, "output"
	case "module":
		d.Kind, d.Container = Module, "module"
	default:
		d.Container = strings.Join(words[:len(words)-1], ".")
	}
	a.defs = append(a.defs, d)
}

// blockWords returns the words of a block's head without their quotes, and the span of the last one.
func blockWords(head string, offset int) (words []string, last Span) {
	for i := 0; i < len(head); {
		if isBlank(head[i]) {
			i++
			continue
		}
		start, end := i, strings.IndexAny(head[i:], " \t\r\n\"")
		if head[i] == '"' {
			start++
			end = strings.IndexByte(head[start:], '"')
		}
		if end < 0 {
			end = len(head) - start
		}
		words = append(words, head[start:start+end])
		last = Span{offset + start, offset + start + end}
		i = start + end
		if head[start-min(start, 1)] == '"' {
			i++
		}
	}
	return words, last
}
