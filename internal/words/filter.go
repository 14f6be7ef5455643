package words

import "unicode/utf8"

// Filter tells from the first four letters of a word, or of a part of it, whether it can have one of a few
// terms. Nearly all words of a text cannot, and so need not be folded, stemmed and looked up: searching a
// text for a query's words is then as fast as finding its word boundaries. Its errors are one-sided: a word
// that passes may still have none of the terms. The zero Filter rejects every word.
type Filter struct {
	first [classes]bool            // by the class of the first byte
	third [classes][classes]uint64 // by those of the first two: the classes that the third may have
	short [classes][classes]uint64 // … in terms whose fourth byte may differ from the word's
	long  [longBits / 64]uint64    // the other terms, by a hash of their first four classes
}

// The classes of bytes: letters without their case, digits, everything else, and bytes that need a closer
// look: those beyond ASCII and the apostrophe, which is dropped from a term.
const (
	classOther = iota
	classLetter
	classDigit = classLetter + 26
	classLook  = classDigit + 10
	classes    = classLook + 1
)

var classOf = func() (t [256]uint8) {
	for c := range 26 {
		t['a'+c], t['A'+c] = uint8(classLetter+c), uint8(classLetter+c)
	}
	for c := range 10 {
		t['0'+c] = uint8(classDigit + c)
	}
	for c := 0x80; c < 256; c++ {
		t[c] = classLook
	}
	t['\''] = classLook
	return t
}()

// anyClass is the set of all classes.
const anyClass = 1<<classes - 1

// Add makes the filter let a term's words through. A stem begins as its word does,
// up to a final e or y: dying and die, skies and sky, using and use.
func (p *Filter) Add(term string) {
	if term == "" {
		return
	}
	first, third := classOf[term[0]], uint64(anyClass)
	p.first[first] = true
	if len(term) == 1 { // the stem of a word such as "iing"
		for second := range p.third[first] {
			p.third[first][second], p.short[first][second] = anyClass, anyClass
		}
		return
	}
	second := classOf[term[1]]
	if len(term) > 2 {
		third = 1 << classOf[term[2]]
		switch term[2] {
		case 'i', 'y', 'e':
			third |= 1<<classOf['i'] | 1<<classOf['y'] | 1<<classOf['e']
		}
	}
	p.third[first][second] |= third
	if len(term) > 4 { // a stem differs from its word in its last byte alone, and not before its third
		h := longHash(first, second, classOf[term[2]], classOf[term[3]])
		p.long[h/64] |= 1 << (h % 64)
	} else {
		p.short[first][second] |= third
	}
	if second == classOf['i'] {
		p.third[first][classOf['y']] |= anyClass
		p.short[first][classOf['y']] |= anyClass
	}
}

// longBits is the size of the table of four classes, in bits: a query has some ten
// terms, so that one foreign word in a hundred passes.
const longBits = 1 << 10

func longHash(a, b, c, d uint8) uint32 {
	return (uint32(a)*classes*classes*classes + uint32(b)*classes*classes + uint32(c)*classes + uint32(d)) * 2654435761 >> 22
}

// pass reads the run of letters, digits and joining signs that starts at i with an
// ASCII letter or digit. Either it can hold a wanted term, or the run's end is
// returned. Parts begin at the run's start, behind a sign, and at capitals.
func (p *Filter) pass(text string, i int) (end int, wanted bool) {
	if text[i] != '_' {
		if p.starts(text, i) {
			return i, true
		}
		i++
	}
	for i < len(text) {
		for steps[text[i]] == stepInside {
			if i++; i == len(text) {
				return i, false
			}
		}
		switch steps[text[i]] {
		case stepCapital:
		case stepUnderscore:
			for i < len(text) && text[i] == '_' {
				i++
			}
			if i == len(text) || steps[text[i]] != stepInside {
				continue
			}
		case stepJoin:
			n := joinLen(text[i:])
			if !startsWord(text[i+n:]) {
				return i, false
			}
			i += n
		case stepLook:
			return i, true
		default:
			return i, false
		}
		if p.starts(text, i) {
			return i, true
		}
		i++
	}
	return i, false
}

// starts reports whether the part that begins at i can have a wanted term. A sign
// or a capital may end the part there: the second letter is then another part's, or none.
func (p *Filter) starts(text string, i int) bool {
	class := classOf[text[i]]
	if class == classLook {
		return true
	}
	if !p.first[class] {
		return false
	}
	if i+2 >= len(text) || steps[text[i+1]] == stepCapital || steps[text[i+2]] == stepCapital {
		return true
	}
	second, third := classOf[text[i+1]], classOf[text[i+2]]
	if second == classOther || second == classLook {
		return true
	}
	if third == classOther || third == classLook {
		return p.third[class][second] != 0
	}
	if p.third[class][second]>>third&1 == 0 {
		return false
	}
	if p.short[class][second]>>third&1 != 0 || i+3 >= len(text) {
		return true
	}
	fourth := classOf[text[i+3]]
	if fourth == classOther || fourth == classLook || steps[text[i+3]] == stepCapital {
		return true
	}
	h := longHash(class, second, third, fourth)
	return p.long[h/64]>>(h%64)&1 != 0
}

// What a byte means inside a run.
const (
	stepEnd = iota
	stepInside
	stepCapital
	stepUnderscore
	stepJoin
	stepLook // beyond ASCII
)

var steps = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = stepLook
		case c >= 'A' && c <= 'Z':
			t[c] = stepCapital
		case c == '_':
			t[c] = stepUnderscore
		case isASCIIWord[c]:
			t[c] = stepInside
		case joinLen(string(rune(c))+" ") > 0:
			t[c] = stepJoin
		}
	}
	return t
}()
