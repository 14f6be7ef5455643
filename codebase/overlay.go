package codebase

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/codebase/records"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// overlay are the unsaved texts that a map sees instead of its files.
type overlay struct {
	base      *RepoMap
	requested map[string]string // what With was given
	texts     map[string]string // of these, what the map is made of: the texts that differ from its files
}

// With returns the map with unsaved texts laid over its files, by path: it equals a
// [Scan] of the folder with these texts saved, but for ignore files, which rule as
// they are on disk. The receiver stays as it is. Texts that do not belong to the map
// and are none of its configuration files are passed over.
//
// On a map that has texts laid over it With lays others instead, and [RepoMap.Update]
// returns the next map without any. A text that equals the file costs one hash, one
// that was laid over before nothing, and another one what Update of its file costs.
// If no text differs, the map without texts is returned, and for the same texts as the
// last time the same map.
func (m *RepoMap) With(ctx context.Context, texts map[string]string) (*RepoMap, error) {
	base := m.saved()
	if base.filter == nil {
		return base, nil // no folder was read
	}
	prev := base.overlay.Load()
	if prev == nil {
		prev = base
	}
	over := &overlay{base: base, requested: maps.Clone(texts), texts: base.differing(texts, prev.over)}
	switch {
	case len(over.texts) == 0:
		return base, nil
	case prev.over != nil && maps.Equal(prev.over.texts, over.texts):
		return prev, nil
	}
	next, err := base.lay(ctx, over, prev)
	if err != nil {
		return nil, err
	}
	base.overlay.Store(next)
	return next, nil
}

// saved returns the map without what is laid over it.
func (m *RepoMap) saved() *RepoMap {
	if m.over != nil {
		return m.over.base
	}
	return m
}

// differing returns the texts that are not what the map without texts was made of. Those
// that were asked about last time are not hashed again. A file whose syntax is still being read gave
// less than its text does.
func (m *RepoMap) differing(texts map[string]string, last *overlay) map[string]string {
	out := map[string]string{}
	for p, text := range texts {
		if last != nil {
			if before, ok := last.requested[p]; ok && before == text {
				if _, laid := last.texts[p]; laid {
					out[p] = text
				}
				continue
			}
		}
		if m.differs(p, text) {
			out[p] = text
		}
	}
	return out
}

func (m *RepoMap) differs(p, text string) bool {
	if c, ok := m.Chunk(p); ok {
		return c.Pending() || sha256.Sum256([]byte(text)) != c.rec.hash
	}
	switch {
	case !fs.ValidPath(p):
		return false
	case m.resolver.Reads(p):
		saved, err := m.readText(p)
		return err != nil || saved != text
	case m.filter.WouldWantConfig(p):
		if saved, ok := m.configs[p]; ok && saved == text && !m.filter.WouldWant(p) {
			return false
		}
	case !m.filter.WouldWant(p):
		return false
	}
	return m.scanner.savable(m.filter, p)
}

// savable reports whether a file could stand at a path that is not in the map: there is
// none, or a regular one, and no link or file above it.
func (s *scanner) savable(f *discover.Filter, p string) bool {
	info, err := s.root.Lstat(p)
	if err == nil && !info.Mode().IsRegular() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	for dir := dirOf(p); !f.Known(dir); dir = dirOf(dir) {
		info, err := s.root.Lstat(dir)
		if err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// lay makes the map with other texts over it, from the one that was made last.
func (m *RepoMap) lay(ctx context.Context, over *overlay, prev *RepoMap) (*RepoMap, error) {
	parts := mapParts{filter: m.filter, configs: m.configs, skipped: maps.Clone(m.skipped), over: over}
	changed, fresh := m.uncovered(over, prev) // against prev
	for p, text := range over.texts {
		parts.layConfig(p, text)
		reason := "" // why it is no file of the map
		if m.filter.WouldWant(p) {
			if reason = m.scanner.refuse(text); reason != "" {
				parts.skipped[p] = reason
			} else {
				delete(parts.skipped, p)
			}
		}
		if before, ok := prev.over.text(p); ok && before == text {
			continue // prev has its chunk
		}
		changed = append(changed, p)
		if reason != "" || !m.filter.WouldWant(p) {
			continue
		}
		r, err := m.scanner.draft(ctx, p, text)
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, newChunk(p, r, m.scanner.symbols))
	}
	slices.Sort(changed)
	parts.chunks = replaceChunks(prev.chunks, changed, fresh)
	before := prev
	if !maps.Equal(parts.configs, prev.configs) || prev.readsConfig(changed) {
		before = nil
	}
	next := m.scanner.build(parts, before)
	next.history = m.history
	return next, nil
}

// uncovered returns the paths that prev has a text laid over and over has not, with
// what the files themselves gave.
func (m *RepoMap) uncovered(over *overlay, prev *RepoMap) (paths []string, chunks []*Chunk) {
	if prev.over == nil {
		return nil, nil
	}
	for p := range prev.over.texts {
		if _, ok := over.texts[p]; ok {
			continue
		}
		paths = append(paths, p)
		if c, ok := m.Chunk(p); ok {
			chunks = append(chunks, c)
		}
	}
	return paths, chunks
}

// layConfig lays a text over the configuration files.
func (p *mapParts) layConfig(at, text string) {
	if !p.filter.WouldWantConfig(at) {
		return
	}
	p.configs = maps.Clone(p.configs)
	delete(p.configs, at)
	if int64(len(text)) <= discover.MaxConfigSize(at) {
		p.configs[at] = text
	}
}

// text returns what is laid over a file; a nil overlay covers none.
func (o *overlay) text(p string) (string, bool) {
	if o == nil {
		return "", false
	}
	text, ok := o.texts[p]
	return text, ok
}

// unsaved are the texts by path.
func (o *overlay) unsaved() map[string]string {
	if o == nil {
		return nil
	}
	return o.texts
}

// refuse says why a text is no file of the map; see [scanner.text].
func (s *scanner) refuse(text string) string {
	switch {
	case int64(len(text)) > s.opts.MaxFileSize:
		return discover.Reason(jail.ErrTooLarge)
	case discover.IsBinary(text):
		return binaryReason
	}
	return ""
}

// draftCache is how many records of unsaved texts are kept by content: an edit that is
// undone or saved parses nothing.
const draftCache = 64

// draft makes the record of an unsaved text. It is kept apart from what was read of
// files, which a day's keystrokes must not drive out.
func (s *scanner) draft(ctx context.Context, p, text string) (*record, error) {
	source := []byte(text)
	sum := records.Sum(string(syntax.LanguageFor(p, source)), source)
	if r, ok := s.recent(sum); ok {
		return r, nil
	}
	r, err := s.parse(ctx, p, source, sha256.Sum256(source), nil, true)
	if err != nil || r.slow {
		return r, err
	}
	if r, err = decodeRecord(r.encode(nil)); err != nil { // see [scanner.record]
		return nil, err
	}
	s.drafts.Add(sum, r, 1)
	return r, nil
}

// recent returns what was read of a content lately.
func (s *scanner) recent(sum [32]byte) (*record, bool) {
	if r, ok := s.cache.Get(sum); ok {
		return r, true
	}
	return s.drafts.Get(sum)
}
