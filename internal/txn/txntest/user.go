package txntest

import (
	"path"
	"slices"
	"strings"
	"time"
)

// The methods of this file stand for another program that changes the files. They act at once and durably.

// File is a file as it is seen.
type File struct {
	Data    string
	Mode    uint32
	ModTime time.Time
}

// Files returns the files outside the folders in except, by path.
func (d *Disk) Files(except ...string) map[string]File {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string]File{}
	var walk func(dir string, n *node)
	walk = func(dir string, n *node) {
		for name, child := range n.names {
			p := path.Join(dir, name)
			switch {
			case slices.Contains(except, p):
			case child.isDir:
				walk(p, child)
			default:
				out[p] = File{string(child.data), uint32(child.mode), child.modTime}
			}
		}
	}
	walk(".", d.root)
	return out
}

// Folders returns the folders outside those in except, by path.
func (d *Disk) Folders(except ...string) (dirs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var walk func(dir string, n *node)
	walk = func(dir string, n *node) {
		for name, child := range n.names {
			if p := path.Join(dir, name); child.isDir && !slices.Contains(except, p) {
				dirs = append(dirs, p)
				walk(p, child)
			}
		}
	}
	walk(".", d.root)
	slices.Sort(dirs)
	return dirs
}

// Write writes a whole file in place, as an editor does that opens and truncates
// it; it and its folders are made if missing.
func (d *Disk) Write(p, data string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n, err := d.file(p); err == nil {
		d.writeNode(n, data)
		return
	}
	d.put(p, data)
}

// Replace puts a new file in the place of the old, as an editor does that writes
// a temporary file and renames it.
func (d *Disk) Replace(p, data string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put(p, data)
}

// Hold opens a file, and returns a function that writes into it, wherever it is by
// then, and reports whether it has a name; nil if there is none.
func (d *Disk) Hold(p string) func(data string) (named bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.file(p)
	if err != nil {
		return nil
	}
	return func(data string) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.writeNode(n, data)
		return d.root.holds(n)
	}
}

func (n *node) holds(what *node) bool {
	for _, child := range n.names {
		if child == what || child.holds(what) {
			return true
		}
	}
	return false
}

// Delete removes a file or a folder with all it holds, if it is there.
func (d *Disk) Delete(p string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, err := d.folder(path.Dir(p))
	if err == nil && dir.names[path.Base(p)] != nil {
		d.name(part{dir, path.Base(p), nil})
		d.keepNames(dir)
	}
}

func (d *Disk) writeNode(n *node, data string) {
	n.data, n.modTime = []byte(data), d.now()
	durable := n.content
	n.synced = &durable
}

func (d *Disk) put(p, data string) {
	dir := d.root
	parts := strings.Split(p, "/")
	for _, name := range parts[:len(parts)-1] {
		next := dir.names[name]
		if next == nil || !next.isDir {
			next = newDir()
			d.name(part{dir, name, next})
			d.keepNames(dir)
		}
		dir = next
	}
	n := &node{content: content{mode: 0o644}}
	d.writeNode(n, data)
	d.name(part{dir, parts[len(parts)-1], n})
	d.keepNames(dir)
}
