// Package codebase maps a source tree: which files there are, what they define,
// which imports lead where, and which of it matters for a task.
//
// [Scan] finds the source files of a folder (include patterns, excluded
// folders, .gitignore), has them parsed, resolves their imports to files and
// returns a [RepoMap]. A RepoMap is immutable; [RepoMap.Update] returns the next
// one after some files changed, and it equals what a new Scan would return.
//
// On it stand three things:
//
//   - the graph: [RepoMap.Dependencies] and [RepoMap.Dependents] between files,
//     [RepoMap.Lookup] from a name to its definitions;
//   - relevance: [RepoMap.Rank] orders files, [RepoMap.RankSymbols] the symbols
//     of one file, by a task's words (rank.go says how, and what each part is
//     worth);
//   - selection: [RepoMap.Select] fills a token budget with whole files by one of
//     four strategies, [RepoMap.Expand] follows the graph from given files,
//     [RepoMap.Outline] draws the whole map within a budget, and [Skeleton]
//     shortens one file to its signatures.
//
// Nothing here reads git, the network or a clock; equal folders give equal maps.
// A file is read through [jail.Root] only. Paths are slash-separated and
// relative to the folder; positions are byte offsets.
//
// Limits: symbolic links are not followed. The rules of a .gitignore above the
// folder and of git's global excludes file are not known. Import resolution is
// by files and configuration files of the folder; what an interpreter, a bundler
// plugin or a build tag would do differently is not modelled.
package codebase

import (
	"context"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// DefaultMaxFileSize leaves out generated code and data, and keeps net/http's
// server.go, which a limit of 100 KB would not.
const DefaultMaxFileSize = 1 << 20

// DefaultInclude are the patterns of the files that are mapped.
var DefaultInclude = []string{"**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,pyi,go,rs}"}

// Parser reads one file's symbols; [syntax.Pool] is the usual one.
type Parser interface {
	Parse(ctx context.Context, req syntax.Request) (syntax.File, error)
}

// Options configure [Scan]. The zero value maps the default languages without
// syntax.
type Options struct {
	Include     []string // glob patterns; default DefaultInclude
	Exclude     []string // further patterns of files and folders to leave out
	MaxFileSize int64    // default DefaultMaxFileSize
	Parser      Parser   // nil: chunks have no symbols
	// Progress is told after each file that was read, from one goroutine at a
	// time.
	Progress func(done, total int)
}

// Chunk is one source file of the map. It is immutable.
type Chunk struct {
	Path       string
	Language   syntax.Language
	Type       ChunkType
	Size       int     // bytes
	Tokens     int     // estimated
	Importance float64 // 0–1: by type, raised by the number of files that depend on it
	Symbols    []syntax.Symbol
	Imports    []Import
	Module     string // Go's package name
	Hash       string // hex SHA-256 of the content
	Partial    string // why symbols may be missing, "" if they are complete

	slow  bool     // Partial because of a time limit
	uses  []use    // names it mentions, for the edges between Go files
	deps  []string // files it imports, sorted
	terms *vector  // what ranking knows of its text
}

// Import is one import of a chunk with the files it leads to.
type Import struct {
	syntax.Import
	Paths []string // sorted; empty if it leads out of the folder
}

// Definition is a symbol and where it stands.
type Definition struct {
	Path   string
	Symbol *syntax.Symbol
}

// Skipped is a file that matches the include patterns and is not in the map.
type Skipped struct {
	Path   string
	Reason string
}
