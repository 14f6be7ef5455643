// Package link joins knowledge and code: which entry speaks of which file and
// symbol, and the other way round.
//
// A link is a fact that the entry states, never a guess from similar words:
//
//   - an item of the Raw Concept's Files list: a file, or a folder, which then
//     speaks of everything in it;
//   - a path in back-ticks in the body;
//   - a name in back-ticks in the body that the code defines: `Name`, `name()`,
//     `pkg.Name`, `Type.Method`, `Type::method`.
//
// Text in fenced code blocks is quoted code and links nothing. A path may be
// shortened from the left as long as one file only ends in it. A bare name must
// have [MinName] letters and be defined in at most [MaxDefined] files, or it is
// too common to mean one thing; a qualified name must fit its qualifier, so that
// `http.Server` of a library does not link to some other Server.
//
// How sure a link is, is its strength (see the constants), with a reason for
// people. [Links] is immutable, and building it is linear in the text of the
// entries.
//
// Limits: a path that is not there counts as a missing file only if its type is
// one that is mapped; anything else may be mere words. Line numbers behind a
// path are not used, as code moves.
package link

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Limits of what a bare name can mean.
const (
	MinName    = 4 // letters; shorter ones are words such as `id`, `get` or `err`
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

// Code is what link needs to know of the code; [codebase.RepoMap] is one.
type Code interface {
	Chunks() []*codebase.Chunk
	Chunk(path string) (*codebase.Chunk, bool)
	Lookup(name string) []codebase.Definition
	Skipped() []codebase.Skipped
	Exists(path string) bool // whether a path is there that the map does not hold
}

// Form is the way in which an entry refers to code.
type Form string

// The three forms.
const (
	FormFile   Form = "file"   // an item of the Files list
	FormPath   Form = "path"   // a path in the body
	FormSymbol Form = "symbol" // a name in the body
)

// CodeRef is a link from an entry to code.
type CodeRef struct {
	Path      string    // workspace path of a file, or of a folder
	Symbol    string    // name of the symbol, "" for the whole file
	Container string    // what the symbol stands in, as in the repo map
	Span      tree.Span // where the entry says it
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
	resolver *resolver
	read     map[*tree.Entry][]CodeRef // what each entry of the tree says; entries are immutable
	of       map[string][]CodeRef      // by entry, in order of place
	about    map[string][]incoming     // by path
}

// incoming is a link with the entry that holds it.
type incoming struct {
	entry string
	ref   CodeRef
}

// Build finds the links between a tree and the code.
func Build(s *tree.Snapshot, code Code) *Links {
	return build(s, newResolver(code), nil)
}

// Update returns what Build would. While the code is the same, only entries that
// are new or changed are read again, which makes a keystroke in an entry cheap.
func (l *Links) Update(s *tree.Snapshot, code Code) *Links {
	if code != l.resolver.code {
		return Build(s, code)
	}
	return build(s, l.resolver.fresh(), l.read)
}

func build(s *tree.Snapshot, r *resolver, before map[*tree.Entry][]CodeRef) *Links {
	l := &Links{resolver: r, read: make(map[*tree.Entry][]CodeRef, s.Len()), of: map[string][]CodeRef{}, about: map[string][]incoming{}}
	for _, e := range s.Entries() {
		if !e.Role.Searchable() {
			continue
		}
		refs, known := before[e]
		if !known {
			refs = r.refs(e)
		}
		l.read[e] = refs
		if len(refs) == 0 {
			continue
		}
		l.of[e.Path] = refs
		for _, ref := range refs {
			if ref.Exists {
				l.about[ref.Path] = append(l.about[ref.Path], incoming{e.Path, ref})
			}
		}
	}
	r.others, r.meanings = nil, nil // of use during a build only
	return l
}

// Of returns what an entry refers to, in order of place. A name that several
// files define has one link to each, all at the same place.
func (l *Links) Of(entry string) []CodeRef { return l.of[entry] }

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
	for _, in := range l.about[file] {
		switch {
		case symbol != "" && in.ref.means(symbol):
			keep(in, in.ref.Strength)
		case symbol == "" && in.ref.Symbol != "":
			keep(in, in.ref.Strength*ofSymbol)
		case symbol == "":
			keep(in, in.ref.Strength)
		}
	}
	for dir := path.Dir(file); symbol == "" && dir != "."; dir = path.Dir(dir) {
		for _, in := range l.about[dir] {
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

// means reports whether a link is to the symbol of that name, bare or with the
// end of its container.
func (r CodeRef) means(symbol string) bool {
	if r.Symbol == "" {
		return false
	}
	full := r.Container + "." + r.Symbol
	return r.Symbol == symbol || full == symbol || strings.HasSuffix(full, "."+symbol)
}
