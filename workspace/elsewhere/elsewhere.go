// Package elsewhere finds uses of a file by other repositories, and the file's uses of them: repositories
// that the session has open, and those that the user's settings or command line name (brv.code.neighbours,
// `--with`).
//
// A link is shown if a literal text joins two places, with words about how sure that is. If two repositories
// offer the same name, there is no link, since it is unknown which one is meant. Other repositories are read
// from disk; for the folder itself the open buffers count too.
//
// Limits: 32 repositories; 1,000 links of a file. All links are found anew after a map changed, in about a
// tenth of a second for 5,000 files; repositories that are not open are checked for changes at most every
// five seconds.
package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/edges"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// maxLinks bounds the links that are listed of a file, each way.
const maxLinks = 1_000

// Links are the links of a file with other repositories.
type Links struct {
	Repositories []string `json:"repositories"`     // the repositories that were compared
	Unread       []string `json:"unread,omitempty"` // repositories that are still being read, cannot be read, or are too many
	UsedBy       []Link   `json:"usedBy"`           // uses of the file, by repository, path and line
	Uses         []Link   `json:"uses"`             // uses by the file, by line
	Left         int      `json:"left,omitempty"`   // the number of links over 1,000 in each direction
}

// Link is one use of a part of another repository.
type Link struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"` // the part that is used: an import as it is written, METHOD /path, a file or a service
	Sure string `json:"sure"` // the evidence, in words
	User Place  `json:"user"`
	Used Place  `json:"used"`
}

// Kind is the way in which one repository uses another.
type Kind string

// The kinds.
const (
	Package Kind = "package" // an import of a package of the other
	Route   Kind = "route"   // an HTTP request to a route of the other
	Proto   Kind = "proto"   // code that was generated from a Protobuf file of the other
	Service Kind = "service" // a Protobuf service of the other, by its full name
)

// Place is a line of a file.
type Place struct {
	Repository string `json:"repository,omitempty"` // missing for the folder itself
	Path       string `json:"path"`
	Line       int    `json:"line,omitempty"` // 1-based; missing for a whole file, or if the file changed since it was read
}

// join is a link before its lines are known.
type join struct {
	kind       Kind
	name, sure string
	user, used end
	imported   *codebase.Outside // of a package
}

// end is a place as it is found: byte -1 for a whole file.
type end struct {
	in   *codebase.RepoMap
	path string
	at   int
}

// joins are all links of a folder, as long as its maps are the same.
type joins struct {
	mu    sync.Mutex
	own   *codebase.RepoMap
	near  []workspace.Neighbour
	found []join
}

var memory = workspace.NewMemory(func(*workspace.Workspace) *joins { return &joins{} })

// between returns the links of a folder with others.
func (j *joins) between(own *codebase.RepoMap, near []workspace.Neighbour) []join {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.own != own || !slices.Equal(j.near, near) {
		j.own, j.near, j.found = own, near, find(own, near)
	}
	return j.found
}

// find finds the links of a folder with others.
func find(own *codebase.RepoMap, near []workspace.Neighbour) (found []join) {
	maps := []*codebase.RepoMap{own}
	for _, n := range near {
		maps = append(maps, n.Code)
	}
	imported := func(from, to *codebase.RepoMap) {
		for _, o := range codebase.Into(from, to, maps) {
			for _, p := range o.To {
				found = append(found, join{Package, o.Spec, string(o.Sure), end{from, o.Path, o.Place}, end{to, p, -1}, &o})
			}
		}
	}
	for _, m := range maps[1:] {
		imported(own, m)
		imported(m, own)
	}
	return append(found, literal(maps)...)
}

// literal finds the links of the first repository with others that no import makes.
func literal(maps []*codebase.RepoMap) (found []join) {
	var places []edges.Place
	for i, m := range maps {
		for k, c := range m.Chunks() {
			for _, f := range c.Facts() {
				places = append(places, edges.Place{Repository: i, File: k, Fact: f})
			}
			if c.Language == syntax.Protobuf {
				places = append(places, edges.Place{Repository: i, File: k, Fact: edges.Fact{Kind: edges.Proto, Offers: true, Key: c.Path}})
			}
		}
	}
	at := func(p edges.Place) end {
		return end{maps[p.Repository], maps[p.Repository].Chunks()[p.File].Path, p.At}
	}
	for _, e := range edges.Join(places) {
		if e.User.Repository == 0 || e.Used.Repository == 0 {
			found = append(found, join{Kind(e.User.Kind), strings.TrimPrefix(e.User.Key, "* "), string(e.Sure), at(e.User), at(e.Used), nil})
		}
	}
	return found
}

// Of returns the links of a file; nil where there is no other repository. It waits for those that are being read.
func Of(ctx context.Context, v *workspace.View, file string) *Links {
	short, cancel := v.Within(ctx, workspace.Answer)
	if !v.Workspace().Serves() {
		short = ctx // a command has no second try
	}
	defer cancel()
	near, unread := v.Workspace().Neighbours(short)
	if len(near)+len(unread) == 0 {
		return nil
	}
	own := v.Code()
	l := &Links{Repositories: []string{}, Unread: unread, UsedBy: []Link{}, Uses: []Link{}}
	for _, n := range near {
		l.Repositories = append(l.Repositories, n.Name)
	}
	shown := newShown(near)
	for _, j := range memory.Of(v).between(own, near) {
		to := &l.Uses
		switch {
		case j.used.in == own && j.used.path == file:
			to = &l.UsedBy
		case j.user.in != own || j.user.path != file:
			continue
		}
		if len(*to) == maxLinks {
			l.Left++
			continue
		}
		*to = append(*to, shown.link(j))
	}
	slices.SortFunc(l.UsedBy, func(a, b Link) int { return a.User.compare(b.User) })
	slices.SortStableFunc(l.Uses, func(a, b Link) int { return cmp.Compare(a.User.Line, b.User.Line) })
	return l
}

func (p Place) compare(o Place) int {
	return cmp.Or(strings.Compare(p.Repository, o.Repository), strings.Compare(p.Path, o.Path), cmp.Compare(p.Line, o.Line))
}

// shown tells places as they are shown.
type shown struct {
	names map[*codebase.RepoMap]string
	texts map[end]string // by file
}

func newShown(near []workspace.Neighbour) *shown {
	s := &shown{map[*codebase.RepoMap]string{}, map[end]string{}}
	for _, n := range near {
		s.names[n.Code] = n.Name
	}
	return s
}

func (s *shown) link(j join) Link {
	return Link{j.kind, j.name, j.sure, s.place(j.user), s.place(j.used)}
}

func (s *shown) place(e end) Place {
	p := Place{Repository: s.names[e.in], Path: e.path}
	if e.at < 0 {
		return p
	}
	file := end{e.in, e.path, 0}
	text, known := s.texts[file]
	if !known {
		c, _ := e.in.Chunk(e.path)
		if now, err := e.in.Read(e.path); err == nil && codebase.HashOf(now) == c.Hash {
			text = now
		}
		s.texts[file] = text
	}
	if e.at < len(text) {
		p.Line = 1 + strings.Count(text[:e.at], "\n")
	}
	return p
}

// UsedIn says where other repositories import what a name means in some files, "" where none does: "web (3 files)". It is for
// what is shown in passing, and does without what is not read yet.
func UsedIn(ctx context.Context, v *workspace.View, files []string, name string) string {
	short, cancel := v.Within(ctx, workspace.Look)
	defer cancel()
	near, _ := v.Workspace().Neighbours(short)
	if len(near) == 0 || len(files) == 0 {
		return ""
	}
	own := v.Code()
	users := map[*codebase.RepoMap]map[string]bool{}
	for _, j := range memory.Of(v).between(own, near) {
		if j.imported == nil || j.used.in != own || !slices.Contains(files, j.used.path) {
			continue
		}
		if c, ok := own.Chunk(j.used.path); ok && j.imported.Names(name, c.Module) {
			if users[j.user.in] == nil {
				users[j.user.in] = map[string]bool{}
			}
			users[j.user.in][j.user.path] = true
		}
	}
	var out []string
	for _, n := range near {
		if count := len(users[n.Code]); count > 0 {
			out = append(out, fmt.Sprintf("%s (%s)", n.Name, words.Counted(count, "file", "files")))
		}
	}
	return strings.Join(out, ", ")
}

// Gone lists what other repositories use and a change takes away, by the texts of the changed files as they were. A name that
// another file defines now where the import leads is not gone. The first 1,000 are listed.
func Gone(ctx context.Context, v *workspace.View, were map[string]string) (gone []Link, unread []string, err error) {
	near, unread := v.Workspace().Neighbours(ctx)
	if len(near) == 0 {
		return nil, unread, nil
	}
	own := v.Code()
	then, err := own.With(ctx, were)
	if err != nil || then == own {
		return nil, unread, err
	}
	type use struct { // and the names that are gone of it
		user        end
		name, names string
	}
	now := map[use]map[string]bool{} // the names that a use takes; none where it leads nowhere
	key := func(j join) use { return use{user: j.user, name: j.name} }
	for _, j := range find(own, near) {
		if j.used.in == own {
			names := now[key(j)]
			if names == nil {
				names = map[string]bool{}
				now[key(j)] = names
			}
			for _, name := range taken(own, j) {
				names[name] = true
			}
		}
	}
	shown, told := newShown(near), map[use]bool{}
	for _, j := range find(then, near) {
		if j.used.in != then {
			continue
		}
		left, leads := now[key(j)]
		names := slices.DeleteFunc(taken(then, j), func(name string) bool { return left[name] })
		once := use{j.user, j.name, strings.Join(names, ", ")}
		if leads && len(names) == 0 || told[once] {
			continue
		}
		told[once] = true
		l := shown.link(j)
		if leads {
			l.Name = once.names
		}
		gone = append(gone, l)
	}
	slices.SortStableFunc(gone, func(a, b Link) int { return a.User.compare(b.User) })
	return workspace.FirstOf(gone, maxLinks), unread, nil
}

// taken lists the names that an import takes of the file that it leads to.
func taken(m *codebase.RepoMap, j join) (names []string) {
	c, ok := m.Chunk(j.used.path)
	if j.imported == nil || !ok {
		return nil
	}
	for _, s := range c.Symbols() {
		if s.Container == "" && s.Kind != syntax.Module && j.imported.Names(s.Name, c.Module) {
			names = append(names, s.Name)
		}
	}
	return names
}
