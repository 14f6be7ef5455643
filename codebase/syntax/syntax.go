// Package syntax reads the definitions, references and imports of one source
// file with tree-sitter, in a worker process that can be killed.
//
// Tree-sitter's C code can spin or abort on small hostile files (100 KB of
// quotation marks, deep nesting), and nothing inside the process can stop it.
// So nothing is ever parsed in the process that serves the editor: a [Pool]
// starts the program itself again with [WorkerArg] as its argument, sends files
// through a pipe, and kills the worker when no answer comes. The program's main
// function hands that argument to [WorkerMain].
//
// What a language defines and mentions is written down in queries/*.scm, one
// file per grammar, with a small vocabulary of captures (see queries.go). The
// code that turns captures into a [File] is plain Go without a pointer into the
// syntax tree, and the same for all languages.
//
// A [File] is plain data. All positions are byte offsets into the source that
// was sent; spans are half-open. A file that could not be read completely has
// a reason in [File.Partial] and whatever was found before; that is not an error.
//
// Limits: files with NUL bytes, lines over maxLine bytes or more than
// maxSource bytes get no syntax; parsing stops after parseLimit; the worker
// is killed after killAfter, or half a second later if it had to load the grammar
// first. Both are processor time, so that a busy machine changes no result. Content that killed a worker twice is not tried again. A
// build without cgo has no grammars and says so.
//
// [File.Append] and decodeFile are the compact form of a File, for the pipe;
// [AppendSymbols] and [File.DescribeModule] that of its parts, which are kept on
// disk together with [Version].
//
// This is the only package that uses cgo.
package syntax

import "time"

// WorkerArg is the command-line argument that makes the program a worker.
const WorkerArg = "syntax-worker"

// The limits of one parse. Each one answers a measured failure of the C code: scanners that are quadratic in the
// line length, and loops that ignore every limit inside the process.
const (
	maxSource  = 1 << 20         // bytes of a file that gets syntax
	maxLine    = 5000            // bytes of a line; a longer one is generated or minified
	parseLimit = time.Second     // of processor time for parse and query
	killAfter  = 2 * time.Second // of processor time, or of inactivity, until the worker is killed; see loading
)

// Request is one file to read.
type Request struct {
	Path     string // never opened; its extension marks a component or a header
	Language Language
	Source   []byte
	Urgent   bool // a user waits for it: it is served before the others, and never waits behind one that hangs
}

// Span is a half-open byte range into the source.
type Span struct{ Start, End int }

// Len returns the number of bytes that the span covers.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether o lies inside s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// File lists the definitions and mentions of one source file, in order of position.
type File struct {
	Symbols    []Symbol
	References []Reference
	Imports    []Import
	Comments   []Span // every comment and docstring
	Module     string // the package, module or namespace that the file declares, or "" (Go, Java, Kotlin, Scala, C#, PHP, Protobuf)
	Partial    string // why something may be missing; "" if the file was read completely
	Lost       []Span // first and last lines, 1-based, of the first parts that could not be parsed
	Slow       bool   // Partial because of a time limit: an idle machine may find more
}

// Kind is the kind of a symbol.
type Kind string

// The kinds of symbols.
const (
	Function  Kind = "function"
	Method    Kind = "method"
	Class     Kind = "class"
	Interface Kind = "interface" // also a Rust trait
	Struct    Kind = "struct"
	Enum      Kind = "enum"
	Type      Kind = "type" // alias or any other named type
	Module    Kind = "module"
	Constant  Kind = "constant"
	Variable  Kind = "variable"
	Macro     Kind = "macro"
)

// IsType reports whether symbols of this kind name a type.
func (k Kind) IsType() bool {
	switch k {
	case Class, Interface, Struct, Enum, Type:
		return true
	}
	return false
}

// Symbol is one definition that other code can name. Definitions that are local to a function body are no symbols.
type Symbol struct {
	Name      string
	Kind      Kind
	Container string // enclosing type, module or receiver, outermost first, joined by "."
	Exported  bool   // whether code in other folders can name it, as far as the file says
	NameAt    Span
	Range     Span   // the definition with its export keyword and decorators, without its doc comment
	Body      Span   // begins at the opening brace (or the first statement); zero if there is none
	DocAt     Span   // the comment above or the docstring inside; zero if there is none
	Signature string // Range up to Body, without decorators, on one line
	Doc       string // text of the doc comment without its markers, shortened
	Line      int    // 1-based line of the name
}

// Reference is one mention of a name that is defined elsewhere.
type Reference struct {
	Name      string
	Qualifier string // the text before the dot, if it is a plain name
	Kind      ReferenceKind
	At        Span
}

// ReferenceKind is the way in which a name is used.
type ReferenceKind string

// The kinds of references.
const (
	Call      ReferenceKind = "call"
	TypeUse   ReferenceKind = "type"
	Base      ReferenceKind = "base" // superclass, implemented interface or trait
	Decorator ReferenceKind = "decorator"
	Element   ReferenceKind = "jsx"
	Use       ReferenceKind = "use" // any other qualified mention
)

// Import is one import statement or one path of a statement that names several
// (Rust, Scala, PHP). Spec is, by language,
//
//	Go, TypeScript, JavaScript, Protobuf, Lua  the text between the quotes
//	Python, Rust, Java, Kotlin, Scala, Swift   the dotted path (Rust: with ::),
//	C#, PHP                                    of a package or of what is in it;
//	                                           a.b.* is a.b with the name *, and
//	                                           a static import a.b.C.d is a.b.C
//	                                           with the name d
//	C, C++                                     the header without " or < >
//	Ruby, Elixir                               the text between the quotes; the module
//	Bash                                       the word without its quotes, with
//	                                           its variables: $DIR/lib.sh
//
//	HCL                                        the source of a module
//
// SQL has no imports. Names of Rust's "mod name;" are the files that a
// path attribute gives the module, as written and relative to the importing file:
// one of #[path = "x.rs"], several of #[cfg_attr(unix, path = "x.rs")] and others.
type Import struct {
	Spec  string   // what is imported, as written, without quotes
	Names []string // the names taken from it, as the imported file calls them; empty for the whole module
	As    []string // the local names of Names, "" if a name is the same; nil if all are the same (Python, TypeScript, JavaScript)
	Alias string   // the name that the statement binds it to, if any
	Kind  ImportKind
	At    Span
}

// Bound returns the local name of Names[i] in the importing file. For a re-export, it is the name that is passed
// on: b of "export { a as b } from".
func (m *Import) Bound(i int) string {
	if i < len(m.As) && m.As[i] != "" {
		return m.As[i]
	}
	return m.Names[i]
}

// ImportKind distinguishes the forms of import that resolve differently.
type ImportKind string

// The kinds of imports.
const (
	ImportModule   ImportKind = ""         // the ordinary form of the language
	ImportReexport ImportKind = "reexport" // export … from, pub use, import public
	ImportChild    ImportKind = "mod"      // Rust's mod name;
	ImportSystem   ImportKind = "system"   // #include <name>
	ImportStatic   ImportKind = "static"   // Java's and C#'s imports of members of a class
	ImportGlobal   ImportKind = "global"   // C#'s imports for all files of the project
	ImportFile     ImportKind = "file"     // names a file: PHP's include and require, Rust's include!, Go's //go:embed
)
