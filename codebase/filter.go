package codebase

import "slices"

// filterBits is the size of the filter that rejects most words of a file that are not in the task: 65,536
// bits stay in a core's first cache.
const filterBits = 16

// termFilter finds the terms of a task among those of files. A term's first
// filterBits are the number of its bucket.
type termFilter struct {
	bits  [1 << (filterBits - 6)]uint64 // whether a bucket holds terms
	terms []term                        // sorted
}

func newTermFilter(sorted []taskTerm) *termFilter {
	f := &termFilter{terms: make([]term, len(sorted))}
	for i, t := range sorted {
		f.terms[i] = t.term
		bucket := t.term >> (32 - filterBits)
		f.bits[bucket>>6] |= 1 << (bucket & 63)
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
	i, ok := slices.BinarySearch(f.terms, t)
	return int32(i), ok
}
