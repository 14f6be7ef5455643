// Package link joins knowledge and code: which entry speaks of which file and
// symbol, the other way round, and where an entry no longer fits the code.
//
// A link is a fact that somebody states, never a guess from similar words. The entry
// states it by
//
//   - an item of the Raw Concept's Files list: a file, or a folder, which then
//     speaks of everything in it;
//   - a path in back-ticks in the body, also with lines or a name behind it: `a.go:12`, `a.py::test_b`;
//   - a Markdown link in the body to a file of the folder;
//   - a name in back-ticks in the body that the code defines: `Name`, `name()`,
//     `pkg.Name`, `Type.Method`, `Type::method`;
//
// and the code by a comment with @brv:<domain>/<topic>/<entry>, whose target is resolved as a
// relation's is; a topic means its context.md or else each of its entries. A comment that
// stands in a symbol, or directly above it, speaks of that symbol too. [Links.Loose] lists
// the comments that lead nowhere.
//
// Text in fenced code blocks is quoted code and links nothing. A path may be
// shortened from the left as long as one file only ends in it. A bare name must
// have minName letters and be defined in at most [MaxDefined] files, or it is
// too common to mean one thing; a qualified name must fit its qualifier, so that
// `http.Server` of a library does not link to some other Server. Of files that define a name, those
// that the entry lists are meant. A test is meant where the entry lists it, or where nothing else defines the name
// and it is no plain word.
//
// How sure a link is, is its strength (see the constants), with a reason for
// people. [Links] is immutable. Building it is linear in the text of the entries;
// [Links.Update] reads again only the entries that changed, and those with a path or
// name of which the code now has more, fewer or others.
//
// # Drift
//
// [Links.Drifts] compares what entries name with what is there now and, where git is
// known (a [Past]), with what was there when the entry was last changed or confirmed. On the
// machine that did so that is known ([tree.Snapshot.Changed]), as it is where the entry states its
// updatedAt; if the entry's own file was committed within a day after that, the commit's state
// counts. Elsewhere it is the commit since which the entry says what it says; what it relates to,
// and the files it lists, are no part of that. Three things are found:
//
//   - [Vanished]: a file or folder that was there then, or is listed under Files, and is
//     not there; a symbol that was defined then and is not now.
//   - [Moved]: a file that git followed to another name; one that is gone and of whose
//     tokens half are in a file of the same language that was not there then; a symbol that
//     left a file which the entry names too, for another; one that is gone and of whose
//     tokens half are in a new symbol of its file or folder, or in one of its name. Without
//     git: the only file of the same name. A bare name that is defined elsewhere now is
//     still right, and no drift.
//   - [Changed]: a file or symbol of which a part of at least [ChangedFile] or
//     [ChangedSymbol] differs. If the entry names symbols of a file, they count instead of
//     the file. measure.go says how texts are compared: layout, comments, imports and order
//     do not count.
//
// What never was there is no drift, unless it is listed under Files; so without git, a
// name that leads nowhere says nothing.
//
// # Limits
//
// A path that is not there counts as a missing file only if its type is
// one that is mapped; anything else may be mere words, unless git knew it. Line numbers
// behind a path are not used, as code moves. Folders and files that are not mapped vanish
// and move, but do not change. A name in lower case without parentheses or qualifier is
// looked for in the past only in files that the entry names. Definitions local to a function
// are not symbols. A name of several definitions is
// compared only if one of them was there then. Those of the past
// (shallow clones, merges, clocks, other branches) are [history.Past]'s.
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

// Limits of what a bare name can mean.
const (
	minName    = 4 // letters; shorter ones are words such as `id`, `get` or `err`
	MaxDefined = 5 // files that define it
)

// Strengths: what the author listed on purpose, what is spelled in full, and
// what had to be completed. Only their order was chosen with care.
const (
	listed         = 1.0  // the file is an item of the Files list
	listedSuffix   = 0.9  // an item's end fits one file only
	qualified      = 0.9  // a name with its package, type or module
	named          = 0.8  // a name that one file defines; n files share it
	mentioned      = 0.8  // the file's path in the body
	loosely        = 0.7  // a name whose qualifier fits but for case: server.Start
	mentionedEnd   = 0.7  // the end of the path in the body
	listedFolder   = 0.6  // a folder of the Files list, for the files in it
	mentionsFolder = 0.4  // a folder in the body
	ofSymbol       = 0.75 // a link to a symbol, as a link to its whole file
)

// Code holds the questions that link asks about the code; [codebase.RepoMap] implements it. It is compared
// by identity: equal values are the same state.
type Code interface {
	Chunks() []*codebase.Chunk
	Chunk(path string) (*codebase.Chunk, bool)
	Lookup(name string) []codebase.Definition
	Skipped() []codebase.Skipped
	Exists(path string) bool // whether a path is there that the map does not hold
}

// Form is the way in which an entry refers to code.
type Form string

// The forms.
const (
	FormFile    Form = "file"    // an item of the Files list
	FormPath    Form = "path"    // a path in the body
	FormLink    Form = "link"    // where a Markdown link of an entry leads
	FormSymbol  Form = "symbol"  // a name in the body
	FormComment Form = "comment" // the other way round: a comment in the code names the entry
)

// CodeRef is a link from an entry to code.
type CodeRef struct {
	Path      string        // workspace path of a file, or of a folder
	Symbol    string        // name of the symbol, "" for the whole file
	Container string        // what the symbol stands in, as in the repo map
	Span      markdown.Span // where the entry says it; empty for FormComment
	Mark      syntax.Span   // of FormComment: where the file says it
	Form      Form
	Folder    bool // Path is a folder
	Exists    bool // it is there; false: the file is gone, or never was
	Strength  float64
	Reason    string
}

// EntryRef is a link seen from the code.
type EntryRef struct {
	Entry    string // tree path
	Strength float64
	Reason   string
}

// Links are all links of one state of tree and code.
type Links struct {
	tree     *tree.Snapshot
	pages    bool // its entries are documents
	resolver *resolver
	read     shardmap.Map[reading]    // by entry: what it says
	about    shardmap.Map[[]incoming] // by path
	users    shardmap.Map[[]string]   // by key: the entries whose links depend on it, in no order
	marks    marks
	measured *measured
}

// reading holds the references that were read from an entry.
type reading struct {
	refs []CodeRef // in order of place
	// keys are all that the links depend on: the last name of each path and the path
	// itself, the last word of each name, also of those that lead nowhere.
	keys []string
}

// incoming is a link with the entry that holds it.
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

// Some finds what some entries of a tree say of the code.
func Some(s *tree.Snapshot, code Code, entries []*format.Entry) *Links {
	l := &Links{tree: s, resolver: newResolver(code), measured: newMeasured()}
	d := l.draft(len(entries))
	for _, e := range entries {
		d.read(e)
	}
	l.resolver.meanings = nil // of use during a build only
	return l
}

// Pages finds the links between documents of the repository and the code. Its entries have the documents' paths in the
// folder ([documents.Set.Pages]). Of drift only what is gone or elsewhere is found, and only of what was there when the
// document was committed last: a page explains what its author chose, and much of the rest is no code at all.
func Pages(s *tree.Snapshot, code Code) *Links {
	l := Build(s, code)
	l.pages = true
	return l
}

// Holds reports whether the links are of that code and have these entries as they are.
func (l *Links) Holds(code Code, entries []*format.Entry) bool {
	return l.resolver.code == code && !slices.ContainsFunc(entries, func(e *format.Entry) bool {
		known, ok := l.tree.Entry(e.Path)
		return !ok || known != e
	})
}

// Exists reports whether a path of the workspace is there, in the map or not.
func (l *Links) Exists(p string) bool { return l.resolver.code.Exists(p) }

// Of returns what an entry refers to, in order of place. A name that several
// files define has one link to each, all at the same place.
func (l *Links) Of(entry string) []CodeRef {
	is, _ := l.read.Get(entry)
	return is.refs
}

// About returns the entries that speak of a symbol, strongest first; symbol is
// its name, or "Type.Method" for the one in that type. With symbol "" it returns
// those that speak of the file: of itself, its folders, or anything in it.
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

// leading are the links that lead to a path.
func (l *Links) leading(p string) []incoming {
	said, _ := l.about.Get(p)
	if marked := l.marks.about[p]; len(marked) > 0 {
		return slices.Concat(said, marked)
	}
	return said
}

// means reports whether a link is to the symbol of that name, bare or with the
// end of its container.
func (r CodeRef) means(symbol string) bool {
	if r.Symbol == "" {
		return false
	}
	full := r.Container + "." + r.Symbol
	return r.Symbol == symbol || full == symbol || strings.HasSuffix(full, "."+symbol)
}
