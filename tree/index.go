package tree

import (
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/table"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A key is how relations are looked up: a path, folded, without .md. What a
// relation means depends on nothing but what its keys stand for, so a path that
// comes or goes concerns only the entries that ask for one of its keys.

// KeyOf is the key of a path, or of what a relation says.
func KeyOf(p string) string { return strings.TrimSuffix(format.Fold(p), ".md") }

// place is what stands at a key. All lists are sorted.
type place struct {
	edition uint64
	key     string
	files   []string // entries whose path has the key
	named   []string // entries whose file name has it
	folders []string // folders whose path has it
	askers  []string // entries with a relation that is looked up by it
}

func (p *place) empty() bool {
	return len(p.files)+len(p.named)+len(p.folders)+len(p.askers) == 0
}

// record is what the tree knows of one path.
type record struct {
	edition   uint64
	entry     *format.Entry
	relations []Relation // resolved
	back      []Backlink // sorted by source and place
}

// Node is a folder of the tree.
type Node struct {
	Path    string      // "" for the root
	Kind    format.Kind // KindDomain, KindTopic or KindSubtopic; 0 for the root
	Folders []string    // sorted
	Entries []string    // sorted

	edition uint64
}

// keysConcerned lists the keys whose meaning may change when p comes or goes: its
// own, its name's, its folder's, and, if it is a stub, those of the entry that
// it stands for.
func keysConcerned(p string) []string {
	key := KeyOf(p)
	keys := []string{key, path.Base(key)}
	if dir := path.Dir(p); dir != "." {
		keys = append(keys, format.Fold(dir))
	}
	if original, ok := StubFor(key); ok {
		keys = append(keys, original, path.Base(original))
	}
	return keys
}

// stubKey is the key of the stub that stands for an archived entry's key.
func stubKey(key string) string { return format.ArchiveDir + "/" + key + ".stub" }

// StubFor inverts stubKey.
func StubFor(key string) (original string, ok bool) {
	if original, ok = strings.CutPrefix(key, format.ArchiveDir+"/"); !ok {
		return "", false
	}
	return strings.CutSuffix(original, ".stub")
}

// keysAsked lists the keys that an entry's relations are looked up by, sorted.
func keysAsked(e *format.Entry) []string {
	if !e.Role.Relates() {
		return nil
	}
	var keys []string
	for _, r := range e.Relations {
		for _, p := range Meanings(e.Path, r.Form, r.Raw) {
			keys = append(keys, KeyOf(p))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// editions numbers drafts: what carries a draft's number is the draft's own and
// may be changed in place.
var editions atomic.Uint64

// draft is a snapshot that is being made from another.
type draft struct {
	s       *Snapshot
	edition uint64
	records table.Draft[*record]
	nodes   table.Draft[*Node]
	places  table.Draft[*place]
	titles  table.Draft[[]string]
}

func newDraft(s *Snapshot) *draft {
	n := *s
	d := &draft{s: &n, edition: editions.Add(1)}
	n.edition = d.edition
	d.records.Table, d.nodes.Table, d.places.Table, d.titles.Table = &n.records, &n.nodes, &n.places, &n.titles
	return d
}

// record returns the draft's own record of p, which is made if new.
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

// place returns the draft's own place of a key, which is made if new.
func (d *draft) place(key string) *place {
	old, ok := d.places.Get(key)
	if ok && old.edition == d.edition {
		return old
	}
	n := &place{edition: d.edition}
	if ok {
		*n = place{d.edition, old.key, slices.Clone(old.files), slices.Clone(old.named), slices.Clone(old.folders), slices.Clone(old.askers)}
	} else {
		n.key = strings.Clone(key) // a key may be a piece of a text, which the table must not keep
	}
	d.places.Set(n.key, n)
	return n
}

// change changes a place and forgets it if nothing is left there.
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

// folder returns the draft's own node of a folder and makes it, and those above
// it, if new.
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
