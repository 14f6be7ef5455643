package codebase

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/records"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/texts"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// pendingSyntax marks the records of a map whose syntax is still being read.
const pendingSyntax = "syntax is still being read"

// scanner reads files into records. A RepoMap keeps its scanner for Update; its
// caches are all that changes in it.
type scanner struct {
	root    *jail.Root
	opts    Options
	symbols *symbolCache
	texts   *texts.Cache
	store   *records.Store                // nil: none
	cache   *lru.Cache[[32]byte, *record] // by records.Sum; safe for concurrent use
	words   map[string]*record            // by path: what the early map knows, while the syntax is read for the first time
	put     atomic.Bool                   // the store was given something since it was saved
}

// parsedCache is how many records are kept by content, so that switching
// branches back and forth parses nothing again.
const parsedCache = 2048

// Scan maps the folder. It fails if the folder itself cannot be read, a pattern
// is malformed, the parser is closed, or ctx ends; a file that cannot be read
// is listed in [RepoMap.Skipped].
func Scan(ctx context.Context, root *jail.Root, opts Options) (*RepoMap, error) {
	if opts.MaxFileSize <= 0 {
		opts.MaxFileSize = discover.DefaultMaxFileSize
	}
	return newScanner(root, opts).full(ctx, nil)
}

func newScanner(root *jail.Root, opts Options) *scanner {
	cache, err := lru.New[[32]byte, *record](parsedCache)
	if err != nil {
		panic(err) // only for a size below one
	}
	s := &scanner{root: root, opts: opts, symbols: newSymbolCache(), cache: cache}
	read := func(p string) (string, error) {
		text, err := root.ReadFile(p, opts.MaxFileSize)
		return string(text), err
	}
	s.texts = texts.New(read, texts.Options{Now: opts.Now})
	if opts.Cache != "" && opts.Parser != nil {
		s.store = records.Open(opts.Cache, root.Dir(), recordVersion+" "+syntax.Version)
	}
	return s
}

// full walks the folder and reads everything that neither prev nor the cache holds.
func (s *scanner) full(ctx context.Context, prev *RepoMap) (*RepoMap, error) {
	d, err := discover.Walk(ctx, s.root, discover.Options{
		Include: s.opts.Include, Exclude: s.opts.Exclude, MaxFileSize: s.opts.MaxFileSize, Config: imports.IsConfig,
	})
	if err != nil {
		return nil, err
	}
	s.texts.Clear()
	defer s.store.Release()
	known, unread := s.known(d.Files, prev)
	if s.opts.Early != nil && prev == nil && len(unread) >= worthEarly {
		if err := s.early(ctx, d, known, unread); err != nil {
			return nil, err
		}
	}
	chunks, err := s.read(ctx, unread, prev, d.Skipped, s.chunkReader(s.store))
	s.words = nil
	if err != nil {
		// What was read is not lost: the next start goes on from there.
		return nil, errors.Join(err, s.store.Save(func(string) bool { return true }))
	}
	m := s.build(d.Filter, byPath(known, chunks), d.Configs, d.Skipped, nil)
	if prev != nil {
		m.history = prev.history
	}
	return m, nil
}

// known returns the chunks of the files that did not change since they were read,
// and the others.
func (s *scanner) known(files []discover.File, prev *RepoMap) (known []*Chunk, unread []discover.File) {
	if s.store == nil {
		return nil, files
	}
	for _, f := range files {
		if c := s.unchanged(f, prev); c != nil {
			known = append(known, c)
		} else {
			unread = append(unread, f)
		}
	}
	return known, unread
}

// unchanged returns the chunk of a file that is, by its stamp, as it was when it was
// read last; nil if that is not sure.
func (s *scanner) unchanged(f discover.File, prev *RepoMap) *Chunk {
	kept, ok := s.store.ByStamp(f.Path, stampOf(f))
	if !ok {
		return nil
	}
	if prev != nil {
		if c, ok := prev.Chunk(f.Path); ok && bytes.HasPrefix(kept.Data, c.rec.hash[:]) {
			return c
		}
	}
	r, err := decodeRecord(kept.Data)
	if err != nil {
		return nil
	}
	return newChunk(f.Path, r, s.symbols)
}

func stampOf(f discover.File) records.Stamp {
	st := records.Stamp{Size: f.Size, ModTime: f.ModTime.UnixNano(), Inode: f.Inode}
	if !f.Changed.IsZero() {
		st.Change = f.Changed.UnixNano()
	}
	return st
}

// byPath joins two lists of chunks.
func byPath(a, b []*Chunk) []*Chunk {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y *Chunk) int { return cmp.Compare(x.Path, y.Path) })
	return all
}

// worthEarly is how many files must be unread for a map of their words to be worth
// the second reading: fewer are parsed in about a second.
const worthEarly = 300

// early gives the caller a map in which the unread files have their words alone.
func (s *scanner) early(ctx context.Context, d *discover.Found, known []*Chunk, unread []discover.File) error {
	skipped := maps.Clone(d.Skipped)
	chunks, err := s.read(ctx, unread, nil, skipped, s.readWords)
	if err != nil {
		return err
	}
	s.words = make(map[string]*record, len(chunks))
	for _, c := range chunks {
		s.words[c.Path] = c.rec
	}
	s.opts.Early(s.build(d.Filter, byPath(known, chunks), d.Configs, skipped, nil))
	return nil
}

// Update returns the map after the given files changed, were made or removed.
// The receiver stays as it is. A changed folder or .gitignore leads to a new
// walk, in which unchanged files are not parsed again.
func (m *RepoMap) Update(ctx context.Context, changed []string) (*RepoMap, error) {
	changed = slices.DeleteFunc(slices.Clone(changed), func(p string) bool { return !fs.ValidPath(p) })
	slices.Sort(changed)
	changed = slices.Compact(changed)
	if slices.ContainsFunc(changed, m.needsWalk) {
		return m.scanner.full(ctx, m)
	}
	skipped := maps.Clone(m.skipped)
	configs := m.configs
	files := make([]discover.File, 0, len(changed))
	configChanged := false
	for _, p := range changed {
		m.scanner.texts.Invalidate(p)
		delete(skipped, p)
		if imports.IsConfig(p) {
			if !configChanged {
				configs, configChanged = maps.Clone(configs), true
			}
			m.scanner.readConfig(m.filter, configs, p)
		}
		if !m.filter.WantsFile(p) {
			continue
		}
		switch f, err := discover.Stat(m.scanner.root, p); {
		case err == nil:
			files = append(files, f)
		case !gonePath(err):
			skipped[p] = discover.Reason(err)
		}
	}
	// A few files are parsed sooner than the store is read, which would then stay in
	// memory; the next start parses them once more.
	fresh, err := m.scanner.read(ctx, files, m, skipped, m.scanner.chunkReader(nil))
	if err != nil {
		return nil, err
	}
	chunks := replaceChunks(m.chunks, changed, fresh)
	var before *RepoMap
	if !configChanged && !m.readsConfig(changed) {
		before = m
	}
	next := m.scanner.build(m.filter, chunks, configs, skipped, before)
	next.history = m.history
	return next, nil
}

// needsWalk reports whether a changed path can change which files there are
// beyond itself: an ignore file, a folder, or a file in a folder not walked.
func (m *RepoMap) needsWalk(p string) bool {
	switch base := path.Base(p); {
	case p == ".", p == "", p == ".git/info/exclude":
		return true
	case base == ".gitignore":
		return !m.filter.UnderExcluded(dirOf(p))
	case base == ".git": // a folder became a repository of its own, or ceased to be one
		return !m.filter.UnderExcluded(dirOf(dirOf(p)))
	}
	if m.filter.Known(p) || !m.filter.Known(dirOf(p)) && !m.filter.UnderExcluded(p) {
		return true
	}
	info, err := m.scanner.root.Lstat(p)
	return err == nil && info.IsDir() && !m.filter.UnderExcluded(p)
}

// replaceChunks merges fresh chunks in for the changed paths.
func replaceChunks(old []*Chunk, changed []string, fresh []*Chunk) []*Chunk {
	out := make([]*Chunk, 0, len(old)+len(fresh))
	for _, c := range old {
		if _, ok := slices.BinarySearch(changed, c.Path); !ok {
			out = append(out, c)
		}
	}
	out = append(out, fresh...)
	slices.SortFunc(out, func(a, b *Chunk) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// gonePath reports that nothing stands at a path, or that a folder above it is
// none any more.
func gonePath(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (s *scanner) readConfig(f *discover.Filter, configs map[string]string, p string) {
	delete(configs, p)
	if !f.WantsConfig(p) {
		return
	}
	if _, err := discover.Stat(s.root, p); err != nil {
		return
	}
	if b, err := s.root.ReadFile(p, discover.MaxConfigSize(p)); err == nil {
		configs[p] = string(b)
	}
}

// now is the clock of the options.
func (s *scanner) now() time.Time {
	if s.opts.Now != nil {
		return s.opts.Now()
	}
	return time.Now()
}

// readText reads a configuration file that another one names.
func (s *scanner) readText(p string) (string, error) {
	b, err := s.root.ReadFile(p, discover.MaxConfigSize(p))
	return string(b), err
}

// readers is how many files are read at once: each of the parser's workers gets a
// few ahead, so that none waits for the next.
const readers = 8

// fileReader makes the chunk of one file, or says why there is none. An error is
// the parser's or ctx's.
type fileReader func(ctx context.Context, f discover.File, prev *RepoMap) (*Chunk, string, error)

// read makes the chunks of files, in order, on a few goroutines. Files that
// cannot be read go into skipped.
func (s *scanner) read(ctx context.Context, files []discover.File, prev *RepoMap, skipped map[string]string, one fileReader) ([]*Chunk, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	chunks := make([]*Chunk, len(files))
	reasons := make([]string, len(files))
	var (
		next     atomic.Int64
		wg       sync.WaitGroup
		progress sync.Mutex // serialises calls of Progress and guards done
		done     int
	)
	for range min(len(files), readers) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				var err error
				if chunks[i], reasons[i], err = one(ctx, files[i], prev); err != nil {
					cancel(err)
					return
				}
				progress.Lock()
				if done++; s.opts.Progress != nil {
					s.opts.Progress(done, len(files))
				}
				progress.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, r := range reasons {
		if r != "" {
			skipped[files[i].Path] = r
		}
	}
	return slices.DeleteFunc(chunks, func(c *Chunk) bool { return c == nil }), nil
}

// gone marks a file that no longer exists: neither a chunk nor skipped.
const gone = ""

// text reads a source file, or says why it is none.
func (s *scanner) text(p string) ([]byte, string) {
	text, err := s.root.ReadFile(p, s.opts.MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, gone
	case err != nil:
		return nil, discover.Reason(err)
	case isBinary(text):
		return nil, "binary"
	}
	return text, ""
}

// chunkReader reads files with their syntax, and keeps what it read in a store; nil: in
// none.
func (s *scanner) chunkReader(store *records.Store) fileReader {
	return func(ctx context.Context, f discover.File, prev *RepoMap) (*Chunk, string, error) {
		began := time.Now().UnixNano() // before the reading: see records.Record.Read
		text, reason := s.text(f.Path)
		if text == nil {
			return nil, reason, nil
		}
		sum := records.Sum(string(syntax.LanguageFor(f.Path, text)), text)
		r, data, err := s.record(ctx, store, f.Path, text, sum, prev)
		if err != nil {
			return nil, "", err
		}
		if !r.slow && store != nil { // what a busy machine left out may be found another time
			if data == nil {
				data = r.encode()
			}
			store.Put(records.Record{Path: f.Path, Stamp: stampOf(f), Read: began, Hash: sum, Data: data})
			s.put.Store(true)
		}
		if prev != nil {
			if c, ok := prev.Chunk(f.Path); ok && c.rec == r {
				return c, "", nil
			}
		}
		return newChunk(f.Path, r, s.symbols), "", nil
	}
}

// record finds what was read of a text before, or reads it. data is its encoding,
// if that is known.
func (s *scanner) record(ctx context.Context, store *records.Store, p string, text []byte, sum [32]byte, prev *RepoMap) (r *record, data []byte, err error) {
	hash := sha256.Sum256(text)
	if prev != nil {
		if c, ok := prev.Chunk(p); ok && c.rec.hash == hash && !c.rec.slow {
			return c.rec, nil, nil
		}
	}
	if r, ok := s.cache.Get(sum); ok {
		return r, nil, nil
	}
	if kept, ok := store.ByContent(p, sum); ok {
		if r, err := decodeRecord(kept.Data); err == nil && r.hash == hash {
			return r, kept.Data, nil
		}
	}
	if r, err = s.parse(ctx, p, text, hash, prev != nil); err != nil {
		return nil, nil, err
	}
	if r.slow {
		return r, nil, nil
	}
	// The parse's record holds texts that belong to the whole answer, and lists with
	// room to spare; and what is put into the store shares its memory with this one.
	data = r.encode()
	if r, err = decodeRecord(data); err != nil {
		return nil, nil, err
	}
	s.cache.Add(sum, r)
	return r, data, nil
}

// readWords reads one file without its syntax.
func (s *scanner) readWords(_ context.Context, f discover.File, _ *RepoMap) (*Chunk, string, error) {
	text, reason := s.text(f.Path)
	if text == nil {
		return nil, reason, nil
	}
	return newChunk(f.Path, wordsOf(f.Path, text, sha256.Sum256(text)), s.symbols), "", nil
}

// binaryProbe is how far a file is looked at for NUL bytes, as git does.
const binaryProbe = 8000

func isBinary(text []byte) bool {
	head := text[:min(len(text), binaryProbe)]
	return slices.Contains(head, 0)
}

// parse makes the record of one text. What an editor changed does not wait behind
// a whole tree.
func (s *scanner) parse(ctx context.Context, p string, text []byte, hash [32]byte, urgent bool) (*record, error) {
	var f syntax.File
	switch language := syntax.LanguageFor(p, text); {
	case s.opts.Parser == nil:
		f.Partial = "no syntax: no parser"
	case language == "":
		f.Partial = "no syntax: unknown language"
	default:
		var err error
		if f, err = s.opts.Parser.Parse(ctx, syntax.Request{Path: p, Language: language, Source: text, Urgent: urgent}); err != nil && (ctx.Err() != nil || errors.Is(err, syntax.ErrClosed)) {
			return nil, err
		} else if err != nil { // no worker: the words are known all the same, and it is tried again
			f = syntax.File{Partial: "no syntax: " + err.Error(), Slow: true}
		}
	}
	words := s.words[p]
	if words != nil && words.hash != hash {
		words = nil
	}
	return newRecord(p, text, hash, &f, words), nil
}

// sortedSkipped lists the skipped paths in order.
func sortedSkipped(m map[string]string) []Skipped {
	out := make([]Skipped, 0, len(m))
	for _, p := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Skipped{p, m[p]})
	}
	return out
}

// dirOf is path.Dir with "" for the top.
func dirOf(p string) string {
	return p[:max(strings.LastIndexByte(p, '/'), 0)]
}

func setOf(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
