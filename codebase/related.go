package codebase

import (
	"math"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// near returns 1 for the same folder, and less for each step between two folders.
func near(a, b string) float64 {
	if a == b {
		return 1
	}
	steps := 0
	for a != b {
		if len(a) >= len(b) {
			a = dirOf(a)
		} else {
			b = dirOf(b)
		}
		steps++
	}
	if a == "" && steps > 1 {
		return 0
	}
	return math.Pow(.5, float64(steps))
}

// pathRarity returns the inverse document frequency of a path's words.
func pathRarity(m *RepoMap, path *field) []float64 {
	idf := make([]float64, len(path.terms))
	for _, c := range m.chunks {
		for i, t := range path.terms {
			if c.path.count(t) > 0 {
				idf[i]++
			}
		}
	}
	n := float64(len(m.chunks))
	for i, d := range idf {
		idf[i] = math.Log(1 + (n-d+.5)/(d+.5))
	}
	return idf
}

// alikePaths returns the weighted share of a path's words that another path has too.
func alikePaths(a, b *field, idf []float64) float64 {
	var shared, all float64
	for i, t := range a.terms {
		all += idf[i]
		if b.count(t) > 0 {
			shared += idf[i]
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}

// textAround returns the text of the innermost symbol around a position, "" if
// there is none.
func (m *RepoMap) textAround(c *Chunk, offset int) string {
	if offset < 0 {
		return ""
	}
	start, end := -1, -1
	for _, s := range c.Symbols() {
		if s.Range.Start <= offset && offset <= s.Range.End && (start < 0 || s.Range.Len() < end-start) {
			start, end = s.Range.Start, s.Range.End
		}
	}
	text, err := m.Read(c.Path)
	if err != nil || start < 0 || end > len(text) || HashOf(text) != c.Hash {
		return ""
	}
	return text[start:end]
}

// namesIn returns the names in a text.
func namesIn(text string) map[terms.Term]bool {
	names := map[terms.Term]bool{}
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isNameRune(r) }) {
		names[terms.Name(name)] = true
	}
	return names
}

// termsIn returns the terms in a text.
func termsIn(text string) map[term]bool {
	words := map[term]bool{}
	terms.Scan(text, func(t term, _ int) { words[t] = true })
	return words
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 127
}
