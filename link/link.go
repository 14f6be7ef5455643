// Package link joins knowledge and code. It finds which entry refers to which file and symbol, in both directions,
// and where an entry no longer fits the code.
//
// A link is a fact that somebody stated, never a guess from similar words. An entry states it with
//
//   - an item of the Raw Concept's Files list: a file, or a folder, which then covers everything in it. A pattern
//     means the folder that it begins with;
//   - a path in back-ticks in the body, also with lines or a name behind it: `a.go:12`, `a.py::test_b`;
//   - a Markdown link in the body to a file of the folder, or a file behind an @, such as @src/a.go;
//   - a name in back-ticks in the body that the code defines: `Name`, `name()`,
//     `pkg.Name`, `Type.Method`, `Type::method`.
//
// Code states it with a comment that contains @brv:<domain>/<topic>/<entry>. The target is resolved like that of a
// relation; a topic means its context.md, or else each of its entries. A comment inside a symbol, or directly
// above it, refers to that symbol too. [Links.Loose] lists the comments that lead nowhere.
//
// Text in fenced code blocks is quoted code and makes no links. A path may be shortened from the left if only one
// file ends in it. A bare name must have minName letters and be defined in at most [MaxDefined] files; otherwise
// it is too common to mean one thing. A qualified name must match its qualifier, so that a library's `http.Server`
// does not link to some other Server. If several files define a name, those that the entry lists are meant. A
// symbol of a test is meant only if the entry lists the test's file, or if only tests define the name and it is no
// plain word.
//
// The strength of a link tells how sure it is (see the constants), and comes with a reason for people. [Links] is
// immutable. Building it takes time linear in the text of the entries. [Links.Update] reads again only the entries
// that changed, and those with a path or name whose meaning in the code may have changed.
//
// # Drift
//
// [Links.Drifts] compares the things that entries name with their present state. If git is available (a [Past]),
// it also compares them with their state when the entry was last changed or confirmed. That moment is known on the
// machine where it happened ([tree.Snapshot.Changed]), and wherever the entry states its updatedAt. If the entry's
// own file was committed within a day after that, the commit's state counts. Elsewhere the moment is the commit
// since which the entry has its present statements; its relations and listed files do not count as statements.
// There are three kinds of drift:
//
//   - [Vanished]: a file or folder that existed then, or that is listed under Files, does not exist; a symbol that was
//     defined then is not defined any more.
//   - [Moved]: a file has another name according to git, or is gone while half of its tokens are in a file of the same
//     language that did not exist then. A symbol went from one file that the entry names to another, or is gone while
//     half of its tokens are in a new symbol of its file or folder, or in a symbol of the same name. The only
//     other file of a missing file's name is merely suggested. A bare name that is now defined elsewhere is still right, so
//     it is no drift.
//   - [Changed]: at least the share [ChangedFile] of a file, or [ChangedSymbol] of a symbol, differs. If the entry names
//     symbols of a file, they are compared instead of the file. measure.go tells how texts are compared: layout,
//     comments, imports and order do not count.
//
// A thing that never existed is no drift, unless it is listed under Files. So without git, a name that leads
// nowhere is not reported.
//
// # Limits
//
// A missing path counts as a missing file only if files of its type are mapped, or if git knew it; anything else
// may be mere words. Line numbers behind a path are not used, since code moves. Files and folders that are not
// mapped can vanish and move, but not change. A name in lower case without parentheses or qualifier is searched
// for in the past only in files that the entry names. Local definitions inside a function are not symbols. A name
// with several definitions is compared only if exactly one of them existed then. [history.Past] has limits of its
// own: shallow clones, merges, clocks and other branches.
package link

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/shardmap"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Limits on the meaning of a bare name.
const (
	minName    = 4 // letters; shorter ones are words such as `id`, `get` or `err`
	MaxDefined = 5 // the most files that may define it
)

// Strengths. The highest are for what the author listed on purpose, then for full names, then for shortened ones.
// Only the order was chosen with care, not the figures.
const (
	listed         = 1.0  // the file is an item of the Files list
	listedSuffix   = 0.9  // the end of a path in the Files list, which fits only one file
	qualified      = 0.9  // a name with its package, type or module
	named          = 0.8  // a name that one file defines; several files share the strength
	mentioned      = 0.8  // the file's path in the body
	loosely        = 0.7  // a name whose qualifier fits except for case: server.Start
	mentionedEnd   = 0.7  // the end of the path in the body
	listedFolder   = 0.6  // a folder in the Files list, for the files in it
	mentionsFolder = 0.4  // a folder in the body
	ofSymbol       = 0.75 // the factor for a link to a symbol, as a link to its whole file
)

// Code answers the questions that link asks about the code; [codebase.RepoMap] implements it. It is compared by
// identity: equal values are the same state.
type Code interface {
	Chunks() []*codebase.Chunk
	Chunk(path string) (*codebase.Chunk, bool)
	Lookup(name string) []codebase.Definition
	Skipped() []codebase.Skipped
	Exists(path string) bool // whether a path exists outside of the map
}

// Form is the way in which an entry refers to code.
type Form string

// The forms.
const (
	FormFile    Form = "file"    // an item of the Files list
	FormPath    Form = "path"    // a path in the body
	FormLink    Form = "link"    // the target of a Markdown link in an entry
	FormSymbol  Form = "symbol"  // a name in the body
	FormComment Form = "comment" // the reverse: a comment in the code names the entry
)

// CodeRef is a link from an entry to code.
type CodeRef struct {
	Path      string        // workspace path of a file, or of a folder
	Symbol    string        // name of the symbol, "" for the whole file
	Container string        // the container of the symbol, as in the repo map
	Span      markdown.Span // the place in the entry; empty for FormComment
	Mark      syntax.Span   // for FormComment: the place in the file
	Form      Form
	Folder    bool // Path is a folder
	Exists    bool // false if the file is gone, or never existed
	Strength  float64
	Reason    string
}

// EntryRef is a link seen from the code.
type EntryRef struct {
	Entry    string // tree path
	Strength float64
	Reason   string
}

// Links holds all links of one state of tree and code.
type Links struct {
	tree     *tree.Snapshot
	pages    bool // its entries are documents
	resolver *resolver
	read     shardmap.Map[reading]    // by entry: its references
	about    shardmap.Map[[]incoming] // by path
	users    shardmap.Map[[]string]   // by key: the entries whose links depend on it, unordered
	marks    marks
	measured *measured
}

// reading holds the references that were read from an entry.
type reading struct {
	refs []CodeRef // in order of place
	// keys holds everything that the links depend on: each path and its last name, and the last word of each name.
	// It includes names that lead nowhere.
	keys []string
}

// incoming is a link, with the entry that contains it.
type incoming struct {
	entry string
	ref   *CodeRef
}

// Build finds the links between a tree and the code.
func Build(s *tree.Snapshot, code Code) *Links {
	l := Some(s, code, s.Entries())
	l.marks = follow(s, marksOf(code))
	return l
}

// Some finds the links of some of a tree's entries to the code.
func Some(s *tree.Snapshot, code Code, entries []*format.Entry) *Links {
	l := &Links{tree: s, resolver: newResolver(code), measured: newMeasured()}
	d := l.draft(len(entries))
	for _, e := range entries {
		d.read(e)
	}
	l.resolver.meanings = nil // needed only during a build
	return l
}

// Pages finds the links between the repository's documents and the code. Its entries have the documents' paths in
// the folder ([documents.Set.Pages]). Only vanished and moved things count as drift, and only if they existed at
// the document's last commit. A page explains only what its author chose, and many of its other names are no code
// at all.
func Pages(s *tree.Snapshot, code Code) *Links {
	l := Build(s, code)
	l.pages = true
	return l
}

// Holds reports whether the links were built for that code and exactly these entries.
func (l *Links) Holds(code Code, entries []*format.Entry) bool {
	return l.resolver.code == code && !slices.ContainsFunc(entries, func(e *format.Entry) bool {
		known, ok := l.tree.Entry(e.Path)
		return !ok || known != e
	})
}

// Exists reports whether a path of the workspace exists, in the map or not.
func (l *Links) Exists(p string) bool { return l.resolver.code.Exists(p) }

// Of returns what an entry refers to, in order of place. A name that several
// files define has one link to each, all at the same place.
func (l *Links) Of(entry string) []CodeRef {
	is, _ := l.read.Get(entry)
	return is.refs
}

// About returns the entries with a link to a symbol, strongest first. symbol is its name, or "Type.Method" for a
// type's method. With symbol "" it returns the entries with a link to the file, its folders, or anything in it.
func (l *Links) About(file, symbol string) []EntryRef {
	best := map[string]EntryRef{}
	keep := func(in incoming, strength float64) {
		if best[in.entry].Strength < strength {
			best[in.entry] = EntryRef{in.entry, strength, in.ref.Reason}
		}
	}
	for _, in := range l.leading(file) {
		switch {
		case symbol != "" && in.ref.means(symbol):
			keep(in, in.ref.Strength)
		case symbol == "" && in.ref.Symbol != "":
			keep(in, in.ref.Strength*ofSymbol)
		case symbol == "":
			keep(in, in.ref.Strength)
		}
	}
	for dir := path.Dir(file); symbol == "" && dir != "." && dir != "/"; dir = path.Dir(dir) {
		for _, in := range l.leading(dir) {
			keep(in, in.ref.Strength)
		}
	}
	out := make([]EntryRef, 0, len(best))
	for _, ref := range best {
		out = append(out, ref)
	}
	slices.SortFunc(out, func(a, b EntryRef) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Entry, b.Entry))
	})
	return out
}

// leading returns the links that lead to a path.
func (l *Links) leading(p string) []incoming {
	said, _ := l.about.Get(p)
	if marked := l.marks.about[p]; len(marked) > 0 {
		return slices.Concat(said, marked)
	}
	return said
}

// means reports whether a link leads to the symbol of that name. The name may be bare or have the end of the
// container.
func (r CodeRef) means(symbol string) bool {
	if r.Symbol == "" {
		return false
	}
	full := r.Container + "." + r.Symbol
	return r.Symbol == symbol || full == symbol || strings.HasSuffix(full, "."+symbol)
}
