//go:build cgo

package syntax

import (
	"embed"
	"fmt"
	"sync"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/bash"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/elixir"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/hcl"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/lua"
	"github.com/smacker/go-tree-sitter/protobuf"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/scala"
	"github.com/smacker/go-tree-sitter/sql"
	"github.com/smacker/go-tree-sitter/swift"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"
	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
)

// The captures that query files may use:
//
//	@definition.KIND  a definition, with @name and optionally @body, @public
//	                  and @container (the name of a receiver or object) beside it
//	@scope            not a symbol, but what it encloses has @scope.name as container
//	                  (@scope.public: and is public unless it says otherwise)
//	@local            a function without a name: variables inside are not symbols,
//	                  and in most languages nothing inside is (see nesting.isLocal)
//	@access           public:, private: or protected: in the @access.list of a class
//	@wrap             a node that belongs to the definition @wrapped inside it
//	                  (export, a single Go spec, a Python decorated definition)
//	@export           as @wrap, and makes the definition exported
//	@exported.name    a name that a statement elsewhere exports
//	@doc              a comment; @docstring a string in documentation position
//	@skip             stands between a doc comment and its definition (attributes)
//	@decorator        belongs to the definition's range, not to its signature
//	@reference.KIND   a mention, optionally with @qualifier
//	@import           a statement, with @import.spec, and any of @import.name (with
//	                  @import.as, what it is called here) and @import.alias
//	@import.KIND      the same for the other kinds of import
//	@import.text      a statement that is read as text (see readImport)
//	@macro.body       the tokens of a @macro, which may be items (Rust), and
//	@macro.branch     a part of them in brackets of its own; see macroItems
//	@module           the name the file gives its package
//	@suspect          a reading that only a misunderstood source has; see repair.go
//	@require, @exporter, @locals, @data, @word
//	                  a word that decides in Go code whether the match counts
//
// Predicates are not used: the binding compiles their regular expressions again
// for each match and ignores the ones it does not know.
//
//go:embed queries/*.scm
var queryFiles embed.FS

// grammar is a language with its compiled query. It is made once for the life of a process. Several cursors can
// use a query at the same time.
type grammar struct {
	language *sitter.Language
	query    *sitter.Query
	captures []string // by capture index
}

// grammarParts names the query files of a language. TypeScript's extend JavaScript's, and C++'s extend those of C.
var grammarParts = map[Language]struct {
	load  func() *sitter.Language
	files []string
}{
	Go:         {golang.GetLanguage, []string{"go"}},
	TypeScript: {typescript.GetLanguage, []string{"ecmascript", "typescript"}},
	TSX:        {tsx.GetLanguage, []string{"ecmascript", "typescript", "jsx"}},
	JavaScript: {javascript.GetLanguage, []string{"ecmascript", "javascript", "jsx"}},
	Python:     {python.GetLanguage, []string{"python"}},
	Rust:       {rust.GetLanguage, []string{"rust"}},
	Java:       {java.GetLanguage, []string{"java"}},
	C:          {c.GetLanguage, []string{"cfamily", "c"}},
	Cpp:        {cpp.GetLanguage, []string{"cfamily", "cpp"}},
	CSharp:     {csharp.GetLanguage, []string{"csharp"}},
	PHP:        {newer(php.LanguagePHP), []string{"php"}},
	Kotlin:     {newer(kotlin.Language), []string{"kotlin"}},
	Scala:      {scala.GetLanguage, []string{"scala"}},
	Swift:      {swift.GetLanguage, []string{"swift"}},
	Bash:       {bash.GetLanguage, []string{"bash"}},
	Lua:        {lua.GetLanguage, []string{"lua"}},
	SQL:        {sql.GetLanguage, []string{"sql"}},
	Protobuf:   {protobuf.GetLanguage, []string{"protobuf"}},
	HCL:        {hcl.GetLanguage, []string{"hcl"}},
	Ruby:       {ruby.GetLanguage, []string{"ruby"}},
	Elixir:     {elixir.GetLanguage, []string{"elixir"}},
}

// newer loads a grammar from its own module, for a language whose grammar in the binding is too old. The binding's
// runtime can read it (ABI 14). Its C symbols are linked only once, as long as nothing imports the binding's
// package of that language.
func newer(load func() unsafe.Pointer) func() *sitter.Language {
	return func() *sitter.Language { return sitter.NewLanguage(load()) }
}

var grammars = func() map[Language]func() (*grammar, error) {
	m := map[Language]func() (*grammar, error){}
	for lang := range grammarParts {
		m[lang] = sync.OnceValues(func() (*grammar, error) { return loadGrammar(lang) })
	}
	return m
}()

func loadGrammar(lang Language) (*grammar, error) {
	parts := grammarParts[lang]
	var text []byte
	for _, name := range parts.files {
		b, err := queryFiles.ReadFile("queries/" + name + ".scm")
		if err != nil {
			return nil, err
		}
		text = append(append(text, b...), '\n')
	}
	g := &grammar{language: parts.load()}
	q, err := sitter.NewQuery(text, g.language)
	if err != nil {
		return nil, fmt.Errorf("%s: query: %w", lang, err)
	}
	g.query = q
	for i := range q.CaptureCount() {
		g.captures = append(g.captures, q.CaptureNameForId(i))
	}
	return g, nil
}
