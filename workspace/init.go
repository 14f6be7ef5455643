package workspace

import (
	"context"
	"errors"
	"io/fs"

	"github.com/brv-lsp/brv-lsp/tree/store"
)

// InitReport lists what [Workspace.Init] wrote.
type InitReport struct {
	Written []string `json:"written"` // workspace paths; empty if all was there
	Tree    string   `json:"tree"`    // absolute path of the tree
}

// Init makes an empty context tree, and a .gitignore for what will be generated
// in it. Existing files are left as they are.
func (w *Workspace) Init(_ context.Context) (*InitReport, error) {
	if err := w.NoTree(); !w.HasTree() && err != ErrNoTree {
		return nil, err
	}
	r := &InitReport{Written: []string{}, Tree: w.root.Dir() + "/" + TreeDir}
	files := []struct{ path, text string }{{".brv/.gitignore", store.Gitignore}}
	if !w.HasTree() { // git does not keep an empty folder
		files = append(files, struct{ path, text string }{TreeDir + "/.gitkeep", ""})
	}
	root := w.root.WithoutLinks()
	for _, f := range files {
		if _, err := root.Stat(f.path); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := root.WriteFile(f.path, []byte(f.text)); err != nil {
			return nil, err
		}
		r.Written = append(r.Written, f.path)
	}
	w.home.refresh(nil)
	return r, nil
}
