package codebase

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// occurrence is one place of a term: the term in the upper half, its segment in the
// lower one, so that sorting groups them.
type occurrence = uint64

// counter is the memory for counting the terms of a text. It is reused, since it is several times the size of
// the result.
type counter struct {
	all    []occurrence
	stream []byte
}

var counters = sync.Pool{New: func() any { return &counter{} }}

// keepCounter bounds what is kept for the next text, in occurrences: those of a file of
// half a megabyte.
const keepCounter = 1 << 17

// newVector counts the terms of a text, divided at cuts.
func newVector(text string, cuts []cut, segments []segment, defs field) vector {
	v := vector{segments: segments, defs: defs}
	c := counters.Get().(*counter)
	c.all = c.all[:0]
	at := 0
	terms.Scan(text, func(t term, off int) {
		for at+1 < len(cuts) && cuts[at+1].start <= off {
			at++
		}
		s := cuts[at].segment
		v.segments[s].length++
		c.all = append(c.all, uint64(t)<<32|uint64(s))
	})
	v.length = len(c.all)
	slices.Sort(c.all)
	v.group(c)
	if cap(c.all) <= keepCounter {
		counters.Put(c)
	}
	return v
}

// group makes the lists of a vector of sorted occurrences.
func (v *vector) group(c *counter) {
	v.n = distinctTerms(c.all)
	marks := (v.n + markEvery - 1) / markEvery
	lists := make([]byte, 0, 5*v.n+4*marks)
	v.terms, v.counts, v.marks = lists[:0:4*v.n], lists[4*v.n:4*v.n:5*v.n], lists[5*v.n:5*v.n:5*v.n+4*marks]
	stream := c.stream[:0]
	for i, n := 0, 0; i < len(c.all); n++ {
		t := c.all[i] >> 32
		if n%markEvery == 0 {
			v.marks = binary.LittleEndian.AppendUint32(v.marks, uint32(len(stream)))
		}
		v.terms = binary.LittleEndian.AppendUint32(v.terms, term(t))
		end, pairs := i, 0
		for ; end < len(c.all) && c.all[end]>>32 == t; end++ {
			if end == i || c.all[end] != c.all[end-1] {
				pairs++
			}
		}
		v.counts = append(v.counts, byte(min(end-i, 255)))
		stream = binary.AppendUvarint(stream, uint64(pairs))
		last := uint64(0)
		for i < end {
			j := i
			for j < end && c.all[j] == c.all[i] {
				j++
			}
			s := c.all[i] & (1<<32 - 1)
			stream = binary.AppendUvarint(stream, s-last)
			stream = binary.AppendUvarint(stream, uint64(j-i))
			last, i = s, j
		}
	}
	v.stream, c.stream = slices.Clone(stream), stream
}

// distinctTerms counts the terms of sorted occurrences.
func distinctTerms(sorted []occurrence) int {
	n := 0
	for i, x := range sorted {
		if i == 0 || x>>32 != sorted[i-1]>>32 {
			n++
		}
	}
	return n
}
