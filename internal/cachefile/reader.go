package cachefile

import "encoding/binary"

// Reader takes values off the front of a block. A block is checked against damage, but not against whoever wrote
// it: what is not there is zero, and fails the reader for good.
type Reader struct {
	Rest   []byte // what is left
	Failed bool
}

// Number takes what [binary.AppendUvarint] wrote.
func (r *Reader) Number() uint64 {
	n, size := binary.Uvarint(r.Rest)
	r.skip(size)
	return n
}

// Signed takes what [binary.AppendVarint] wrote.
func (r *Reader) Signed() int64 {
	n, size := binary.Varint(r.Rest)
	r.skip(size)
	return n
}

// skip leaves out a number; size is 0 or less where there was none, which then was read as 0.
func (r *Reader) skip(size int) {
	if size <= 0 {
		r.Rest, r.Failed = nil, true
		return
	}
	r.Rest = r.Rest[size:]
}

// Bytes takes a [Reader.Number] and as many bytes; they are those of the block, not a copy.
func (r *Reader) Bytes() []byte {
	n := r.Number()
	if n > uint64(len(r.Rest)) {
		r.Rest, r.Failed = nil, true
		return nil
	}
	out := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return out
}
