package tree

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/shardmap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// emptySnapshot is the origin of every snapshot: a root and nothing else.
func emptySnapshot() *Snapshot {
	d := newDraft(&Snapshot{asked: &asked{}})
	d.folder("")
	d.lazyFingerprint()
	return d.s
}

// NewSnapshot builds a snapshot from parsed entries. Of two entries with one
// path the later counts.
func NewSnapshot(entries []*format.Entry, skipped []Skipped) *Snapshot {
	changed := make(map[string]*format.Entry, len(entries))
	for _, e := range entries {
		changed[e.Path] = e
	}
	return emptySnapshot().Replace(changed, skipped)
}

// With returns the snapshot in which the file at p has that text: an unsaved
// buffer laid over the disk. A file whose path is not plain is not read.
func (s *Snapshot) With(p, text string) *Snapshot {
	if old, ok := s.Entry(p); ok && old.Text == text || !sanitize.Plain(p) {
		return s
	}
	return s.Update(map[string]*format.Entry{p: format.Parse(p, text)})
}

// Without returns the snapshot in which the file at p does not exist.
func (s *Snapshot) Without(p string) *Snapshot { return s.Update(map[string]*format.Entry{p: nil}) }

// Update returns the snapshot after several files changed; a nil entry is a deleted file, and any other entry
// has its own path. The result equals one built from scratch. The cost depends on the change: the changed
// entries, those with relations that ask for a path that came or went, and one pass of copying over the list
// of entries.
func (s *Snapshot) Update(changed map[string]*format.Entry) *Snapshot {
	return s.Replace(changed, s.skipped)
}

// Replace is [Snapshot.Update] that also sets the list of skipped files.
func (s *Snapshot) Replace(changed map[string]*format.Entry, skipped []Skipped) *Snapshot {
	steps := make([]step, 0, len(changed))
	for p, now := range changed {
		old, _ := s.Entry(p)
		if old == now || old != nil && now != nil && old.Text == now.Text {
			continue
		}
		steps = append(steps, step{p, old, now})
	}
	if len(steps) == 0 && slices.Equal(skipped, s.skipped) {
		return s
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.path, b.path) })
	d := newDraft(s)
	d.s.skipped, d.s.recent = skipped, remember(s.recent, s.edition, steps)
	d.records.Expect, d.places.Expect = len(steps), 3*len(steps) // keys: of path, name and folder
	if len(steps) > 0 {
		d.apply(steps)
		d.lazyFingerprint()
	}
	return d.s
}

// apply makes the changes: paths first, then the keys that entries ask for, then the resolution of every
// relation that may have changed.
func (d *draft) apply(steps []step) {
	first := len(d.s.list) == 0 // then nobody asked before
	d.s.list = merged(d.s.list, steps)
	d.askAgain(steps)
	stale := map[string]bool{}
	for _, c := range steps {
		switch {
		case c.now == nil:
			d.unlink(c.path)
			d.records.Remove(c.path)
			d.removePath(c.path)
		default:
			d.record(c.path).entry = c.now
			stale[c.path] = true
		}
		if c.old == nil {
			d.addPath(c.path)
		}
		d.entitle(c)
	}
	if !first {
		for p := range concerned(d.s, steps) {
			stale[p] = true
		}
	}
	d.link(stale)
}

// merged brings changes into a sorted list of entries, in one pass.
func merged(list []*format.Entry, steps []step) []*format.Entry {
	out := make([]*format.Entry, 0, len(list)+len(steps))
	for _, c := range steps {
		i, found := position(list, c.path)
		out = append(out, list[:i]...)
		if found {
			i++
		}
		if list = list[i:]; c.now != nil {
			out = append(out, c.now)
		}
	}
	return append(out, list...)
}

// askers are the entries with a relation that is looked up by a key.
func askers(s *Snapshot, key string) []string {
	s.asked.once.Do(func() {
		keys := make([][]string, len(s.list))
		Each(len(s.list), 256, func(i int) { keys[i] = keysAsked(s.list[i]) })
		d := shardmap.Draft[[]string]{Map: &s.asked.by, Expect: 2 * len(s.list)}
		for i, e := range s.list { // in order, so the lists are sorted
			for _, key := range keys[i] {
				list, known := d.Get(key)
				if !known {
					key = strings.Clone(key) // it may be a piece of a text, which the map must not keep
				}
				d.Set(key, append(list, e.Path))
			}
		}
		s.asked.made.Store(true)
	})
	list, _ := s.asked.by.Get(key)
	return list
}

// askAgain updates the keys of changed entries, if keys were listed before.
func (d *draft) askAgain(steps []step) {
	before := d.s.asked
	d.s.asked = &asked{}
	if before == nil || !before.made.Load() { // nobody asked, as of an empty snapshot
		return
	}
	now := d.s.asked
	now.by = before.by
	now.once.Do(func() { now.made.Store(true) })
	by := shardmap.Draft[[]string]{Map: &now.by}
	change := func(keys, but []string, edit func([]string, string) []string, p string) {
		for _, key := range keys {
			if _, both := slices.BinarySearch(but, key); !both {
				list, _ := by.Get(key)
				by.Set(strings.Clone(key), edit(slices.Clone(list), p))
			}
		}
	}
	for _, c := range steps {
		old, now := keysAsked(c.old), keysAsked(c.now)
		change(old, now, without, c.path)
		change(now, old, with, c.path)
	}
}

// Concerned lists the entries with relations whose meaning may change if files are changed as by
// [Snapshot.Update].
func (s *Snapshot) Concerned(changed map[string]*format.Entry) map[string]bool {
	var steps []step
	for p, after := range changed {
		before, _ := s.Entry(p)
		steps = append(steps, step{p, before, after})
	}
	return concerned(s, steps)
}

// concerned returns the entries that ask for a key of a path that came or went.
func concerned(s *Snapshot, steps []step) map[string]bool {
	out := map[string]bool{}
	seen := map[string]bool{}
	for _, c := range steps {
		if (c.old == nil) == (c.now == nil) {
			continue
		}
		keys := keysConcerned(c.path)
		if domain, _, ok := strings.Cut(c.path, "/"); ok && len(s.At(domain)) <= len(steps) { // it may come or go
			keys = append(keys, format.Fold(domain))
		}
		for _, key := range keys {
			if seen[key] {
				continue
			}
			seen[key] = true
			for _, p := range askers(s, key) {
				out[p] = true
			}
		}
	}
	return out
}

// unlink removes the backlinks of an entry's relations.
func (d *draft) unlink(p string) {
	for _, r := range d.s.Relations(p) {
		if _, ok := d.records.Get(r.Target); ok && r.Target != "" {
			to := d.record(r.Target)
			from, end := backRange(to.back, p)
			to.back = slices.Delete(to.back, from, end)
		}
	}
}

// backRange is where a source's backlinks stand in a sorted list.
func backRange(back []Backlink, from string) (start, end int) {
	start, _ = slices.BinarySearchFunc(back, from, func(b Backlink, p string) int { return strings.Compare(b.From, p) })
	for end = start; end < len(back) && back[end].From == from; end++ {
	}
	return start, end
}

// link resolves the relations of the stale entries again and updates the backlinks.
func (d *draft) link(stale map[string]bool) {
	sources := make([]string, 0, len(stale))
	for p := range stale {
		sources = append(sources, p)
	}
	slices.Sort(sources)
	resolved := make([][]Relation, len(sources))
	Each(len(sources), 256, func(i int) {
		e, _ := d.s.Entry(sources[i])
		resolved[i] = d.resolved(e)
	})
	for i, p := range sources {
		r := d.record(p)
		if sameRelations(r.relations, resolved[i]) {
			continue
		}
		d.unlink(p)
		r.relations = resolved[i]
		d.backlink(p, resolved[i])
	}
}

// resolved returns an entry's resolved relations.
func (d *draft) resolved(e *format.Entry) []Relation {
	if !e.Role.Relates() {
		return []Relation{}
	}
	out := []Relation{}
	for _, m := range e.Relations {
		r := Relation{m, d.s.Resolve(e.Path, m.Form, m.Raw)}
		item := m.Form == format.FormWiki && m.At.End <= e.Body.Start // of a list in the properties
		if r.Target == "" && !item && !counts(d.s, r) {
			continue
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Relation) int { return a.At.Start - b.At.Start })
	return slices.Clone(out) // without room for the links that lead elsewhere
}

// counts reports whether a relation that leads nowhere counts as one: an item of `related` does, and a path
// in the text if it begins with a domain of the tree. Others are names such as @types/node, files, and links
// that editors follow.
func counts(s *Snapshot, r Relation) bool {
	switch r.Form {
	case format.FormRelated:
		return true
	case format.FormMarkdown:
		return r.Other() != ""
	case format.FormAt, format.FormWiki:
		domain, _, path := strings.Cut(r.Raw, "/")
		at, ok := s.places.Get(format.Fold(domain))
		leaves := r.Escapes && !strings.ContainsAny(r.Raw[:1], "~/") // what agents call a file
		return (leaves || r.Other() != "") && r.Form == format.FormAt || len(r.Candidates) > 0 || ok && path && len(at.folders) > 0
	}
	return false
}

func sameRelations(a, b []Relation) bool {
	return a != nil && slices.EqualFunc(a, b, func(a, b Relation) bool {
		return a.Form == b.Form && a.Raw == b.Raw && a.Heading == b.Heading && a.At == b.At &&
			a.Target == b.Target && a.Escapes == b.Escapes && slices.Equal(a.Candidates, b.Candidates)
	})
}

// backlink adds the backlinks of an entry's relations to their targets, those of one target at once. The
// entry has no backlinks before.
func (d *draft) backlink(p string, relations []Relation) {
	links := map[string][]Backlink{}
	for i := range relations {
		if r := &relations[i]; r.Target != "" {
			links[r.Target] = append(links[r.Target], Backlink{p, r})
		}
	}
	for target, more := range links {
		to := d.record(target)
		at, _ := backRange(to.back, p)
		to.back = slices.Insert(to.back, at, more...)
	}
}

// Each runs f for 0 … n-1, on all cores if n is at least that many.
func Each(n, atLeast int, f func(i int)) {
	if n < atLeast {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg panics.Group
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

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
