package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// MergeBase returns the commit at which two lines of work diverged, "" if this clone does not have it.
func (r *Repository) MergeBase(ctx context.Context, a, b string) (string, error) {
	if !isHash(a) || !isHash(b) || len(a) != len(b) {
		return "", fmt.Errorf("git merge-base: %q and %q are not hashes", clip(a), clip(b))
	}
	var text []byte
	read := func(out io.Reader) (err error) { text, err = io.ReadAll(io.LimitReader(out, 1000)); return err }
	err := r.run(ctx, call{hashLen: len(a), read: read}, "merge-base", a, b)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return "", nil
	}
	hash, _, _ := strings.Cut(string(text), "\n")
	if err == nil && !isHash(hash) {
		err = fmt.Errorf("git merge-base: unexpected output %q", clip(hash))
	}
	return hash, err
}

// ChangesSince lists the files that differ from a commit, whether the change is committed, staged or only on disk.
// It lists only names. Untracked files are included only by [Difference.Untracked]. It lists at most limit files
// and counts all. "" is the empty commit before the first.
func (r *Repository) ChangesSince(ctx context.Context, commit string, limit int) (*Difference, error) {
	if commit == "" {
		commit = emptyTreeOf(r.hashLen())
	}
	if !isHash(commit) {
		return nil, fmt.Errorf("git diff: %q is not a hash", clip(commit))
	}
	d := &Difference{Commit: commit}
	names := DiffLimits{Files: limit}
	index, _, _, err := r.checkedIndex()
	if err != nil {
		return nil, err
	}
	if index == nil {
		head, err := r.Head()
		if err == nil && head != "" {
			_, err = r.names(ctx, d, names, call{hashLen: len(commit)}, "diff-tree", commit, head)
		}
		return d, err
	}
	if _, err = r.names(ctx, d, names, call{hashLen: len(commit), index: index}, "diff-index", "--cached", commit); err != nil {
		return nil, err
	}
	work, err := r.WorkDiff(ctx, DiffLimits{Files: limit, Bytes: DefaultDiff.Bytes, Lines: 1})
	if err != nil {
		return nil, err
	}
	d.lay(work)
	return d, nil
}

// Untracked adds those of the given files that are on disk and not in the index.
func (r *Repository) Untracked(d *Difference, files []string) error {
	_, _, staged, err := r.checkedIndex()
	if err != nil {
		return err
	}
	tracked := map[string]bool{}
	for _, f := range staged {
		tracked[f.path] = true
	}
	at := make(map[string]int, len(d.Files))
	for i, f := range d.Files {
		at[f.Path] = i
	}
	for _, p := range files {
		i, known := at[p]
		switch {
		case tracked[r.prefix+p]:
		case !known:
			d.Files = append(d.Files, FileDifference{Path: p, Status: 'A'})
			d.Total++
		case d.Files[i].Status == 'D': // it was only removed from the index
			d.Files[i].Status = 'M'
		}
	}
	return nil
}

// Submodule returns the commit of the submodule at a path inside the opened folder in a commit, "" if there
// was none.
func (r *Repository) Submodule(ctx context.Context, commit, at string) (hash string, err error) {
	if !isHash(commit) || !plainPath(at) {
		return "", fmt.Errorf("git ls-tree: the path %q or the commit %q is not valid", clip(at), clip(commit))
	}
	var text []byte
	read := func(out io.Reader) (err error) { text, err = io.ReadAll(io.LimitReader(out, maxPath+1000)); return err }
	err = r.run(ctx, call{hashLen: len(commit), read: read}, "ls-tree", "-z", "--full-tree", commit, "--", r.prefix+at)
	words := strings.Fields(string(text))
	if err == nil && len(words) >= 3 && words[1] == "commit" && isHash(words[2]) {
		hash = words[2]
	}
	return hash, err
}

// lay merges changes on disk into the differences of the index.
func (d *Difference) lay(work *Difference) {
	at := make(map[string]int, len(d.Files))
	for i, f := range d.Files {
		at[f.Path] = i
	}
	var never []string
	for _, f := range work.Files {
		i, known := at[f.Path]
		switch {
		case !known:
			d.Files = append(d.Files, FileDifference{Path: f.Path, Status: f.Status, Left: f.Left})
			d.Total++
		case f.Status == 'D' && d.Files[i].Status == 'A':
			never = append(never, f.Path) // added and removed again
		case f.Status == 'D' && d.Files[i].From != "":
			d.Files[i] = FileDifference{Path: d.Files[i].From, Status: 'D'}
		case f.Status == 'D':
			d.Files[i].Status = 'D'
		}
	}
	d.Files = slices.DeleteFunc(d.Files, func(f FileDifference) bool {
		return f.Status == 'A' && slices.Contains(never, f.Path)
	})
	d.Total += max(0, work.Total-len(work.Files)) - len(never)
}
