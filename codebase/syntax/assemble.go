package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// capture is one named node of a match, reduced to its bytes.
type capture struct {
	name string
	at   Span
}

// match is what one pattern found.
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
	public  bool // said by a keyword beside it
	private bool
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

// assembler turns the captures of one file into a File.
type assembler struct {
	lang Language
	src  string

	defs       []definition
	scopes     []scope
	locals     []Span
	wraps      map[Span]wrap
	exported   map[string]bool
	docs       []Span
	skips      []Span
	docstrings map[int]Span // by start
	decorators []Span
	references []Reference
	imports    map[Span]*Import
	module     string
}

// assemble builds a File from what a query found. It is pure: whatever the
// matches are, it ends with spans inside the source.
func assemble(lang Language, source []byte, matches []match) File {
	a := &assembler{
		lang: lang, src: string(source),
		wraps: map[Span]wrap{}, exported: map[string]bool{},
		docstrings: map[int]Span{}, imports: map[Span]*Import{},
	}
	for _, m := range matches {
		a.add(m)
	}
	return File{
		Symbols:    a.symbols(),
		References: a.sortedReferences(),
		Imports:    a.sortedImports(),
		Module:     a.module,
	}
}

func (a *assembler) text(s Span) string { return a.src[s.Start:s.End] }

// add files one match under what it is about.
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

// addScope files an unnamed scope. It counts as a type: Rust's impl blocks are
// the only ones, and those of a trait make public what they hold.
func (a *assembler) addScope(m match, name Span) {
	at, exported := m.find("scope.public")
	if !exported {
		at, _ = m.find("scope")
	}
	a.scopes = append(a.scopes, scope{at: at, name: a.text(name), kind: Struct, exported: exported})
}

// addMark files the captures that stand for themselves.
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
			a.module = a.text(c.at)
		case "exported.name":
			a.addExported(m, c.at)
		}
	}
}

func (a *assembler) addExported(m match, at Span) {
	if exporter, ok := m.find("exporter"); ok && !isExports(a.text(exporter)) {
		return
	}
	a.exported[a.text(at)] = true
}

// isExports reports whether a CommonJS object is the module's exports.
func isExports(object string) bool {
	return object == "module" || object == "exports" || object == "module.exports"
}

func (a *assembler) addDefinition(m match, kind Kind, at Span) {
	nameAt, ok := m.find("name")
	if !ok {
		return
	}
	d := definition{inner: at}
	d.Name, d.NameAt, d.Kind, d.Range = unquote(a.text(nameAt)), nameAt, kind, at
	if body, ok := m.find("body"); ok {
		d.Body = a.opened(kind, body)
	}
	if c, ok := m.find("container"); ok {
		d.Container = strings.TrimSuffix(a.text(c), ".prototype")
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

// opened moves the start of an interface's body to its brace: Go's grammar has
// no node for what stands between the braces.
func (a *assembler) opened(kind Kind, body Span) Span {
	if kind != Interface {
		return body
	}
	if i := strings.IndexByte(a.text(body), '{'); i > 0 {
		body.Start += i
	}
	return body
}

func (a *assembler) addReference(m match, kind ReferenceKind, at Span) {
	r := Reference{Name: a.text(at), Kind: kind, At: at}
	if q, ok := m.find("qualifier"); ok {
		r.Qualifier = a.text(q)
	}
	a.references = append(a.references, r)
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

// addImport collects the matches of one import statement.
func (a *assembler) addImport(m match) bool {
	at, kind, ok := importNode(m)
	if !ok {
		return false
	}
	if r, ok := m.find("require"); ok && a.text(r) != "require" {
		return true
	}
	imp := a.imports[at]
	if imp == nil {
		imp = &Import{Kind: kind, At: at}
		a.imports[at] = imp
	}
	if _, ok := m.find("public"); ok {
		imp.Kind = ImportReexport
	}
	for _, c := range m {
		switch c.name {
		case "import.spec", "import.use":
			imp.Spec = unquote(a.text(c.at))
		case "import.name":
			imp.Names = append(imp.Names, a.text(c.at))
		case "import.alias":
			imp.Alias = a.text(c.at)
		}
	}
	return true
}

func importNode(m match) (Span, ImportKind, bool) {
	for _, c := range m {
		switch c.name {
		case "import":
			return c.at, ImportModule, true
		case "import.reexport":
			return c.at, ImportReexport, true
		case "import.mod":
			return c.at, ImportChild, true
		}
	}
	return Span{}, "", false
}

func unquote(s string) string {
	if len(s) >= 2 && strings.ContainsRune("\"'`", rune(s[0])) && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// sortedImports orders the imports and opens Rust's use trees.
func (a *assembler) sortedImports() []Import {
	var out []Import
	for _, imp := range a.imports {
		if a.lang == Rust && imp.Kind != ImportChild {
			out = append(out, expandUse(*imp)...)
			continue
		}
		if imp.Spec != "" {
			out = append(out, *imp)
		}
	}
	slices.SortStableFunc(out, func(x, y Import) int {
		return cmp.Or(cmp.Compare(x.At.Start, y.At.Start), cmp.Compare(x.Spec, y.Spec))
	})
	return out
}

// sortedReferences orders the references and keeps the most telling one of
// several for the same name: a qualified one, and a call or base rather than a
// bare use of the type.
func (a *assembler) sortedReferences() []Reference {
	weight := map[ReferenceKind]int{Use: 0, TypeUse: 1, Call: 2, Element: 2, Base: 3, Decorator: 3}
	slices.SortFunc(a.references, func(x, y Reference) int {
		return cmp.Or(
			cmp.Compare(x.At.Start, y.At.Start), cmp.Compare(weight[y.Kind], weight[x.Kind]),
			cmp.Compare(len(y.Qualifier), len(x.Qualifier)), cmp.Compare(x.Kind, y.Kind))
	})
	defined := map[Span]bool{}
	for _, d := range a.defs {
		defined[d.NameAt] = true
	}
	out := a.references[:0]
	for _, r := range a.references {
		if defined[r.At] || len(out) > 0 && out[len(out)-1].At == r.At {
			continue
		}
		out = append(out, r)
	}
	return slices.Clip(out)
}
