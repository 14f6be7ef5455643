package elsewhere

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
)

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
	shown, told := newShown(then, near), map[use]bool{}
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
