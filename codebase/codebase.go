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
//   - relevance: [RepoMap.Rank] orders files (query.go lists the signals, weights.go
//     what each is worth), [RepoMap.RankSymbols] the symbols of one file;
//   - selection: [RepoMap.Order] lists files by one of four strategies,
//     [RepoMap.Around] follows the graph from given files, [RepoMap.Outline] draws the whole map within a budget, and [Skeleton]
//     shortens one file to its signatures.
//
// Nothing here runs git or uses the network; equal folders give equal maps. A file
// is read through [jail.Root] only. Paths are slash-separated and relative to the
// folder; positions are byte offsets.
//
// Limits: symbolic links are not followed. Import resolution is
// by files and configuration files of the folder; what an interpreter, a bundler
// plugin or a build tag would do differently is not modelled.
package codebase

import (
	"context"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// Parser reads one file's symbols; [syntax.Pool] is the usual one.
type Parser interface {
	Parse(ctx context.Context, req syntax.Request) (syntax.File, error)
}

// DefaultMaxFileSize, in bytes, is that of Options: a larger file is not read.
const DefaultMaxFileSize = discover.DefaultMaxFileSize

// Options configure [Scan]. The zero value maps the default languages without
// syntax.
type Options struct {
	Include     []string // glob patterns; none: what discover takes for code
	Exclude     []string // further patterns of files and folders to leave out
	MaxFileSize int64    // bytes; default DefaultMaxFileSize
	Parser      Parser   // nil: chunks have no symbols
	// Cache is a folder outside the workspace for parsed data, so that the next start parses only new files.
	// "" means none.
	Cache string
	// Repository identifies the repository, whose working trees share the cache: see [git.Shared]. "": the
	// folder shares with no other.
	Repository string
	// NoGraph leaves imports unresolved: there are no dependencies, and all files of a type have the same
	// importance.
	NoGraph bool
	// Progress is called after each file that a scan read, from one goroutine at a time. Updates do not call
	// it.
	Progress func(done, total int)
	// Found is called, before any file is read, with a map of the existing files. Files that have to be read
	// have neither words nor syntax yet. If nil, that map is not made.
	Found func(*RepoMap)
	// Preliminary is called, before the syntax is read, with a map that has only the words of the files: it
	// can answer while the rest is being read. If nil, that map is not made.
	Preliminary func(*RepoMap)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Definition is a symbol and its place.
type Definition struct {
	Path   string
	Symbol *syntax.Symbol
}

// Skipped is a file that matches the include patterns but is not in the map.
type Skipped struct {
	Path   string
	Reason string
}
