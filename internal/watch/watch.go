// Package watch reports what changes on disk in a folder and all below it.
//
// The operating system watches single folders, tells of each write several times,
// and forgets: a folder that is made together with its content is announced, the
// content is not. A [Watcher] makes one dependable thing of that:
//
//   - It watches every folder that the caller does not ignore, new ones too. A
//     new folder is watched first and read second, and everything found in it is
//     reported, so that nothing made in between is missed.
//   - Changes are collected for a short while ([Options.Delay]) and come as a
//     [Batch] of distinct sorted paths. While the receiver is busy the next batch
//     grows; nothing blocks and nothing is dropped.
//   - A batch can be held while a program is in the middle of many changes
//     ([Options.Busy]): a switch of branches is one batch.
//   - Single files can be watched in a folder that is ignored otherwise
//     ([Options.Files]), such as `.git/HEAD`.
//   - When the system drops events, the batch says Rescan, and the folders are
//     walked again so that later changes are seen.
//
// What it says is a hint to look again, not a journal: a path may be reported
// without a change, and a reported path may be a folder, which then means
// everything below it. Links are not followed.
//
// Limits: each folder costs one watch of the system. When these run out,
// [New] fails with [ErrLimit]; for a folder that appears later the batch carries
// the error. Network file systems may report nothing at all.
package watch

import (
	"errors"
	"fmt"
	pathpkg "path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// DefaultDelay collects what one save, checkout or formatter run writes, and is
// too short for a person to notice.
const DefaultDelay = 100 * time.Millisecond

// ErrLimit says that the system has no watches left; on Linux the limit is
// fs.inotify.max_user_watches.
var ErrLimit = errors.New("too many folders to watch")

// Options adjust a Watcher. The zero value watches everything.
type Options struct {
	// Ignore reports that a folder, by its slash path relative to the watched
	// one, is neither watched nor reported. It is called by one goroutine.
	Ignore func(folder string) bool
	// Files are files, by slash path, that are reported wherever they lie. If their
	// folder is ignored, it is watched for them alone, once it exists. A batch
	// that holds one of them waits until a whole Delay passed without another
	// change of them, at most DefaultHold.
	Files []string
	// Busy reports that a program is still at work, for example that git holds
	// its index.lock: a batch waits, at most DefaultHold. It is called by one
	// goroutine, when a batch is due.
	Busy func() bool
	// Delay is the time between the first change and its batch.
	Delay time.Duration
	// After is [time.After] unless a test brings its own clock.
	After func(time.Duration) <-chan time.Time
}

// Batch is what changed since the batch before.
type Batch struct {
	Paths  []string // slash paths relative to the watched folder, sorted, distinct
	Rescan bool     // events were lost: anything may have changed
	Err    error    // a new folder could not be watched, and why
}

func (b *Batch) empty() bool { return len(b.Paths) == 0 && !b.Rescan && b.Err == nil }

// add keeps Paths sorted: sorting at the end would have to be done again for
// each event that arrives while the receiver is busy.
func (b *Batch) add(path string) {
	if i, found := slices.BinarySearch(b.Paths, path); !found {
		b.Paths = slices.Insert(b.Paths, i, path)
	}
}

func (b *Batch) fail(err error) {
	if b.Err == nil {
		b.Err = err
	}
}

// Watcher reports changes until it is closed.
type Watcher struct {
	opts    Options
	changes <-chan fsnotify.Event // of the system
	faults  <-chan error
	events  chan Batch
	hold    hold
	moved   bool // one of Options.Files changed since a batch was due last
	folders
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// New watches dir. The caller must receive from [Watcher.Events] and call
// [Watcher.Close].
func New(dir string, opts Options) (*Watcher, error) {
	if opts.Ignore == nil {
		opts.Ignore = func(string) bool { return false }
	}
	if opts.Delay <= 0 {
		opts.Delay = DefaultDelay
	}
	if opts.After == nil {
		opts.After = time.After
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, limit(err))
	}
	w := &Watcher{
		opts:    opts,
		hold:    hold{busy: opts.Busy, delay: opts.Delay},
		changes: system.Events,
		faults:  system.Errors,
		events:  make(chan Batch),
		folders: folders{system: system, dir: abs, ignore: opts.Ignore, watched: map[string]bool{}},
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	w.want(opts.Files)
	if err := w.add(".", nil); err != nil {
		system.Close()
		return nil, err
	}
	go w.run()
	return w, nil
}

// Events delivers the batches; it is closed when the watcher is.
func (w *Watcher) Events() <-chan Batch { return w.events }

// Close ends the watching and waits for its goroutine. It may be called twice.
func (w *Watcher) Close() error {
	w.once.Do(func() { close(w.stop) })
	<-w.stopped
	return nil
}

// run collects events into the pending batch. The batch is offered once the
// delay is over, and goes on growing until the receiver takes it.
func (w *Watcher) run() {
	defer close(w.stopped)
	defer close(w.events)
	defer w.system.Close()
	var (
		pending Batch
		due     <-chan time.Time
		out     chan<- Batch // nil, which never sends, until the batch is due
	)
	for {
		select {
		case event, ok := <-w.changes:
			if !ok {
				return
			}
			w.handle(event, &pending)
			if w.moved || out != nil && w.hold.wanted() {
				out = nil // no longer due
			}
		case err, ok := <-w.faults:
			if !ok {
				return
			}
			w.lost(err, &pending)
		case <-due:
			due = nil
			if w.hold.more(w.moved) {
				due = w.opts.After(w.opts.Delay)
			} else {
				out = w.events
			}
			w.moved = false
		case out <- pending:
			pending, out = Batch{}, nil
		case <-w.stop:
			return
		}
		if !pending.empty() && due == nil && out == nil {
			due = w.opts.After(w.opts.Delay)
		}
	}
}

// handle takes one event of the system.
func (w *Watcher) handle(event fsnotify.Event, pending *Batch) {
	path, ok := w.relative(event.Name)
	if !ok || event.Op == fsnotify.Chmod {
		return // permissions and times are not content
	}
	if path == "." {
		pending.Rescan = true // the watched folder itself went away or came back
		return
	}
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		w.drop(path)
	}
	isNewFolder := event.Has(fsnotify.Create) && w.isFolder(path)
	switch {
	case w.files[path]:
		w.moved = true
	case w.partial[pathpkg.Dir(path)] || isNewFolder && w.ignore(path):
		if isNewFolder {
			pending.fail(w.addPart(path, w.report(pending)))
		}
		return
	case isNewFolder:
		pending.fail(w.add(path, w.report(pending)))
	}
	pending.add(path)
}

// report notes a path that was found instead of announced.
func (w *Watcher) report(pending *Batch) func(path string) {
	return func(path string) {
		w.moved = w.moved || w.files[path]
		pending.add(path)
	}
}

// lost takes an error of the system, after which events may be missing.
func (w *Watcher) lost(err error, pending *Batch) {
	pending.Rescan = true
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		pending.fail(err)
	}
	pending.fail(w.add(".", nil))
}

// limit names the one failure that a user can do something about.
func limit(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		return ErrLimit
	}
	return err
}
