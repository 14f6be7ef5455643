package txntest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/txn"
)

var _ txn.FS = (*Disk)(nil)

// Disk is a folder in memory. It is safe for concurrent use. The zero value is
// not usable; see [NewDisk].
type Disk struct {
	// NoExchange makes it a file system that can neither swap names nor link.
	NoExchange bool
	// Journal makes it one that changes names in order, and both of a rename at
	// once: of what was not synced, the first so many changes survive.
	Journal bool
	// Devices are folders that lie on a device of their own.
	Devices []string

	mu    sync.Mutex
	root  *node
	log   []*change // of names, not yet durable, in order
	locks map[string]bool
	ticks int // of the clock; a token of each lock
}

// node is a file or a folder.
type node struct {
	isDir bool
	names map[string]*node // of a folder, as seen
	kept  map[string]*node // of a folder, durable
	content
	synced *content // of a file, durable; nil if nothing is
}

type content struct {
	data    []byte // never changed in place
	mode    fs.FileMode
	modTime time.Time
}

// change is one step's change of names.
type change struct{ parts []part }

type part struct {
	dir  *node
	name string
	to   *node // nil: removed
}

// NewDisk returns an empty folder.
func NewDisk() *Disk { return &Disk{root: newDir(), locks: map[string]bool{}} }

func newDir() *node {
	return &node{isDir: true, names: map[string]*node{}, kept: map[string]*node{}}
}

// find returns the node at a path, nil if there is none.
func (d *Disk) find(p string) (*node, error) {
	if !fs.ValidPath(p) {
		return nil, fmt.Errorf("%q: %w", p, jail.ErrEscapes)
	}
	at := d.root
	if p == "." {
		return at, nil
	}
	for name := range strings.SplitSeq(p, "/") {
		if !at.isDir {
			return nil, fmt.Errorf("%s: %w", p, syscall.ENOTDIR)
		}
		next, ok := at.names[name]
		if !ok {
			return nil, fmt.Errorf("%s: %w", p, fs.ErrNotExist)
		}
		at = next
	}
	return at, nil
}

func (d *Disk) file(p string) (*node, error) {
	n, err := d.find(p)
	if err == nil && n.isDir {
		err = fmt.Errorf("%s: %w", p, jail.ErrNotRegular)
	}
	return n, err
}

func (d *Disk) folder(p string) (*node, error) {
	n, err := d.find(p)
	if err == nil && !n.isDir {
		err = fmt.Errorf("%s: %w", p, syscall.ENOTDIR)
	}
	return n, err
}

// name changes names in one step.
func (d *Disk) name(parts ...part) {
	for _, p := range parts {
		if p.to == nil {
			delete(p.dir.names, p.name)
		} else {
			p.dir.names[p.name] = p.to
		}
	}
	d.log = append(d.log, &change{parts})
}

// now is a time that was never given before.
func (d *Disk) now() time.Time {
	d.ticks++
	return time.Date(2025, 1, 1, 0, 0, d.ticks, d.ticks, time.UTC)
}

// ReadFile implements [txn.FS], as do the methods after it.
func (d *Disk) ReadFile(p string, limit int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.file(p)
	if err != nil {
		return nil, err
	}
	if int64(len(n.data)) > limit {
		return nil, fmt.Errorf("%s: %w", p, jail.ErrTooLarge)
	}
	return slices.Clone(n.data), nil
}

// ReadHead reads the beginning of a file.
func (d *Disk) ReadHead(p string, n int64) ([]byte, error) {
	data, err := d.ReadFile(p, math.MaxInt64)
	return data[:min(int64(len(data)), n)], err
}

// ReadDir lists a folder, sorted.
func (d *Disk) ReadDir(p string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.folder(p)
	if err != nil {
		return nil, err
	}
	var list []fs.DirEntry
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		list = append(list, fs.FileInfoToDirEntry(newInfo(name, n.names[name])))
	}
	return list, nil
}

// Lstat describes what stands at a path.
func (d *Disk) Lstat(p string) (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.find(p)
	if err != nil {
		return nil, err
	}
	return newInfo(path.Base(p), n), nil
}

// Mkdir makes a folder.
func (d *Disk) Mkdir(p string) error { return d.add(p, newDir()) }

// Create makes a file.
func (d *Disk) Create(p string, data []byte, mode fs.FileMode, modTime time.Time) error {
	if mode == 0 {
		mode = 0o644
	}
	return d.add(p, &node{content: content{slices.Clone(data), mode, modTime}})
}

func (d *Disk) add(p string, n *node) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, err := d.folder(path.Dir(p))
	if err != nil {
		return err
	}
	if _, ok := dir.names[path.Base(p)]; ok || p == "." {
		return fmt.Errorf("%s: %w", p, fs.ErrExist)
	}
	if n.modTime.IsZero() {
		n.modTime = d.now()
	}
	d.name(part{dir, path.Base(p), n})
	return nil
}

// Append writes at the end of a file.
func (d *Disk) Append(p string, data []byte) error {
	err := d.Create(p, data, 0, time.Time{})
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.file(p)
	if err == nil {
		n.data = slices.Concat(n.data, data)
		n.modTime = d.now()
	}
	return err
}

// Sync makes a file's content durable.
func (d *Disk) Sync(p string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.file(p)
	if err == nil {
		now := n.content
		n.synced = &now
	}
	return err
}

// SyncDir makes a folder's names durable.
func (d *Disk) SyncDir(p string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, err := d.folder(p)
	if err != nil {
		return err
	}
	d.keepNames(dir)
	return nil
}

func (d *Disk) keepNames(dir *node) {
	if d.Journal {
		d.commitNames(dir)
		return
	}
	for _, c := range d.log {
		c.parts = slices.DeleteFunc(c.parts, func(p part) bool {
			if p.dir == dir {
				p.keep()
			}
			return p.dir == dir
		})
	}
	d.log = slices.DeleteFunc(d.log, func(c *change) bool { return len(c.parts) == 0 })
}

// commitNames makes all changes up to the last one in the folder durable.
func (d *Disk) commitNames(dir *node) {
	last := -1
	for i, c := range d.log {
		if slices.ContainsFunc(c.parts, func(p part) bool { return p.dir == dir }) {
			last = i
		}
	}
	for _, c := range d.log[:last+1] {
		for _, p := range c.parts {
			p.keep()
		}
	}
	d.log = slices.Clone(d.log[last+1:])
}

func (p part) keep() {
	if p.to == nil {
		delete(p.dir.kept, p.name)
	} else {
		p.dir.kept[p.name] = p.to
	}
}

// Rename moves and replaces.
func (d *Disk) Rename(from, to string) error { return d.move(from, to, true) }

// RenameNew moves to a free name.
func (d *Disk) RenameNew(from, to string) error { return d.move(from, to, false) }

func (d *Disk) move(from, to string, replace bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.find(from)
	if err != nil {
		return err
	}
	dir, err := d.folder(path.Dir(to))
	if err != nil {
		return err
	}
	old, taken := dir.names[path.Base(to)]
	if taken && (!replace || old.isDir) {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	if d.device(from) != d.device(to) {
		return fmt.Errorf("%s: %w", from, jail.ErrOtherDevice)
	}
	source, _ := d.folder(path.Dir(from))
	d.name(part{source, path.Base(from), nil}, part{dir, path.Base(to), n})
	return nil
}

// Link gives a file a second name.
func (d *Disk) Link(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.file(from)
	if err != nil {
		return err
	}
	dir, err := d.folder(path.Dir(to))
	if err != nil {
		return err
	}
	if d.NoExchange {
		return fmt.Errorf("%s: %w", from, errors.ErrUnsupported)
	}
	if _, taken := dir.names[path.Base(to)]; taken {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	d.name(part{dir, path.Base(to), n})
	return nil
}

// Exchange swaps two names.
func (d *Disk) Exchange(a, b string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.NoExchange {
		return fmt.Errorf("%s: %w", a, errors.ErrUnsupported)
	}
	x, err := d.find(a)
	if err != nil {
		return err
	}
	y, err := d.find(b)
	if err != nil {
		return err
	}
	if d.device(a) != d.device(b) {
		return fmt.Errorf("%s: %w", a, jail.ErrOtherDevice)
	}
	dirA, _ := d.folder(path.Dir(a))
	dirB, _ := d.folder(path.Dir(b))
	d.name(part{dirA, path.Base(a), y}, part{dirB, path.Base(b), x})
	return nil
}

func (d *Disk) device(p string) string {
	for _, dev := range d.Devices {
		if strings.HasPrefix(p, dev+"/") {
			return dev
		}
	}
	return ""
}

// Remove removes a file.
func (d *Disk) Remove(p string) error { return d.drop(p, false) }

// RemoveDir removes an empty folder.
func (d *Disk) RemoveDir(p string) error { return d.drop(p, true) }

func (d *Disk) drop(p string, folder bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.find(p)
	switch {
	case err != nil:
		return err
	case folder && !n.isDir:
		return fmt.Errorf("%s: %w", p, syscall.ENOTDIR)
	case p == "." || len(n.names) > 0:
		return fmt.Errorf("%s: %w", p, syscall.ENOTEMPTY)
	}
	dir, _ := d.folder(path.Dir(p))
	d.name(part{dir, path.Base(p), nil})
	return nil
}

// Lock takes a file's lock. Those of a process that is no more are dropped by
// [Disk.Restart].
func (d *Disk) Lock(p string) (func(), error) {
	if err := d.Create(p, nil, 0, time.Time{}); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locks[p] {
		return nil, fmt.Errorf("%s: %w", p, jail.ErrLocked)
	}
	n, err := d.file(p)
	if err != nil {
		return nil, err
	}
	d.ticks++
	n.data = fmt.Appendf(nil, "1 disk %d\n", d.ticks)
	locks := d.locks
	locks[p] = true
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(locks, p)
	}, nil
}

// Restart ends the processes that use the disk: their locks are gone.
func (d *Disk) Restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.locks = map[string]bool{}
}

// info describes a node.
type info struct {
	name string
	dir  bool
	size int
	content
}

func newInfo(name string, n *node) info {
	i := info{name, n.isDir, len(n.data), n.content}
	i.data = nil
	return i
}

// Name and the methods after it are those of [fs.FileInfo].
func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return int64(i.size) }
func (i info) ModTime() time.Time { return i.modTime }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return i.mode
}
