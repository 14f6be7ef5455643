package diagnosis

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// wholeEvery is the least time between two comparisons of all entries with changed code. An editor may ask for all
// problems every two seconds, as VS Code's client does, and each saved file makes a new map. Entries that changed
// themselves are compared at once.
const wholeEvery = 30 * time.Second

// lastLook holds the problems found by the last check of the whole tree. A check holds token, and only the holder
// uses the other fields. So two requests at the same time make one check.
type lastLook struct {
	token chan struct{}

	code  *codebase.RepoMap // the code that entries were last compared with, and when that began
	since time.Time
	known map[string]string       // path → the hash of each compared entry
	found map[string][]link.Drift // by path

	of     [2]*tree.Snapshot // the trees of files, with the buffers and on disk
	marks  *codebase.RepoMap // the code of the comments in files
	config string            // the project's settings
	grades Grades
	files  []FileProblems
}

// lastLooks holds the last checks of the open folders.
var lastLooks = workspace.NewMemory(func(*workspace.Workspace) *lastLook { return &lastLook{token: make(chan struct{}, 1)} })

// All lists the files with problems, entries first. The list must not be changed; it stays the same one while
// nothing changes. All waits until the code is read. Entries are compared with changed code at most twice a
// minute.
func All(ctx context.Context, v *workspace.View, grades Grades) ([]FileProblems, error) {
	w := v.Workspace()
	if !v.HasTree() {
		return nil, nil
	}
	if err := w.WaitCode(ctx); err != nil && !errors.Is(err, workspace.ErrNoCode) {
		return nil, err
	}
	l := lastLooks.Of(v)
	select {
	case l.token <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-l.token }()
	v = v.WithCodeOnDisk()
	compared, err := compareAll(ctx, v)
	of, config := [2]*tree.Snapshot{v.Tree(), v.Disk()}, settingsFile(v)
	if err != nil || !compared && l.files != nil && l.of == of && l.marks == v.Code() && l.config == config.Text &&
		maps.Equal(l.grades, grades) {
		return l.files, err
	}
	files, err := list(ctx, v, l.found, config, grades)
	if err == nil {
		l.of, l.marks, l.config, l.grades, l.files = of, v.Code(), config.Text, maps.Clone(grades), files
	}
	return files, err
}

// compareAll updates the known drift of all entries, and reports whether it compared any.
func compareAll(ctx context.Context, v *workspace.View) (compared bool, err error) {
	w := v.Workspace()
	l := lastLooks.Of(v)
	if !v.CodeRead() {
		return false, nil // otherwise all files would seem to be missing
	}
	if now := v.Now(); l.code == nil || l.code != v.Code() && now.Sub(l.since) >= wholeEvery {
		w.ReadHistory(ctx) // it also waits for a read that is running
		l.code, l.since, l.known, l.found = v.Code(), now, map[string]string{}, map[string][]link.Drift{}
	}
	var ask []*format.Entry
	for _, e := range v.Tree().Entries() {
		if drift.NamesCode(e) && l.known[e.Path] != e.Hash {
			ask = append(ask, e)
		}
	}
	if len(ask) == 0 {
		return false, nil
	}
	found, err := drift.Known(ctx, v, ask...)
	if err != nil {
		return false, err
	}
	for _, e := range ask {
		l.known[e.Path], l.found[e.Path] = e.Hash, found[e.Path]
	}
	return true, nil
}
