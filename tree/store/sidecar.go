package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Sidecar keeps files in `.brv` that are neither entries nor the store's own: those of other parts of the
// program. A name is a path inside `.brv`.
type Sidecar struct{ *folder }

// ErrForeign: a file beside the tree that this user did not write in this folder.
var ErrForeign = txn.ErrForeign

// errOutside: a name is not one of those that may be kept beside the tree.
var errOutside = errors.New("not a file that is stored beside the tree")

// sidecarNames are the allowed prefixes of names.
var sidecarNames = []string{tree.StateDir + "/dream", "dream-log/", "dream-state.json", "dream.lock"}

// keepable refuses names without an allowed prefix.
func keepable(name string) error {
	if path.Clean(name) != name || !slices.ContainsFunc(sidecarNames, func(p string) bool {
		return strings.HasPrefix(name, p) ||
			name+"/" == p
	}) {
		return fmt.Errorf("%s: %w", name, errOutside)
	}
	return nil
}

// isSealed reports whether only this program writes a file, with a seal. Files of other programs in `.brv`
// are not sealed.
func isSealed(name string) bool { return strings.Contains(name, "/") && path.Ext(name) == ".json" }

// Read returns a file of at most 64 MiB, or [fs.ErrNotExist] if there is none. A file without its required
// seal is returned together with [ErrForeign].
func (c *Sidecar) Read(name string) ([]byte, error) {
	if err := keepable(name); err != nil {
		return nil, err
	}
	data, err := c.root.ReadFile(name, maxState)
	if err != nil || !isSealed(name) {
		return data, err
	}
	data, ours := c.seal.Open(name, data)
	if !ours {
		err = fmt.Errorf("%s: %w", name, ErrForeign)
	}
	return data, err
}

// Write replaces a file in one step, durably. A file named .json has a JSON object and gets a seal.
func (c *Sidecar) Write(name string, data []byte) error {
	if err := keepable(name); err != nil {
		return err
	}
	if isSealed(name) {
		data = c.seal.Seal(name, data)
	}
	return c.journal.Replace(name, data)
}

// Remove removes a file; none is no error.
func (c *Sidecar) Remove(name string) error {
	if err := keepable(name); err != nil {
		return err
	}
	if err := c.disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SetAside renames a file and returns its new name; "" if there is no file.
func (c *Sidecar) SetAside(name string) (aside string, err error) {
	if err := keepable(name); err != nil {
		return "", err
	}
	return c.setAside(name)
}

// List lists the names in a folder, sorted; none if there is no such folder.
func (c *Sidecar) List(dir string) ([]string, error) {
	if err := keepable(dir); err != nil {
		return nil, err
	}
	list, err := c.root.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, d := range list {
		out = append(out, d.Name())
	}
	slices.Sort(out)
	return out, err
}

// Lock takes the kernel's lock on a file and creates the file; the lock ends with the process. If another
// process holds it, the error is [jail.ErrLocked].
func (c *Sidecar) Lock(name string) (unlock func(), err error) {
	if err := keepable(name); err != nil {
		return nil, err
	}
	if err := c.root.Mkdir(tree.StateDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return c.root.Lock(name)
}
