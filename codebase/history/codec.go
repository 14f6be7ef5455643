package history

import (
	"bytes"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/codec"
)

// describe describes what is kept of a history, about 200 bytes a commit.
func (h *History) describe(c *codec.Coder) {
	m := &h.commits
	c.Text(&h.head, &h.prefix, &h.partial, &h.shallow, &m.subjects)
	codec.Int(c, &h.headTime)
	codec.List(c, &h.paths, func(path *string) { c.Text(path) })
	before := int64(0)
	codec.List(c, &m.times, func(t *int64) {
		codec.Near(c, t, before)
		before = *t
	})
	for _, ends := range []*[]uint32{&m.subjectEnd, &m.fileEnd, &m.termEnd} {
		last := uint32(0)
		codec.List(c, ends, func(end *uint32) {
			codec.Near(c, end, last)
			last = *end
		})
	}
	codec.List(c, &m.files, func(id *uint32) { codec.Uint(c, id) })
	codec.List(c, &m.terms, func(t *uint32) { c.Fixed(t) })
	c.Bytes(&m.hashes, &m.totals, &m.counts)
	if c.Reading {
		m.hashLen = len(h.head) / 2
		m.hashes, m.totals, m.counts = bytes.Clone(m.hashes), bytes.Clone(m.totals), bytes.Clone(m.counts)
		c.Check(h.sound())
	}
}

// sound reports whether all indexes in the decoded data are valid.
func (h *History) sound() bool {
	c, n := &h.commits, h.Len()
	cover := func(ends []uint32, size int) bool {
		return len(ends) == n && slices.IsSorted(ends) && (n == 0 && size == 0 || n > 0 && int(ends[n-1]) == size)
	}
	return cover(c.subjectEnd, len(c.subjects)) && cover(c.fileEnd, len(c.files)) && cover(c.termEnd, len(c.terms)) &&
		(c.hashLen == 20 || c.hashLen == 32 || c.hashLen+n == 0) && len(c.hashes) == n*c.hashLen &&
		len(c.totals) == n && !slices.ContainsFunc(c.totals, func(total uint8) bool { return total < 1 || total > maxFiles }) &&
		len(c.counts) == len(c.terms) && !slices.ContainsFunc(c.files, func(id uint32) bool { return int(id) >= len(h.paths) })
}

// clip gives back the spare room of what grew.
func (c *columns) clip() {
	c.hashes, c.times, c.totals = slices.Clone(c.hashes), slices.Clone(c.times), slices.Clone(c.totals)
	c.subjectEnd = slices.Clone(c.subjectEnd)
	c.files, c.fileEnd = slices.Clone(c.files), slices.Clone(c.fileEnd)
	c.terms, c.counts, c.termEnd = slices.Clone(c.terms), slices.Clone(c.counts), slices.Clone(c.termEnd)
}
