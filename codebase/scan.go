package codebase

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// parsedCache is how many parse results are kept by content, so that switching
// branches back and forth parses nothing again.
const parsedCache = 2048

// scanner reads files into chunks. A RepoMap keeps its scanner for Update; the
// cache is all that changes in it.
type scanner struct {
	root  *jail.Root
	opts  Options
	cache *lru.Cache[string, *Chunk] // by path and content hash; safe for concurrent use
}

// Scan maps the folder. It fails if the folder itself cannot be read, a pattern
// is malformed, the parser cannot work, or ctx ends; a file that cannot be read
// is listed in [RepoMap.Skipped].
func Scan(ctx context.Context, root *jail.Root, opts Options) (*RepoMap, error) {
	if opts.MaxFileSize <= 0 {
		opts.MaxFileSize = DefaultMaxFileSize
	}
	cache, err := lru.New[string, *Chunk](parsedCache)
	if err != nil {
		return nil, err
	}
	return (&scanner{root, opts, cache}).full(ctx, nil)
}

// full walks the folder and reads everything that prev does not already hold.
func (s *scanner) full(ctx context.Context, prev *RepoMap) (*RepoMap, error) {
	d, err := discover(ctx, s.root, s.opts)
	if err != nil {
		return nil, err
	}
	chunks, err := s.read(ctx, d.files, prev, d.skipped)
	if err != nil {
		return nil, err
	}
	return s.build(d.filter, chunks, d.configs, d.skipped, nil), nil
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
	files := make([]string, 0, len(changed))
	configChanged := false
	for _, p := range changed {
		delete(skipped, p)
		if isConfig(p) {
			if !configChanged {
				configs, configChanged = maps.Clone(configs), true
			}
			m.scanner.readConfig(m.filter, configs, p)
		}
		if !m.known(dirOf(p)) || !m.filter.wantsFile(p) {
			continue
		}
		switch mode, ok := m.scanner.modeOf(p); {
		case ok && mode.IsRegular():
			files = append(files, p)
		case ok:
			skipped[p] = "not a regular file"
		}
	}
	fresh, err := m.scanner.read(ctx, files, nil, skipped)
	if err != nil {
		return nil, err
	}
	chunks := replaceChunks(m.chunks, changed, fresh)
	var before *RepoMap
	if !configChanged && !m.readsConfig(changed) {
		before = m
	}
	return m.scanner.build(m.filter, chunks, configs, skipped, before), nil
}

// needsWalk reports whether a changed path can change which files there are
// beyond itself: an ignore file, a folder, or a file in a folder not walked.
func (m *RepoMap) needsWalk(p string) bool {
	if path.Base(p) == ".gitignore" || p == ".git/info/exclude" || p == "." || p == "" {
		return true
	}
	if m.known(p) || !m.known(dirOf(p)) && !m.underExcluded(p) {
		return true
	}
	info, err := m.scanner.root.Stat(p)
	return err == nil && info.IsDir() && !m.underExcluded(p)
}

// known reports whether a folder was walked.
func (m *RepoMap) known(dir string) bool {
	_, ok := m.filter.ignores[dir]
	return ok
}

// underExcluded reports whether p or a folder above it is left out by name, by
// pattern or by an ignore file.
func (m *RepoMap) underExcluded(p string) bool {
	for i := 0; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		dir := p[:i]
		if !m.known(dirOf(dir)) {
			return false // made after the walk
		}
		if !m.known(dir) && !m.filter.entersFolder(dir) {
			return true
		}
	}
	return false
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

// modeOf tells what stands at p without following a link.
func (s *scanner) modeOf(p string) (fs.FileMode, bool) {
	entries, err := s.root.ReadDir(orDot(dirOf(p)))
	if err != nil {
		return 0, false
	}
	for _, e := range entries {
		if e.Name() == path.Base(p) {
			return e.Type(), true
		}
	}
	return 0, false
}

func (s *scanner) readConfig(f *filter, configs map[string]string, p string) {
	delete(configs, p)
	stack, ok := f.ignores[dirOf(p)]
	if !ok || stack.ignores(p, false) {
		return
	}
	if mode, ok := s.modeOf(p); !ok || !mode.IsRegular() {
		return
	}
	if b, err := s.root.ReadFile(p, maxConfigSize); err == nil {
		configs[p] = string(b)
	}
}

// read makes the chunks of paths, in order, on a few goroutines. Files that
// cannot be read go into skipped.
func (s *scanner) read(ctx context.Context, paths []string, prev *RepoMap, skipped map[string]string) ([]*Chunk, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	chunks := make([]*Chunk, len(paths))
	reasons := make([]string, len(paths))
	var (
		next     atomic.Int64
		wg       sync.WaitGroup
		progress sync.Mutex // serialises calls of Progress and guards done
		done     int
	)
	for range min(len(paths), max(2, runtime.GOMAXPROCS(0))) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(paths) {
					return
				}
				var err error
				if chunks[i], reasons[i], err = s.readChunk(ctx, paths[i], prev); err != nil {
					cancel(err)
					return
				}
				progress.Lock()
				if done++; s.opts.Progress != nil {
					s.opts.Progress(done, len(paths))
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
			skipped[paths[i]] = r
		}
	}
	return slices.DeleteFunc(chunks, func(c *Chunk) bool { return c == nil }), nil
}

// gone marks a file that no longer exists: neither a chunk nor skipped.
const gone = ""

// readChunk reads one file. An error is the parser's or ctx's.
func (s *scanner) readChunk(ctx context.Context, p string, prev *RepoMap) (*Chunk, string, error) {
	text, err := s.root.ReadFile(p, s.opts.MaxFileSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gone, nil
	}
	if err != nil {
		return nil, reasonOf(err), nil
	}
	if isBinary(text) {
		return nil, "binary", nil
	}
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])
	if prev != nil {
		if c, ok := prev.Chunk(p); ok && c.Hash == hash && !c.slow {
			return c, "", nil
		}
	}
	key := p + "\x00" + hash
	if c, ok := s.cache.Get(key); ok {
		return c, "", nil
	}
	c, err := s.parse(ctx, p, text)
	if err != nil {
		return nil, "", err
	}
	c.Hash = hash
	if !c.slow { // what a busy machine left out may be found another time
		s.cache.Add(key, c)
	}
	return c, "", nil
}

// binaryProbe is how far a file is looked at for NUL bytes, as git does.
const binaryProbe = 8000

func isBinary(text []byte) bool {
	head := text[:min(len(text), binaryProbe)]
	return slices.Contains(head, 0)
}

// parse makes the chunk of one text: everything that depends on this file alone.
func (s *scanner) parse(ctx context.Context, p string, text []byte) (*Chunk, error) {
	c := &Chunk{Path: p, Language: syntax.LanguageOf(p), Type: typeOf(p), Size: len(text)}
	var f syntax.File
	switch {
	case s.opts.Parser == nil:
		f.Partial = "no syntax: no parser"
	case c.Language == "":
		f.Partial = "no syntax: unknown language"
	default:
		var err error
		if f, err = s.opts.Parser.Parse(ctx, syntax.Request{Path: p, Language: c.Language, Source: text}); err != nil {
			return nil, err
		}
	}
	c.Symbols, c.Module, c.Partial, c.slow = f.Symbols, f.Module, f.Partial, f.Slow
	for _, i := range f.Imports {
		c.Imports = append(c.Imports, Import{Import: i})
	}
	c.uses = usesOf(c.Language, f.References)
	str := string(text)
	if !utf8.ValidString(str) {
		str = strings.ToValidUTF8(str, " ")
	}
	c.Tokens = tokens.Estimate(str)
	c.terms = newVector(p, string(text), c.Symbols)
	return c, nil
}
