package tokens

import "unicode/utf8"

// Average p50k_base tokens, in hundredths, of one piece by its number of letters,
// digits or signs, counted as in estimate.go. What this vocabulary has is words behind
// a space; it knows few that begin elsewhere, and joins no tabs.
var (
	spacedP50k = [...]int{100, 100, 103, 104, 104, 107, 110, 120, 124, 131, 147, 147, 160, 150, 160, 220}
	bareP50k   = [...]int{100, 100, 102, 115, 111, 129, 139, 150, 175, 213, 234, 234, 275, 307, 340, 400}
	upperP50k  = [...]int{100, 100, 107, 136, 148, 207, 236, 233, 326, 370, 450}
	mixedP50k  = [...]int{100, 100, 200, 200, 230, 219, 246, 255, 240, 260, 250, 280, 292, 325, 330, 355}
	digitsP50k = [...]int{100, 100, 100, 107, 186, 206, 257}
	signP50k   = [...]int{100, 100, 102, 134, 174, 268, 314, 395, 451}
)

const (
	perWordP50k   = 30
	perUpperP50k  = 40
	perMixedP50k  = 25
	perNumberP50k = 45
	perSignP50k   = 10

	// A character outside ASCII: its bytes but one.
	perWideByteP50k = 100
	perPlainP50k    = 20 // an ASCII character beside it
)

// estimateP50k is Estimate for p50k_base.
func estimateP50k(s string) int {
	cost := 0
	for len(s) > 0 {
		end := nextPieceP50k(s)
		cost += pieceCostP50k(s[:end])
		s = s[end:]
	}
	return (cost + 50) / 100
}

func pieceCostP50k(piece string) int {
	start, uppers := 0, 0
	if piece[0] == ' ' && len(piece) > 1 {
		start = 1
	}
	first := byteClasses[piece[start]]
	if first&space != 0 {
		return blankCostP50k(piece)
	}
	for i := start; i < len(piece); i++ {
		switch byteClasses[piece[i]] {
		case wide:
			return wideCostP50k(piece)
		case upper:
			uppers++
		}
	}
	n := len(piece) - start
	switch {
	case first&number != 0:
		return tableCost(digitsP50k[:], perNumberP50k, n)
	case first&letter == 0:
		return tableCost(signP50k[:], perSignP50k, len(piece))
	case uppers == n && n > 1:
		return tableCost(upperP50k[:], perUpperP50k, n)
	case uppers > 1 || uppers == 1 && first != upper:
		return tableCost(mixedP50k[:], perMixedP50k, n)
	case start > 0:
		return tableCost(spacedP50k[:], perWordP50k, n)
	}
	return tableCost(bareP50k[:], perWordP50k, n)
}

// blankCostP50k: a tab is a token, and so are two line ends, and a run of spaces.
func blankCostP50k(piece string) int {
	cost, last := 0, byte(0)
	for i := range len(piece) {
		switch b := piece[i]; {
		case b == ' ' && last == ' ':
			continue
		case b == '\n' && last == '\n':
			last = 0
		default:
			last = b
			cost += 100
		}
	}
	return cost
}

// wideCostP50k is for a piece that is not all ASCII.
func wideCostP50k(piece string) int {
	cost := 0
	for i := 0; i < len(piece); {
		_, width := at(piece, i)
		if width > 1 || piece[i] >= utf8.RuneSelf {
			cost += max(1, width-1) * perWideByteP50k
		} else {
			cost += perPlainP50k
		}
		i += width
	}
	return cost
}
