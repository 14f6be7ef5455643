package link

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// The difference of two texts is measured on runs of tokens. Comments, docstrings and imports are removed first,
// where the syntax tells them apart. White space, quotation marks, brackets, commas and semicolons are no tokens,
// so another layout changes nothing. Runs are compared as a bag, so another order changes nothing either.

// runLength is how many tokens make one run. Longer runs make a small change look larger, since each token is part
// of that many runs.
const runLength = 3

// bag is the multiset of a text's runs, as sorted hashes.
type bag []uint64

// difference returns 0 for equal bags and 1 for bags without common runs. It is one minus twice the shared runs
// over all runs (Dice).
func (b bag) difference(o bag) float64 {
	if len(b)+len(o) == 0 {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(b) && j < len(o); {
		switch {
		case b[i] == o[j]:
			shared, i, j = shared+1, i+1, j+1
		case b[i] < o[j]:
			i++
		default:
			j++
		}
	}
	return 1 - 2*float64(shared)/float64(len(b)+len(o))
}

// FNV-1a, 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// bagOf reads the runs of a text.
func bagOf(text string) bag {
	var runs bag
	var last [runLength]uint64
	n := 0
	token := func(h uint64) {
		copy(last[:], last[1:])
		last[runLength-1] = h
		if n++; n >= runLength {
			run := uint64(fnvOffset)
			for _, t := range last {
				run = (run ^ t) * fnvPrime
				run ^= run >> 29
			}
			runs = append(runs, run)
		}
	}
	word := uint64(0)
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r):
			if word == 0 {
				word = fnvOffset
			}
			word = (word ^ uint64(r)) * fnvPrime
		default:
			if word != 0 {
				token(word)
				word = 0
			}
			if !unicode.IsSpace(r) && !strings.ContainsRune("\"'`,;()[]{}", r) {
				token(uint64(r))
			}
		}
		i += size
	}
	if word != 0 {
		token(word)
	}
	if n > 0 && n < runLength {
		runs = append(runs, last[0]*3+last[1]*5+last[2])
	}
	slices.Sort(runs)
	return runs
}

// blank replaces spans by spaces, so that positions stay the same.
func blank(text string, spans ...[]syntax.Span) string {
	out := []byte(text)
	for _, list := range spans {
		for _, s := range list {
			for i := max(0, s.Start); i < min(s.End, len(out)); i++ {
				out[i] = ' '
			}
		}
	}
	return string(out)
}

// parsed is a text with the results of parsing it.
type parsed struct {
	text    string
	bare    func() string // text without comments and imports, of the same length
	symbols []syntax.Symbol
	module  string
	bag     func() bag // of bare
}

// named returns the bodies of all symbols with one name and container, one after the other, and the line where the
// first begins. The line is 0 if there is none.
func (p *parsed) named(name, container string) (bare, text string, line int) {
	for _, s := range p.symbols {
		if s.Name == name && s.Container == container && s.Range.End <= len(p.text) {
			if text == "" {
				line = 1 + strings.Count(p.text[:s.Range.Start], "\n")
			}
			bare += p.bare()[s.Range.Start:s.Range.End] + "\n"
			text += p.text[s.Range.Start:s.Range.End] + "\n"
		}
	}
	return bare, text, line
}

// uses reports whether the code contains a name.
func (p *parsed) uses(name string) bool {
	words := strings.FieldsFunc(p.bare(), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.Contains(words, name)
}

// measured remembers parsed texts. The states of a [Links] share it, and it is safe for concurrent use.
type measured struct {
	mu    sync.Mutex
	texts map[textKey]*parsed
	bytes int
}

type textKey struct{ path, text string }

// maxMeasured bounds the remembered texts, in bytes. Above it, all are forgotten.
const maxMeasured = 32 << 20

func newMeasured() *measured { return &measured{texts: map[textKey]*parsed{}} }

// parse parses a text as the file at a path.
func (m *measured) parse(ctx context.Context, code *codebase.RepoMap, path, text string) *parsed {
	key := textKey{path, text}
	m.mu.Lock()
	p := m.texts[key]
	m.mu.Unlock()
	if p != nil {
		return p
	}
	f, err := code.Parse(ctx, path, text)
	p = &parsed{text: text, symbols: f.Symbols, module: f.Module}
	imports := make([]syntax.Span, 0, len(f.Imports))
	for _, i := range f.Imports {
		imports = append(imports, i.At)
	}
	p.bare = sync.OnceValue(func() string { // computed on demand: most former texts do not define the name in question
		m.mu.Lock()
		m.bytes += 2 * len(text)
		m.mu.Unlock()
		return blank(text, f.Comments, imports)
	})
	p.bag = sync.OnceValue(func() bag { return bagOf(p.bare()) })
	if err != nil {
		return p // another call may parse it
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes += len(text); m.bytes > maxMeasured {
		clear(m.texts)
		m.bytes = len(text)
	}
	m.texts[key] = p
	return p
}

// minRuns is the least number of runs by which a text can be recognised.
const minRuns = 8
