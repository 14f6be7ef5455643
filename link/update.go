package link

import (
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// touched reports whether a key changed.
func (is reading) touched(changed map[string]bool) bool {
	return len(changed) > 0 && slices.ContainsFunc(is.keys, func(k string) bool { return changed[k] })
}

// keep takes over what the disk answered for an entry that is not read again.
func (r *resolver) keep(before *resolver, is reading) {
	for _, k := range is.keys {
		if there, asked := before.others[k]; asked {
			if _, again := r.others[k]; !again {
				r.others[k] = there
			}
		}
	}
}

// next returns a resolver for another state of the code, and the keys whose meaning can
// have changed. ok is false where so much is new that a whole build is as fast.
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
	// What is on the disk and not in the map is asked again: it can have come or gone
	// whatever the map says.
	for p, there := range r.others {
		if n.exists(p) != there {
			d.changed[p] = true
		}
	}
	return n, d.changed, true
}

func skippedPaths(code Code) (paths []string) {
	for _, s := range code.Skipped() {
		paths = append(paths, s.Path)
	}
	return paths
}

// difference gathers the keys that two states of the code disagree on.
type difference struct {
	changed map[string]bool
	paths   bool // files came or went
	files   int  // that differ
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

// names adds all that a file defines.
func (d *difference) names(c *codebase.Chunk) {
	d.files++
	for _, s := range c.Symbols() {
		d.changed[s.Name] = true
	}
}

// file adds the names of which a file has others than before, in whatever order.
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
	// The order counts too: links to symbols of one name keep that of their places.
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

// cameOrWent adds the last names of the files and folders that a has and b has not.
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
