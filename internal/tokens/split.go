package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An encoding first cuts a text into pieces (a word with the character before
// it, up to three digits, a run of signs, white space), then merges the bytes of
// each piece by itself. The definition of o200k_base is a regular expression,
// alternatives in this order (those of the older encodings stand below):
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// The functions below match it by hand, one per alternative, in time linear in
// the text. The library's generated matcher is quadratic on white space with line
// ends in it (64 KiB of " \n" take 4 s) and cuts such a run at its first line end
// instead of its last, so its counts are off there.

// class is the class of a character in the expression.
type class uint8

const (
	upper   class = 1 << iota // Lu, Lt
	caseno                    // Lm, Lo, M: may stand in both parts of a word
	lower                     // Ll
	number                    // N
	space                     // white space
	lineEnd                   // \r \n, which are space too
	mark                      // M, which is caseno and not a letter

	head   = upper | caseno // the first part of a word
	tail   = lower | caseno // the second part
	letter = upper | caseno | lower
)

// ascii holds the classes of the first 128 characters, the bulk of any source.
var ascii = func() (table [utf8.RuneSelf]class) {
	for r := range table {
		table[r] = classOf(rune(r))
	}
	return table
}()

func classOf(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return space | lineEnd
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.Is(unicode.Lu, r), unicode.Is(unicode.Lt, r):
		return upper
	case unicode.Is(unicode.M, r):
		return caseno | mark
	case unicode.IsLetter(r):
		return caseno
	case unicode.IsNumber(r):
		return number
	}
	return 0
}

// at returns the class and width of the character at i; past the end, both are 0.
func at(s string, i int) (class, int) {
	if i >= len(s) {
		return 0, 0
	}
	if b := s[i]; b < utf8.RuneSelf {
		return ascii[b], 1
	}
	r, width := utf8.DecodeRuneInString(s[i:])
	return classOf(r), width
}

// run returns the end of the run of characters from i that are in set.
func run(s string, i int, set class) int {
	for {
		c, width := at(s, i)
		if c&set == 0 {
			return i
		}
		i += width
	}
}

// isSign reports [^\s\p{L}\p{N}]. A mark is a sign as well as a part of words.
func isSign(c class, width int) bool {
	return width > 0 && c&(space|number) == 0 && (c&letter == 0 || c&mark != 0)
}

// nextPiece returns the length of the first piece of s, which is not empty.
func nextPiece(s string) int {
	first, width := at(s, 0)
	if end := word(s, first, width); end > 0 {
		return end
	}
	if first&number != 0 {
		return digits(s)
	}
	if end := signs(s); end > 0 {
		return end
	}
	return blank(s)
}

// word matches the first two alternatives, each with and then without a leading
// character that is neither letter, number nor line end.
func word(s string, first class, width int) int {
	starts := [2]int{0, 0}
	if first&(number|lineEnd) == 0 && (first&letter == 0 || first&mark != 0) {
		starts[0] = width
	}
	for _, start := range starts {
		if end := lowerWord(s, start); end > start {
			return contraction(s, end)
		}
	}
	for _, start := range starts {
		if end := run(s, start, head); end > start {
			return contraction(s, run(s, end, tail))
		}
	}
	return 0
}

// lowerWord matches head*tail+ from start and returns its end, or start. Where
// no tail follows, head* gives back characters up to the last that is both.
func lowerWord(s string, start int) int {
	both := start
	i := start
	for {
		c, width := at(s, i)
		if c&head == 0 {
			break
		}
		i += width
		if c&caseno != 0 {
			both = i
		}
	}
	if end := run(s, i, tail); end > i {
		return end
	}
	return both
}

// contraction extends a word by the English endings that the encoding keeps
// with it. ſ folds to s, as in the definition's case-insensitive match.
func contraction(s string, end int) int {
	rest := s[end:]
	if len(rest) < 2 || rest[0] != '\'' {
		return end
	}
	switch rest[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return end + 2
	}
	if strings.HasPrefix(rest[1:], "ſ") {
		return end + 1 + len("ſ")
	}
	if len(rest) >= 3 {
		switch string([]byte{rest[1] | 0x20, rest[2] | 0x20}) {
		case "re", "ve", "ll":
			return end + 3
		}
	}
	return end
}

// digits matches one to three numbers.
func digits(s string) int {
	end := 0
	for range 3 {
		c, width := at(s, end)
		if c&number == 0 {
			break
		}
		end += width
	}
	return end
}

// signs matches an optional space, signs, and the line ends and slashes behind.
func signs(s string) int {
	end := signRun(s)
	if end == 0 {
		return 0
	}
	for end < len(s) && (s[end] == '\n' || s[end] == '\r' || s[end] == '/') {
		end++
	}
	return end
}

// signRun matches an optional space and signs.
func signRun(s string) int {
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	end := start
	for {
		c, width := at(s, end)
		if isSign(c, width) {
			end += width
			continue
		}
		if end == start {
			return 0
		}
		return end
	}
}

// blank matches white space: up to its last line end if it holds one, else as gap.
func blank(s string) int {
	end, afterLine := gap(s)
	if afterLine > 0 {
		return afterLine
	}
	return end
}

// gap matches white space up to the end of s, else all but the last character, which
// belongs to the word behind; afterLine is behind the last line end.
func gap(s string) (end, afterLine int) {
	last := 0
	for {
		c, width := at(s, end)
		if c&space == 0 {
			break
		}
		last = end
		end += width
		if c&lineEnd != 0 {
			afterLine = end
		}
	}
	if end == len(s) || last == 0 {
		return end, afterLine
	}
	return last, afterLine
}

// The definition of cl100k_base: endings are pieces of their own, case does not divide
// a word, a mark is a sign.
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// Its authors now write the last three with \s++$ before them. That moves a cut between
// a line end and blanks at the end of a text, where no token of the vocabulary stands
// across: the counts are the same.

// isLetter reports \p{L}.
func isLetter(c class) bool { return c&letter != 0 && c&mark == 0 }

// letters returns the end of the run of letters from i.
func letters(s string, i int) int {
	for {
		c, width := at(s, i)
		if !isLetter(c) {
			return i
		}
		i += width
	}
}

// nextPieceCl100k is nextPiece for cl100k_base.
func nextPieceCl100k(s string) int {
	if end := contraction(s, 0); end > 0 {
		return end
	}
	first, width := at(s, 0)
	if first&number != 0 {
		return digits(s)
	}
	start := 0
	if !isLetter(first) && first&lineEnd == 0 {
		start = width
	}
	if end := letters(s, start); end > start {
		return end
	}
	if end := signRun(s); end > 0 {
		for end < len(s) && (s[end] == '\n' || s[end] == '\r') {
			end++
		}
		return end
	}
	return blank(s)
}
