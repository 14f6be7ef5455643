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

// View is the workspace at one moment. It is immutable: it computes some parts on demand, but from inputs that
// never change. Only the progress of the folder changes: whether there is a tree (HasTree, NoTree), how much of it
// and of the code is read (Partial, CodeRead), and the last search that was ready (LastSearch).
type View struct {
	ws *Workspace
	state

	tree    func() *tree.Snapshot
	trees   func() *tree.Snapshot // the tree together with the user's other trees
	links   func() *link.Links
	index   *lazy[retrieval.Search]
	open    *openView
	docs    *laidDocuments
	hasTree *atomic.Bool // whether the tree was computed
}

// state holds the inputs of a view.
type state struct {
	disk    *tree.Snapshot
	code    *codebase.RepoMap        // as on disk
	openMap *lazy[*codebase.RepoMap] // code with the texts of the buffers
	buffers map[string]string        // workspace path → text of open buffers; never written to
	// removed holds texts of buffers, by path, whose file was deleted while it had that text. Such a text was
	// deleted on purpose, so it does not count until it is edited. Never written to.
	removed map[string]string

	// The tree is base with the present text of the pending files: from buffers, or else from disk. base is the
	// last computed tree, so that a keystroke costs one file, however many are open.
	base    *tree.Snapshot
	pending []string // workspace paths

	part bool // disk is only a part of the tree, since the rest is being read
}

// newOpenMap returns the map of the code with the texts of the buffers, which is made on demand.
func newOpenMap() *lazy[*codebase.RepoMap] { return &lazy[*codebase.RepoMap]{news: codeCompleted} }

// openView is the view with the texts of its buffers in the code, made once.
type openView struct {
	once sync.Once
	view *View
}

// shown holds the folder's present view, and the parts for making views.
type shown struct {
	*core
	engine     retrieval.Engine
	lastSearch atomic.Pointer[SearchOf] // the search that was ready last, with its view
	linker     linker                   // for the code on disk
	openLinker linker                   // for the code with the texts of open buffers

	view  atomic.Pointer[View]
	mu    sync.Mutex // guards the replacement of view, store and brv
	store *store.Store
	brv   *jail.Root // the folder that store works on; store closes it
}

// newView makes a view whose tree is computed on demand.
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

// onDisk returns the state with another tree on disk.
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

// isRemoved reports whether a buffer still has the text of a file that was deleted.
func (s state) isRemoved(p, text string) bool {
	had, removed := s.removed[p]
	return removed && had == text
}

// withCode returns the view after the code was read again; it shares tree and index.
func withCode(v *View, code *codebase.RepoMap) *View {
	next := *v
	next.code, next.openMap, next.open = code, newOpenMap(), &openView{}
	next.links = sync.OnceValue(func() *link.Links { return v.ws.linker.of(v.Tree(), code, code, &v.ws.openLinker) })
	return &next
}

// withPresentCode returns the view with the code that was read last, which may be newer than the view. The buffers
// stay those of the request, since its offsets refer to them.
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

// WithCodeOnDisk returns the view with the present code. If the present view has the same tree, it is returned,
// since its links are made already.
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

// Tree returns the context tree with the texts of open buffers.
func (v *View) Tree() *tree.Snapshot { return v.tree() }

// Disk returns the context tree as on disk.
func (v *View) Disk() *tree.Snapshot { return v.disk }

// Code returns the repo map as last read from disk; it is empty until the first read ends. In the view of
// [View.withOpen] it has the texts of open buffers.
func (v *View) Code() *codebase.RepoMap { return v.code }

// Links returns the links between the tree and the code.
func (v *View) Links() *link.Links { return v.links() }

// Latest returns the present view.
func (v *View) Latest() *View { return v.ws.View() }

// Workspace returns the folder of the view, with the parts that change while the view does not.
func (v *View) Workspace() *Workspace { return v.ws }

// Now returns the present time.
func (v *View) Now() time.Time { return v.ws.Now() }

// Logger returns the logger of the workspace.
func (v *View) Logger() *slog.Logger { return v.ws.Logger() }

// HasTree reports whether the folder has a context tree now.
func (v *View) HasTree() bool { return v.ws.HasTree() }

// NoTree returns why it has none.
func (v *View) NoTree() error { return v.ws.NoTree() }

// Files returns the files of the folder; no path leads out of it.
func (v *View) Files() *jail.Root { return v.ws.root }

// Within limits how long an answer waits for data that only improve it.
func (v *View) Within(ctx context.Context, p Patience) (context.Context, context.CancelFunc) {
	return v.ws.Within(ctx, p)
}

// Used records that entries were used.
func (v *View) Used(entries ...string) { v.ws.Used(entries...) }

// Buffer returns the text of a file that is open in an editor.
func (v *View) Buffer(p string) (text string, open bool) {
	text, open = v.buffers[p]
	return text, open
}

// Searchable returns the view in the form that the ladder uses.
func (v *View) Searchable() retrieval.Searchable {
	return retrieval.Searchable{Snapshot: v.Trees(), Open: v.Search}
}

// Search returns the search of the tree. ctx bounds the wait, but not the making of the index: it is then ready
// for a later question.
func (v *View) Search(ctx context.Context) (retrieval.Search, error) {
	if last := v.ws.lastSearch.Load(); v.part && last != nil {
		return last.Search, nil // the index of another part would be used only for a moment
	}
	return v.index.get(ctx, v.ws.core, v.makeIndex)
}

// PrepareSearch starts to make the index, without waiting for it.
func (v *View) PrepareSearch() {
	if !v.part {
		v.index.begin(v.ws.core, v.makeIndex)
	}
}

// LastSearch returns the search that was ready last, of this tree or an earlier one, nil if there was none.
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

// SearchOf is a search with its tree.
type SearchOf struct {
	Tree   *tree.Snapshot
	Search retrieval.Search
	part   bool // the tree was still being read
}

// keepSearch stores a search for use while another one is made. It does not replace the search of a whole tree by
// that of a part.
func (p *shown) keepSearch(s *SearchOf) {
	for {
		last := p.lastSearch.Load()
		if last != nil && s.part && !last.part || p.lastSearch.CompareAndSwap(last, s) {
			return
		}
	}
}

// Text returns the current text of a file: the open buffer, or else the entry or code file on disk. ok is false
// for files that are not readable text.
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

// EntryPath turns a workspace path into a tree path. ok is false outside of the tree and for files that are not
// Markdown.
func (v *View) EntryPath(p string) (entry string, ok bool) { return entryPath(p) }

func entryPath(p string) (entry string, ok bool) {
	if entry, ok = strings.CutPrefix(p, TreeDir+"/"); !ok || !strings.HasSuffix(entry, ".md") {
		return "", false
	}
	return entry, true
}

// FilePath turns a tree path into a workspace path. For an entry of another tree, it returns an absolute path.
func (v *View) FilePath(entry string) string {
	if file, ok := v.ws.otherFile(entry); ok {
		return file
	}
	return TreeDir + "/" + entry
}

// LateSearch returns the search of the view. Its index is made when it is first used.
func (v *View) LateSearch() retrieval.Search {
	return func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		search, err := v.Search(ctx)
		if err != nil {
			return retrieval.Result{}, err
		}
		return search(ctx, q)
	}
}

// partOfTree describes the missing part of an answer while the tree is read.
const partOfTree = "some entries are missing: the context tree is still being read"

// partOfSearch describes the missing part from then until the first search of the whole tree is ready.
const partOfSearch = "some entries are missing: the context tree was just opened and is not fully indexed"

// Reading reports whether the view has only a part of the context tree, since the rest is being read.
func (v *View) Reading() bool { return v.part }

// Unmet returns why a relation leads nowhere, "" if it leads to an entry.
func Unmet(v *View, r tree.Relation) string {
	if v.part && r.Target == "" && !r.Escapes {
		return "the context tree is still being read, so " + r.Raw + " was not resolved yet"
	}
	if other := r.Other(); other != "" && r.Target == "" {
		if !slices.Contains(OtherNames(v), other) {
			return "the tree " + other + " is not on this machine; run `brv-lsp tree add " + other + " FOLDER|ADDRESS`"
		}
		return "relation to " + r.Raw + ": no such entry in the tree " + other
	}
	return r.Problem()
}

// OtherNames returns the names of the user's other trees that are read with a view's own.
func OtherNames(v *View) (out []string) {
	for _, o := range v.ws.opts.Others {
		out = append(out, o.Name)
	}
	return out
}

// Entry returns an entry of the tree. While the tree is read, only a part of its entries is known.
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

// Partial reports whether requests do not wait for the search: the tree is being read, or was read in parts, and
// the search of the whole tree was never ready.
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

// swap replaces the present view.
func (p *shown) swap(next func(*View) *View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view.Store(next(p.view.Load()))
}

// View returns the present view.
func (p *shown) View() *View {
	p.stir() // requests leave garbage too
	return p.view.Load()
}

// ErrReading is returned for a change of a tree that is still being read.
var ErrReading = errors.New("the context tree is still being read; try again in a moment")

// Store returns the tree's store, with which the caller may change the tree.
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

// linker makes links, from the last ones if possible.
type linker struct {
	pages bool       // for documents, see [link.Pages]
	mu    sync.Mutex // held while links are made
	last  atomic.Pointer[madeLinks]
}

// madeLinks holds links, and the code on disk on which they are based.
type madeLinks struct {
	links      *link.Links
	tree       *tree.Snapshot
	code, disk *codebase.RepoMap
}

// of makes the links between a tree and a map. disk is the map on disk on which code is based, or code itself. If
// only the other linker has links for that disk, those are used, since they share most with the result.
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

// LinksOf returns links in which the given entries are as in the view. It returns the last links if neither these
// entries nor the code changed since. So a change in another entry does not make new links necessary.
func LinksOf(v *View, entries ...*format.Entry) *link.Links {
	if last := v.ws.linker.last.Load(); last != nil && last.links.Holds(v.code, entries) {
		return last.links
	}
	if !v.ws.Serves() && len(entries) < v.Tree().Len()/4 { // a command asks only once
		return link.Some(v.Tree(), v.code, entries)
	}
	return v.Links()
}

// noLinks returns the links of an empty tree.
var noLinks = sync.OnceValue(func() *link.Links { return link.Build(tree.NewSnapshot(nil, nil), codebase.Empty()) })

// Trees is [View.Tree] with the entries of the user's other trees, whose paths begin with the tree's name
// ([format.CutTree]). Changes in those trees appear in a later view.
func (v *View) Trees() *tree.Snapshot {
	if len(v.ws.opts.Others) > 0 && v.ws.Serves() && v.ws.others.due() {
		v.ws.Go(func() { v.ws.LookAtOthers(v.ws.ctx) })
	}
	return v.trees()
}

// otherFile returns the absolute path of the file of an entry in another tree.
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
