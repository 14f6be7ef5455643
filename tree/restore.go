package tree

import (
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// AppendRelations appends the resolved relations of a snapshot, for [Restore]: resolving them all takes
// longer than reading the rest of a large tree.
func AppendRelations(to []byte, s *Snapshot) []byte {
	all := make([][]Relation, s.Len())
	for i, e := range s.list {
		all[i] = s.Relations(e.Path)
	}
	return codec.Append(to, func(c *codec.Coder) { describeRelations(c, &all) })
}

func describeRelations(c *codec.Coder, all *[][]Relation) {
	codec.List(c, all, func(of *[]Relation) {
		codec.List(c, of, func(r *Relation) {
			codec.Int(c, &r.Form)
			c.Name(&r.Raw, &r.Heading, &r.Target)
			codec.Int(c, &r.At.Start, &r.At.End)
			codec.List(c, &r.Candidates, func(p *string) { c.Name(p) })
			c.Flags(&r.Escapes)
		})
	})
}

// Restore returns the snapshot of entries, sorted by path, with the relations that [AppendRelations] wrote.
// ok is false if the data do not belong to these entries. The data must not be changed afterwards.
func Restore(entries []*format.Entry, data []byte) (_ *Snapshot, ok bool) {
	var all [][]Relation
	if codec.Share(data, func(c *codec.Coder) { describeRelations(c, &all) }) != nil || len(all) != len(entries) {
		return nil, false
	}
	d := newDraft(emptySnapshot())
	d.s.list = entries
	d.records.Expect, d.places.Expect = len(entries), 3*len(entries)
	for i, e := range entries {
		r := d.record(e.Path)
		r.entry, r.relations = e, all[i]
		d.addPath(e.Path)
		d.entitle(step{e.Path, nil, e})
	}
	for i, e := range entries { // in order, so that backlinks are
		for k := range all[i] {
			r := &all[i][k]
			if to, known := d.records.Get(r.Target); known {
				to.back = append(to.back, Backlink{e.Path, r})
			} else if r.Target != "" || r.At.Start < 0 || r.At.Start > r.At.End || r.At.End > len(e.Text) {
				return nil, false
			}
		}
	}
	d.lazyFingerprint()
	return d.s, true
}
