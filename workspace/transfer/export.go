package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// ExportRequest asks for the tree as files.
type ExportRequest struct {
	Dir        string        // that is written to, a path of the system; made where it is missing
	Scope      string        // a folder or entry of the tree; "" for all
	Dialect    vault.Dialect // markdown or byterover
	AgentFiles []string      // files below Dir that are written although agents load them by themselves
}

// ExportReport lists the files that were written.
type ExportReport struct {
	Written []string     `json:"written"`
	Same    int          `json:"same"` // files that were there as they should be
	Left    []vault.Left `json:"left"` // files that agents would load by themselves

	told string // the entry that Left tells of last
}

// Export writes the tree as files, all of them or none. It never writes over a file that says something else, and
// writes a file that agents load by themselves only where the request names it.
func Export(_ context.Context, v *workspace.View, r ExportRequest) (_ *ExportReport, err error) {
	t := v.Tree()
	scope := strings.Trim(r.Scope, "/")
	if _, folder := t.Node(scope); !folder {
		if _, entry := t.Entry(scope); !entry {
			return nil, fmt.Errorf("%w: %s is no entry or folder of the tree", workspace.ErrRequest, workspace.Clipped(r.Scope))
		}
	}
	made, err := makeFolder(r.Dir)
	defer func() {
		for _, dir := range made {
			if err != nil {
				os.Remove(dir) // where it holds nothing
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	root, err := jail.Open(r.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := &ExportReport{Written: []string{}, Left: []vault.Left{}}
	files, err := out.missing(root.WithoutLinks(), r, vault.Export(t, scope, r.Dialect, func(p, entry string) bool {
		return out.leaves(root, r, p, entry)
	}))
	if err != nil {
		return nil, err
	}
	if err := place(root.WithoutLinks(), files); err != nil {
		return nil, fmt.Errorf("%s: nothing is written: %w", r.Dir, err)
	}
	for _, f := range files {
		out.Written = append(out.Written, f.Path)
	}
	return out, nil
}

// leaves reports whether an entry is not written as p, since agents would load that by themselves.
func (out *ExportReport) leaves(root *jail.Root, r ExportRequest, p, entry string) bool {
	if slices.Contains(r.AgentFiles, p) || !documents.LoadedByAgents(path.Join(filepath.ToSlash(root.Dir()), p)) {
		return false
	}
	if out.told != entry { // of all the paths that it may have, the first
		out.told = entry
		out.Left = append(out.Left, vault.Left{Path: p,
			Why: "not written, since agents load a file of this name by themselves; --agent-file names one that is to be written"})
	}
	return true
}

// missing are the files that are to be written; an error where others stand in their place.
func (out *ExportReport) missing(root *jail.Root, r ExportRequest, all []vault.File) (files []vault.File, err error) {
	var taken []string
	for _, f := range all {
		switch data, err := root.ReadFile(f.Path, maxNote); {
		case errors.Is(err, fs.ErrNotExist):
			files = append(files, f)
		case err == nil && string(data) == f.Text:
			out.Same++
		case errors.Is(err, syscall.ENAMETOOLONG):
			return nil, fmt.Errorf("%s: nothing is written: %w", r.Dir, err)
		default:
			taken = append(taken, f.Path)
		}
	}
	if len(taken) > 0 {
		return nil, fmt.Errorf("%s: nothing is written, as %s there with other text: %s; name an empty folder", r.Dir,
			words.Counted(len(taken), "file is", "files are"),
			strings.Join(workspace.FirstOf(taken, 5), ", "))
	}
	return files, nil
}

// makeFolder makes a folder and those above it that are missing; made are those, the last one first, also after an
// error.
func makeFolder(dir string) (made []string, err error) {
	err = os.Mkdir(dir, 0o755)
	if up := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && up != dir {
		if made, err = makeFolder(up); err == nil {
			err = os.Mkdir(dir, 0o755)
		}
	}
	if err == nil {
		return append([]string{dir}, made...), nil
	}
	if info, there := os.Stat(dir); there == nil && info.IsDir() {
		return made, nil
	}
	return made, err
}

// place writes new files, all of them or none. They are written into a hidden folder beside first, where a name that
// the file system does not take, two that it takes for one, and a full disk show; then each is moved to its place, where
// nothing may stand.
func place(disk txn.FS, files []vault.File) (err error) {
	if len(files) == 0 {
		return nil
	}
	stage := jail.TempName()
	p := placing{disk: disk, known: map[string]bool{".": true}}
	defer func() {
		if err != nil {
			p.takeBack()
		}
	}()
	if err := p.folder(stage); err != nil {
		return err
	}
	for _, f := range files {
		at := path.Join(stage, f.Path)
		if err := p.folder(path.Dir(at)); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		p.files = append(p.files, at)
		if err := disk.Create(at, []byte(f.Text), 0, time.Time{}); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		if err := disk.Sync(at); err != nil {
			return err
		}
	}
	staged := p.folders
	for i, f := range files {
		if err := p.folder(path.Dir(f.Path)); err != nil {
			return err
		}
		if err := disk.RenameNew(p.files[i], f.Path); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		p.files[i] = f.Path
	}
	for _, dir := range slices.Backward(staged) {
		if err := disk.RemoveDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// placing lists the folders and files made so far.
type placing struct {
	disk    txn.FS
	known   map[string]bool // folders that are there
	folders []string        // that were made, each after those above it
	files   []string
}

// folder makes a folder and those above it.
func (p *placing) folder(dir string) error {
	if p.known[dir] {
		return nil
	}
	if err := p.folder(path.Dir(dir)); err != nil {
		return err
	}
	switch err := p.disk.Mkdir(dir); {
	case err == nil:
		p.folders = append(p.folders, dir)
	case !errors.Is(err, fs.ErrExist): // if that is no folder, the next step says so
		return err
	}
	p.known[dir] = true
	return nil
}

// takeBack removes what was made.
func (p *placing) takeBack() {
	for _, f := range p.files {
		_ = p.disk.Remove(f) // the error that is told came before
	}
	for _, dir := range slices.Backward(p.folders) {
		_ = p.disk.RemoveDir(dir)
	}
}
