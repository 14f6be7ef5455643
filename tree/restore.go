package tree

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// AppendRelations appends what the relations of a snapshot mean, for [Restore]: looking all of them up takes longer than reading
// all else of a large tree.
func AppendRelations(to []byte, s *Snapshot) []byte {
	places := make(map[string]int, s.Len())
	for i, e := range s.list {
		places[e.Path] = i
	}
	all := make([][]meaning, s.Len())
	for i, e := range s.list {
		mentions := map[format.Mention]int{}
		for k, m := range e.Relations {
			mentions[m] = k
		}
		for _, r := range s.Relations(e.Path) {
			m := meaning{mention: mentions[r.Mention], escapes: r.Escapes}
			if r.Target != "" {
				m.leads = []int{places[r.Target]}
			}
			for _, p := range r.Candidates {
				m.leads = append(m.leads, places[p])
			}
			all[i] = append(all[i], m)
		}
	}
	return codec.Append(to, func(c *codec.Coder) { describeMeanings(c, &all) })
}

// meaning is what a mention of an entry means. One entry that it leads to is its target, several are candidates.
type meaning struct {
	mention int   // its place among those of the entry
	leads   []int // places in the list of entries
	escapes bool
}

func describeMeanings(c *codec.Coder, all *[][]meaning) {
	codec.List(c, all, func(of *[]meaning) {
		codec.List(c, of, func(m *meaning) {
			codec.Uint(c, &m.mention)
			codec.List(c, &m.leads, func(place *int) { codec.Uint(c, place) })
			c.Flags(&m.escapes)
		})
	})
}

// Restore returns the snapshot of entries, sorted by path, whose relations [AppendRelations] wrote. ok is false where the data
// are not of as many entries and mentions.
func Restore(entries []*format.Entry, data []byte) (_ *Snapshot, ok bool) {
	var all [][]meaning
	if codec.Decode(data, func(c *codec.Coder) { describeMeanings(c, &all) }) != nil || len(all) != len(entries) {
		return nil, false
	}
	d := newDraft(emptySnapshot())
	d.s.list = entries
	d.records.Expect, d.places.Expect = len(entries), 3*len(entries)
	records := make([]record, len(entries))
	back := make([]int, len(entries))
	for i, e := range entries {
		records[i] = record{edition: d.edition, entry: e, relations: make([]Relation, len(all[i]))}
		d.records.Set(e.Path, &records[i])
		d.addPath(e.Path)
		d.entitle(step{e.Path, nil, e})
		for k, m := range all[i] {
			if m.mention >= len(e.Relations) || slices.ContainsFunc(m.leads, func(to int) bool { return to >= len(entries) }) {
				return nil, false
			}
			r := Relation{Mention: e.Relations[m.mention]}
			r.Escapes = m.escapes
			if len(m.leads) == 1 {
				r.Target = entries[m.leads[0]].Path
				back[m.leads[0]]++
			} else {
				for _, to := range m.leads {
					r.Candidates = append(r.Candidates, entries[to].Path)
				}
			}
			records[i].relations[k] = r
		}
	}
	for i, e := range entries { // in order, so that backlinks are
		for k, m := range all[i] {
			if len(m.leads) != 1 {
				continue
			}
			to := &records[m.leads[0]]
			if to.back == nil {
				to.back = make([]Backlink, 0, back[m.leads[0]])
			}
			to.back = append(to.back, Backlink{e.Path, &records[i].relations[k]})
		}
	}
	d.lazyFingerprint()
	return d.s, true
}
