package tokens

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
