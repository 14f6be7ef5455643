package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// The highest ranks of the vocabularies; special tokens lie above.
const (
	lastO200k  = 199997
	lastCl100k = 100255
)

// The vocabularies are read from the library at first use: programs that count nothing, or in one encoding,
// should not pay for the others.
var (
	o200k  = sync.OnceValue(func() vocabulary { return read(codec.NewO200kBase(), lastO200k) })
	cl100k = sync.OnceValue(func() vocabulary { return read(codec.NewCl100kBase(), lastCl100k) })
)

func read(c *codec.Codec, last uint) vocabulary {
	v := make(vocabulary, last+1)
	id := make([]uint, 1)
	for rank := range last + 1 {
		id[0] = rank
		if token, err := c.Decode(id); err == nil {
			v[token] = uint32(rank)
		}
	}
	return v
}

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
// as themselves. The first call loads the vocabulary; calls may run concurrently.
func Count(s string) int { return o200k().count(s, nextPiece) }
