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
//   - When the watched folder itself is removed, renamed or replaced, the batch says
//     Rescan, and so does one when a folder stands there again. Of the end of a folder that
//     someone has open the system may tell nothing: each [Options.Poll] is looked whether it
//     is there.
//   - When the system has no more watches, the batch says so once (errLimit), and from
//     then on the folders are also walked each [Options.Poll], which finds what changed
//     its size, time or kind.
//
// What it says is a hint to look again, not a journal: a path may be reported
// without a change, and a reported path may be a folder, which then means
// everything below it. Links are not followed.
//
// Limits: each folder costs one watch of the system. Network file systems may report
// nothing at all.
package watch

import (
	"errors"
	"fmt"
	"io/fs"
	pathpkg "path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// defaultDelay collects what one save, checkout or formatter run writes, and is
// too short for a person to notice.
const defaultDelay = 100 * time.Millisecond

// defaultPoll is the interval of polling if the system does not report changes. A walk over the 10,000 files
// of a large tree takes some 50 ms of processor time, 2 % of it.
const defaultPoll = 2 * time.Second

// errLimit says that the system has no watches left; on Linux the limit is
// fs.inotify.max_user_watches.
var errLimit = errors.New("too many folders to watch")

// Options adjust a Watcher. The zero value watches everything.
type Options struct {
	// Ignore reports that a folder, by its slash path relative to the watched
	// one, is neither watched nor reported. It is called by one goroutine.
	Ignore func(folder string) bool
	// Files are files, by slash path, that are reported wherever they lie. If their
	// folder is ignored, it is watched for them alone, once it exists. A batch
	// that holds one of them waits until a whole Delay passed without another
	// change of them, at most defaultHold.
	Files []string
	// Busy reports that a program is still at work, for example that git holds
	// its index.lock: a batch waits, at most defaultHold. It is called by one
	// goroutine, when a batch is due.
	Busy func() bool
	// Noticed is called with each path as soon as the system reports it, long before its batch is due. It is
	// called by one goroutine and must return at once.
	Noticed func(path string)
	// Delay is the time between the first change and its batch.
	Delay time.Duration
	// Outside are files in other folders, by absolute name, with the path under which
	// they are reported: the HEAD of a git worktree lies in the repository it belongs to.
	// Only that they changed is learned. For a batch they count as Files do.
	Outside map[string]string
	// Poll is the interval of polling if the system does not report changes; defaultPoll if not positive.
	Poll time.Duration
	// After is [time.After] unless a test brings its own clock.
	After func(time.Duration) <-chan time.Time
}

// Batch lists the changes since the batch before.
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

// Watcher reports changes until it is closed.
type Watcher struct {
	opts    Options
	changes <-chan fsnotify.Event // of the system
	faults  <-chan error
	events  chan Batch
	hold    hold
	moved   bool   // one of Options.Files changed since a batch was due last
	removed bool   // the watched path does not exist
	polled  stamps // the results of the last poll; nil while the system reports everything
	folders
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// New watches dir, which must be there. The caller must receive from [Watcher.Events] and call
// [Watcher.Close].
func New(dir string, opts Options) (*Watcher, error) {
	if opts.Ignore == nil {
		opts.Ignore = func(string) bool { return false }
	}
	if opts.Delay <= 0 {
		opts.Delay = defaultDelay
	}
	if opts.Poll <= 0 {
		opts.Poll = defaultPoll
	}
	if opts.After == nil {
		opts.After = time.After
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	system, err := fsnotify.NewWatcher()
	if err = limit(err); errors.Is(err, errLimit) {
		return begin(abs, opts, none{}, nil, nil)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return begin(abs, opts, notify{system}, system.Events, system.Errors)
}

// begin watches dir by what the system tells.
func begin(dir string, opts Options, by system, changes <-chan fsnotify.Event, faults <-chan error) (*Watcher, error) {
	if opts.Noticed == nil {
		opts.Noticed = func(string) {}
	}
	w := &Watcher{
		opts:    opts,
		hold:    hold{busy: opts.Busy, delay: opts.Delay},
		changes: changes,
		faults:  faults,
		events:  make(chan Batch),
		folders: folders{system: by, dir: dir, ignore: opts.Ignore, watched: map[string]node{}, paths: map[node]string{},
			outside: opts.Outside},
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	w.want(opts.Files)
	var first Batch
	err := w.add(".", nil)
	if err == nil {
		err = w.addOutside()
	}
	if w.fail(&first, err); err != nil && w.polled == nil {
		by.Close()
		return nil, err
	}
	go w.run(first)
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
func (w *Watcher) run(pending Batch) {
	defer close(w.stopped)
	defer close(w.events)
	defer w.system.Close()
	var (
		due, look <-chan time.Time
		out       chan<- Batch // nil, which never sends, until the batch is due
	)
	for {
		if !pending.empty() && due == nil && out == nil {
			due = w.opts.After(w.opts.Delay)
		}
		if look == nil {
			look = w.opts.After(w.opts.Poll)
		}
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
			w.eventsLost(err, &pending)
		case <-due:
			due = nil
			switch {
			case !w.removed && !w.stands():
				w.lose(&pending)
				due = w.opts.After(w.opts.Delay)
			case w.hold.more(w.moved):
				due = w.opts.After(w.opts.Delay)
			default:
				out = w.events
			}
			w.moved = false
		case out <- pending:
			pending, out = Batch{}, nil
		case <-look:
			look = nil
			w.look(&pending)
		case <-w.stop:
			return
		}
	}
}

// handle takes one event of the system.
func (w *Watcher) handle(event fsnotify.Event, pending *Batch) {
	if event.Op == fsnotify.Chmod {
		return // permissions and times are not content
	}
	if path, ok := w.outside[event.Name]; ok {
		w.moved = true
		pending.add(path)
	}
	path, ok := w.relative(event.Name)
	if !ok {
		return
	}
	if path == "." {
		if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
			w.lose(pending)
		}
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
			w.fail(pending, w.addPart(path, w.report(pending)))
		}
		return
	case isNewFolder:
		w.fail(pending, w.add(path, w.report(pending)))
	}
	w.opts.Noticed(path)
	pending.add(path)
}

// report notes a path that was found instead of announced.
func (w *Watcher) report(pending *Batch) func(path string) {
	return func(path string) {
		w.moved = w.moved || w.files[path]
		w.opts.Noticed(path)
		pending.add(path)
	}
}

// eventsLost handles an error of the system, after which events may be missing.
func (w *Watcher) eventsLost(err error, pending *Batch) {
	pending.Rescan = true
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.fail(pending, err)
	}
	if err := w.add(".", nil); errors.Is(err, fs.ErrNotExist) {
		w.lose(pending)
	} else {
		w.fail(pending, err)
	}
}

// limit names the one failure that a user can do something about.
func limit(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		return errLimit
	}
	return err
}
