package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// The stored form: magic, the head and its time, the folder, the paths, then commit by
// commit, and a checksum (CRC-32C) over all of it. Numbers are varints, ascending
// lists their differences, times the differences to the commit before.
//
// magic changes with the form, and with anything that changes what is read of a
// commit: terms, cleaning, limits.
const magic = "brv-history-2\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged: the bytes are no history, or one of another version.
var ErrDamaged = errors.New("history: damaged or of another version")

// Append appends the stored form of h: about 200 bytes a commit.
func (h *History) Append(b []byte) []byte {
	start := len(b)
	c := &h.commits
	b = append(b, magic...)
	for _, s := range []string{h.head, h.prefix, h.partial, h.shallow} {
		b = appendString(b, s)
	}
	b = binary.AppendVarint(b, h.headTime)
	b = binary.AppendUvarint(b, uint64(len(h.paths)))
	for _, path := range h.paths {
		b = appendString(b, path)
	}
	b = binary.AppendUvarint(b, uint64(c.hashLen))
	b = binary.AppendUvarint(b, uint64(h.Len()))
	before := int64(0)
	for i, time := range c.times {
		b = append(b, c.hashes[i*c.hashLen:(i+1)*c.hashLen]...)
		b = binary.AppendVarint(b, time-before)
		before = time
		b = append(b, c.totals[i])
		b = appendString(b, h.Subject(i))
		b = appendAscending(b, c.filesOf(i))
		words, counts := c.termsOf(i)
		b = appendAscending(b, words)
		b = append(b, counts...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendAscending(b []byte, list []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	before := uint32(0)
	for _, n := range list {
		b = binary.AppendUvarint(b, uint64(n-before))
		before = n
	}
	return b
}

// Decode reads the stored form. It keeps nothing of b. Bytes that are not what
// Append wrote give [ErrDamaged].
func Decode(b []byte) (*History, error) {
	if len(b) < len(magic)+4 || string(b[:len(magic)]) != magic {
		return nil, ErrDamaged
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil, fmt.Errorf("%w: checksum", ErrDamaged)
	}
	d := &decoder{b: body[len(magic):]}
	h := d.history()
	if d.bad || len(d.b) > 0 {
		return nil, ErrDamaged
	}
	return h, nil
}

// decoder reads from b. After the first mistake, all it reads is zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) history() *History {
	h := &History{head: d.text(), prefix: d.text(), partial: d.text(), shallow: d.text()}
	h.headTime = d.signed()
	h.paths = make([]string, d.count(1))
	for i := range h.paths {
		h.paths[i] = d.text()
	}
	c := &h.commits
	c.hashLen = int(d.number())
	d.check(c.hashLen == len(h.head)/2 && (c.hashLen == 0 || c.hashLen == 20 || c.hashLen == 32))
	var subjects []byte
	before := int64(0)
	commits := d.count(c.hashLen + 5)
	d.check(commits == 0 || c.hashLen > 0)
	for range commits {
		c.hashes = append(c.hashes, d.take(c.hashLen)...)
		before += d.signed()
		c.times = append(c.times, before)
		c.totals = append(c.totals, d.total())
		subjects = append(subjects, d.text()...)
		c.subjectEnd = append(c.subjectEnd, uint32(len(subjects)))
		c.files = d.ascending(c.files, uint64(len(h.paths)))
		c.fileEnd = append(c.fileEnd, uint32(len(c.files)))
		words := len(c.terms)
		c.terms = d.ascending(c.terms, 1<<32)
		c.termEnd = append(c.termEnd, uint32(len(c.terms)))
		c.counts = append(c.counts, d.take(len(c.terms)-words)...)
		if d.bad {
			return nil
		}
	}
	c.subjects = string(subjects)
	c.clip()
	return h
}

// clip gives back the spare room of what grew.
func (c *columns) clip() {
	c.hashes, c.times, c.totals = slices.Clone(c.hashes), slices.Clone(c.times), slices.Clone(c.totals)
	c.subjectEnd = slices.Clone(c.subjectEnd)
	c.files, c.fileEnd = slices.Clone(c.files), slices.Clone(c.fileEnd)
	c.terms, c.counts, c.termEnd = slices.Clone(c.terms), slices.Clone(c.counts), slices.Clone(c.termEnd)
}

func (d *decoder) check(ok bool) {
	if !ok {
		d.bad, d.b = true, nil
	}
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.b)
	if d.check(size > 0); d.bad {
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) signed() int64 {
	n := d.number()
	return int64(n>>1) ^ -int64(n&1) // as binary.Varint
}

// count reads the length of a list whose items take at least size bytes each: what
// follows bounds it.
func (d *decoder) count(size int) int {
	n := d.number()
	if d.check(n <= uint64(len(d.b)/max(1, size))); d.bad {
		return 0
	}
	return int(n)
}

func (d *decoder) take(n int) []byte {
	if d.check(n <= len(d.b)); d.bad {
		return nil
	}
	part := d.b[:n]
	d.b = d.b[n:]
	return part
}

func (d *decoder) text() string { return string(d.take(d.count(1))) }

func (d *decoder) total() uint8 {
	part := d.take(1)
	if d.check(len(part) == 1 && 1 <= part[0] && part[0] <= maxFiles); d.bad {
		return 0
	}
	return part[0]
}

// ascending appends a list whose values are below limit.
func (d *decoder) ascending(to []terms.Term, limit uint64) []uint32 {
	value := uint64(0)
	for i := range d.count(1) {
		step := d.number()
		d.check(step < limit-value && (step > 0 || i == 0))
		if d.bad {
			return to
		}
		value += step
		to = append(to, uint32(value))
	}
	return to
}
