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
		end := nextPiece(s)
		cost += pieceCost(s[:end])
		s = s[end:]
	}
	return (cost + 50) / 100
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
	return perWide4 // and for a byte that is no UTF-8
}

func tableCost(table []int, perMore, n int) int {
	if last := len(table) - 1; n > last {
		return table[last] + perMore*(n-last)
	}
	return table[n]
}
