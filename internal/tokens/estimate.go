package tokens

import "unicode/utf8"

// Average tokens, in hundredths, of one piece by its number of letters or signs,
// counted over Go, Python and markdown files (see the package comment). Words
// beyond the tables cost the last value and perWord… for each further letter.
var (
	wordCost  = [...]int{100, 100, 100, 101, 103, 107, 113, 121, 131, 137, 152, 180, 205, 235}
	upperCost = [...]int{100, 100, 100, 119, 129, 130, 168, 145, 160, 255, 250, 300, 350}
	signCost  = [...]int{100, 100, 100, 103, 117, 135, 180, 220, 260, 300}
)

const (
	perWordLetter  = 30
	perUpperLetter = 40
	perSign        = 10
	perBlank       = 1 // a run of one kind of white space is a single token up to 64 and more

	// A character outside ASCII, by its width in UTF-8: accents and Cyrillic,
	// then CJK, then emoji.
	perWide2, perWide3, perWide4 = 45, 75, 150
)

// Estimate returns about the number of tokens that [Count] would, without the
// vocabulary: pieces are exact, what a piece costs is an average for its kind and
// length. It is for choosing; a budget is checked with Count.
func Estimate(s string) int {
	cost := 0
	for len(s) > 0 {
		end, one := plainPiece(s)
		if end == 0 {
			end = nextPiece(s)
			one = pieceCost(s[:end])
		}
		cost += one
		s = s[end:]
	}
	return (cost + 50) / 100
}

// wide is the class of the bytes that belong to no ASCII character.
const wide class = 1 << 7

// byteClasses holds the classes of single bytes. Of the classes in [letter] ASCII
// has lower and upper only, and what has none at all is a sign.
var byteClasses = func() (table [256]class) {
	copy(table[:], ascii[:])
	for b := utf8.RuneSelf; b < len(table); b++ {
		table[b] = wide
	}
	return table
}()

// byteAt returns the class of the byte at i; past the end it is space, which ends
// all but blanks.
func byteAt(s string, i int) class {
	if i >= len(s) {
		return space
	}
	return byteClasses[s[i]]
}

// plainPiece is nextPiece and pieceCost for a first piece that is ASCII and followed
// by ASCII, or by nothing; for any other its end is 0. Most source is such pieces,
// and with four classes left each is cut and counted in one walk over its bytes.
func plainPiece(s string) (end, cost int) {
	first := byteClasses[s[0]]
	switch start := plainStart(first); {
	case first == wide:
		return 0, 0
	case byteAt(s, start)&letter != 0:
		return plainWord(s, start)
	case byteAt(s, start) == wide:
		return 0, 0
	case first&number != 0:
		return plainDigits(s)
	case first == 0 || s[0] == ' ' && byteAt(s, 1) == 0:
		return plainSigns(s)
	}
	return plainBlank(s)
}

// plainStart returns where the letters of a word begin that has first before it, or
// is first itself.
func plainStart(first class) int {
	if first&(letter|number|lineEnd) == 0 {
		return 1
	}
	return 0
}

// plainWord matches capitals and then small letters from start.
func plainWord(s string, start int) (end, cost int) {
	end = start
	for byteAt(s, end) == upper {
		end++
	}
	uppers := end - start
	for byteAt(s, end) == lower {
		end++
	}
	if byteAt(s, end) == wide {
		return 0, 0
	}
	if longer := contraction(s, end); longer > end {
		return longer, pieceCost(s[:longer])
	}
	letters := end - start
	if uppers == letters && letters > 1 {
		return end, tableCost(upperCost[:], perUpperLetter, letters)
	}
	return end, tableCost(wordCost[:], perWordLetter, letters)
}

func plainDigits(s string) (end, cost int) {
	end = 1
	for end < 3 && byteAt(s, end) == number {
		end++
	}
	if end < 3 && byteAt(s, end) == wide {
		return 0, 0
	}
	return end, 100
}

// plainSigns matches a space or a sign, further signs, and the line ends and slashes
// behind.
func plainSigns(s string) (end, cost int) {
	end = 1
	for byteAt(s, end) == 0 {
		end++
	}
	if byteAt(s, end) == wide {
		return 0, 0
	}
	for end < len(s) && (s[end] == '\n' || s[end] == '\r' || s[end] == '/') {
		end++
	}
	return end, tableCost(signCost[:], perSign, end)
}

func plainBlank(s string) (end, cost int) {
	afterLine := 0
	for end < len(s) && byteClasses[s[end]]&space != 0 {
		end++
		if byteClasses[s[end-1]]&lineEnd != 0 {
			afterLine = end
		}
	}
	switch {
	case byteAt(s, end) == wide:
		return 0, 0
	case afterLine > 0:
		end = afterLine
	case end < len(s) && end > 1:
		end--
	}
	return end, 100 + perBlank*end
}

func pieceCost(piece string) int {
	first, width := at(piece, 0)
	if first&space != 0 {
		second, _ := at(piece, width)
		if second&space != 0 || width == len(piece) {
			return 100 + perBlank*len(piece)
		}
	}
	if first&number != 0 && width == 1 {
		return 100
	}
	letters, uppers, wide := 0, 0, 0
	for i := 0; i < len(piece); {
		c, width := at(piece, i)
		i += width
		switch {
		case width > 1 || c == 0 && piece[i-1] >= utf8.RuneSelf:
			wide += wideCost(width)
		case c&letter != 0:
			letters++
			if c&upper != 0 {
				uppers++
			}
		}
	}
	switch {
	case wide > 0:
		return max(100, wide+20*letters)
	case letters == 0:
		return tableCost(signCost[:], perSign, len(piece))
	case uppers == letters && letters > 1:
		return tableCost(upperCost[:], perUpperLetter, letters)
	}
	return tableCost(wordCost[:], perWordLetter, letters)
}

func wideCost(width int) int {
	switch width {
	case 2:
		return perWide2
	case 3:
		return perWide3
	}
	return perWide4 // also for a byte that is not UTF-8
}

func tableCost(table []int, perMore, n int) int {
	if last := len(table) - 1; n > last {
		return table[last] + perMore*(n-last)
	}
	return table[n]
}
