package syntax

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// symbols completes the definitions: one for each name, with its container, without those that are local to a
// function.
func (a *assembler) symbols() []Symbol {
	a.dedupe()
	for i := range a.defs {
		a.widen(&a.defs[i])
	}
	slices.SortStableFunc(a.defs, func(x, y definition) int { return bySpan(x.inner, y.inner) })
	slices.SortStableFunc(a.scopes, func(x, y scope) int { return bySpan(x.at, y.at) })
	slices.SortFunc(a.locals, bySpan)
	lines := newLineCounter(a.src)
	var out []Symbol
	n := nesting{scopes: a.scopes, locals: a.locals, lang: a.lang}
	repeats := a.newRepeats()
	for i := range a.defs {
		d := &a.defs[i]
		n.enter(d)
		if n.isLocal(d.Kind) || a.isRequire(d) {
			continue
		}
		parent := n.parent(d)
		a.place(d, parent)
		if a.isPrivateField(d, parent) || a.isNoise(d) || repeats.has(d) {
			continue
		}
		a.describe(d)
		d.Line = lines.at(d.NameAt.Start)
		n.push(d)
		out = append(out, d.Symbol)
	}
	return out
}

// bySpan orders outer spans before those that they contain.
func bySpan(x, y Span) int {
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
}

// kindWeight decides between two patterns that found the same name.
func kindWeight(k Kind) int {
	switch k {
	case Variable:
		return 0
	case Constant, Type:
		return 1
	}
	return 2
}

// dedupe keeps one definition for each name, the one with the most informative pattern.
func (a *assembler) dedupe() {
	best := make(map[Span]int, len(a.defs)) // by the place of the name
	out := make([]definition, 0, len(a.defs))
	for _, d := range a.defs {
		i, seen := best[d.NameAt]
		if !seen {
			best[d.NameAt] = len(out)
			out = append(out, d)
			continue
		}
		private := out[i].private || d.private
		if kindWeight(d.Kind) > kindWeight(out[i].Kind) || out[i].Body == (Span{}) && d.Body != (Span{}) ||
			out[i].Container == "" && d.Container != "" {
			out[i] = d
		}
		out[i].private = private
	}
	a.defs = out
}

// widen extends a definition's range to the nodes that wrap it.
func (a *assembler) widen(d *definition) {
	for range 3 { // export, declare, decorated
		w, ok := a.wraps[d.Range]
		if !ok {
			break
		}
		d.Range = w.outer
		d.public = d.public || w.export
	}
	d.Range.End = d.Range.Start + len(strings.TrimRight(a.text(d.Range), " \t\r\n")) // a preprocessor line includes its newline
	d.Body.End = min(d.Body.End, d.Range.End)
}

// isRequire reports whether a definition only names an import.
func (a *assembler) isRequire(d *definition) bool {
	if d.Kind != Constant && d.Kind != Variable || len(a.imports) == 0 || a.lang == Python || a.lang == Go {
		return false
	}
	i, _ := slices.BinarySearchFunc(a.importsAt, d.inner.Start, func(at Span, pos int) int {
		return cmp.Compare(at.Start, pos)
	})
	return i < len(a.importsAt) && d.inner.Contains(a.importsAt[i]) &&
		(d.NameAt.End > a.importsAt[i].Start || strings.Contains(a.src[d.NameAt.End:a.importsAt[i].Start], "=")) // otherwise it is a type
}

// place sets the fields that depend on a definition's surroundings.
func (a *assembler) place(d *definition, parent scope) {
	switch {
	case d.Container == "":
		d.Container = parent.name
	case a.lang == Cpp:
		if d.Kind == Function {
			d.Kind = Method
		}
		d.Container = join(parent.name, d.Container)
	case a.lang == Kotlin, a.lang == Ruby:
		d.Container = join(parent.name, d.Container)
	}
	if d.Kind == Function && parent.kind.IsType() {
		d.Kind = Method
	}
	d.mods = a.modifiers(d)
	if d.Kind == Variable && a.isConstant(d) {
		d.Kind = Constant
	}
	d.Exported = a.isExported(d, parent)
}

func join(container, name string) string {
	if container == "" {
		return name
	}
	return container + "." + name
}

// isConstant reports whether a variable is a constant, by a keyword or, if the language has none, by convention.
func (a *assembler) isConstant(d *definition) bool {
	switch a.lang {
	case Python:
		return d.Name == strings.ToUpper(d.Name)
	case Java:
		return d.mods&(static|final) == static|final
	case C, Cpp, Kotlin:
		return d.mods&constant != 0
	case CSharp:
		return d.mods&constant != 0 || d.mods&(static|final) == static|final
	case Swift:
		return d.mods&let != 0 && (d.mods&static != 0 || d.Container == "")
	case Scala:
		r, _ := utf8.DecodeRuneInString(d.Name)
		return d.mods&stored != 0 && unicode.IsUpper(r)
	case Bash, Lua:
		return len(d.Name) > 1 && d.Name == strings.ToUpper(d.Name) && d.Name != strings.ToLower(d.Name)
	}
	return false
}

// describe sets the signature and the doc comment.
func (a *assembler) describe(d *definition) {
	d.Signature = a.signature(d)
	d.DocAt = a.leads.above(d.Range.Start)
	if s, ok := a.docstrings[d.Body.Start]; ok && d.Body.Len() > 0 {
		d.DocAt = s
	}
	if d.DocAt.Len() > 0 {
		d.Doc = docText(a.lang, a.text(d.DocAt))
	}
}

// maxSignature bounds a signature, to a line of a hover or an outline.
const maxSignature = 240

func (a *assembler) signature(d *definition) string {
	s := Span{a.afterDecorators(d.Range.Start, d.NameAt.Start), d.Range.End}
	if d.Body.Start > s.Start {
		s.End = d.Body.Start
	}
	switch d.Kind {
	case Constant, Variable:
		line := firstLine(strings.TrimSpace(a.text(s)))
		return shorten(strings.TrimRight(line, ";= "), maxSignature)
	case Macro:
		head := a.text(s)
		if a.lang == Rust {
			head, _, _ = strings.Cut(head, "{")
		}
		return shorten(firstLine(strings.TrimSpace(head)), maxSignature)
	}
	s.End = min(s.End, s.Start+maxHeadLength)
	text := oneLine(strings.ToValidUTF8(conditionals().ReplaceAllString(a.text(s), ""), ""))
	for _, end := range []string{"{", ":", ";", "=>", "=", " where"} {
		text = strings.TrimSpace(strings.TrimSuffix(text, end))
	}
	if d.Body.Len() > 0 && d.NameAt.Start >= d.Body.End { // typedef struct { … } name
		text += " " + d.Name
	}
	return shorten(text, maxSignature)
}

// conditionals matches the directives of conditionals, and the branches behind the first one.
var conditionals = lazyregexp.New(`(?m)^[ \t]*#(?:el(?s:.*?)(?:^[ \t]*#endif[^\n]*|\z)|(?:if|endif)[^\n]*)`)

// maxHeadLength bounds the text from which a signature is made, in bytes. It suffices for one that is split over
// many lines.
const maxHeadLength = 8 * maxSignature

// afterDecorators returns where a definition continues behind its decorators.
func (a *assembler) afterDecorators(start, name int) int {
	i, _ := slices.BinarySearchFunc(a.decorators, start, func(at Span, pos int) int {
		return cmp.Compare(at.Start, pos)
	})
	for ; i < len(a.decorators); i++ {
		dec := a.decorators[i]
		if dec.Start < start { // inside the previous one
			continue
		}
		if dec.End > name || strings.TrimSpace(a.src[start:dec.Start]) != "" {
			break
		}
		start = dec.End
	}
	return start
}

// oneLine replaces every run of blanks by one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}

// shorten cuts s to at most limit bytes, at the start of a rune.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// lineCounter turns offsets into line numbers.
type lineCounter struct{ ends []int } // of each line, in order

func newLineCounter(src string) *lineCounter {
	c := &lineCounter{ends: make([]int, 0, strings.Count(src, "\n"))}
	for i := range len(src) {
		if src[i] == '\n' {
			c.ends = append(c.ends, i)
		}
	}
	return c
}

func (c *lineCounter) at(off int) int {
	i, _ := slices.BinarySearch(c.ends, off)
	return i + 1
}
