package link

import (
	"maps"
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/shardmap"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Update returns the same as Build. It reads again only new and changed entries, and those that name something
// that was added to, removed from or changed in the code.
func (l *Links) Update(s *tree.Snapshot, code Code) *Links {
	r, keys := l.resolver, map[string]bool(nil)
	if code != r.code {
		var ok bool
		if r, keys, ok = r.next(code); !ok {
			return l.rebuilt(s, code)
		}
	}
	again, places, ok := l.changed(s, keys)
	if !ok {
		return l.rebuilt(s, code)
	}
	n := *l
	n.tree, n.resolver = s, r.after(code)
	d := n.draft(0)
	for p, e := range again {
		d.forget(p)
		if e != nil {
			d.read(e)
		}
	}
	n.resolver.meanings = nil
	written := l.marks.written
	if code != l.resolver.code {
		written = marksOf(code)
	}
	if places || !same(written, l.marks.written) {
		n.marks = follow(s, written)
	}
	return &n
}

func (l *Links) rebuilt(s *tree.Snapshot, code Code) *Links {
	next := Build(s, code)
	next.pages = l.pages
	return next
}

// changed returns the entries to read, by path, with nil for those that are gone. They are the edited ones, and
// those that depend on a changed key. places is whether paths can have other meanings. ok is false if a whole
// build is as fast.
func (l *Links) changed(s *tree.Snapshot, keys map[string]bool) (again map[string]*format.Entry, places, ok bool) {
	again, places = l.edited(s)
	for k := range keys {
		users, _ := l.users.Get(k)
		for _, p := range users {
			if _, known := again[p]; !known {
				again[p], _ = s.Entry(p)
			}
		}
	}
	return again, places, len(again) <= s.Len()/4+16
}

// edited returns the entries that changed, and whether any was added or removed. It ends early if so many changed
// that a whole build is as fast.
func (l *Links) edited(s *tree.Snapshot) (again map[string]*format.Entry, places bool) {
	again = map[string]*format.Entry{}
	if paths, known := s.Since(l.tree); known {
		for _, p := range paths {
			was, had := l.tree.Entry(p)
			if is, has := s.Entry(p); is != was {
				again[p], places = is, places || had != has
			}
		}
		return again, places
	}
	a, b := l.tree.Entries(), s.Entries()
	for (len(a) > 0 || len(b) > 0) && len(again) <= s.Len()/4+16 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Path < b[0].Path:
			again[a[0].Path], places = nil, true
			a = a[1:]
		case len(a) == 0 || b[0].Path < a[0].Path:
			again[b[0].Path], places = b[0], true
			b = b[1:]
		default:
			if a[0] != b[0] {
				again[b[0].Path] = b[0]
			}
			a, b = a[1:], b[1:]
		}
	}
	return again, places
}

// draft writes links that no other goroutine uses yet.
type draft struct {
	l     *Links
	alone bool // nothing is shared with older links
	texts shardmap.Draft[reading]
	about shardmap.Draft[[]incoming]
	users shardmap.Draft[[]string]
}

// draft starts from the values of l, which stay shared, or from nothing with room for the expected number.
func (l *Links) draft(expect int) *draft {
	d := &draft{l: l, alone: expect > 0}
	d.texts.Map, d.about.Map, d.users.Map = &l.read, &l.about, &l.users
	d.texts.Expect, d.about.Expect, d.users.Expect = expect, expect, expect
	return d
}

// read adds an entry's links.
func (d *draft) read(e *format.Entry) {
	if !format.Searchable(e) {
		return
	}
	is := d.l.resolver.read(d.l.tree, e)
	if len(is.keys) == 0 {
		return
	}
	d.texts.Set(e.Path, is)
	for i := range is.refs {
		if ref := &is.refs[i]; ref.Exists {
			with(&d.about, ref.Path, incoming{e.Path, ref}, d.alone)
		}
	}
	for _, k := range is.keys {
		with(&d.users, k, e.Path, d.alone)
	}
}

// forget removes an entry's links.
func (d *draft) forget(entry string) {
	is, ok := d.texts.Get(entry)
	if !ok {
		return
	}
	d.texts.Remove(entry)
	for _, k := range is.keys {
		delete(d.l.resolver.others, k) // it will be checked again
	}
	for i := range is.refs {
		without(&d.about, is.refs[i].Path, func(in incoming) bool { return in.entry == entry })
	}
	for _, k := range is.keys {
		without(&d.users, k, func(p string) bool { return p == entry })
	}
}

// with adds a value to a key's list. Others may use the present list, so it is copied unless alone is set.
func with[V any](d *shardmap.Draft[[]V], key string, v V, alone bool) {
	had, _ := d.Get(key)
	if !alone {
		had = slices.Clip(had)
	}
	d.Set(key, append(had, v))
}

// without drops values from a key's list. Others may use the present list, so it is copied.
func without[V any](d *shardmap.Draft[[]V], key string, drop func(V) bool) {
	had, ok := d.Get(key)
	if !ok || !slices.ContainsFunc(had, drop) {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(had), drop)
	if len(kept) == 0 {
		d.Remove(key)
		return
	}
	d.Set(key, kept)
}

// next returns a resolver for another state of the code, and the keys whose meaning may have changed. ok is false
// if so much is new that a whole build is as fast.
func (r *resolver) next(code Code) (n *resolver, changed map[string]bool, ok bool) {
	d := difference{changed: map[string]bool{}}
	now := code.Chunks()
	if !d.compare(r.code.Chunks(), now, len(now)/4+16) {
		return nil, nil, false
	}
	before, after := skippedPaths(r.code), skippedPaths(code)
	if d.paths = d.paths || !slices.Equal(before, after); !d.paths {
		n = r.fresh(code)
	} else {
		n = newResolver(code)
		d.cameOrWent(r, n)
		d.cameOrWent(n, r)
	}
	if sameDisk(r.code, code) {
		n.others = maps.Clone(r.others)
		return n, d.changed, true
	}
	// Paths that are on disk and not in the map are checked again, since the map does not tell whether they
	// changed.
	n.others = map[string]bool{}
	for p, there := range r.others {
		if n.exists(p) != there {
			d.changed[p] = true
		}
	}
	return n, d.changed, true
}

// sameDisk reports whether two states of the code differ only in unsaved texts, so that the same other paths
// exist.
func sameDisk(a, b Code) bool {
	x, xok := a.(*codebase.RepoMap)
	y, yok := b.(*codebase.RepoMap)
	return xok && yok && x.SamePaths(y)
}

func skippedPaths(code Code) (paths []string) {
	for _, s := range code.Skipped() {
		paths = append(paths, s.Path)
	}
	return paths
}

// difference collects the keys on which two states of the code disagree.
type difference struct {
	changed map[string]bool
	paths   bool // whether files were added or removed
	files   int  // the number of files that differ
}

// compare walks two sorted lists of files; false if more than limit differ.
func (d *difference) compare(a, b []*codebase.Chunk, limit int) bool {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Path < b[0].Path:
			d.names(a[0])
			d.paths, a = true, a[1:]
		case len(a) == 0 || b[0].Path < a[0].Path:
			d.names(b[0])
			d.paths, b = true, b[1:]
		default:
			d.file(a[0], b[0])
			a, b = a[1:], b[1:]
		}
		if d.files > limit {
			return false
		}
	}
	return true
}

// names adds all names that a file defines.
func (d *difference) names(c *codebase.Chunk) {
	d.files++
	for _, s := range c.Symbols() {
		d.changed[s.Name] = true
	}
}

// file adds the names whose definitions in a file changed.
func (d *difference) file(a, b *codebase.Chunk) {
	if a == b || a.Hash == b.Hash && a.Module == b.Module && a.Type == b.Type && a.Partial == b.Partial {
		return
	}
	d.files++
	if a.Module != b.Module || a.Type != b.Type {
		d.names(a)
		d.names(b)
		return
	}
	// The order counts too, since links to symbols of the same name keep the order of their places.
	was, is := byName(a), byName(b)
	for name, list := range was {
		if !slices.Equal(list, is[name]) {
			d.changed[name] = true
		}
	}
	for name := range is {
		if _, had := was[name]; !had {
			d.changed[name] = true
		}
	}
}

func byName(c *codebase.Chunk) map[string][]string {
	names := map[string][]string{}
	for _, s := range c.Symbols() {
		names[s.Name] = append(names[s.Name], s.Container)
	}
	return names
}

// cameOrWent adds the last names of the files and folders that a has and b lacks.
func (d *difference) cameOrWent(a, b *resolver) {
	for p := range a.files {
		if !b.files[p] {
			d.changed[path.Base(p)] = true
		}
	}
	for p := range a.folders {
		if !b.folders[p] {
			d.changed[path.Base(p)] = true
		}
	}
}
