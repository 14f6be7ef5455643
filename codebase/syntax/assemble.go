package syntax

import (
	"slices"
	"strings"
)

// capture is one named node of a match, reduced to its bytes.
type capture struct {
	name string
	at   Span
}

// match is one match of a query's pattern.
type match []capture

func (m match) find(name string) (Span, bool) {
	for _, c := range m {
		if c.name == name {
			return c.at, true
		}
	}
	return Span{}, false
}

// withPrefix finds the capture that starts with prefix and returns the rest of
// its name.
func (m match) withPrefix(prefix string) (string, Span, bool) {
	for _, c := range m {
		if rest, ok := strings.CutPrefix(c.name, prefix); ok {
			return rest, c.at, true
		}
	}
	return "", Span{}, false
}

// definition is a symbol before its surroundings are known.
type definition struct {
	Symbol
	inner   Span // the definition itself; Range may reach further
	public  bool // a keyword beside it says so
	private bool
	mods    modifiers
}

// scope encloses definitions without being one itself, or is one.
type scope struct {
	at       Span
	name     string
	kind     Kind
	exported bool
}

// wrap is a node around a definition that belongs to it.
type wrap struct {
	outer  Span
	export bool
}

// assembler makes a File from the captures of one source.
type assembler struct {
	lang Language
	src  string

	defs       []definition
	scopes     []scope
	locals     []Span
	wraps      map[Span]wrap
	exported   map[string]bool
	docs       []Span
	leads      *docFinder // over docs and skips
	skips      []Span
	docstrings map[int]Span // by start
	decorators []Span
	references []Reference
	imports    map[Span]*Import
	importsAt  []Span                 // the ranges of the imports in order, for isRequire
	sections   map[int][]classSection // of a C++ class, by the start of its body
	module     string
}

// classSection is a part of a class that begins with public:, private: or protected:.
type classSection struct {
	at   int
	open bool
}

// assemble builds a File, without the source's credentials, from the matches of a query. It is pure. Whatever the
// matches are, it ends, and all spans lie inside the source.
func assemble(lang Language, source []byte, matches []match) File {
	a := &assembler{
		lang: lang, src: string(source),
		wraps: map[Span]wrap{}, exported: map[string]bool{},
		docstrings: map[int]Span{}, imports: map[Span]*Import{},
		sections: map[int][]classSection{},
	}
	for _, m := range matches {
		a.add(m)
	}
	a.order()
	f := File{
		Symbols:    a.symbols(),
		References: a.sortedReferences(),
		Imports:    a.sortedImports(),
		Comments:   a.comments(),
		Module:     a.module,
	}
	f.veil(a.src)
	return f
}

func (a *assembler) text(s Span) string { return a.src[s.Start:s.End] }

// order sorts the lists that are searched by position.
func (a *assembler) order() {
	for i, at := range a.docs {
		a.docs[i] = a.trimmed(at)
	}
	slices.SortFunc(a.docs, bySpan)
	a.docs = slices.Compact(a.docs) // comments in a macro's body are found twice
	a.leads = a.docFinder()
	slices.SortFunc(a.decorators, bySpan)
	for at := range a.imports {
		a.importsAt = append(a.importsAt, at)
	}
	slices.SortFunc(a.importsAt, bySpan)
}

// add records one match by its kind.
func (a *assembler) add(m match) {
	if kind, at, ok := m.withPrefix("definition."); ok {
		a.addDefinition(m, Kind(kind), at)
		return
	}
	if kind, at, ok := m.withPrefix("reference."); ok {
		a.addReference(m, ReferenceKind(kind), at)
		return
	}
	if a.addImport(m) || a.addWrap(m) {
		return
	}
	if name, ok := m.find("scope.name"); ok {
		a.addScope(m, name)
		return
	}
	a.addMark(m)
}

// addScope records an unnamed scope. It counts as a type: a Rust impl block or a Swift extension. In Rust, the
// members of an impl for a trait are public; in Swift, each member decides itself.
func (a *assembler) addScope(m match, name Span) {
	at, exported := m.find("scope.public")
	if !exported {
		at, _ = m.find("scope")
	}
	a.scopes = append(a.scopes, scope{at: at, name: a.text(name), kind: Struct, exported: exported})
}

// addMark records the captures that need no other capture.
func (a *assembler) addMark(m match) {
	for _, c := range m {
		switch c.name {
		case "doc":
			a.docs = append(a.docs, c.at)
		case "docstring":
			a.docstrings[c.at.Start] = c.at
		case "skip":
			a.skips = append(a.skips, c.at)
		case "decorator":
			a.decorators = append(a.decorators, c.at)
		case "local":
			a.locals = append(a.locals, c.at)
		case "module":
			a.addModule(c.at)
		case "access":
			a.addSection(m, c.at)
		case "exported.name":
			a.addExported(m, c.at)
		}
	}
}

// addModule records the first package that a file names. Scala's clauses are joined.
func (a *assembler) addModule(at Span) {
	name := unspaced(a.text(at))
	switch {
	case a.module == "":
		a.module = name
	case a.lang == Scala:
		a.module += "." + name
	}
}

func (a *assembler) addSection(m match, at Span) {
	list, ok := m.find("access.list")
	if !ok {
		return
	}
	open := !strings.HasPrefix(a.text(at), "private")
	a.sections[list.Start] = append(a.sections[list.Start], classSection{at.Start, open})
}

func (a *assembler) addExported(m match, at Span) {
	if exporter, ok := m.find("exporter"); ok && !isExports(a.text(exporter)) {
		return
	}
	a.exported[a.text(a.trimmed(at))] = true
}

// isExports reports whether a CommonJS object is the exports of the module.
func isExports(object string) bool {
	return object == "module" || object == "exports" || object == "module.exports"
}

func (a *assembler) addDefinition(m match, kind Kind, at Span) {
	if kind == "block" {
		a.addBlock(at)
		return
	}
	if word, ok := m.find("word"); ok {
		if kind = elixirKinds[a.text(word)]; kind == "" {
			return
		}
	}
	nameAt, ok := m.find("name")
	if !ok {
		return
	}
	d := definition{inner: at}
	if a.lang == Lua {
		d.inner = a.afterComments(at)
	}
	d.Container, d.NameAt = a.split(a.trimmed(nameAt))
	d.Name, d.Kind, d.Range = unquote(a.text(d.NameAt)), kind, d.inner
	if d.Name == "" || !d.inner.Contains(d.NameAt) { // the parser made up the name
		return
	}
	if body, ok := m.find("body"); ok {
		d.Body = a.opened(kind, body)
	} else if a.lang == Protobuf {
		d.Body = a.braced(at)
	}
	a.nameTest(&d)
	if l, ok := m.find("locals"); ok {
		if a.text(l) != "locals" {
			return
		}
		d.Container = "local"
	}
	if c, ok := m.find("container"); ok {
		d.Container = dotted(strings.TrimSuffix(a.text(c), ".prototype"))
		if isExports(d.Container) {
			d.Container, d.Kind, d.public = "", Function, true
		}
	}
	if _, ok := m.find("public"); ok {
		d.public = true
	}
	if p, ok := m.find("private"); ok {
		d.private = a.text(p) == "private"
	}
	a.defs = append(a.defs, d)
}

// elixirKinds holds the words that define something in Elixir.
var elixirKinds = map[string]Kind{
	"defmodule": Module, "defprotocol": Interface, "defimpl": Module, "def": Function, "defp": Function, "defdelegate": Function,
	"defmacro": Macro, "defmacrop": Macro, "defguard": Macro, "defguardp": Macro,
}

// opened moves the start of an interface's body to its brace. Go's grammar has no node for the text between the
// braces.
func (a *assembler) opened(kind Kind, body Span) Span {
	if kind != Interface {
		return body
	}
	if i := strings.IndexByte(a.text(body), '{'); i > 0 {
		body.Start += i
	}
	return body
}

// braced returns the part of a definition from its first brace on. Protobuf's grammar has no node for the body of
// a service or method.
func (a *assembler) braced(at Span) Span {
	i := strings.IndexByte(a.text(at), '{')
	if i < 0 {
		return Span{}
	}
	return Span{at.Start + i, at.End}
}

func (a *assembler) addWrap(m match) bool {
	inner, ok := m.find("wrapped")
	if !ok {
		return false
	}
	if outer, ok := m.find("export"); ok {
		a.wraps[inner] = wrap{outer, true}
	} else if outer, ok := m.find("wrap"); ok {
		a.wraps[inner] = wrap{outer, a.wraps[inner].export}
	}
	return true
}

func unquote(s string) string {
	if len(s) >= 2 && strings.ContainsRune("\"'`", rune(s[0])) && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
