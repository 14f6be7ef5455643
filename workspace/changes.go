package workspace

import (
	"sync"
	"time"
)

// changeState are the changes on disk that no view shows yet.
type changeState struct {
	*core
	stale chan struct{} // holds a token while changes wait

	mu      sync.Mutex // guards the fields below, and those of codeState that say so
	paths   []string
	all     bool        // any file may have changed
	taken   bool        // a refresh is under way
	looking *time.Timer // see lookAgain

	pendingChanges pendingChanges
}

// later has files read again.
func (d *changeState) later(paths []string) {
	d.mu.Lock()
	d.all = d.all || paths == nil
	d.paths = append(d.paths, paths...)
	d.mu.Unlock()
	select {
	case d.stale <- struct{}{}:
	default: // the token is there: the loop has yet to take what waits
	}
}

// add notes what may have changed on disk, nil for anything, and has it read again.
func (d *changeState) add(paths []string) {
	d.noticed(paths)
	d.later(paths)
}

// take returns the changes that wait, nil for everything, and empties the list.
func (d *changeState) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	paths := append([]string{}, d.paths...) // never nil
	if d.all {
		paths = nil
	}
	d.paths, d.all, d.taken = nil, false, true
	return paths
}

// done says that what was taken is in the view.
func (d *changeState) done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken = false
}

// freeLooks is how many files of an answer are looked at on disk whatever is known: one
// look takes some 20 µs, so that they cost no answer a millisecond. It is also how many
// changed files are remembered by name.
const freeLooks = 16

// unrestTime is how long after the last sign of it a change on disk may still be going
// on: what the system tells of 1,000 files takes a quarter of a second to read.
const unrestTime = 2 * time.Second

// pendingChanges holds the changes on disk that no view shows yet.
type pendingChanges struct {
	mu        sync.Mutex // guards the rest
	last      time.Time  // the last sign
	paths     []string   // at most freeLooks of them
	many      bool       // or any other
	unwatched bool       // the folder is to be watched, and not yet is
}

// noticed says that files, or folders with all they hold, may have changed on disk; nil
// that any may have.
func (d *changeState) noticed(paths []string) {
	u, now := &d.pendingChanges, d.opts.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over(now) && !d.behind() {
		u.paths, u.many = nil, false
	}
	u.last = now
	if u.many = u.many || paths == nil || len(u.paths)+len(paths) > freeLooks; u.many {
		u.paths = nil
		return
	}
	u.paths = append(u.paths, paths...)
}

// unseen says whether changes on disk go unnoticed.
func (d *changeState) unseen(blind bool) {
	d.pendingChanges.mu.Lock()
	defer d.pendingChanges.mu.Unlock()
	d.pendingChanges.unwatched = blind
}

func (u *pendingChanges) over(now time.Time) bool { return now.Sub(u.last) > unrestTime }

// moving returns the files and folders that may have changed, or whether any may have.
func (d *changeState) moving() (paths []string, many bool) {
	u := &d.pendingChanges
	u.mu.Lock()
	defer u.mu.Unlock()
	if d.behind() || !u.over(d.opts.Now()) {
		paths, many = u.paths, u.many
	}
	return paths[:len(paths):len(paths)], many || u.unwatched
}

// behind reports whether changes wait for a refresh, or are in one.
func (d *changeState) behind() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all || len(d.paths) > 0 || d.taken
}
