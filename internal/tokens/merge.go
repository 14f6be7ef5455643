package tokens

import (
	"encoding/binary"
	"math"
)

// noRank is the rank of a pair that the vocabulary does not hold.
const noRank = math.MaxUint32

// vocabulary maps each token to its rank; pairs of low rank merge first. It is a hash table as the program embeds it, so
// that nothing has to be read before the first look-up: the places at which the buckets begin and the last one ends, in
// four bytes each, and the tokens by bucket. A token is its length in one byte, its rank in three, and its text. Numbers are little endian.
type vocabulary []byte

// buckets is the number of buckets of a vocabulary: on average, they have three tokens or fewer.
const buckets = 1 << 16

// bucketOf returns the bucket of a token: FNV-1a, folded.
func bucketOf(token string) uint32 {
	h := uint32(2166136261)
	for i := range len(token) {
		h = (h ^ uint32(token[i])) * 16777619
	}
	return (h>>16 ^ h) % buckets
}

func (v vocabulary) rank(token string) uint32 {
	places := v[4*bucketOf(token):]
	for at, end := binary.LittleEndian.Uint32(places), binary.LittleEndian.Uint32(places[4:]); at < end; {
		head := binary.LittleEndian.Uint32(v[at:])
		next := at + 4 + head&0xff
		if string(v[at+4:next]) == token {
			return head >> 8
		}
		at = next
	}
	return noRank
}

// heapFrom is the piece length in bytes from which a heap beats scanning all
// pairs for the best one; words are far shorter (the library uses the same).
const heapFrom = 96

// countPiece returns the number of tokens of one piece.
func (v vocabulary) countPiece(piece string) int {
	if v.rank(piece) != noRank {
		return 1
	}
	if len(piece) < heapFrom {
		return v.mergeShort(piece)
	}
	return v.mergeLong(piece)
}

// mergeShort merges the leftmost pair of lowest rank until no pair is left,
// looking at all pairs each time.
func (v vocabulary) mergeShort(piece string) int {
	type part struct {
		start int
		rank  uint32 // of the token that this part and the next one form
	}
	var space [heapFrom + 1]part
	parts := space[:len(piece)+1]
	rank := func(i, skip int) uint32 {
		if i+skip+2 >= len(parts) {
			return noRank
		}
		return v.rank(piece[parts[i].start:parts[i+skip+2].start])
	}
	for i := range parts {
		parts[i].start = i
	}
	for i := range parts {
		parts[i].rank = rank(i, 0)
	}
	for {
		best := 0
		for i, p := range parts {
			if p.rank < parts[best].rank {
				best = i
			}
		}
		if parts[best].rank == noRank {
			return len(parts) - 1
		}
		parts[best].rank = rank(best, 1)
		if best > 0 {
			parts[best-1].rank = rank(best-1, 1)
		}
		parts = append(parts[:best+1], parts[best+2:]...)
	}
}

// mergeLong does the same with a linked list of parts and a heap of pairs, in
// n log n steps: a megabyte without a space must not stop the server.
func (v vocabulary) mergeLong(piece string) int {
	parts := newChain(piece)
	var queue pairs
	offer := func(i int32) {
		parts[i].rank = noRank
		if text := parts.pair(piece, i); text != "" {
			parts[i].rank = v.rank(text)
		}
		if parts[i].rank != noRank {
			queue.push(pair{parts[i].rank, i})
		}
	}
	for i := range int32(len(piece)) {
		offer(i)
	}
	count := len(piece)
	for len(queue) > 0 {
		top := queue.pop()
		if parts[top.start].rank != top.rank {
			continue // superseded by a merge next to it
		}
		parts.join(top.start)
		count--
		offer(top.start)
		if before := parts[top.start].prev; before >= 0 {
			offer(before)
		}
	}
	return count
}

// chain is a list of parts, each at the index where its text starts; the last
// element marks the end of the piece.
type chain []struct {
	prev, next int32
	rank       uint32
}

func newChain(piece string) chain {
	parts := make(chain, len(piece)+1)
	for i := range parts {
		parts[i].prev, parts[i].next, parts[i].rank = int32(i)-1, int32(i)+1, noRank
	}
	return parts
}

// pair returns the text of the part at i and the one behind it, "" at the end.
func (c chain) pair(piece string, i int32) string {
	second := c[i].next
	if int(second) >= len(piece) {
		return ""
	}
	return piece[i:c[second].next]
}

// join merges the part behind i into the one at i.
func (c chain) join(i int32) {
	gone := c[i].next
	c[gone].rank = noRank
	c[i].next = c[gone].next
	c[c[i].next].prev = i
}

// pair is a candidate for merging: the part at start and the next one.
type pair struct {
	rank  uint32
	start int32
}

func (p pair) before(q pair) bool {
	return p.rank < q.rank || p.rank == q.rank && p.start < q.start
}

// pairs is a binary heap, the best pair first. It is typed, since container/heap
// would allocate for each push.
type pairs []pair

func (h *pairs) push(p pair) {
	*h = append(*h, p)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].before(s[up]) {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *pairs) pop() pair {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(s) {
			return top
		}
		if right := child + 1; right < len(s) && s[right].before(s[child]) {
			child = right
		}
		if !s[child].before(s[i]) {
			return top
		}
		s[i], s[child] = s[child], s[i]
		i = child
	}
}
