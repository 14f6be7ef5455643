package words

import (
	"cmp"
	"iter"
	"math/bits"
	"path"
	"slices"
	"strings"
)

// Alike is the likeness of two texts; see [Pattern.Likeness].
func Alike(a, b string) float64 {
	p := NewPattern(a)
	return p.Likeness(b, 0)
}

// The least likeness of a path that is proposed for a missing one: on short names a swap of two letters
// (sing.go for sign.go in one folder) is still proposed, and nofile.py is not taken for files.py of another.
const (
	nearPath = 0.7 // the whole path
	nearName = 0.7 // or the file's name without its ending, in another folder
	halfName = 0.5 // the likeness of names below which that of the folders means nothing
)

// NearPaths are the paths that a missing one may have meant, the most similar first.
func NearPaths(p string, paths iter.Seq[string], most int) []string {
	type near struct {
		path  string
		score float64
	}
	stem := func(p string) string { base := path.Base(p); return strings.TrimSuffix(base, path.Ext(base)) }
	whole, name := NewPattern(p), NewPattern(stem(p))
	var found []near
	for candidate := range paths {
		named := name.Likeness(stem(candidate), halfName)
		if score := whole.Likeness(candidate, nearPath); named >= halfName && (score > 0 || named >= nearName) {
			found = append(found, near{candidate, max(score, named*nearPath)})
		}
	}
	slices.SortFunc(found, func(a, b near) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path)) })
	var out []string
	for _, n := range found[:min(len(found), most)] {
		out = append(out, n.path)
	}
	return out
}

// maxPattern is the longest text that is compared, in bytes: the bits of a word. Of longer
// ones the end counts, which tells more about an entry than where its path begins.
const maxPattern = 64

// Pattern is a text with, for each byte, the places where it occurs. Upper and lower case are the same, and
// so are hyphens, spaces and underscores.
type Pattern struct {
	length int
	at     [256]uint64
}

// NewPattern makes a text ready to be compared with many.
func NewPattern(s string) (p Pattern) {
	s = s[max(0, len(s)-maxPattern):]
	p.length = len(s)
	for i := range len(s) {
		for _, c := range sameByte(s[i]) {
			p.at[c] |= 1 << i
		}
	}
	return p
}

func sameByte(c byte) []byte {
	switch {
	case c >= 'a' && c <= 'z':
		return []byte{c, c - 'a' + 'A'}
	case c >= 'A' && c <= 'Z':
		return []byte{c, c - 'A' + 'a'}
	case c == '_' || c == '-' || c == ' ':
		return []byte("_- ")
	}
	return []byte{c}
}

// Likeness compares with another text: 1 minus the share of the longer one's letters that have to be changed;
// 0 if the result is below a given value.
func (p *Pattern) Likeness(s string, least float64) float64 {
	s = s[max(0, len(s)-maxPattern):]
	longer := max(p.length, len(s))
	if longer == 0 {
		return 1
	}
	most := int(float64(longer) * (1 - least))
	if max(p.length-len(s), len(s)-p.length) > most {
		return 0
	}
	if score := 1 - float64(p.distance(s))/float64(longer); score >= least {
		return score
	}
	return 0
}

// distance counts the bytes to put in, leave out or change to turn the pattern into s:
// one column of the table of distances at a time, kept as the bits of where it grows and
// falls (Myers, "A fast bit-vector algorithm for approximate string matching", 1999, in
// Hyyrö's form for whole texts).
func (p *Pattern) distance(s string) int {
	if p.length == 0 {
		return len(s)
	}
	grows, falls := ^uint64(0), uint64(0)
	last := uint64(1) << (p.length - 1)
	d := p.length
	for i := range len(s) {
		eq := p.at[s[i]]
		diagonal := ((eq & grows) + grows) ^ grows | eq | falls
		right, left := falls|^(diagonal|grows), grows&diagonal
		d += bits.OnesCount64(right&last) - bits.OnesCount64(left&last)
		right = right<<1 | 1
		left <<= 1
		grows, falls = left|^(diagonal|right), right&diagonal
	}
	return d
}
