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
	// Cache is a folder outside the workspace where what was read is kept, so that
	// the next start parses only files it never saw. None if "".
	Cache string
	// Repository names what all working trees of a repository have in common, and share in the cache: see [git.Shared]. "": the
	// folder is alone.
	Repository string
	// NoGraph leaves imports unresolved: nothing depends on anything, and all files of a type are as important.
	NoGraph bool
	// Progress is told after each file that a scan read, from one goroutine at a
	// time. An update tells nothing.
	Progress func(done, total int)
	// Found is given, before anything is read, a map of the files that are there. Those that
	// have to be read have neither words nor syntax yet. Nil: not made.
	Found func(*RepoMap)
	// Preliminary is given, before the syntax is read, a map that knows only the words
	// of the files: it answers while the rest is on its way. Nil: not made.
	Preliminary func(*RepoMap)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
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
