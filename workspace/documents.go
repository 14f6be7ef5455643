package workspace

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// docState holds the repository's own documents on disk. They are read at the first request.
type docState struct {
	*core
	linker linker // of the names in documents

	mu        sync.Mutex // guards the rest
	engines   map[documents.Shelf]retrieval.Engine
	languages []string // languages of translations that were requested

	set   *lazy[*documents.Set]
	last  *documents.Set // the last set; unchanged documents are taken from it
	begun bool           // set was asked for
	read  time.Time      // and when
}

func newDocuments(c *core) *docState {
	return &docState{core: c, engines: map[documents.Shelf]retrieval.Engine{}, linker: linker{pages: true}, set: &lazy[*documents.Set]{}}
}

// open opens the search of a part of a set.
func (d *docState) open(ctx context.Context, set *documents.Set, of documents.Shelf) (retrieval.Search, error) {
	engine, err := d.engine(of)
	if err != nil {
		return nil, err
	}
	return engine.Open(ctx, set.Searched(of))
}

// engine returns the engine of a shelf. That of the originals is kept for the next process.
func (d *docState) engine(of documents.Shelf) (retrieval.Engine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if engine := d.engines[of]; engine != nil {
		return engine, nil
	}
	o := retrieval.Options{Cache: d.opts.Cache, Root: d.shared, Kind: "documents", Meaning: d.meaning}
	if of.Aside {
		o.Kind = "asides"
	}
	if of.Language != "" || of.Rules {
		o.Cache = ""
	}
	engine, err := retrieval.New(o)
	if err == nil {
		d.engines[of] = engine
	}
	return engine, err
}

// close ends the work of the engines.
func (d *docState) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, engine := range d.engines {
		engine.Close()
	}
}

// speak starts the reading of translations in a language; false if they are read already.
func (d *docState) speak(language string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.Contains(d.languages, language) {
		return false
	}
	d.languages = append(d.languages, language)
	d.set, d.begun = &lazy[*documents.Set]{}, false
	return true
}

// onDisk is the set of the files on disk, read again where they may have changed since it was.
func (d *docState) onDisk(ctx context.Context) (*documents.Set, error) {
	d.mu.Lock()
	if d.opts.FollowCode && d.last != nil && d.opts.Now().Sub(d.read) > followAge {
		d.set, d.begun = &lazy[*documents.Set]{}, false
	}
	if !d.begun {
		d.begun, d.read = true, d.opts.Now()
	}
	set := d.set
	d.mu.Unlock()
	return set.get(ctx, d.core, d.produce)
}

func (d *docState) produce() (*documents.Set, error) {
	if d.opts.NoDocuments {
		return documents.Empty(), nil
	}
	d.mu.Lock()
	before, o := d.last, d.opts.Documents
	o.Languages = slices.Clone(d.languages)
	d.mu.Unlock()
	set, err := documents.Read(d.ctx, d.root, o, before)
	if err == nil {
		d.mu.Lock()
		d.last = set
		d.mu.Unlock()
	}
	return set, err
}

// refresh marks the documents to be read again if one of the paths may be a document, or a folder of them; no
// paths means everything.
func (d *docState) refresh(paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed := func(p string) bool { return !IsTreePath(p) && (d.last == nil || d.last.Concerns(p)) }
	if paths == nil || slices.ContainsFunc(paths, changed) {
		d.set, d.begun = &lazy[*documents.Set]{}, false
	}
}

// laidDocuments are the documents with a view's buffers laid over them, for the set on disk that was asked last.
type laidDocuments struct {
	mu   sync.Mutex // guards the rest
	disk *documents.Set
	laid *documents.Set
}

// Documents returns the folder's documents with the open buffers laid over them. ctx bounds the wait.
func (v *View) Documents(ctx context.Context) (*documents.Set, error) {
	disk, err := v.ws.docs.onDisk(ctx)
	if err != nil {
		return nil, err
	}
	l := v.docs
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.disk != disk {
		l.disk, l.laid = disk, disk
		for _, p := range slices.Sorted(maps.Keys(v.buffers)) {
			l.laid = l.laid.With(p, v.buffers[p])
		}
		if v.HasTree() {
			l.laid = l.laid.Without(toldBy(v.Tree(), l.laid))
		}
	}
	return l.laid, nil
}

// DocumentAt is the document at a path as the view has it, taken from the documents where they have been read; nil for no file.
func DocumentAt(v *View, p string) *documents.Document {
	text, ok := v.Text(p)
	if !ok {
		return nil
	}
	v.docs.mu.Lock()
	laid := v.docs.laid
	v.docs.mu.Unlock()
	if laid != nil {
		if d, known := laid.Document(p); known && d.Text == text {
			return d
		}
	}
	return documents.Parse(p, text)
}

// DocumentsFor is [View.Documents] with the translations in the language of a question.
func DocumentsFor(ctx context.Context, v *View, question string) (*documents.Set, error) {
	set, err := v.Documents(ctx)
	if err == nil {
		if l := set.Language(question); l != "" && v.ws.docs.speak(l) {
			return v.Documents(ctx)
		}
	}
	return set, err
}

// toldBy are the documents of a set, and their sections, that entries were imported from and still repeat.
func toldBy(t *tree.Snapshot, set *documents.Set) (out []documents.Told) {
	for _, e := range t.Entries() {
		im, ok := format.ImportedBy(e)
		file, anchor := im.Source()
		if _, there := set.Document(file); !ok || !there || e.Role != format.RoleEntry {
			continue
		}
		if text, _ := format.OriginalOf(e); format.SourceHash(text) == im.Hash { // it says what it states
			out = append(out, documents.Told{Path: file, Anchor: anchor, Hash: im.Hash})
		}
	}
	return out
}

// Knowledge returns the target of a question: the tree, and the documents if they are read before ctx ends.
// missing is the reason if they are not.
func Knowledge(ctx context.Context, v *View, question string) (in retrieval.Searchable, missing error) {
	return AddDocuments(ctx, v, v.Searchable(), question)
}

// AddDocuments adds the documents of a view to the target of a question; missing as in [Knowledge].
func AddDocuments(ctx context.Context, v *View, in retrieval.Searchable, question string) (all retrieval.Searchable, missing error) {
	set, err := DocumentsFor(ctx, v, question)
	if err != nil || set.Len() == 0 {
		return in, err
	}
	in.Documents = set.Snapshot()
	entries := in.Open
	in.Open = func(ctx context.Context) (retrieval.Search, error) {
		sections, err := SearchDocuments(ctx, v, set, question)
		if err != nil {
			return nil, err
		}
		if in.Snapshot.Len() == 0 {
			return sections, nil
		}
		search, err := entries(ctx)
		if err != nil {
			return nil, err
		}
		return retrieval.Both(search, sections), nil
	}
	return in, nil
}

// SearchDocuments is the search of a set's sections for a question. Sections of secondary documents come
// last; if the question names a release, they come before those that fit no better.
func SearchDocuments(ctx context.Context, v *View, set *documents.Set, question string) (retrieval.Search, error) {
	language := set.Language(question)
	first, err := v.ws.docs.open(ctx, set, documents.Shelf{Language: language})
	if err != nil {
		return nil, err
	}
	aside := func(ctx context.Context) (retrieval.Search, error) { return SearchAside(ctx, v, set, question) }
	if !documents.NamesRelease(question) {
		return retrieval.Behind(first, aside), nil
	}
	rest, err := aside(ctx)
	if err != nil {
		return nil, err
	}
	return retrieval.Both(rest, first), nil
}

// SearchAside is the search of secondary documents.
func SearchAside(ctx context.Context, v *View, set *documents.Set, question string) (retrieval.Search, error) {
	return v.ws.docs.open(ctx, set, documents.Shelf{Language: set.Language(question), Aside: true})
}

// SearchRules opens the search of rule files and contributors' guides.
func SearchRules(ctx context.Context, v *View, set *documents.Set) (retrieval.Search, error) {
	return v.ws.docs.open(ctx, set, documents.Shelf{Rules: true})
}

// HeadingAt is the anchor of the section of a document with text below it whose heading a place is in.
func HeadingAt(p, text string, at int) (anchor string, ok bool) {
	d := documents.Parse(p, text)
	s := d.Section(at)
	if s == nil || s.Level == 0 || at > s.Heading.End || strings.TrimSpace(s.Body.Of(text)) == "" {
		return "", false
	}
	return d.AnchorOf(s), true
}

// PromotedFrom is the entry that a document, or with #anchor a section of it, was promoted to.
func (v *View) PromotedFrom(source string) (*format.Entry, bool) {
	for _, e := range v.Tree().Entries() {
		if of, ok := format.ImportedBy(e); ok && of.From == source && of.Root == "" {
			return e, true
		}
	}
	return nil, false
}
