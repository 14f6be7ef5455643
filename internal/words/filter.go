package words

import "unicode/utf8"

// Filter tells from the first three letters of a word whether it can have one of a few terms. Most words of a text cannot,
// and so need not be folded, stemmed, and looked up. Its errors are one-sided: a word that passes may still have none of
// the terms. The zero Filter rejects every longer word.
type Filter [32][32]uint32 // by the first two letters, a bit for each third one: their lowest five bits, which have no case

// Add makes the filter let a term's words through. A stem begins as its word does, up to a final e, i or y: dying and
// die, skies and sky, using and use.
func (f *Filter) Add(term string) {
	if term == "" {
		return
	}
	row := &f[term[0]&31]
	if len(term) < 3 { // also the stem of a word such as "iing"
		for i := range row {
			row[i] = 1<<32 - 1
		}
		return
	}
	const vowels = 1<<('e'&31) | 1<<('i'&31) | 1<<('y'&31)
	third := uint32(1) << (term[2] & 31)
	if third&vowels != 0 {
		third = vowels
	}
	row[term[1]&31] |= third
	if term[1] == 'i' {
		row['y'&31] = 1<<32 - 1
	}
}

// mayHave reports whether a word can have a wanted term.
func (f *Filter) mayHave(word string) bool {
	return len(word) < 3 || max(steps[word[0]], steps[word[1]], steps[word[2]]) > stepCapital ||
		f[word[0]&31][word[1]&31]>>(word[2]&31)&1 != 0
}

// What a byte means inside a run.
const (
	stepEnd = iota
	stepInside
	stepCapital
	stepJoin
	stepLook // an underscore, or beyond ASCII
)

var steps = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf, c == '_':
			t[c] = stepLook
		case c >= 'A' && c <= 'Z':
			t[c] = stepCapital
		case isASCIIWord[c]:
			t[c] = stepInside
		case joinLen(string(rune(c))+" ") > 0:
			t[c] = stepJoin
		}
	}
	return t
}()
