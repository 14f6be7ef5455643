package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// Snapshot is the whole tree at one moment. It is immutable.
type Snapshot struct {
	entries map[string]*Entry
	paths   []string // sorted keys of entries
	index
	relations map[string][]Relation // resolved, by entry
	back      map[string][]Backlink // by target, sorted by source and place
	skipped   []Skipped

	fingerprint func() string
}

// index finds paths by their names; it depends on the set of paths only.
type index struct {
	nodes   map[string]*Node
	files   map[string][]string // folded path without .md → paths
	names   map[string][]string // folded file name without .md → paths
	folders map[string][]string // folded folder → folders
}

// Skipped is a file that the tree holds but does not read.
type Skipped struct {
	Path   string
	Reason string
}

// Node is a folder of the tree.
type Node struct {
	Path    string // "" for the root
	Kind    Kind   // KindDomain, KindTopic or KindSubtopic; 0 for the root
	Folders []string
	Entries []string
}

// NewSnapshot builds a snapshot from parsed entries. Of two entries with one
// path the later counts.
func NewSnapshot(entries []*Entry, skipped []Skipped) *Snapshot {
	s := &Snapshot{entries: make(map[string]*Entry, len(entries)), skipped: skipped}
	for _, e := range entries {
		s.entries[e.Path] = e
	}
	s.paths = slices.Sorted(maps.Keys(s.entries))
	s.index = newIndex(s.paths)
	s.link()
	s.fingerprint = sync.OnceValue(s.hash)
	return s
}

// Entry returns the entry at a tree path.
func (s *Snapshot) Entry(p string) (*Entry, bool) {
	e, ok := s.entries[p]
	return e, ok
}

// Entries returns all entries sorted by path.
func (s *Snapshot) Entries() []*Entry {
	out := make([]*Entry, len(s.paths))
	for i, p := range s.paths {
		out[i] = s.entries[p]
	}
	return out
}

// Len is the number of entries.
func (s *Snapshot) Len() int { return len(s.paths) }

// Node returns the folder at a tree path; "" is the root.
func (s *Snapshot) Node(p string) (*Node, bool) {
	n, ok := s.nodes[p]
	return n, ok
}

// Relations returns an entry's relations with what they mean, in order of place.
// Markdown and wiki links count only where they resolve inside the tree; so do
// `sources` and `consolidated_from`, which name entries that may be gone.
func (s *Snapshot) Relations(p string) []Relation { return s.relations[p] }

// Backlinks returns the relations that lead to an entry, sorted by their source.
func (s *Snapshot) Backlinks(p string) []Backlink { return s.back[p] }

// Skipped lists the files left out, with the reason of each.
func (s *Snapshot) Skipped() []Skipped { return s.skipped }

// Fingerprint identifies the content: equal for equal paths and texts.
func (s *Snapshot) Fingerprint() string { return s.fingerprint() }

func (s *Snapshot) hash() string {
	h := sha256.New()
	for _, p := range s.paths {
		fmt.Fprintf(h, "%s\x00%s\n", p, s.entries[p].Hash)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// With returns the snapshot in which the file at p has that text: an unsaved
// buffer laid over the disk. For an existing entry only its own relations are
// resolved again; a new path rebuilds the index, because any relation may now
// lead to it.
func (s *Snapshot) With(p, text string) *Snapshot {
	old, ok := s.entries[p]
	if ok && old.Text == text {
		return s
	}
	e := Parse(p, text)
	n := *s
	n.fingerprint = sync.OnceValue(n.hash)
	n.entries = maps.Clone(s.entries)
	n.entries[p] = e
	if !ok {
		n.paths = slices.Sorted(maps.Keys(n.entries))
		n.index = newIndex(n.paths)
		n.link()
		return &n
	}
	n.relations, n.back = maps.Clone(s.relations), maps.Clone(s.back)
	for target := range targets(s.relations[p]) {
		n.back[target] = slices.DeleteFunc(slices.Clone(n.back[target]), func(b Backlink) bool { return b.From == p })
	}
	n.relations[p] = n.resolved(e)
	for target := range targets(n.relations[p]) {
		n.back[target] = sortedBack(appendBack(slices.Clone(n.back[target]), p, n.relations[p], target))
	}
	return &n
}

// Without returns the snapshot in which the file at p does not exist.
func (s *Snapshot) Without(p string) *Snapshot {
	if _, ok := s.entries[p]; !ok {
		return s
	}
	rest := make([]*Entry, 0, len(s.paths))
	for _, q := range s.paths {
		if q != p {
			rest = append(rest, s.entries[q])
		}
	}
	return NewSnapshot(rest, s.skipped)
}

// link resolves every relation and inverts the result.
func (s *Snapshot) link() {
	s.relations = make(map[string][]Relation, len(s.paths))
	s.back = map[string][]Backlink{}
	for _, p := range s.paths {
		s.relations[p] = s.resolved(s.entries[p])
	}
	for _, p := range s.paths {
		for _, r := range s.relations[p] {
			if r.Target != "" {
				s.back[r.Target] = append(s.back[r.Target], Backlink{p, r})
			}
		}
	}
}

func (s *Snapshot) resolved(e *Entry) []Relation {
	out := make([]Relation, 0, len(e.Relations))
	for _, r := range e.Relations {
		r.Resolution = s.Resolve(e.Path, r.Form, r.Raw)
		if r.Target == "" && r.Form != FormRelated && r.Form != FormAt {
			continue
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Relation) int { return a.At.Start - b.At.Start })
	return out
}

func targets(rs []Relation) map[string]bool {
	out := map[string]bool{}
	for _, r := range rs {
		if r.Target != "" {
			out[r.Target] = true
		}
	}
	return out
}

func appendBack(back []Backlink, from string, rs []Relation, target string) []Backlink {
	for _, r := range rs {
		if r.Target == target {
			back = append(back, Backlink{from, r})
		}
	}
	return back
}

func sortedBack(back []Backlink) []Backlink {
	slices.SortStableFunc(back, func(a, b Backlink) int {
		return cmpOr(strings.Compare(a.From, b.From), a.At.Start-b.At.Start)
	})
	return back
}

func cmpOr(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

func newIndex(paths []string) index {
	x := index{nodes: map[string]*Node{"": {}}, files: map[string][]string{}, names: map[string][]string{}, folders: map[string][]string{}}
	for _, p := range paths {
		x.folder(path.Dir(p)).Entries = append(x.folder(path.Dir(p)).Entries, p)
		stem := fold(strings.TrimSuffix(p, ".md"))
		x.files[stem] = append(x.files[stem], p)
		x.names[path.Base(stem)] = append(x.names[path.Base(stem)], p)
	}
	return x
}

// folder returns the node of a folder and makes it, and those above it, if new.
func (x index) folder(dir string) *Node {
	if dir == "." {
		dir = ""
	}
	if n, ok := x.nodes[dir]; ok {
		return n
	}
	n := &Node{Path: dir, Kind: min(Kind(strings.Count(dir, "/")+1), KindSubtopic)}
	x.nodes[dir] = n
	up := x.folder(path.Dir(dir))
	up.Folders = append(up.Folders, dir)
	x.folders[fold(dir)] = append(x.folders[fold(dir)], dir)
	return n
}

// Problems lists an entry's defects: its own and those of its relations, in
// order of place.
func (s *Snapshot) Problems(p string) []Problem {
	e, ok := s.entries[p]
	if !ok {
		return nil
	}
	out := slices.Clone(e.Problems)
	for _, r := range s.relations[p] {
		if message := r.problem(); message != "" {
			code, severity := CodeBroken, SeverityError
			if len(r.Candidates) > 0 {
				code, severity = CodeAmbiguous, SeverityWarning
			}
			out = append(out, Problem{code, severity, message, r.At})
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return a.At.Start - b.At.Start })
	return out
}

// problem says why a relation leads nowhere, "" if it leads somewhere.
func (r Relation) problem() string {
	switch {
	case r.Target != "":
		return ""
	case r.Escapes:
		return "relation leaves the context tree: " + r.Raw + " is never opened"
	case len(r.Candidates) > 0:
		return "relation " + r.Raw + " fits several entries: " + strings.Join(r.Candidates[:min(3, len(r.Candidates))], ", ")
	}
	return "relation to " + r.Raw + ": no such entry in the context tree"
}

// Problem says in one sentence why the relation leads nowhere, "" if it leads
// to an entry.
func (r Relation) Problem() string { return r.problem() }
