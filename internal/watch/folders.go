package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// folders is the set of watched folders; only the watcher's goroutine uses it.
type folders struct {
	system  system
	dir     string // absolute
	ignore  func(string) bool
	watched map[string]node // by slash path relative to dir, as it was when it was watched
	paths   map[node]string // under which one is watched
	top     os.FileInfo     // dir as it was when it was watched

	files   map[string]bool     // that are reported wherever they lie
	holders map[string][]string // the folders above them, each with what to look at in it
	partial map[string]bool     // watched for files alone
	outside map[string]string   // files elsewhere, by absolute name, with the path to report
}

// system watches single folders.
type system interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
}

// want says which files are reported although their folder is ignored.
func (f *folders) want(files []string) {
	f.files, f.holders, f.partial = map[string]bool{}, map[string][]string{}, map[string]bool{}
	for _, file := range files {
		f.files[file] = true
		inside := file
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if !slices.Contains(f.holders[dir], inside) {
				f.holders[dir] = append(f.holders[dir], inside)
			}
			inside = dir
		}
	}
}

// addOutside watches the folders of the files elsewhere; one that is not there has
// nothing to tell.
func (f *folders) addOutside() error {
	for name := range f.outside {
		if err := f.system.Add(filepath.Dir(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", name, limit(err))
		}
	}
	return nil
}

// addPart watches an ignored folder for the wanted files in it and below.
func (f *folders) addPart(folder string, report func(path string)) error {
	if f.holders[folder] == nil {
		return nil
	}
	if err := f.watch(folder); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone again
		}
		return fmt.Errorf("%s: %w", folder, limit(err))
	}
	f.partial[folder] = true
	for _, inside := range f.holders[folder] {
		info, err := os.Lstat(f.absolute(inside))
		switch {
		case err != nil:
		case info.IsDir():
			if err := f.addPart(inside, report); err != nil {
				return err
			}
		case report != nil && f.files[inside]:
			report(inside)
		}
	}
	return nil
}

// add watches a folder and all below it, and reports what they hold. Each is
// watched before it is read: what appears later is an event, what was there
// before is found.
func (f *folders) add(folder string, report func(path string)) error {
	if err := f.watch(folder); err != nil {
		if folder != "." && errors.Is(err, fs.ErrNotExist) {
			return nil // gone again
		}
		return fmt.Errorf("%s: %w", folder, limit(err))
	}
	if folder == "." {
		f.top, _ = os.Stat(f.dir)
	}
	entries, err := os.ReadDir(f.absolute(folder))
	if err != nil {
		return nil // gone or unreadable: no content to watch
	}
	var first error
	for _, entry := range entries {
		path := entry.Name()
		if folder != "." {
			path = folder + "/" + path
		}
		if entry.IsDir() && f.ignore(path) {
			if err := f.addPart(path, report); err != nil && first == nil {
				first = err
			}
			continue
		}
		if report != nil {
			report(path)
		}
		if entry.IsDir() {
			if err := f.add(path, report); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

// watch watches one folder. A walk can find one that was moved before the system's word of
// the move is read. The system has one watch for each folder, whatever its path, and keeps
// the first path: the old one is dropped before. What is moved between the look and the
// watching is seen by a second look; who moves folders as fast as they are watched gets the
// events of the last one.
func (f *folders) watch(folder string) error {
	for range 5 {
		now := nodeOf(f.absolute(folder))
		if old, ok := f.paths[now]; ok && old != folder {
			f.drop(old)
		}
		if err := f.system.Add(f.absolute(folder)); err != nil {
			return err
		}
		f.forget(folder)
		f.watched[folder] = now
		if now == (node{}) {
			return nil
		}
		f.paths[now] = folder
		if nodeOf(f.absolute(folder)) == now {
			break
		}
	}
	return nil
}

// forget takes a folder out of what is known as watched.
func (f *folders) forget(folder string) {
	if n := f.watched[folder]; f.paths[n] == folder {
		delete(f.paths, n)
	}
	delete(f.watched, folder)
}

// drop forgets a folder that was removed or renamed, and all below it: the system
// would go on reporting a renamed one under its old name.
func (f *folders) drop(folder string) {
	if _, ok := f.watched[folder]; !ok {
		return
	}
	for path := range f.watched {
		if folder == "." || path == folder || strings.HasPrefix(path, folder+"/") {
			f.forget(path)
			delete(f.partial, path)
			_ = f.system.Remove(f.absolute(path)) // the system may have dropped it itself
		}
	}
}

// stands reports whether the watched folder is still at its path. The system does not
// tell of its end while someone has it open, but of that of what it held.
func (f *folders) stands() bool {
	now, err := os.Stat(f.dir)
	return err == nil && (f.top == nil || os.SameFile(now, f.top))
}

func (f *folders) isFolder(path string) bool {
	info, err := os.Lstat(f.absolute(path))
	return err == nil && info.IsDir()
}

func (f *folders) absolute(path string) string {
	return filepath.Join(f.dir, filepath.FromSlash(path))
}

// relative turns the system's name into a slash path; false if it is outside.
func (f *folders) relative(name string) (string, bool) {
	rel, err := filepath.Rel(f.dir, name)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
