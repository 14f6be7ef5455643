package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Encoding names the encoding that [Count] counts in.
const Encoding = "o200k_base"

// lastRank bounds the ranks that are tried when the vocabulary is read: o200k_base
// holds the ranks 0 to 199997, special tokens lie above.
const lastRank = 199997

// vocabulary maps each token to its rank; pairs of low rank merge first.
type vocabulary map[string]uint32

func (v vocabulary) rank(token string) uint32 {
	if rank, ok := v[token]; ok {
		return rank
	}
	return noRank
}

// o200k reads the vocabulary out of the library at first use: programs that
// count nothing should not pay for it.
var o200k = sync.OnceValue(func() vocabulary {
	c := codec.NewO200kBase()
	v := make(vocabulary, lastRank+1)
	id := make([]uint, 1)
	for rank := range uint(lastRank + 1) {
		id[0] = rank
		if token, err := c.Decode(id); err == nil {
			v[token] = uint32(rank)
		}
	}
	return v
})

// Count returns the exact number of o200k_base tokens of s. Text that looks like
// a special token counts as the plain text it is. Bytes that are no UTF-8 count
// as themselves. The first call loads the vocabulary; calls may run concurrently.
func Count(s string) int {
	v := o200k()
	count := 0
	for len(s) > 0 {
		end := nextPiece(s)
		count += v.countPiece(s[:end])
		s = s[end:]
	}
	return count
}
