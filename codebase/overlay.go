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

// overlay holds the unsaved texts that a map uses instead of its files.
type overlay struct {
	base      *RepoMap
	requested map[string]string // the texts passed to With
	texts     map[string]string // those of requested that differ from the files
}

// With returns the map with unsaved texts in place of its files, by path. The result equals a [Scan] of the folder
// with these texts saved, except that ignore files count as they are on disk. The receiver stays as it is. Texts
// for paths that are neither in the map nor configuration files are ignored.
//
// With replaces the texts of an earlier call, and [RepoMap.Update] returns the next map without any. A text that
// equals its file costs one hash, a text from the last call costs nothing, and any other text costs as much as an
// Update of its file. If no text differs, With returns the map without texts, and for the same texts as in the
// last call the same map.
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

// saved returns the map without unsaved texts.
func (m *RepoMap) saved() *RepoMap {
	if m.over != nil {
		return m.over.base
	}
	return m
}

// differing returns the texts that differ from the ones of the map without texts. Texts of the last call are not
// hashed again. For a file that is still being parsed, the map has less than its text gives.
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

// savable reports whether a file could be saved at a path outside of the map: nothing or a regular file is there,
// and no link or file is above it.
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

// lay makes the map with other unsaved texts, based on the last map.
func (m *RepoMap) lay(ctx context.Context, over *overlay, prev *RepoMap) (*RepoMap, error) {
	parts := mapParts{filter: m.filter, configs: m.configs, skipped: maps.Clone(m.skipped), over: over}
	changed, fresh := m.uncovered(over, prev) // compared with prev
	for p, text := range over.texts {
		parts.layConfig(p, text)
		reason := "" // why it does not belong to the map
		if m.filter.WouldWant(p) {
			if reason = m.scanner.refuse(text); reason != "" {
				parts.skipped[p] = reason
			} else {
				delete(parts.skipped, p)
			}
		}
		if before, ok := prev.over.text(p); ok && before == text {
			continue // prev already has its chunk
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

// uncovered returns the paths that have an unsaved text in prev and not in over, with the chunks of the files
// themselves.
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

// layConfig replaces a configuration file by an unsaved text.
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

// text returns the unsaved text of a file; a nil overlay has none.
func (o *overlay) text(p string) (string, bool) {
	if o == nil {
		return "", false
	}
	text, ok := o.texts[p]
	return text, ok
}

// unsaved returns the texts by path.
func (o *overlay) unsaved() map[string]string {
	if o == nil {
		return nil
	}
	return o.texts
}

// refuse returns why a text does not belong to the map; see [scanner.text].
func (s *scanner) refuse(text string) string {
	switch {
	case int64(len(text)) > s.opts.MaxFileSize:
		return discover.Reason(jail.ErrTooLarge)
	case discover.IsBinary(text):
		return binaryReason
	}
	return ""
}

// draftCache is how many records of unsaved texts are kept by content, so that an edit that is undone or saved
// needs no parse.
const draftCache = 64

// draft makes the record of an unsaved text. These records have a cache of their own, so that a day's keystrokes
// do not displace the records of files.
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

// recent returns the record of a recently read content.
func (s *scanner) recent(sum [32]byte) (*record, bool) {
	if r, ok := s.cache.Get(sum); ok {
		return r, true
	}
	return s.drafts.Get(sum)
}
