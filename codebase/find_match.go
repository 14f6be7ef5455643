package codebase

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Match is the way in which a name matches a query, the closest first.
type Match uint8

// The ways to fit.
const (
	MatchExact  Match = iota // the name as it is spelled
	MatchSame                // the name except for case and joints between words
	MatchPrefix              // the name begins so
	MatchWords               // words of the name begin so, in this order
	MatchPart                // the name holds it anywhere
	noMatch
)

// nameQuery is a query in the form in which names are compared with it. It is used by one goroutine.
type nameQuery struct {
	text      string   // the name as it was asked for
	lower     []byte   // in lower case
	words     [][]byte // its words, likewise; none for all members of a container
	longest   []byte   // the word that matches the fewest names
	plain     []byte   // the words, joined
	container string   // lower case, joined by "."
	buf       [2 * maxListedName]byte
}

// maxNameQuery bounds what of a query is read, in bytes; no listed name is longer.
const maxNameQuery = maxListedName

func newNameQuery(text string) *nameQuery {
	text = strings.TrimSpace(text)
	text = text[:min(len(text), maxNameQuery)]
	q := &nameQuery{}
	q.container, q.text = cutContainer(text)
	q.lower = lowered(nil, []byte(q.text))
	from := 0
	add := func(to int) {
		if word := bytes.Trim(q.lower[from:to], "_$- \t"); len(word) > 0 {
			q.words = append(q.words, word)
			q.plain = append(q.plain, word...)
			if len(word) > len(q.longest) {
				q.longest = word
			}
		}
		from = to
	}
	for i := 1; i < len(q.text); i++ {
		if beginsWord([]byte(q.text), i) {
			add(i)
		}
	}
	add(len(q.text))
	if len(q.words) == 0 && q.text != "" { // "_", "$"
		q.words, q.longest, q.plain = [][]byte{q.lower}, q.lower, q.lower
	}
	return q
}

// cutContainer cuts "A.b", "a::b" and "A#b" into container and name.
func cutContainer(text string) (container, name string) {
	at, size := -1, 0
	for _, mark := range []string{".", "::", "#"} {
		if i := strings.LastIndex(text, mark); i > 0 && i+len(mark) > at+size {
			at, size = i, len(mark)
		}
	}
	if at < 0 {
		return "", text
	}
	container = strings.NewReplacer("::", ".", "#", ".").Replace(strings.ToLower(text[:at]))
	return strings.Trim(container, "."), text[at+size:]
}

// inside reports whether a definition is in the container that the query names.
func (q *nameQuery) inside(module, container string) bool {
	if q.container == "" {
		return true
	}
	full := container
	if module != "" {
		full = module + "." + container
	}
	full, ok := strings.CutSuffix(strings.ToLower(strings.Trim(full, ".")), q.container)
	return ok && (full == "" || strings.HasSuffix(full, "."))
}

// match compares a name.
func (q *nameQuery) match(name []byte) Match {
	lower := lowered(q.buf[:0], name)
	if !bytes.Contains(lower, q.longest) {
		return noMatch
	}
	switch {
	case len(q.words) == 0: // all members
		return MatchPrefix
	case string(name) == q.text:
		return MatchExact
	case sameWords(lower, q.plain):
		return MatchSame
	case bytes.HasPrefix(lower, q.lower):
		return MatchPrefix
	case q.fitsWords(name, lower):
		return MatchWords
	case bytes.Contains(lower, q.lower):
		return MatchPart
	}
	return noMatch
}

// sameWords reports whether a name equals the given one except for joints.
func sameWords(lower, plain []byte) bool {
	i := 0
	for _, c := range lower {
		if isJoint(c) {
			continue
		}
		if i == len(plain) || plain[i] != c {
			return false
		}
		i++
	}
	return i == len(plain)
}

// fitsWords reports whether the query's words begin words of the name, in order. Taking the first match for
// each leaves most room for the rest.
func (q *nameQuery) fitsWords(name, lower []byte) bool {
	i := 0
	for _, word := range q.words {
		for {
			at := bytes.Index(lower[i:], word)
			if at < 0 {
				return false
			}
			i += at
			if beginsWord(name, i) {
				break
			}
			i++
		}
		i += len(word)
	}
	return true
}

func isJoint(c byte) bool { return c == '_' || c == '$' || c == '-' || c == ' ' }

// beginsWord reports whether a word of a name begins at byte i: at the start,
// behind a joint, at a capital behind a small letter or a digit, and at the last
// capital of a run before a small letter (HTTPServer).
func beginsWord(name []byte, i int) bool {
	if i == 0 || isJoint(name[i-1]) {
		return !isJoint(name[i])
	}
	r, size := utf8.DecodeRune(name[i:])
	if !unicode.IsUpper(r) {
		return false
	}
	before, _ := utf8.DecodeLastRune(name[:i])
	if !unicode.IsUpper(before) {
		return true
	}
	next, _ := utf8.DecodeRune(name[i+size:])
	return unicode.IsLower(next)
}

// lowered appends text in lower case. Letters whose small form has another length
// stay as they are, so that positions are those of text.
func lowered(b, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b = append(b, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if small := unicode.ToLower(r); size > 1 && utf8.RuneLen(small) == size {
			b = utf8.AppendRune(b, small)
		} else {
			b = append(b, text[i:i+size]...)
		}
		i += size
	}
	return b
}
