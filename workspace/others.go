package workspace

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Other is a tree of the user beside the folder's own. It is read with it, and never written through it.
type Other struct {
	Name string // see [format.IsTreeName]
	Dir  string // the folder that holds its `.brv`
}

const (
	othersDir = "trees" // in the user's own configuration
	pathEnd   = ".path" // ends a file that names a folder elsewhere
	// maxPath bounds such a file, in bytes.
	maxPath = 4096
)

// OwnTree is the name of the tree that the user alone has.
const OwnTree = "me"

// OthersIn lists the other trees of a user, by name, from the folder of their configuration: trees/NAME is a tree there,
// trees/NAME.path names the folder of one elsewhere.
func OthersIn(config string) (out []Other) {
	files, _ := os.ReadDir(filepath.Join(config, othersDir)) // most people have none
	for _, f := range files {
		name, elsewhere := strings.CutSuffix(f.Name(), pathEnd)
		dir := filepath.Join(config, othersDir, f.Name())
		if !format.IsTreeName(name) || len(out) > 0 && out[len(out)-1].Name == name {
			continue
		}
		if elsewhere {
			data, err := os.ReadFile(dir)
			if dir = strings.TrimSpace(string(data)); err != nil || len(data) > maxPath || !filepath.IsAbs(dir) {
				continue
			}
		} else if !f.IsDir() {
			continue
		}
		out = append(out, Other{name, dir})
	}
	return out
}

// PlaceOfOther is where the user's configuration keeps a tree of that name: the folder, or the file with its path.
func PlaceOfOther(config, name string) (dir, file string) {
	dir = filepath.Join(config, othersDir, name)
	return dir, dir + pathEnd
}

// lookEvery is how old what is known of the other trees may be: a team's changes some times a day.
const lookEvery = 5 * time.Second

// otherTrees are the user's other trees, as they are on disk.
type otherTrees struct {
	*core
	mu     sync.Mutex // guards the rest
	stores map[string]*store.Store
	seen   map[string]*tree.Snapshot // that all was made of

	own, all *tree.Snapshot // made last

	looked atomic.Int64 // when their folders were looked at last, in nanoseconds
}

// beside is a tree with the entries of the others behind their names.
func (o *otherTrees) beside(own *tree.Snapshot) *tree.Snapshot {
	if len(o.opts.Others) == 0 {
		return own
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stores == nil {
		o.stores, o.seen = map[string]*store.Store{}, map[string]*tree.Snapshot{}
		o.looked.Store(o.opts.Now().UnixNano())
		for _, other := range o.opts.Others {
			if err := o.open(other); err != nil {
				o.opts.Log.Warn("another tree was not read", "name", other.Name, "folder", other.Dir, "err", err)
			}
		}
	}
	changed := map[string]*format.Entry{}
	paths, known := own.Since(o.own)
	for _, p := range paths {
		changed[p], _ = own.Entry(p)
	}
	for name, s := range o.stores {
		now := s.Snapshot()
		paths, same := now.Since(o.seen[name])
		for _, p := range paths {
			changed[name+":"+p] = nil
			if e, ok := now.Entry(p); ok {
				changed[name+":"+p] = tree.Behind(name, e)
			}
		}
		known, o.seen[name] = known && same, now
	}
	if o.own = own; !known { // all is laid anew
		o.all = own
		clear(changed)
		for name, now := range o.seen {
			for _, e := range now.Entries() {
				changed[name+":"+e.Path] = tree.Behind(name, e)
			}
		}
	}
	if len(changed) > 0 {
		o.all = o.all.Update(changed)
	}
	return o.all
}

var errOther = errors.New("this tree can be changed only in its own folder; use --root, or --tree with its name")

// open opens a tree to read it. mu is held.
func (o *otherTrees) open(other Other) error {
	root, err := jail.Open(other.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if root.Dir() == o.root.Dir() {
		return nil // the folder's own
	}
	brv, err := root.WithoutLinks().Sub(brvDir)
	if err != nil {
		return err
	}
	s, err := store.OpenIn(o.ctx, brv, store.Options{Now: o.opts.Now, Cache: o.opts.Cache, Trusted: func() bool { return false },
		Writable: func() error { return errOther }})
	if err == nil {
		o.stores[other.Name] = s
	}
	return err
}

// due reports once in [lookEvery] that it is time to look again.
func (o *otherTrees) due() bool {
	last, now := o.looked.Load(), o.opts.Now().UnixNano()
	return last != 0 && now-last >= int64(lookEvery) && o.looked.CompareAndSwap(last, now)
}

// look reads again what may have changed, and reports whether anything did.
func (o *otherTrees) look(ctx context.Context) (changed bool) {
	o.mu.Lock()
	stores := maps.Clone(o.stores)
	o.mu.Unlock()
	for name, s := range stores {
		before := s.Snapshot()
		after, err := s.Refresh(ctx)
		if err != nil && ctx.Err() == nil {
			o.opts.Log.Warn("another tree was not read again", "name", name, "err", err)
		}
		changed = changed || err == nil && after != before
	}
	return changed
}

func (o *otherTrees) close() {
	for _, s := range o.stores {
		s.Close()
	}
}
