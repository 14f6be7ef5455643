package link

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree"
)

// ofFolder is the strength of a comment that names a topic, for each entry of the topic. A comment that names an
// entry is as strong as an item of the entry's Files list.
const ofFolder = listedFolder

// Loose is a comment that names an entry that does not exist.
type Loose struct {
	Path   string
	Mark   codebase.Mark
	Reason string // for people
}

// marker is a [Code] that has its own way to find the marks of its files, instead of [codebase.Chunk.Marks].
type marker interface {
	Marks(path string) []codebase.Mark
}

// markedFile is a file with its marks.
type markedFile struct {
	chunk *codebase.Chunk
	marks []codebase.Mark
}

// marks holds the comments that name entries, and their meaning in one tree.
type marks struct {
	written []markedFile
	of      map[string][]CodeRef  // by entry
	about   map[string][]incoming // by path
	loose   []Loose
}

func marksOf(code Code) (out []markedFile) {
	of := (*codebase.Chunk).Marks
	if m, ok := code.(marker); ok {
		of = func(c *codebase.Chunk) []codebase.Mark { return m.Marks(c.Path) }
	}
	for _, c := range code.Chunks() {
		if found := of(c); len(found) > 0 {
			out = append(out, markedFile{c, found})
		}
	}
	return out
}

// Marked returns the code whose comments name an entry, in order of path and place. A
// comment inside or directly above a symbol also gives a link to that symbol.
func (l *Links) Marked(entry string) []CodeRef { return l.marks.of[entry] }

// Loose returns the comments that name no entry, in order of path and place.
func (l *Links) Loose() []Loose { return l.marks.loose }

// follow resolves the marks of files.
func follow(s *tree.Snapshot, written []markedFile) marks {
	out := marks{written: written, of: map[string][]CodeRef{}, about: map[string][]incoming{}}
	for _, f := range written {
		symbols := f.chunk.Symbols()
		for _, m := range f.marks {
			entries, strength, reason := meant(s, m.Target)
			if reason != "" {
				out.loose = append(out.loose, Loose{f.chunk.Path, m, reason})
			}
			for _, entry := range entries {
				ref := CodeRef{Path: f.chunk.Path, Form: FormComment, Mark: m.At, Exists: true, Strength: strength,
					Reason: "mentioned as @brv:" + m.Target + " in a comment"}
				out.add(entry, ref)
				if sym := around(symbols, m.At); sym != nil {
					ref.Symbol, ref.Container = sym.Name, sym.Container
					out.add(entry, ref)
				}
			}
		}
	}
	return out
}

func (m *marks) add(entry string, ref CodeRef) {
	m.of[entry] = append(m.of[entry], ref)
	m.about[ref.Path] = append(m.about[ref.Path], incoming{entry, &ref})
}

// same reports whether two lists have the same files, unchanged.
func same(a, b []markedFile) bool {
	return slices.EqualFunc(a, b, func(a, b markedFile) bool { return a.chunk == b.chunk })
}

// meant is [tree.Snapshot.Meant], with the strength of a link that relies on it.
func meant(s *tree.Snapshot, target string) (entries []string, strength float64, reason string) {
	entries, folder, reason := s.Meant(target)
	strength = listed
	if folder {
		strength = ofFolder
	}
	return entries, strength, reason
}

// around finds the innermost symbol that contains a comment or begins directly below it.
func around(symbols []syntax.Symbol, at syntax.Span) *syntax.Symbol {
	var best *syntax.Symbol
	for i := range symbols {
		s := &symbols[i]
		if !s.Range.Contains(at) && !s.DocAt.Contains(at) {
			continue
		}
		if best == nil || s.Range.Len() <= best.Range.Len() {
			best = s
		}
	}
	return best
}
