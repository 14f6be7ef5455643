package workspace

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// changeState lists changes on disk, certain or possible, that no view shows yet.
type changeState struct {
	*core
	stale     chan struct{} // holds a token while changes wait
	unwatched atomic.Bool   // the folder is to be watched, but is not yet

	mu      sync.Mutex      // guards the rest
	paths   map[string]bool // changed since the folder was last at rest; true: not read yet
	any     bool            // any file may have changed since
	waits   bool            // something waits to be read
	all     bool            // all files do
	reading bool            // what waited is being read
	last    time.Time       // the last sign of a change
	looking *time.Timer     // see lookAgain
}

// freeLooks is the number of an answer's files that are always checked on disk: one check takes some 20 µs,
// so that they take less than a millisecond. It is also the number of changed files that are looked for by
// name.
const freeLooks = 16

// unrestTime is the time after the last sign of a change on disk during which it may still be going on:
// reading the system's events for 1,000 files takes a quarter of a second.
const unrestTime = 2 * time.Second

// add records files, or folders with their contents, that may have changed on disk (nil: any file), and
// starts reading them.
func (d *changeState) add(paths []string) {
	d.note(paths, true)
	select {
	case d.stale <- struct{}{}:
	default: // the token is there: the loop has yet to take what waits
	}
}

// note records possible changes. Only finished ones are read; until then, answers are careful with the others.
func (d *changeState) note(paths []string, finished bool) {
	now := d.opts.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paths == nil || d.rests(now) {
		d.paths, d.any = map[string]bool{}, false
	}
	d.last, d.any = now, d.any || paths == nil
	d.waits, d.all = d.waits || finished, d.all || paths == nil && finished
	for _, p := range paths {
		d.paths[p] = d.paths[p] || finished
	}
}

// take returns the changes to be read, nil for everything. They count as being read until done is called.
func (d *changeState) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	taken := []string{} // nil would mean everything
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

// done reports that the changes taken are in the view.
func (d *changeState) done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = false
}

// rests reports whether all changes are in the view and no more are expected. mu is held.
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

// lookAgain schedules a later read of files whose changes may go unreported.
func (d *changeState) lookAgain(after time.Duration, paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.looking != nil {
		d.looking.Stop()
	}
	d.looking = time.AfterFunc(after, func() { d.add(paths) })
}

// end stops the scheduled reads.
func (d *changeState) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.looking != nil {
		d.looking.Stop()
	}
}
