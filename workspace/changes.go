package workspace

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// changeState lists what changed on disk, or may have, and is in no view yet.
type changeState struct {
	*core
	stale     chan struct{} // holds a token while changes wait
	unwatched atomic.Bool   // the folder is to be watched, and not yet is

	mu      sync.Mutex      // guards the rest
	paths   map[string]bool // since the folder was at rest; true: waits to be read
	any     bool            // any file may have changed since
	waits   bool            // something waits to be read
	all     bool            // all files do
	reading bool            // what waited is being read
	last    time.Time       // the last sign of a change
	looking *time.Timer     // see lookAgain
}

// freeLooks is how many files of an answer are looked at on disk whatever is known: one
// look takes some 20 µs, so that they cost no answer a millisecond. It is also how many
// changed files are looked for by name.
const freeLooks = 16

// unrestTime is how long after the last sign of it a change on disk may still be going
// on: what the system tells of 1,000 files takes a quarter of a second to read.
const unrestTime = 2 * time.Second

// add notes files, or folders with all they hold, that may have changed on disk, nil for any, and has them read again.
func (d *changeState) add(paths []string) {
	d.note(paths, true)
	select {
	case d.stale <- struct{}{}:
	default: // the token is there: the loop has yet to take what waits
	}
}

// note notes what may have changed. It waits to be read if that is known to be over.
func (d *changeState) note(paths []string, over bool) {
	now := d.opts.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paths == nil || d.rests(now) {
		d.paths, d.any = map[string]bool{}, false
	}
	d.last, d.any = now, d.any || paths == nil
	d.waits, d.all = d.waits || over, d.all || paths == nil && over
	for _, p := range paths {
		d.paths[p] = d.paths[p] || over
	}
}

// take returns the changes that wait, nil for everything. They are being read until done is called.
func (d *changeState) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	taken := []string{} // never nil, but for everything
	for _, p := range slices.Sorted(maps.Keys(d.paths)) {
		if d.paths[p] {
			taken, d.paths[p] = append(taken, p), false
		}
	}
	if d.all {
		taken = nil
	}
	d.waits, d.all, d.reading = false, false, true
	return taken
}

// done says that what was taken is in the view.
func (d *changeState) done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = false
}

// rests reports whether all changes are in the view, and no more are to be expected. mu is held.
func (d *changeState) rests(now time.Time) bool {
	return !d.waits && !d.reading && now.Sub(d.last) > unrestTime
}

// moving returns the files and folders that may have changed, or whether any may have.
func (d *changeState) moving() (paths []string, many bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rests(d.opts.Now()) {
		return nil, d.unwatched.Load()
	}
	return slices.Collect(maps.Keys(d.paths)), d.any || len(d.paths) > freeLooks || d.unwatched.Load()
}

// lookAgain has files read again after some time of which nobody may say that they changed.
func (d *changeState) lookAgain(after time.Duration, paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.looking != nil {
		d.looking.Stop()
	}
	d.looking = time.AfterFunc(after, func() { d.add(paths) })
}

// end looks at nothing any more.
func (d *changeState) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.looking != nil {
		d.looking.Stop()
	}
}
