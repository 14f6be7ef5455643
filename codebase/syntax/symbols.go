package syntax

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// symbols finishes the definitions: one per name, with the container they stand
// in, without what is local to a function.
func (a *assembler) symbols() []Symbol {
	a.dedupe()
	for i := range a.defs {
		a.widen(&a.defs[i])
	}
	slices.SortStableFunc(a.defs, func(x, y definition) int { return bySpan(x.inner, y.inner) })
	slices.SortStableFunc(a.scopes, func(x, y scope) int { return bySpan(x.at, y.at) })
	slices.SortFunc(a.locals, bySpan)
	docs := a.docFinder()
	lines := newLineCounter(a.src)
	var out []Symbol
	n := nesting{scopes: a.scopes, locals: a.locals}
	for i := range a.defs {
		d := &a.defs[i]
		enclosing := n.enter(d)
		if n.isLocal(d.Kind) || a.isRequire(d) {
			continue
		}
		a.place(d, enclosing)
		a.describe(d, docs)
		d.Line = lines.at(d.NameAt.Start)
		n.push(d)
		out = append(out, d.Symbol)
	}
	return out
}

// bySpan orders outer spans before the ones they contain.
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

// dedupe keeps one definition per name, the one whose pattern says most.
func (a *assembler) dedupe() {
	best := map[Span]int{}
	var out []definition
	for _, d := range a.defs {
		i, seen := best[d.NameAt]
		if !seen {
			best[d.NameAt] = len(out)
			out = append(out, d)
			continue
		}
		private := out[i].private || d.private
		if kindWeight(d.Kind) > kindWeight(out[i].Kind) || out[i].Body == (Span{}) && d.Body != (Span{}) {
			out[i] = d
		}
		out[i].private = private
	}
	a.defs = out
}

// widen lets a definition's range reach over the nodes that wrap it.
func (a *assembler) widen(d *definition) {
	for range 3 { // export, declare, decorated
		w, ok := a.wraps[d.Range]
		if !ok {
			return
		}
		d.Range = w.outer
		d.public = d.public || w.export
	}
}

// nesting follows the definitions in order and knows what encloses each.
type nesting struct {
	scopes []scope // still to come, in order
	locals []Span  // still to come, in order
	stack  []scope
	local  Span // the outermost unnamed function passed last
}

// enter closes what ended before d, opens the unnamed scopes that contain it,
// and returns what encloses it.
func (n *nesting) enter(d *definition) []scope {
	for len(n.scopes) > 0 && n.scopes[0].at.Start <= d.inner.Start {
		n.pop(n.scopes[0].at.Start)
		n.stack = append(n.stack, n.scopes[0])
		n.scopes = n.scopes[1:]
	}
	n.pop(d.NameAt.Start)
	for len(n.locals) > 0 && n.locals[0].Start < d.NameAt.Start {
		if n.locals[0].End > n.local.End {
			n.local = n.locals[0]
		}
		n.locals = n.locals[1:]
	}
	if !n.local.Contains(d.NameAt) {
		n.local = Span{}
	}
	return n.stack
}

// isRequire reports whether a definition only names what it imports.
func (a *assembler) isRequire(d *definition) bool {
	if d.Kind != Constant && d.Kind != Variable || len(a.imports) == 0 || a.lang == Python || a.lang == Go {
		return false
	}
	for at := range a.imports {
		if d.inner.Contains(at) {
			return true
		}
	}
	return false
}

func (n *nesting) pop(pos int) {
	for len(n.stack) > 0 && n.stack[len(n.stack)-1].at.End <= pos {
		n.stack = n.stack[:len(n.stack)-1]
	}
}

// isLocal reports whether a definition of this kind stands inside a function.
// A function inside an unnamed function is kept: whole modules are wrapped so.
func (n *nesting) isLocal(kind Kind) bool {
	for _, s := range n.stack {
		if s.kind == Function || s.kind == Method || s.kind == Constant || s.kind == Variable {
			return true
		}
	}
	return n.local != (Span{}) && (kind == Constant || kind == Variable)
}

// push makes d enclose what stands in its body.
func (n *nesting) push(d *definition) {
	if d.Body == (Span{}) {
		return
	}
	name := d.Name
	if d.Container != "" {
		name = d.Container + "." + name
	}
	n.stack = append(n.stack, scope{at: d.Body, name: name, kind: d.Kind, exported: d.Exported})
}

// place fills what follows from a definition's surroundings.
func (a *assembler) place(d *definition, enclosing []scope) {
	var parent scope
	if len(enclosing) > 0 {
		parent = enclosing[len(enclosing)-1]
	}
	if d.Container == "" {
		d.Container = parent.name
	}
	if d.Kind == Function && parent.kind.IsType() {
		d.Kind = Method
	}
	if a.lang == Python && d.Kind == Variable {
		if d.Name == strings.ToUpper(d.Name) {
			d.Kind = Constant
		}
	}
	d.Exported = a.isExported(d, parent)
}

func (a *assembler) isExported(d *definition, parent scope) bool {
	switch a.lang {
	case Go:
		r, _ := utf8.DecodeRuneInString(d.Name)
		return unicode.IsUpper(r)
	case Python:
		return !strings.HasPrefix(d.Name, "_") || strings.HasPrefix(d.Name, "__") && strings.HasSuffix(d.Name, "__")
	case Rust:
		return d.public || parent.exported && (parent.kind == Interface || parent.kind == Struct)
	}
	if d.private || strings.HasPrefix(d.Name, "#") {
		return false
	}
	if d.Container == "" {
		return d.public || a.exported[d.Name]
	}
	return d.public || parent.exported || a.exported[d.Container]
}

// describe fills the signature and the doc comment.
func (a *assembler) describe(d *definition, docs *docFinder) {
	d.Signature = a.signature(d)
	d.DocAt = docs.above(d.Range.Start)
	if s, ok := a.docstrings[d.Body.Start]; ok && d.Body.Len() > 0 {
		d.DocAt = s
	}
	if d.DocAt.Len() > 0 {
		d.Doc = docText(a.text(d.DocAt))
	}
}

// maxSignature bounds a signature: a line of a hover or an outline.
const maxSignature = 240

func (a *assembler) signature(d *definition) string {
	s := d.Range
	for _, dec := range a.decorators {
		if dec.Start >= s.Start && dec.End <= d.NameAt.Start {
			s.Start = dec.End
		}
	}
	if d.Body.Start > s.Start {
		s.End = d.Body.Start
	}
	switch d.Kind {
	case Constant, Variable:
		return shorten(strings.TrimSuffix(firstLine(strings.TrimSpace(a.text(s))), ";"), maxSignature)
	case Macro:
		head, _, _ := strings.Cut(a.text(s), "{")
		return shorten(strings.TrimSpace(firstLine(head)), maxSignature)
	}
	text := strings.Join(strings.Fields(a.text(s)), " ")
	for _, end := range []string{"{", ":", ";", "=>", "=", " where"} {
		text = strings.TrimSpace(strings.TrimSuffix(text, end))
	}
	return shorten(text, maxSignature)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}

// shorten cuts s to at most limit bytes, at a rune's start.
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

// lineCounter turns ascending offsets into line numbers in one pass.
type lineCounter struct {
	src  string
	pos  int
	line int
}

func newLineCounter(src string) *lineCounter { return &lineCounter{src: src, line: 1} }

func (c *lineCounter) at(off int) int {
	if off < c.pos {
		c.pos, c.line = 0, 1
	}
	c.line += strings.Count(c.src[c.pos:off], "\n")
	c.pos = off
	return c.line
}
