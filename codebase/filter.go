package codebase

import "math/bits"

// filterBits is the size of the filter that rejects most words of a file that are not in the task: 65,536
// bits stay in a core's first cache.
const filterBits = 16

// termFilter finds the terms of a task among those of files. A term's first
// filterBits are the number of its bucket.
type termFilter struct {
	bits  [1 << (filterBits - 6)]uint64 // whether a bucket holds terms
	below [1 << (filterBits - 6)]uint32 // how many buckets before the word's first do
	first []int32                       // by bucket that holds terms: the first of them
	terms []term                        // sorted
}

func newTermFilter(sorted []taskTerm) *termFilter {
	f := &termFilter{terms: make([]term, len(sorted))}
	last := term(0)
	for i, t := range sorted {
		f.terms[i] = t.term
		bucket := t.term >> (32 - filterBits)
		if i == 0 || bucket != last {
			f.first = append(f.first, int32(i))
		}
		last = bucket
		f.bits[bucket>>6] |= 1 << (bucket & 63)
	}
	n := uint32(0)
	for i, word := range f.bits {
		f.below[i] = n
		n += uint32(bits.OnesCount64(word))
	}
	return f
}

// may reports whether a term can be among those of the task; it rejects most others.
func (f *termFilter) may(t term) bool {
	bucket := t >> (32 - filterBits)
	return f.bits[bucket>>6]&(1<<(bucket&63)) != 0
}

// find returns the index of a term.
func (f *termFilter) find(t term) (int32, bool) {
	if !f.may(t) {
		return 0, false
	}
	bucket := t >> (32 - filterBits)
	before := f.bits[bucket>>6] & (1<<(bucket&63) - 1)
	i := f.first[f.below[bucket>>6]+uint32(bits.OnesCount64(before))]
	for int(i) < len(f.terms) && f.terms[i] < t {
		i++
	}
	return i, int(i) < len(f.terms) && f.terms[i] == t
}
