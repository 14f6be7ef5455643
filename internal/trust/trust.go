// Package trust keeps which folders the user trusts, where the editor does not.
//
// In a folder that is not trusted the servers read, navigate and do what the user
// explicitly asks for; they run no git, ask no model and write nothing by themselves. A
// folder comes from whoever was cloned, so that trust is the user's to give, with
// `brv-lsp trust`, and is bound to three things: the folder's real path; the folder itself and
// its `.git`, by the numbers that the file system gave them as they were made; and the content of
// the project's configuration. Another checkout is not trusted because it has a known
// name, nor because it stands where a trusted one stood, and a pull that brings another
// configuration ends the trust: what was agreed to is not what is there. What git does in its
// repository (checkout, pull, gc) makes neither folder anew. A folder that was moved, copied, restored
// from a backup, or turned into a repository is asked for again, as is one that an earlier version noted by its
// path alone, and any where the file system numbers folders anew at each mount.
//
// Grants stand in one file of the user's configuration folder:
//
//	{"version": 1, "folders": {"/home/ada/app": {"folder": "<identity>", "config": "<sha256, hex>", "granted": "2026-01-31T12:00:00Z"}}}
//
// It is for the user alone (0600 in a folder 0700) and replaced in one step. While it
// cannot be read nothing is trusted; the next grant keeps it aside. A folder below a
// trusted one is not trusted: it may be somebody else's repository.
//
// Working trees of one repository are trusted together, as long as the content of the project's configuration is the one that
// was agreed to: what is trusted is the repository, and it has the objects that git reads in each. Git's own links must lead from the
// working tree to the repository and back, which a folder that only claims to be one cannot have: the way back stands in the
// repository. Limit: what is put where a working tree was removed without git's knowledge takes its place, for git as well.
package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/settings"
)

// fileName is the name of the file of grants; a process that changes it holds lockName.
const (
	fileName = "trust.json"
	lockName = "trust.lock"
)

// version is the version of the file's form.
const version = 1

// maxFile bounds the file of grants, in bytes: some thousand folders.
const maxFile = 1 << 20

// The reasons why a folder is not trusted, for the user.
const (
	notGranted = "this folder is not trusted yet; run `brv-lsp trust` if you trust it"
	replaced   = "the trusted folder or its repository was replaced by another one; check it and run `brv-lsp trust`"
	changed    = settings.ProjectFile + " changed since you trusted the folder; check it and run `brv-lsp trust`"
)

// Store is the file of grants in a folder.
type Store struct{ dir string }

// In is the store in the folder dir, which need not exist.
func In(dir string) Store { return Store{dir} }

// OfUser is the store of the user who runs the program.
func OfUser() (Store, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return Store{}, fmt.Errorf("the list of trusted folders cannot be stored: %w", err)
	}
	return In(filepath.Join(dir, "brv-lsp")), nil
}

// Grant is the trust in one folder.
type Grant struct {
	Folder  string    `json:"folder"` // real path
	Granted time.Time `json:"granted"`
	Holds   bool      `json:"holds"` // the folder and the configuration are those that were trusted
}

// file is the content of the file of grants.
type file struct {
	Version int              `json:"version"`
	Folders map[string]entry `json:"folders"` // by real path
}

type entry struct {
	Folder  string    `json:"folder"` // identity of the folder and its .git; "" of an earlier version
	Config  string    `json:"config"` // sha256 of the project's configuration, hex
	Granted time.Time `json:"granted"`
}

// Path is where the file of grants is.
func (s Store) Path() string { return filepath.Join(s.dir, fileName) }

// Trusts reports whether the folder is trusted, and if not why, with what to do.
func (s Store) Trusts(folder string) (bool, string) {
	real, is, err := identity(folder)
	if err != nil {
		return false, err.Error()
	}
	f, err := s.read()
	if err != nil {
		return false, err.Error()
	}
	granted, ok := f.Folders[real]
	switch {
	case ok && granted.same(is):
	case f.beside(real, is) != "":
	case !ok:
		return false, notGranted
	case granted.Folder != is.Folder:
		return false, replaced
	case granted.Config != is.Config:
		return false, changed
	}
	return true, ""
}

// same reports whether a folder and its configuration did not change since they were trusted.
func (e entry) same(is entry) bool { return e.Folder == is.Folder && e.Config == is.Config }

// beside returns a trusted folder that has the same place in another working tree of the repository; "" if
// none.
func (f *file) beside(real string, is entry) string {
	shared := git.Shared(real)
	for other := range git.WorkTrees(real) {
		granted, ok := f.Folders[other]
		if !ok || granted.Config != is.Config || other == real {
			continue
		}
		if _, now, err := identity(other); err == nil && granted.same(now) && git.Shared(other) == shared {
			return other
		}
	}
	return ""
}

// Through returns the folder by whose trust the folder is trusted, as another working tree of its repository; "" if there is none.
func (s Store) Through(folder string) string {
	real, is, err := identity(folder)
	if err != nil {
		return ""
	}
	f, err := s.read()
	if err != nil {
		return ""
	}
	return f.beside(real, is)
}

// Grant trusts the folder with its present configuration. If the file of grants was damaged, aside is its new
// path.
func (s Store) Grant(folder string, now time.Time) (real, aside string, err error) {
	real, is, err := identity(folder)
	if err != nil {
		return "", "", err
	}
	is.Granted = now.UTC().Truncate(time.Second)
	aside, err = s.change(func(f *file) { f.Folders[real] = is })
	return real, aside, err
}

// Revoke ends the trust in the folder, and reports whether there was any. The folder need not exist any more.
func (s Store) Revoke(folder string) (real string, was bool, err error) {
	if real, err = realPath(folder); err != nil {
		return "", false, err
	}
	f, err := s.read()
	if err != nil {
		return real, false, err
	}
	if _, was = f.Folders[real]; !was {
		return real, false, nil
	}
	_, err = s.change(func(f *file) { delete(f.Folders, real) })
	return real, true, err
}

// List returns all grants, by folder.
func (s Store) List() ([]Grant, error) {
	f, err := s.read()
	if err != nil {
		return nil, err
	}
	list := []Grant{}
	for folder, granted := range f.Folders {
		_, is, err := identity(folder)
		list = append(list, Grant{folder, granted.Granted, err == nil && is.same(granted)})
	}
	slices.SortFunc(list, func(a, b Grant) int { return strings.Compare(a.Folder, b.Folder) })
	return list, nil
}

// identity is the identity of a folder that trust is bound to.
func identity(folder string) (real string, is entry, err error) {
	if real, err = filepath.Abs(folder); err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return "", entry{}, err
	}
	root, err := jail.Open(real)
	if err != nil {
		return "", entry{}, err
	}
	defer root.Close()
	data, err := settings.ProjectBytes(root)
	if err != nil {
		return "", entry{}, fmt.Errorf("the project's configuration cannot be read: %w", err)
	}
	sum := sha256.Sum256(data) // of nothing where there is none
	return real, entry{Folder: jail.Identity(root, ".") + ", " + jail.Identity(root, ".git"), Config: hex.EncodeToString(sum[:])}, nil
}

// realPath is the folder's path without links, as far as it exists.
func realPath(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real, nil
	}
	return abs, nil
}

// errDamaged marks a file of grants that cannot be parsed.
var errDamaged = errors.New("is damaged, so no folder is trusted; `brv-lsp trust` writes a new one and keeps a copy of this one")

// read reads the grants, none if there is no file.
func (s Store) read() (*file, error) {
	in, err := os.Open(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return &file{Version: version, Folders: map[string]entry{}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err == nil {
		err = jail.Private(info, jail.Written)
	}
	if err != nil {
		return nil, fmt.Errorf("no folder is trusted: %s %w", s.Path(), err)
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, err
	}
	f := new(file)
	if err := decode(data, f); err != nil {
		return nil, fmt.Errorf("%s %w (%v)", s.Path(), errDamaged, err)
	}
	return f, nil
}

// decode reads the file's text, of exactly the form that [Store] writes.
func decode(data []byte, f *file) error {
	if len(data) > maxFile {
		return fmt.Errorf("it has more than %d bytes", maxFile)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	switch err := dec.Decode(f); {
	case err != nil:
		return err
	case f.Version != version:
		return fmt.Errorf("its version is %d, not %d", f.Version, version)
	case f.Folders == nil:
		return errors.New("it has no folders")
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is text after its end")
	}
	return nil
}

// change rewrites the grants under a lock against all other processes.
func (s Store) change(edit func(*file)) (aside string, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", err
	}
	root, err := jail.Open(s.dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	unlock, err := root.Lock(lockName)
	if err != nil {
		return "", fmt.Errorf("%s: %w; try again", s.Path(), err)
	}
	defer unlock()
	f, err := s.read()
	if errors.Is(err, errDamaged) {
		if aside, err = s.keepAside(); err != nil {
			return "", err
		}
		f, err = s.read()
	}
	if err != nil {
		return aside, err
	}
	edit(f)
	return aside, s.write(f)
}

// keepAside renames a damaged file to a free name.
func (s Store) keepAside() (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", s.Path(), n)
		if _, err := os.Lstat(aside); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return aside, os.Rename(s.Path(), aside)
	}
}

// write replaces the file in one step: a reader sees the old grants or the new ones.
func (s Store) write(f *file) error {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= maxFile {
		return fmt.Errorf("%s would have over %d bytes; revoke the trust in deleted folders, which `brv-lsp trust --list` shows",
			s.Path(), maxFile)
	}
	temp, err := os.CreateTemp(s.dir, fileName+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(append(data, '\n'))
	if err == nil {
		err = temp.Sync()
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temp.Name(), s.Path())
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error is the one that explains
	}
	return err
}
