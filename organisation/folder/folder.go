// Package folder keeps an organisation's knowledge in a folder, and finds with the search of this program in memory:
// for a team of one machine, and for tests. The folder belongs to one process.
//
//	lock
//	manifests/KEY.json     what a repository holds
//	texts/KEY/ID.json      its documents, by what they say
//
// KEY is the hash of the repository's name. Each file is replaced in one step.
package folder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxManifest bounds the file of a manifest: 5,000 paths of 1 KiB with their digests.
const maxManifest = 16 << 20

// Store is a folder. It is an [organisation.Store].
type Store struct {
	root   *jail.Root
	unlock func()

	mu    sync.RWMutex // guards what follows
	texts map[string]map[string]retrieval.Lengths
	held  map[string]*held
}

// held has the entries of a repository, indexed. It never changes.
type held struct {
	manifest *organisation.Manifest
	part     *retrieval.Part
	of       map[*format.Entry]organisation.Document
}

// Open opens a folder, which is empty or was written by this package.
func Open(ctx context.Context, dir string) (*Store, error) {
	root, err := jail.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, texts: map[string]map[string]retrieval.Lengths{}, held: map[string]*held{}}
	if s.unlock, err = root.Lock("lock"); err != nil {
		root.Close()
		return nil, err
	}
	if err := s.load(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the use of the folder.
func (s *Store) Close() error {
	s.unlock()
	return s.root.Close()
}

func key(repository string) string             { return organisation.Digest(repository)[:32] }
func manifestFile(repository string) string    { return "manifests/" + key(repository) + ".json" }
func textFile(repository, id string) string    { return "texts/" + key(repository) + "/" + id + ".json" }
func (s *Store) list(dir string) []fs.DirEntry { all, _ := s.root.ReadDir(dir); return all }
func lengthsOf(d organisation.Document) retrieval.Lengths {
	_, l := retrieval.Analysed(d.Entry())
	return l
}

// load reads the folder.
func (s *Store) load(ctx context.Context) error {
	for _, dir := range s.list("texts") {
		for _, f := range s.list("texts/" + dir.Name()) {
			d, err := s.read("texts/" + dir.Name() + "/" + f.Name())
			if err != nil || f.Name() != d.ID()+".json" || dir.Name() != key(d.Repository) {
				continue // of a push that was killed; the next one sends it again
			}
			if s.texts[d.Repository] == nil {
				s.texts[d.Repository] = map[string]retrieval.Lengths{}
			}
			s.texts[d.Repository][d.ID()] = lengthsOf(d)
		}
	}
	for _, f := range s.list("manifests") {
		raw, err := s.root.ReadFile("manifests/"+f.Name(), maxManifest)
		m := new(organisation.Manifest)
		if err == nil {
			err = json.Unmarshal(raw, m)
		}
		if err == nil && manifestFile(m.Repository) != "manifests/"+f.Name() {
			err = errors.New("it belongs to another repository")
		}
		if err != nil {
			return fmt.Errorf("manifests/%s: %w", f.Name(), err)
		}
		h, err := s.hold(ctx, m)
		if err != nil {
			return err
		}
		s.held[m.Repository] = h
	}
	return nil
}

func (s *Store) read(file string) (d organisation.Document, err error) {
	raw, err := s.root.ReadFile(file, 8*organisation.MaxText)
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	return d, err
}

// hold indexes the entries of a manifest. Missing texts cannot be found, and are requested with the next
// push.
func (s *Store) hold(ctx context.Context, m *organisation.Manifest) (*held, error) {
	h := &held{manifest: m, of: map[*format.Entry]organisation.Document{}}
	var entries []*format.Entry
	for _, path := range slices.Sorted(maps.Keys(m.Entries)) {
		d, err := s.read(textFile(m.Repository, organisation.ID(m.Repository, path, m.Entries[path])))
		if err != nil || !m.Holds(d) {
			continue
		}
		e := d.Entry()
		h.of[e], entries = d, append(entries, e)
	}
	part, err := retrieval.NewPart(ctx, entries)
	h.part = part
	return h, err
}

// Manifests returns those of all repositories.
func (s *Store) Manifests(context.Context, map[string]*organisation.Manifest) (map[string]*organisation.Manifest, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make(map[string]*organisation.Manifest, len(s.held))
	for name, h := range s.held {
		out[name] = h.manifest
	}
	return out, nil
}

// Texts are the documents of a repository.
func (s *Store) Texts(_ context.Context, repository string) (map[string]retrieval.Lengths, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Clone(s.texts[repository]), nil
}

// Write puts and removes documents.
func (s *Store) Write(ctx context.Context, repository string, put []organisation.Document, remove []string) error {
	for _, d := range put {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.Repository = repository
		raw, err := json.Marshal(d)
		if err == nil {
			err = s.root.WriteFile(textFile(repository, d.ID()), raw)
		}
		if err != nil {
			return err
		}
		l := lengthsOf(d)
		s.mu.Lock()
		if s.texts[repository] == nil {
			s.texts[repository] = map[string]retrieval.Lengths{}
		}
		s.texts[repository][d.ID()] = l
		s.mu.Unlock()
	}
	for _, id := range remove {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.mu.Lock()
		delete(s.texts[repository], id) // before the file, so that every listed text has a file
		s.mu.Unlock()
		if err := s.root.Remove(textFile(repository, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Commit replaces a manifest.
func (s *Store) Commit(ctx context.Context, m, before *organisation.Manifest) error {
	s.mu.RLock()
	h := s.held[m.Repository]
	s.mu.RUnlock()
	if h != nil && len(h.of) == len(m.Entries) && maps.Equal(h.manifest.Entries, m.Entries) {
		h = &held{manifest: m, part: h.part, of: h.of}
	} else {
		var err error
		if h, err = s.hold(ctx, m); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var now *organisation.Manifest
	if old := s.held[m.Repository]; old != nil {
		now = old.manifest
	}
	if now != before {
		return organisation.ErrConflict
	}
	if err := s.root.WriteFile(manifestFile(m.Repository), raw); err != nil {
		return err
	}
	s.held[m.Repository] = h
	return nil
}

// of are the repositories that are there.
func (s *Store) of(repositories []string) []*held {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*held
	for _, name := range repositories {
		if h := s.held[name]; h != nil {
			out = append(out, h)
		}
	}
	return out
}

// Find finds candidates.
func (s *Store) Find(ctx context.Context, repositories []string, terms []retrieval.Term, most int) ([]organisation.Document, bool, error) {
	var parts []*retrieval.Part
	var l retrieval.Lengths
	all := s.of(repositories)
	for _, h := range all {
		parts = append(parts, h.part)
		l.Add(h.manifest.Lengths, 1)
	}
	found, err := retrieval.Best(ctx, parts, l, terms, most)
	out := make([]organisation.Document, 0, len(found))
	for _, e := range found {
		for _, h := range all {
			if d, ok := h.of[e]; ok {
				out = append(out, d)
			}
		}
	}
	return out, false, err
}

// Count counts entries.
func (s *Store) Count(ctx context.Context, repositories []string, groups [][]string) ([]int, error) {
	out := make([]int, len(groups))
	for _, h := range s.of(repositories) {
		for i, g := range groups {
			n, err := h.part.Count(ctx, g)
			if err != nil {
				return nil, err
			}
			out[i] += n
		}
	}
	return out, nil
}
