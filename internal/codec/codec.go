// Package codec writes values as bytes and reads them back, both from one description, so that what writes
// and what reads cannot drift apart. A description names the parts of a value in a fixed order:
//
//	func (p *Point) describe(c *codec.Coder) {
//		codec.Int(c, &p.X, &p.Y)
//		c.Text(&p.Name)
//		codec.List(c, &p.Next, func(n *Point) { n.describe(c) })
//	}
//
//	b := codec.Append(nil, p.describe)
//	err := codec.Decode(b, q.describe)
//
// Writing changes nothing of the value, which others may be reading. Reading takes any bytes: what [Append] did not
// write gives an error or another value that the description allows, never a panic, and no more memory than a fixed
// multiple of their number. The bytes do not depend on the machine. They have no version and no checksum: what keeps
// them adds both, as package cachefile does.
//
// # Format
//
//	size of the texts  uvarint
//	texts              the bytes of every string, one after the other
//	rest               all else in the order of the description; numbers are varints
//
// All strings that are read are thus parts of one allocation, which lives as long as one of them: after [Share] of the input.
package codec

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"unsafe"
)

// ErrDamaged: the bytes are not what the description writes.
var ErrDamaged = errors.New("damaged or of another format")

// Coder runs a description to write a value or to read one. After the first error in reading, every part is
// zero and every list empty.
type Coder struct {
	Reading bool

	// The bytes written so far.
	rest    []byte
	texts   []byte
	numbers map[string]uint64 // of the names, from 1 in order of appearance

	// The bytes being read, and the position: moving slices would cost more, since they are in
	// garbage-collected memory.
	in     []byte
	at     int
	text   string
	textAt int
	names  []string // in order of appearance
	failed bool
}

// coders are reused: making the map of names costs more than filling it.
var coders = sync.Pool{New: func() any { return &Coder{numbers: map[string]uint64{}} }}

// The largest buffers that a Coder keeps for its next use. Clearing the map costs time in proportion to its
// size.
const (
	keepBytes = 1 << 20
	keepNames = 1 << 12
)

func (c *Coder) release() {
	if cap(c.texts)+cap(c.rest) <= keepBytes && len(c.numbers)+len(c.names) <= keepNames {
		clear(c.numbers)
		clear(c.names)
		*c = Coder{rest: c.rest[:0], texts: c.texts[:0], numbers: c.numbers, names: c.names[:0]}
		coders.Put(c)
	}
}

// Append appends the encoding of a value's description to b.
func Append(b []byte, describe func(*Coder)) []byte {
	c := coders.Get().(*Coder)
	defer c.release()
	describe(c)
	b = slices.Grow(b, binary.MaxVarintLen64+len(c.texts)+len(c.rest))
	b = append(binary.AppendUvarint(b, uint64(len(c.texts))), c.texts...)
	return append(b, c.rest...)
}

// Decode reads a value from the bytes that [Append] wrote; the error is [ErrDamaged]. After an error the
// value is useless.
func Decode(b []byte, describe func(*Coder)) error { return decode(b, describe, false) }

// Share is [Decode] for bytes that never change: the strings alias them.
func Share(b []byte, describe func(*Coder)) error { return decode(b, describe, true) }

func decode(b []byte, describe func(*Coder), share bool) error {
	c := coders.Get().(*Coder)
	defer c.release()
	c.Reading, c.in = true, b
	if text := c.take(c.uvarint(0)); share {
		c.text = unsafe.String(unsafe.SliceData(text), len(text))
	} else {
		c.text = string(text)
	}
	describe(c)
	if c.failed || c.at < len(c.in) || c.textAt < len(c.text) {
		return ErrDamaged
	}
	return nil
}

// Check records an error in reading unless ok holds. It does nothing in writing.
func (c *Coder) Check(ok bool) {
	if !ok && c.Reading {
		c.failed, c.at, c.textAt = true, len(c.in), len(c.text)
	}
}

// uvarint writes a number, or returns the next one.
func (c *Coder) uvarint(n uint64) uint64 {
	switch { // most take one byte
	case !c.Reading && n < 0x80:
		c.rest = append(c.rest, byte(n))
		return n
	case !c.Reading:
		c.rest = binary.AppendUvarint(c.rest, n)
		return n
	case c.at < len(c.in) && c.in[c.at] < 0x80:
		c.at++
		return uint64(c.in[c.at-1])
	}
	n, size := binary.Uvarint(c.in[c.at:])
	if c.at += size; size <= 0 {
		c.Check(false)
		return 0
	}
	return n
}

// varint is uvarint for numbers that are mostly near 0.
func (c *Coder) varint(n int64) int64 {
	u := c.uvarint(uint64(n)<<1 ^ uint64(n>>63))
	return int64(u>>1) ^ -int64(u&1)
}

// take reads so many bytes, as a part of the input.
func (c *Coder) take(n uint64) []byte {
	if n > uint64(len(c.in)-c.at) {
		c.Check(false)
		return nil
	}
	c.at += int(n)
	return c.in[c.at-int(n) : c.at : c.at]
}

// integer allows any type of whole number.
type integer interface {
	~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Uint describes numbers that are not negative.
func Uint[T integer](c *Coder, values ...*T) {
	for _, v := range values {
		if n := c.uvarint(uint64(*v)); c.Reading {
			*v = T(n)
			c.Check(*v >= 0 && uint64(*v) == n)
		}
	}
}

// Int describes numbers that are mostly near 0.
func Int[T integer](c *Coder, values ...*T) {
	for _, v := range values {
		Near(c, v, 0)
	}
}

// Near describes a number by its distance from a known one.
func Near[T integer](c *Coder, v *T, from T) {
	if n := c.varint(int64(*v - from)); c.Reading {
		*v = from + T(n)
		c.Check(int64(T(n)) == n)
	}
}

// Fixed describes numbers of 4 bytes each, for evenly distributed values.
func (c *Coder) Fixed(values ...*uint32) {
	for _, v := range values {
		if !c.Reading {
			c.rest = append(c.rest, byte(*v), byte(*v>>8), byte(*v>>16), byte(*v>>24))
		} else if b := c.take(4); b != nil {
			*v = binary.LittleEndian.Uint32(b)
		}
	}
}

// Flags describes at most 8 truth values as one byte.
func (c *Coder) Flags(values ...*bool) {
	bits := uint8(0)
	for i, v := range values {
		if *v {
			bits |= 1 << i
		}
	}
	if Uint(c, &bits); c.Reading {
		for i, v := range values {
			*v = bits>>i&1 != 0
		}
	}
}

// Text describes strings.
func (c *Coder) Text(values ...*string) {
	for _, v := range values {
		n := c.uvarint(uint64(len(*v)))
		if !c.Reading {
			c.texts = append(c.texts, *v...)
			continue
		}
		if n > uint64(len(c.text)-c.textAt) {
			c.Check(false)
			n = 0
		}
		c.textAt += int(n)
		*v = c.text[c.textAt-int(n) : c.textAt]
	}
}

// Name describes strings that probably repeat: each is written once, and later only its number.
func (c *Coder) Name(values ...*string) {
	for _, v := range values {
		known := uint64(0)
		if !c.Reading {
			known = c.numbers[*v]
		}
		switch n := c.uvarint(known); {
		case n == 0:
			if c.Text(v); c.Reading {
				c.names = append(c.names, *v)
			} else {
				c.numbers[*v] = uint64(len(c.numbers) + 1)
			}
		case !c.Reading:
		case n > uint64(len(c.names)):
			c.Check(false)
			*v = ""
		default:
			*v = c.names[n-1]
		}
	}
}

// Bytes describes byte slices. The result of reading aliases the input.
func (c *Coder) Bytes(values ...*[]byte) {
	for _, v := range values {
		n := c.uvarint(uint64(len(*v)))
		if c.Reading {
			*v = c.take(n)
		} else {
			c.rest = append(c.rest, *v...)
		}
	}
}

// Array describes a fixed number of bytes.
func (c *Coder) Array(v []byte) {
	if c.Reading {
		copy(v, c.take(uint64(len(v))))
	} else {
		c.rest = append(c.rest, v...)
	}
}

// growth is the memory, in bytes, that a list allocates at once for each byte left to read. A list with
// larger items grows as they are read.
const growth = 32

// List describes a list by its items, each of which takes at least one byte. A nil list stays nil.
func List[T any](c *Coder, list *[]T, item func(*T)) {
	n := uint64(0) // 0 for nil, or the length and 1
	if !c.Reading && *list != nil {
		n = uint64(len(*list)) + 1
	}
	if n = c.uvarint(n); !c.Reading {
		for i := range *list {
			item(&(*list)[i])
		}
		return
	}
	if *list = nil; n == 0 {
		return
	}
	left := uint64(len(c.in) - c.at)
	if n--; n > left {
		c.Check(false)
		return
	}
	room := growth * left / max(1, uint64(unsafe.Sizeof(*new(T))))
	out := make([]T, min(n, 1+room))
	for i := 0; uint64(i) < n && !c.failed; i++ {
		if i == len(out) {
			out = append(out, make([]T, min(n-uint64(i), uint64(i)))...)
		}
		item(&out[i])
	}
	if !c.failed {
		*list = out
	}
}
