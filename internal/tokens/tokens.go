package tokens

import _ "embed"

// The vocabularies without special tokens, as [vocabulary] describes them. A test writes them (-update), and compares
// them with the tokenizer library.
var (
	//go:embed o200k_base.tokens
	o200k vocabulary
	//go:embed cl100k_base.tokens
	cl100k vocabulary
)

// count cuts s with next and merges each piece.
func (v vocabulary) count(s string, next func(string) int) int {
	count := 0
	for len(s) > 0 {
		end := next(s)
		count += v.countPiece(s[:end])
		s = s[end:]
	}
	return count
}

// Count returns the exact number of o200k_base tokens of s. Text that looks like
// a special token counts as the plain text it is. Bytes that are no UTF-8 count
// as themselves. Calls may run concurrently.
func Count(s string) int { return o200k.count(s, nextPiece) }
