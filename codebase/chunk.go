package codebase

import (
	"cmp"
	"encoding/hex"
	"strings"
	"unsafe"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/lru"
)

// Chunk is one source file of the map. It is immutable.
type Chunk struct {
	Path       string
	Language   syntax.Language
	Type       ChunkType
	Origin     string        // "generated", "vendored", "minified" or ""
	Size       int           // bytes
	Tokens     int           // an estimate
	Importance float64       // 0–1: by type, raised by the number of files that depend on it
	Module     string        // the name that it declares for its package or module
	Hash       string        // hex SHA-256 of the content
	Partial    string        // why symbols may be missing, "" if they are complete
	Lost       []syntax.Span // first and last lines, 1-based, of the first parts that could not be parsed

	rec     *record
	symbols *symbolCache
	path    field         // terms of the path
	file    *imports.File // the file as import resolution sees it
	targets []imports.Target
	deps    []string // files it imports, sorted
}

// Import is one import of a chunk with the files it leads to, or the reason why
// there are none.
type Import struct {
	syntax.Import
	imports.Target
}

// Symbols returns what the file defines, in order of position. The caller must
// not change it.
func (c *Chunk) Symbols() []syntax.Symbol { return c.symbols.of(c.rec) }

// Imports returns the imports of the file, in order of position.
func (c *Chunk) Imports() []Import {
	out := make([]Import, len(c.targets))
	for i, t := range c.targets {
		out[i] = Import{c.rec.imports[i], t}
	}
	return out
}

// Pending reports whether the syntax of the file is still being read.
func (c *Chunk) Pending() bool { return c.rec.partial == pendingSyntax }

// newChunk makes the chunk of a record at a path.
func newChunk(p string, r *record, symbols *symbolCache) *Chunk {
	c := &Chunk{
		Path: p, Language: r.language, Type: TypeOf(p), Origin: cmp.Or(discover.Origin(p, nil), r.origin),
		Size: r.size, Tokens: r.tokens, Module: r.module, Hash: hex.EncodeToString(r.hash[:]), Partial: r.partial, Lost: r.lost,
		rec: r, symbols: symbols, path: pathField(p),
	}
	c.file = &imports.File{
		Path: p, Language: c.Language, Module: r.module, Imports: r.imports,
		Defines: r.defines, Names: r.names, Inline: r.inline, Uses: r.uses,
	}
	return c
}

// linked returns c with its imports' targets and its edges.
func (c *Chunk) linked(l imports.Links) *Chunk {
	out := *c
	out.targets, out.deps = l.Targets, l.Files
	return &out
}

// symbolCache decodes symbols and keeps the latest: decoded they take some ten times the space. It is safe
// for concurrent use.
type symbolCache struct {
	decoded *lru.Cache[*record, []syntax.Symbol]
}

// decodedMemory bounds the symbols that are kept, in bytes: those of a pack and of an editor's requests
// meanwhile. A file of Go's library has 30 KB of them.
const decodedMemory = 4 << 20

// decodedCost is about what a record's symbols take decoded, in bytes.
func decodedCost(r *record) int { return len(r.symbols) + r.count*int(unsafe.Sizeof(syntax.Symbol{})) }

func newSymbolCache() *symbolCache {
	return &symbolCache{lru.New[*record, []syntax.Symbol](decodedMemory)}
}

func (s *symbolCache) of(r *record) []syntax.Symbol {
	if r.count == 0 {
		return nil
	}
	if symbols, ok := s.decoded.Get(r); ok {
		return symbols
	}
	symbols, err := syntax.DecodeSymbols(r.symbols)
	if err != nil {
		return nil // the record was checked when it was read
	}
	s.decoded.Add(r, symbols, min(decodedCost(r), decodedMemory)) // one file's are kept in any case
	return symbols
}

// IsAuthored reports, by its path, whether a file is code, styles or data written by a person and not by a
// tool.
func IsAuthored(p string) bool {
	return (syntax.LanguageOf(p) != "" || discover.IsData(p)) && discover.Origin(p, nil) == "" && !strings.HasPrefix(p, ".brv/")
}
