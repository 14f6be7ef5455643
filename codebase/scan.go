package codebase

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/records"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/texts"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/lru"
)

// pendingSyntax marks records whose syntax is not read yet.
const pendingSyntax = "the file is still being parsed"

// scanner reads files into records. A RepoMap keeps its scanner for Update. Only the caches of a scanner change.
type scanner struct {
	root    *jail.Root
	opts    Options
	symbols *symbolCache
	texts   *texts.Cache
	store   *records.Store                // nil if there is none
	cache   *lru.Cache[[32]byte, *record] // by records.Sum
	drafts  *lru.Cache[[32]byte, *record] // the same for unsaved texts
	words   map[string]*record            // by path: the words in the early map, also from an earlier program, until the syntax is read
	seen    sightings
	put     atomic.Bool  // the store has unsaved records
	reads   atomic.Int64 // number of files read, for tests
}

// parsedCache is how many records are kept by content, so that switching between branches parses nothing again.
const parsedCache = 2048

// Scan maps the folder. It fails if the folder itself cannot be read, a pattern
// is malformed, the parser is closed, or ctx ends; a file that cannot be read
// is listed in [RepoMap.Skipped].
func Scan(ctx context.Context, root *jail.Root, opts Options) (*RepoMap, error) {
	m, err := Unread(ctx, root, opts)
	if err != nil {
		return nil, err
	}
	return m.Scan(ctx)
}

// Unread returns the map of a folder before it is read. It has no files, but can have unsaved texts (see
// [RepoMap.With]). Ignore files below the top do not count yet. It must not be updated. Unread fails in the same
// cases as [Scan].
func Unread(ctx context.Context, root *jail.Root, opts Options) (*RepoMap, error) {
	if opts.MaxFileSize <= 0 {
		opts.MaxFileSize = DefaultMaxFileSize
	}
	s := newScanner(root, opts)
	o := s.walking()
	o.Top = true
	d, err := discover.Walk(ctx, root, o)
	if err != nil {
		return nil, err
	}
	return s.build(mapParts{filter: d.Filter, configs: map[string]string{}, skipped: map[string]string{}}, nil), nil
}

// Scan is [Scan] of the folder of an [Unread] map.
func (m *RepoMap) Scan(ctx context.Context) (*RepoMap, error) { return m.scanner.full(ctx, nil) }

// walking returns the options for walking the folder.
func (s *scanner) walking() discover.Options {
	return discover.Options{
		Include: s.opts.Include, Exclude: s.opts.Exclude, MaxFileSize: s.opts.MaxFileSize, Config: imports.IsConfig,
	}
}

func newScanner(root *jail.Root, opts Options) *scanner {
	s := &scanner{
		root: root, opts: opts, symbols: newSymbolCache(),
		cache: lru.New[[32]byte, *record](parsedCache), drafts: lru.New[[32]byte, *record](draftCache),
	}
	read := func(p string) (string, error) {
		text, err := root.ReadFile(p, opts.MaxFileSize)
		return string(texts.Decode(p, text)), err
	}
	stamp := func(p string) any {
		info, err := root.Stat(p)
		if err != nil {
			return nil
		}
		return jail.RecordOf(info)
	}
	s.texts = texts.New(read, texts.Options{Now: opts.Now, Stamp: stamp})
	if opts.Cache != "" && opts.Parser != nil {
		of := records.Project{Root: root.Dir(), Repository: cmp.Or(opts.Repository, root.Dir())}
		s.store = records.Open(opts.Cache, of, recordVersion+" "+syntax.Version)
	}
	return s
}

// full walks the folder, and reads everything that is neither in prev nor in the cache.
func (s *scanner) full(ctx context.Context, prev *RepoMap) (*RepoMap, error) {
	began := time.Now() // before the files are examined
	d, err := discover.Walk(ctx, s.root, s.walking())
	if err != nil {
		return nil, err
	}
	defer s.store.Release()
	s.words = map[string]*record{}
	known, unread := s.known(d.Files, prev, began)
	for _, f := range unread {
		s.texts.Invalidate(f.Path)
	}
	if s.opts.Found != nil && prev == nil && len(unread) > 0 {
		s.opts.Found(s.build(mapParts{
			filter: d.Filter, chunks: byPath(known, s.awaited(unread)), configs: d.Configs, skipped: maps.Clone(d.Skipped),
		}, nil))
	}
	if s.opts.Preliminary != nil && prev == nil && len(unread) >= worthEarly {
		if err := s.preliminary(ctx, d, known, unread); err != nil {
			return nil, err
		}
	}
	store := s.store
	if prev != nil && len(unread) < fewFiles {
		store = nil
	}
	chunks, err := s.read(ctx, unread, prev, d.Skipped, s.chunkReader(store))
	s.words = nil
	if err != nil {
		// The records are saved, so that the next start continues from there.
		return nil, errors.Join(err, s.store.Save(func(string) bool { return true }))
	}
	chunks = byPath(known, chunks)
	if prev != nil && prev.equals(d, chunks) {
		return prev, nil
	}
	before := prev
	if prev != nil && (!maps.Equal(d.Configs, prev.configs) || !prev.resolver.Fresh()) {
		before = nil
	}
	m := s.build(mapParts{filter: d.Filter, chunks: chunks, configs: d.Configs, skipped: d.Skipped}, before)
	if prev != nil {
		m.history = prev.history
	}
	return m, nil
}

// equals reports whether a walk and the chunks read after it give the same map.
func (m *RepoMap) equals(d *discover.Found, chunks []*Chunk) bool {
	return slices.Equal(chunks, m.chunks) && maps.Equal(d.Configs, m.configs) && maps.Equal(d.Skipped, m.skipped) &&
		d.Filter.Equal(m.filter) && m.resolver.Fresh()
}

// known returns the chunks of unchanged files, and the other files.
func (s *scanner) known(files []discover.File, prev *RepoMap, walked time.Time) (known []*Chunk, unread []discover.File) {
	now := time.Now()
	for _, f := range files {
		c := s.seen.unchanged(f, prev, now)
		if c == nil {
			c = s.kept(f, prev, walked)
		}
		if c != nil {
			known = append(known, c)
		} else {
			unread = append(unread, f)
		}
	}
	return known, unread
}

// kept returns the stored chunk of a file if its stamp shows that it has not changed since an earlier program read
// it, or if git's index identifies its content. It is nil if that is not certain.
func (s *scanner) kept(f discover.File, prev *RepoMap, walked time.Time) *Chunk {
	kept, ok := s.store.ByStamp(f.Path, stampOf(f))
	if !ok && f.Blob != "" {
		kept, ok = s.store.ByBlob(f.Path, blobKey(f))
		kept.Read = walked.UnixNano()
	}
	if !ok {
		return nil
	}
	r, err := decodeRecord(kept.Data)
	if err != nil {
		return nil
	}
	if r.partial == pendingSyntax {
		if prev == nil {
			s.words[f.Path] = r
		}
		return nil
	}
	s.seen.add(f, time.Unix(0, kept.Read), r.hash)
	if prev != nil {
		if c, ok := prev.Chunk(f.Path); ok && c.rec.hash == r.hash {
			return c
		}
	}
	return newChunk(f.Path, r, s.symbols)
}

// blobKey returns the key of a file by its content hash in git's index.
func blobKey(f discover.File) [32]byte {
	return records.BlobKey(string(syntax.LanguageOf(f.Path)), f.Blob, f.Size)
}

// blobOf returns the key of a file that was read, by its content hash in git's index. It is zero if the text has
// another hash. A text with CRLF also counts with LF, since git may have converted the line ends.
func blobOf(f discover.File, text []byte) (none [32]byte) {
	if !f.Indexed(text) && !f.Indexed(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))) {
		return none
	}
	return blobKey(f)
}

func stampOf(f discover.File) records.Stamp {
	st := records.Stamp{Size: f.Size, ModTime: f.ModTime.UnixNano(), Inode: f.Inode}
	if !f.Changed.IsZero() {
		st.Change = f.Changed.UnixNano()
	}
	return st
}

// byPath merges two lists of chunks, in order of path.
func byPath(a, b []*Chunk) []*Chunk {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y *Chunk) int { return cmp.Compare(x.Path, y.Path) })
	return all
}

// fewFiles is the number of files that are parsed faster than the store is read, which takes some tens of
// milliseconds. They are not stored, so the next start parses them again.
const fewFiles = 16

// worthEarly is the number of unread files from which an early map with only their words is worth a second read.
// Fewer files are parsed in about a second.
const worthEarly = 300

// awaited returns chunks for files of which only the path is known yet.
func (s *scanner) awaited(files []discover.File) []*Chunk {
	chunks := make([]*Chunk, len(files))
	for i, f := range files {
		r := &record{size: int(f.Size), language: syntax.LanguageOf(f.Path), partial: pendingSyntax}
		chunks[i] = newChunk(f.Path, r, s.symbols)
	}
	return chunks
}

// preliminary gives the caller a map in which unread files have only their words.
func (s *scanner) preliminary(ctx context.Context, d *discover.Found, known []*Chunk, unread []discover.File) error {
	skipped := maps.Clone(d.Skipped)
	chunks, err := s.read(ctx, unread, nil, skipped, s.readWords)
	if err != nil {
		return errors.Join(err, s.store.Save(func(string) bool { return true }))
	}
	for _, c := range chunks {
		s.words[c.Path] = c.rec
	}
	s.opts.Preliminary(s.build(mapParts{filter: d.Filter, chunks: byPath(known, chunks), configs: d.Configs, skipped: skipped}, nil))
	return nil
}

// Update returns the map after the given files were changed, added or removed. The receiver stays as it is. A
// changed folder or .gitignore leads to a new walk, in which unchanged files are neither read nor parsed again. A
// walk (of ".", for example) that finds no change returns the receiver, without unsaved texts.
func (m *RepoMap) Update(ctx context.Context, changed []string) (*RepoMap, error) {
	m = m.saved()
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
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR): // a folder above it may be a file now
			skipped[p] = discover.Reason(err)
		}
	}
	fresh, err := m.scanner.read(ctx, files, m, skipped, m.scanner.chunkReader(nil))
	if err != nil {
		return nil, err
	}
	chunks := replaceChunks(m.chunks, changed, fresh)
	var before *RepoMap
	if !configChanged && !m.readsConfig(changed) {
		before = m
	}
	next := m.scanner.build(mapParts{filter: m.filter, chunks: chunks, configs: configs, skipped: skipped}, before)
	next.history = m.history
	return next, nil
}

// needsWalk reports whether a change at a path can add or remove other files: the path is an ignore file, a
// folder, or a file in a folder that was not walked.
func (m *RepoMap) needsWalk(p string) bool {
	switch base := path.Base(p); {
	case p == ".", p == "", p == ".git/info/exclude":
		return true
	case base == ".gitignore":
		return !m.filter.UnderExcluded(dirOf(p))
	case base == ".git": // a folder became a repository of its own, or stopped being one
		return !m.filter.UnderExcluded(dirOf(dirOf(p)))
	}
	if m.filter.Known(p) || !m.filter.Known(dirOf(p)) && !m.filter.UnderExcluded(p) {
		return true
	}
	info, err := m.scanner.root.Lstat(p)
	return err == nil && info.IsDir() && !m.filter.UnderExcluded(p)
}

// replaceChunks replaces the chunks of the changed paths by fresh ones.
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

// readText reads a configuration file that another one names.
func (m *RepoMap) readText(p string) (string, error) {
	if text, ok := m.over.text(p); ok {
		return text, nil
	}
	b, err := m.scanner.root.ReadFile(p, discover.MaxConfigSize(p))
	return string(b), err
}

// sortedSkipped lists the skipped paths, sorted.
func sortedSkipped(m map[string]string) []Skipped {
	out := make([]Skipped, 0, len(m))
	for _, p := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Skipped{p, m[p]})
	}
	return out
}

// dirOf is path.Dir, with "" for the top folder.
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

// Ignored returns a function that reports whether git ignores a file of the folder, by the present ignore files;
// see [discover.Ignored].
func Ignored(root *jail.Root) func(p string) bool {
	return discover.Ignored(root)
}
