package watch

import (
	"fmt"

	"github.com/fsnotify/fsnotify"
)

// notify is the operating system, through fsnotify.
type notify struct{ *fsnotify.Watcher }

// Remove ends the watch of a folder. On Linux fsnotify 1.10.1 follows a nil pointer where a
// folder that it watches under another path was moved onto this one (updatePath and
// removePath in its backend_inotify.go). Its lock is free again by then, and nothing is left
// to remove.
func (n notify) Remove(folder string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", folder, r)
		}
	}()
	return n.Watcher.Remove(folder)
}
