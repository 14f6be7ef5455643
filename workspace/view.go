package workspace

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// View is the workspace at one moment. It is immutable: what it computes late,
// it computes from inputs that never change. Only what says how far the folder is moves on: whether there is a
// tree (HasTree, NoTree), what is read of it and of the code (Partial, CodeRead), and the search that was ready
// last (LastSearch).
type View struct {
	ws *Workspace
	state

	tree    func() *tree.Snapshot
	trees   func() *tree.Snapshot // with the others
	links   func() *link.Links
	index   *lazy[retrieval.Search]
	open    *openView
	docs    *laidDocuments
	hasTree *atomic.Bool // the tree was computed
}

// state are the inputs of a view.
type state struct {
	disk    *tree.Snapshot
	code    *codebase.RepoMap        // as on disk
	openMap *lazy[*codebase.RepoMap] // code with the buffers laid over it
	buffers map[string]string        // open buffers by workspace path; never written to
	// removed are texts of buffers, by path, whose file was deleted while it had that text: there is nothing
	// in them that is not gone on purpose, and they do not count until they are edited. Never written to.
	removed map[string]string

	// The tree is base with the pending files as the buffers, else the disk, have
	// them. base is the last tree that was computed, so that a keystroke costs one
	// file however many are open.
	base    *tree.Snapshot
	pending []string // workspace paths

	part bool // disk is a part of the tree: the rest is being read
}

// newOpenMap is the map of the code with the buffers laid over it, which is to be made.
func newOpenMap() *lazy[*codebase.RepoMap] { return &lazy[*codebase.RepoMap]{news: codeCompleted} }

// openView is the view with its buffers laid over the code, made once.
type openView struct {
	once sync.Once
	view *View
}

// shown holds the folder's present view, and the parts that views are made with.
type shown struct {
	*core
	engine     retrieval.Engine
	lastSearch atomic.Pointer[SearchOf] // of the view whose index was ready last
	linker     linker                   // of the code on disk
	openLinker linker                   // of the code as the open buffers have it

	view  atomic.Pointer[View]
	mu    sync.Mutex // guards swaps of view, store and brv
	store *store.Store
	brv   *jail.Root // the folder that store works on, which closes it
}

// newView makes a view whose tree is still to be computed.
func newView(w *Workspace, s state) *View {
	v := &View{ws: w, state: s, index: &lazy[retrieval.Search]{}, open: &openView{}, docs: &laidDocuments{}, hasTree: new(atomic.Bool)}
	v.tree = sync.OnceValue(func() *tree.Snapshot {
		t := s.overlaid()
		v.hasTree.Store(true)
		return t
	})
	v.trees = sync.OnceValue(func() *tree.Snapshot { return w.others.beside(v.Tree()) })
	v.links = sync.OnceValue(func() *link.Links { return w.linker.of(v.Tree(), s.code, s.code, &w.openLinker) })
	return v
}

// onDisk is the state with another tree on disk.
func (s state) onDisk(disk *tree.Snapshot) state {
	before, removed := s.disk, map[string]string{}
	s.disk, s.base, s.pending = disk, disk, nil
	for p, text := range s.buffers {
		if !IsTreePath(p) {
			continue
		}
		s.pending = append(s.pending, p)
		entry, _ := entryPath(p)
		e, stood := before.Entry(entry)
		_, stands := disk.Entry(entry)
		if !stands && (stood && e.Text == text || s.isRemoved(p, text)) {
			removed[p] = text
		}
	}
	s.removed = removed
	return s
}

// isRemoved reports whether a buffer shows nothing but a file that was deleted.
func (s state) isRemoved(p, text string) bool {
	had, removed := s.removed[p]
	return removed && had == text
}

// withCode is the view after the code was read again; tree and index are shared.
func withCode(v *View, code *codebase.RepoMap) *View {
	next := *v
	next.code, next.openMap, next.open = code, newOpenMap(), &openView{}
	next.links = sync.OnceValue(func() *link.Links { return v.ws.linker.of(v.Tree(), code, code, &v.ws.openLinker) })
	return &next
}

// withPresentCode is the view with the code as it was read last: the code may have been
// read after the view was taken. The buffers stay those of the request, whose offsets
// count in them.
func withPresentCode(v *View) *View {
	present := v.Latest()
	switch {
	case present.code == v.code:
		return v
	case present.disk == v.disk && maps.Equal(present.buffers, v.buffers):
		return present
	}
	return withCode(v, present.code)
}

// WithCodeOnDisk is the view with the code that is there: the present one if the tree is the same,
// whose links are made.
func (v *View) WithCodeOnDisk() *View {
	switch present := v.Latest(); {
	case v.Code() == present.Code():
		return v
	case v.Tree() == present.Tree():
		return present
	default:
		return withCode(v, present.Code())
	}
}

// overlaid computes the tree.
func (s state) overlaid() *tree.Snapshot {
	t := s.base
	for _, p := range s.pending {
		entry, ok := entryPath(p)
		if !ok {
			continue
		}
		if text, open := s.buffers[p]; open && !s.isRemoved(p, text) {
			t = t.With(entry, text)
		} else if e, onDisk := s.disk.Entry(entry); onDisk {
			t = t.With(entry, e.Text)
		} else {
			t = t.Without(entry)
		}
	}
	return t
}

// Tree is the context tree with the open buffers laid over it.
func (v *View) Tree() *tree.Snapshot { return v.tree() }

// Disk is the context tree as it is on disk.
func (v *View) Disk() *tree.Snapshot { return v.disk }

// Code is the repo map as last read from disk; empty until the first read ended.
// In the view of [View.withOpen] it is as the open buffers have it.
func (v *View) Code() *codebase.RepoMap { return v.code }

// Links are the edges between the tree and the code.
func (v *View) Links() *link.Links { return v.links() }

// Latest is the view as it is now.
func (v *View) Latest() *View { return v.ws.View() }

// Workspace returns the folder of the view: the parts that move on while the view does not.
func (v *View) Workspace() *Workspace { return v.ws }

// Now is the time.
func (v *View) Now() time.Time { return v.ws.Now() }

// Logger is where the workspace reports to whoever runs it.
func (v *View) Logger() *slog.Logger { return v.ws.Logger() }

// HasTree reports whether the folder has a context tree by now.
func (v *View) HasTree() bool { return v.ws.HasTree() }

// NoTree says why it has none.
func (v *View) NoTree() error { return v.ws.NoTree() }

// Files returns the files of the folder, which no path leads out of.
func (v *View) Files() *jail.Root { return v.ws.root }

// Within limits how long an answer waits for what only makes it better.
func (v *View) Within(ctx context.Context, p Patience) (context.Context, context.CancelFunc) {
	return v.ws.Within(ctx, p)
}

// Used notes that entries were used.
func (v *View) Used(entries ...string) { v.ws.Used(entries...) }

// Buffer is the text of a file that is open in an editor.
func (v *View) Buffer(p string) (text string, open bool) {
	text, open = v.buffers[p]
	return text, open
}

// Searchable is the view as the ladder asks it.
func (v *View) Searchable() retrieval.Searchable {
	return retrieval.Searchable{Snapshot: v.Trees(), Open: v.Search}
}

// Search is the search of the tree. ctx bounds the wait, not the making of its
// index: what is not ready for this question is for the next.
func (v *View) Search(ctx context.Context) (retrieval.Search, error) {
	if last := v.ws.lastSearch.Load(); v.part && last != nil {
		return last.Search, nil // another part would be indexed for a moment only
	}
	return v.index.get(ctx, v.ws.core, v.makeIndex)
}

// PrepareSearch begins to make the index, without waiting for it.
func (v *View) PrepareSearch() {
	if !v.part {
		v.index.begin(v.ws.core, v.makeIndex)
	}
}

// LastSearch is the search that was ready last, of this tree or an earlier one; nil if there was none.
func (v *View) LastSearch() *SearchOf { return v.ws.lastSearch.Load() }

func (v *View) makeIndex() (retrieval.Search, error) {
	open := v.ws.engine.Open
	if r, ok := v.ws.engine.(*retrieval.Retriever); ok && v.part {
		open = r.OpenPart
	}
	search, err := open(v.ws.ctx, v.Trees())
	if err == nil {
		if len(v.ws.opts.Others) > 0 {
			search = retrieval.NearFirst(search)
		}
		v.ws.keepSearch(&SearchOf{v.Trees(), search, v.part})
	}
	return search, err
}

// SearchOf is a search with the tree that it is of.
type SearchOf struct {
	Tree   *tree.Snapshot
	Search retrieval.Search
	part   bool // the tree was still being read
}

// keepSearch keeps what is to be asked while another search is made: none of a part where
// there is one of the whole tree.
func (p *shown) keepSearch(s *SearchOf) {
	for {
		last := p.lastSearch.Load()
		if last != nil && s.part && !last.part || p.lastSearch.CompareAndSwap(last, s) {
			return
		}
	}
}

// LatestSearch is the search of the tree, or the last one that was ready where it is not:
// nearly the same between two keystrokes. It is nil where none is ready before ctx ends.
func (v *View) LatestSearch(ctx context.Context) *SearchOf {
	if v.part {
		return v.ws.lastSearch.Load()
	}
	t := v.index.begin(v.ws.core, v.makeIndex)
	if last := v.ws.lastSearch.Load(); last != nil && !t.Over() && !v.ws.opts.Unhurried {
		return last
	}
	search, err := v.Search(ctx)
	if err != nil {
		return nil
	}
	return &SearchOf{v.Trees(), search, false}
}

// Text returns the current text of a file: the open buffer, else the entry or
// code file on disk. ok is false for files that are not readable text.
func (v *View) Text(p string) (text string, ok bool) {
	if text, ok := v.buffers[p]; ok {
		return text, true
	}
	entry, ok := v.EntryPath(p)
	if _, _, other := format.CutTree(p); ok || other {
		e, ok := v.Entry(cmp.Or(entry, p))
		if !ok {
			return "", false
		}
		return e.Text, true
	}
	data, err := v.ws.root.ReadFile(p, codebase.DefaultMaxFileSize)
	return string(data), err == nil
}

// EntryPath turns a workspace path into a tree path; ok is false outside the tree
// and for files that are no markdown.
func (v *View) EntryPath(p string) (entry string, ok bool) { return entryPath(p) }

func entryPath(p string) (entry string, ok bool) {
	if entry, ok = strings.CutPrefix(p, TreeDir+"/"); !ok || !strings.HasSuffix(entry, ".md") {
		return "", false
	}
	return entry, true
}

// FilePath turns a tree path into a workspace path; that of an entry of another tree into an absolute path.
func (v *View) FilePath(entry string) string {
	if file, ok := v.ws.otherFile(entry); ok {
		return file
	}
	return TreeDir + "/" + entry
}

// LateSearch is the search of the view, whose index is made when it is first asked.
func (v *View) LateSearch() retrieval.Search {
	return func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		search, err := v.Search(ctx)
		if err != nil {
			return retrieval.Result{}, err
		}
		return search(ctx, q)
	}
}

// partOfTree names the missing part of an answer while the tree is read.
const partOfTree = "some entries are missing: the context tree is still being read"

// partOfSearch names the missing part between that and the first search of the whole tree.
const partOfSearch = "some entries are missing: the context tree was just opened and is not fully indexed"

// Reading reports whether the context tree of the view is only what of it was read so far.
func (v *View) Reading() bool { return v.part }

// Unmet says why a relation leads nowhere, "" if it leads to an entry.
func Unmet(v *View, r tree.Relation) string {
	if v.part && r.Target == "" && !r.Escapes {
		return "the context tree is still being read, so " + r.Raw + " was not resolved yet"
	}
	if other := r.Other(); other != "" && r.Target == "" {
		if !slices.Contains(OtherNames(v), other) {
			return "the tree " + other + " is not on this machine; run brv-lsp tree add " + other + " FOLDER|ADDRESS"
		}
		return "relation to " + r.Raw + ": no such entry in the tree " + other
	}
	return r.Problem()
}

// OtherNames are the names of the user's other trees that are read with a view's own.
func OtherNames(v *View) (out []string) {
	for _, o := range v.ws.opts.Others {
		out = append(out, o.Name)
	}
	return out
}

// Entry is an entry of the tree, of which while it is read only a part need be known.
func (v *View) Entry(p string) (*format.Entry, bool) {
	e, ok := v.Tree().Entry(p)
	if _, _, other := format.CutTree(p); other {
		return v.Trees().Entry(p)
	}
	if !ok && v.part {
		return store.ReadOne(v.ws.root, TreeDir, p)
	}
	return e, ok
}

// Partial reports whether requests do not wait for the search: the tree is being read, or
// was, in parts, and the search of all of it was never ready.
func (v *View) Partial() (missing string, ok bool) {
	if v.part {
		return partOfTree, true
	}
	last := v.ws.lastSearch.Load()
	if last != nil && last.part && !v.index.ready() {
		return partOfSearch, true
	}
	return "", false
}

// HasTree reports whether the folder has a context tree.
func (p *shown) HasTree() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.store != nil || p.view.Load().part
}

// swap puts another view in the place of the present one.
func (p *shown) swap(next func(*View) *View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view.Store(next(p.view.Load()))
}

// View returns the present state.
func (p *shown) View() *View {
	p.stir() // who asks leaves garbage too
	return p.view.Load()
}

// ErrReading is returned for changes of a tree that is still being read.
var ErrReading = errors.New("the context tree is still being read; try again in a moment")

// Store returns the tree's store, which the caller may change.
func (p *shown) Store() (*store.Store, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store == nil && p.view.Load().part {
		return nil, ErrReading
	}
	if p.store == nil {
		return nil, p.NoTree()
	}
	return p.store, nil
}

// linker makes links, from those made last where they help.
type linker struct {
	pages bool       // of documents, see [link.Pages]
	mu    sync.Mutex // held while links are made
	last  atomic.Pointer[madeLinks]
}

// madeLinks are links with the code on disk that theirs is, or is laid over.
type madeLinks struct {
	links      *link.Links
	tree       *tree.Snapshot
	code, disk *codebase.RepoMap
}

// of makes the links of a tree and a map. disk is the map, or what it is laid over. Where
// only other, the other linker, knows that disk, its links are the nearer ones: they share
// nearly all with what is made from them.
func (l *linker) of(t *tree.Snapshot, code, disk *codebase.RepoMap, other *linker) *link.Links {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, near := l.last.Load(), other.last.Load()
	if last != nil && last.tree == t && last.code == code {
		return last.links
	}
	if near != nil && near.disk == disk && (last == nil || last.disk != disk) {
		last = near
	}
	next := &madeLinks{tree: t, code: code, disk: disk}
	switch {
	case last != nil:
		next.links = last.links.Update(t, code)
	case l.pages:
		next.links = link.Pages(t, code)
	default:
		next.links = link.Build(t, code)
	}
	l.last.Store(next)
	return next.links
}

// LinksOf are links in which some entries say what they do in the view: those that were made last where neither they
// nor the code changed since. While another entry is typed its links need not be made for what is asked of these.
func LinksOf(v *View, entries ...*format.Entry) *link.Links {
	if last := v.ws.linker.last.Load(); last != nil && last.links.Holds(v.code, entries) {
		return last.links
	}
	if !v.ws.Serves() && len(entries) < v.Tree().Len()/4 { // a command asks once
		return link.Some(v.Tree(), v.code, entries)
	}
	return v.Links()
}

// noLinks are the links of an empty tree.
var noLinks = sync.OnceValue(func() *link.Links { return link.Build(tree.NewSnapshot(nil, nil), codebase.Empty()) })

// Trees is [View.Tree] with the entries of the user's other trees, which stand behind their names ([format.CutTree]). What
// changes there is in a later view.
func (v *View) Trees() *tree.Snapshot {
	if len(v.ws.opts.Others) > 0 && v.ws.Serves() && v.ws.others.due() {
		v.ws.Go(func() { v.ws.LookAtOthers(v.ws.ctx) })
	}
	return v.trees()
}

// otherFile is the absolute path of the file of an entry of another tree.
func (w *Workspace) otherFile(entry string) (file string, ok bool) {
	name, inner, ok := format.CutTree(entry)
	if !ok {
		return "", false
	}
	for _, o := range w.opts.Others {
		if o.Name == name {
			return filepath.ToSlash(o.Dir) + "/" + TreeDir + "/" + inner, true
		}
	}
	return "", false
}
