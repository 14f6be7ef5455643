package workspace

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// treeState is the context tree on disk, as it is opened, read and written.
type treeState struct {
	*shown
	changes    *changeState
	refreshing sync.Mutex // held by refresh: the loop and Init both call it

	derived  atomic.Pointer[tree.Snapshot] // for which generated files were looked at last
	deriving sync.Mutex                    // held while they are written

	arrived *Stage // the tree was read

	tracked tracked // whether git has what is personal
}

func (t *treeState) setStore(store *store.Store, brv *jail.Root) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.store, t.brv = store, brv
}

// open opens the context tree, nil if the folder has none. partly is told of its parts.
func (t *treeState) open(ctx context.Context, partly func(part *tree.Snapshot, done, total int)) (*store.Store, *jail.Root, error) {
	if stands, err := t.stands(); err != nil || !stands {
		return nil, nil, err
	}
	brv, err := t.root.WithoutLinks().Sub(brvDir)
	if err != nil {
		return nil, nil, err
	}
	store, err := store.OpenIn(ctx, brv, store.Options{
		Now: t.opts.Now, Seal: t.opts.Secret.For(brv.ID()), Trusted: t.trusted, Writable: t.tracked.mayWrite,
		Cache: t.opts.Cache, Shared: t.shared, Inputs: t.planInputs, Partly: partly,
	})
	if err != nil {
		return nil, nil, err
	}
	return store, brv, nil
}

// refresh reads the tree again if one of the paths lies in it; no paths
// means everything.
func (t *treeState) refresh(paths []string) bool {
	var touched []string
	for _, p := range paths {
		if p == ".brv" || p == TreeDir {
			touched = append(touched, "")
		} else if IsTreePath(p) {
			touched = append(touched, strings.TrimPrefix(p, TreeDir+"/"))
		}
	}
	if paths != nil && touched == nil {
		return false
	}
	t.refreshing.Lock()
	defer t.refreshing.Unlock()
	disk, err := t.read(touched)
	if err != nil {
		if t.ctx.Err() == nil {
			t.opts.Log.Warn("context tree", "err", err)
		}
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.store != nil {
		disk = t.store.Snapshot() // a change of our own may have come since it was read
	}
	v := t.view.Load()
	if v.disk == disk {
		return false
	}
	t.view.Store(newView(v.ws, v.onDisk(disk)))
	if late := disk.LateSaves(); len(late) > len(v.disk.LateSaves()) {
		t.opts.Log.Warn("another program saved an entry while brv-lsp replaced it",
			"problem", late[len(late)-1].Problem().Message)
	}
	return true
}

// lookAgain has files read again of which nobody may say that they changed.
func (t *treeState) lookAgain(store *store.Store) {
	after, paths := store.LookAgain()
	if after == 0 || !t.Serves() {
		return
	}
	for i, p := range paths {
		paths[i] = TreeDir + "/" + p
	}
	t.changes.lookAgain(after, paths)
}

// read reads the tree, and opens or closes it where the folder came, went or was
// made anew. refreshing is held.
func (t *treeState) read(touched []string) (*tree.Snapshot, error) {
	t.mu.Lock()
	store, brv := t.store, t.brv
	t.mu.Unlock()
	if store != nil {
		stands, err := t.stands()
		if err == nil && stands && t.root.Holds(brvDir, brv) {
			defer t.lookAgain(store)
			return store.Refresh(t.ctx, touched...)
		} else if err != nil {
			return nil, err
		}
		t.setStore(nil, nil)
		store.Close()
	}
	store, brv, err := t.open(t.ctx, nil)
	if err != nil {
		return nil, err
	}
	if store == nil {
		if before := t.View().disk; before.Len() == 0 && len(before.Skipped()) == 0 {
			return before, nil
		}
		return tree.NewSnapshot(nil, nil), nil
	}
	t.setStore(store, brv)
	return store.Snapshot(), nil
}

// show shows another tree on disk to readers; reading says that it is a part of it.
func (t *treeState) show(disk *tree.Snapshot, reading bool) {
	t.swap(func(v *View) *View {
		s := v.onDisk(disk)
		s.part = reading
		return newView(v.ws, s)
	})
}

// Unsaved are the open texts of entries which are not what the disk has, by tree path.
func (p *shown) Unsaved() map[string]string {
	v, texts := p.View(), map[string]string{}
	if v == nil {
		return nil
	}
	for at, text := range v.buffers {
		if entry, ok := v.EntryPath(at); ok && p.isUnsaved(v, entry, text) {
			texts[entry] = text
		}
	}
	return texts
}

// IsSavedEntry reports whether a file is one of the tree, and open with the text that it has on disk, if it is
// open.
func (p *shown) IsSavedEntry(at string) bool {
	v := p.View()
	entry, ok := strings.CutPrefix(at, TreeDir+"/")
	text, open := v.buffers[at]
	return ok && !(open && p.isUnsaved(v, entry, text))
}

// isUnsaved reports whether an open text is not what the disk has. That is looked at, since what was
// saved this moment may not have been read yet.
func (p *shown) isUnsaved(v *View, entry, text string) bool {
	if e, ok := v.disk.Entry(entry); ok && e.Text == text || v.isRemoved(TreeDir+"/"+entry, text) {
		return false
	}
	onDisk, err := p.root.ReadFile(TreeDir+"/"+entry, format.MaxFileSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return strings.TrimPrefix(string(onDisk), byteOrderMark) != strings.TrimPrefix(text, byteOrderMark)
}

// byteOrderMark stands before the text of some files, and is left out by some editors.
const byteOrderMark = "\ufeff"

// adopt shows the store's newest snapshot to readers.
func (t *treeState) adopt(store *store.Store) {
	t.lookAgain(store)
	t.swap(func(v *View) *View {
		if disk := store.Snapshot(); t.store == store && v.disk != disk {
			return newView(v.ws, v.onDisk(disk))
		}
		return v
	})
}
