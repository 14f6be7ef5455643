package tree

import (
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/shardmap"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// editions numbers drafts. A record with the draft's number belongs to the draft and may be changed in place.
var editions atomic.Uint64

// draft is a snapshot that is being made from another.
type draft struct {
	s       *Snapshot
	edition uint64
	records shardmap.Draft[*record]
	nodes   shardmap.Draft[*Node]
	places  shardmap.Draft[*place]
	titles  shardmap.Draft[[]string]
}

func newDraft(s *Snapshot) *draft {
	n := *s
	d := &draft{s: &n, edition: editions.Add(1)}
	n.edition = d.edition
	d.records.Map, d.nodes.Map, d.places.Map, d.titles.Map = &n.records, &n.nodes, &n.places, &n.titles
	return d
}

// record returns the draft's own record of p and makes one if needed.
func (d *draft) record(p string) *record {
	old, ok := d.records.Get(p)
	if ok && old.edition == d.edition {
		return old
	}
	r := &record{edition: d.edition}
	if ok {
		*r = record{d.edition, old.entry, old.relations, slices.Clone(old.back)}
	}
	d.records.Set(p, r)
	return r
}

// place returns the draft's own place of a key and makes one if needed.
func (d *draft) place(key string) *place {
	old, ok := d.places.Get(key)
	if ok && old.edition == d.edition {
		return old
	}
	n := &place{edition: d.edition}
	if ok {
		*n = place{d.edition, old.key, slices.Clone(old.files), slices.Clone(old.named), slices.Clone(old.folders)}
	} else {
		n.key = strings.Clone(key) // a key may be a piece of a text, which the map must not keep
	}
	d.places.Set(n.key, n)
	return n
}

// change changes a place and deletes it if it is empty afterwards.
func (d *draft) change(key string, f func(*place)) {
	p := d.place(key)
	if f(p); p.empty() {
		d.places.Remove(key)
	}
}

func (d *draft) addPath(p string) {
	key := KeyOf(p)
	d.change(key, func(at *place) { at.files = with(at.files, p) })
	d.change(path.Base(key), func(at *place) { at.named = with(at.named, p) })
	n := d.folder(format.FolderOf(p))
	n.Entries = with(n.Entries, p)
}

func (d *draft) removePath(p string) {
	key := KeyOf(p)
	d.change(key, func(at *place) { at.files = without(at.files, p) })
	d.change(path.Base(key), func(at *place) { at.named = without(at.named, p) })
	n := d.folder(format.FolderOf(p))
	n.Entries = without(n.Entries, p)
	for n.Path != "" && len(n.Entries)+len(n.Folders) == 0 {
		dir := n.Path
		d.nodes.Remove(dir)
		d.change(format.Fold(dir), func(at *place) { at.folders = without(at.folders, dir) })
		n = d.folder(format.FolderOf(dir))
		n.Folders = without(n.Folders, dir)
	}
}

// folder returns the draft's own node of a folder. It makes the node, and those of the folders above, if
// needed.
func (d *draft) folder(dir string) *Node {
	old, ok := d.nodes.Get(dir)
	if ok && old.edition == d.edition {
		return old
	}
	n := &Node{Path: dir, edition: d.edition}
	if ok {
		*n = Node{dir, old.Kind, slices.Clone(old.Folders), slices.Clone(old.Entries), d.edition}
	}
	d.nodes.Set(dir, n)
	if !ok && dir != "" {
		n.Kind = min(format.Kind(strings.Count(dir, "/")+1), format.KindSubtopic)
		up := d.folder(format.FolderOf(dir))
		up.Folders = with(up.Folders, dir)
		d.change(format.Fold(dir), func(at *place) { at.folders = with(at.folders, dir) })
	}
	return n
}

// with inserts into a sorted list that the caller owns.
func with(list []string, v string) []string {
	i, ok := slices.BinarySearch(list, v)
	if ok {
		return list
	}
	return slices.Insert(list, i, v)
}

// without deletes from a sorted list that the caller owns.
func without(list []string, v string) []string {
	if i, ok := slices.BinarySearch(list, v); ok {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// step is the change of one file; old or now is nil where there is none.
type step struct {
	path     string
	old, now *format.Entry
}

// entitle updates the map of titles.
func (d *draft) entitle(c step) {
	before, after := format.TitleKey(c.old), format.TitleKey(c.now)
	if before == after {
		return
	}
	if before != "" {
		all, _ := d.titles.Get(before)
		if rest := without(slices.Clone(all), c.path); len(rest) > 0 {
			d.titles.Set(before, rest)
		} else {
			d.titles.Remove(before)
		}
	}
	if after != "" {
		all, _ := d.titles.Get(after)
		d.titles.Set(strings.Clone(after), with(slices.Clone(all), c.path))
	}
}

// lazyFingerprint gives a snapshot its fingerprint, made when it is first asked for.
func (d *draft) lazyFingerprint() { d.s.fingerprint = sync.OnceValue(d.s.hash) }
