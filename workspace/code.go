package workspace

import (
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// codeState is the code while it is read: the first time, and again after changes.
type codeState struct {
	*shown
	changes  *changeState
	commits  *commitState
	pool     *syntax.Pool
	once     sync.Once  // for the first read
	updating sync.Mutex // held while changed code is read again
	walks    walks      // of the folder, for changes of the code by others

	stages [codeRead + 1]*Stage
	alone  *codebase.RepoMap // over no files, for texts laid over it alone. Valid once codeBegun
	plain  *codebase.RepoMap // the same, for the words and marks of texts without their syntax

	opening sync.Mutex            // guards ahead
	ahead   map[string]*fileAhead // the open files that are read before the rest, by path; nil once all files are read
}

// codeStage is the progress of the first read of the code. A read that fails has reached its end.
type codeStage int

const (
	codeBegun  codeStage = iota // texts can be laid over a map of no files
	codeFiles                   // the list of files is known
	codeWords                   // the code can be searched by its words
	codeSyntax                  // all of it is read; git's data about it may be missing
	codeRead                    // git's data is known too, or takes long
)

func newCode(p *shown, changes *changeState, commits *commitState) *codeState {
	c := &codeState{
		shown: p, changes: changes, commits: commits,
		pool: syntax.NewPool(syntax.Options{Command: p.opts.Worker}), ahead: map[string]*fileAhead{},
	}
	for i := range c.stages {
		c.stages[i] = NewStage()
	}
	return c
}

// at reports whether a stage is over.
func (c *codeState) at(stage codeStage) bool { return c.stages[stage].Over() }

// beginning reports whether the code is being read for the first time.
func (c *codeState) beginning() bool { return c.at(codeBegun) && !c.at(codeSyntax) }

// codeCompleted reports that data which answers about code lacked is now known.
var codeCompleted = Change{Code: true, Completed: true}

// reach completes all stages up to one, and notifies the callers that went on without them. Only the first
// read calls it.
func (c *codeState) reach(stage codeStage, err error) {
	if stage >= codeSyntax {
		c.opening.Lock()
		c.ahead = nil
		c.opening.Unlock()
	}
	missed := false
	for _, s := range c.stages[:stage+1] {
		if !s.Over() {
			missed = s.End(err) || missed
		}
	}
	if missed {
		c.Tell(codeCompleted)
	}
}

// readingCode is the title of the first read.
const readingCode = "Reading the code"

// scan starts the first read of the code, once.
func (c *codeState) scan() {
	c.once.Do(func() {
		if c.opts.NoCode {
			c.reach(codeRead, ErrNoCode)
			return
		}
		past := sync.OnceValue(c.commits.readBeside)
		err := c.begin(past)
		started := c.Go(func() {
			if err == nil {
				err = panics.Try(func() error { return c.read(past) })
			}
			c.TellProgress(Progress{Title: readingCode, End: true})
			if err != nil && c.ctx.Err() == nil {
				c.opts.Log.Warn("code", "err", err)
			}
			c.reach(codeRead, err)
		})
		if !started {
			c.reach(codeRead, ErrClosed)
		}
	})
}

// begin makes the maps of no files.
func (c *codeState) begin(past func() *Stage) (err error) {
	opts := codebase.Options{Include: c.opts.Include, Exclude: c.opts.Exclude}
	if c.plain, err = codebase.Unread(c.ctx, c.root, opts); err != nil {
		return err
	}
	opts.Parser, opts.Cache, opts.Now, opts.Progress = c.pool, c.opts.Cache, c.opts.Now, c.progress(readingCode)
	opts.Repository, opts.NoGraph = c.shared, c.opts.NoGraph
	opts.Found = func(files *codebase.RepoMap) {
		c.set(files)
		c.reach(codeFiles, nil)
		c.openFirst()
		past()
	}
	opts.Preliminary = func(early *codebase.RepoMap) {
		c.set(early)
		c.openFirst()
		c.reach(codeWords, nil)
		c.tellCode()
	}
	if c.alone, err = codebase.Unread(c.ctx, c.root, opts); err == nil {
		c.set(c.alone)
		c.reach(codeBegun, nil)
	}
	return err
}

// read reads all of the code, and waits for git's data about it.
func (c *codeState) read(past func() *Stage) error {
	c.walks.began(c.opts.Now())
	code, err := c.alone.Scan(c.ctx)
	if err != nil {
		return err
	}
	c.set(code)
	c.reach(codeSyntax, nil)
	c.logPartial(code)
	c.tellCode()
	short, cancel := c.Within(c.ctx, Answer)
	defer cancel()
	_ = past().Wait(short) // data that comes later is reported separately
	c.Go(func() { c.keep(code) })
	return nil
}

// openFirst delays the first read, at most as long as an answer waits, until open files and the files that
// open entries name are read: requests are about them now.
func (c *codeState) openFirst() {
	short, cancel := c.Within(c.ctx, Look)
	defer cancel()
	if v, err := c.View().withOpen(short); err == nil && v.open == nil { // v has the open buffers in its code, see [overlaid]
		v.Links()
	}
}

// keep writes the parsed code to the cache. If that fails, the next process parses it again.
func (c *codeState) keep(code *codebase.RepoMap) {
	if err := code.Save(); err != nil {
		c.opts.Log.Debug("code cache not written", "err", err)
	}
	c.stir()
}

// logPartial says how much of the code is known only in part.
func (c *codeState) logPartial(code *codebase.RepoMap) {
	partial := 0
	for _, c := range code.Chunks() {
		if c.Partial != "" {
			partial++
		}
	}
	if skipped := len(code.Skipped()); partial+skipped > 0 {
		c.opts.Log.Warn("some code was not read; `brv-lsp check --code` lists it", "read in part", partial, "not read", skipped)
	}
}

func (c *codeState) progress(title string) func(done, total int) {
	if c.opts.Progress == nil {
		return nil
	}
	return func(done, total int) { c.opts.Progress(Progress{Title: title, Done: done, Total: total}) }
}

// set makes a map the present one, with the files' history.
func (c *codeState) set(code *codebase.RepoMap) {
	c.stir()
	c.swap(func(v *View) *View {
		if past := v.code.History(); code.History() != past {
			code = code.WithHistory(past)
		}
		return withCode(v, code)
	})
}

// readAlready are the texts of the files that were read before the rest.
func (c *codeState) readAlready() map[string]string {
	c.opening.Lock()
	ahead := maps.Clone(c.ahead)
	c.opening.Unlock()
	texts := map[string]string{}
	for p, file := range ahead {
		if file.ready() {
			texts[p] = file.text
		}
	}
	return texts
}

// fileAhead is the map of one file.
type fileAhead struct {
	text string
	lazy[*codebase.RepoMap]
}

// readAhead starts reading a single file, if it is not read yet.
func (c *codeState) readAhead(p, text string) *try[*codebase.RepoMap] {
	c.opening.Lock()
	file := c.ahead[p]
	if file == nil || file.text != text {
		file = &fileAhead{text, lazy[*codebase.RepoMap]{news: codeCompleted}}
		if c.ahead != nil {
			c.ahead[p] = file
		}
	}
	c.opening.Unlock()
	return file.begin(c.core, func() (*codebase.RepoMap, error) {
		return c.alone.With(c.ctx, map[string]string{p: text})
	})
}

// walks are searches of the whole folder for changed code, one at a time.
type walks struct {
	mu   sync.Mutex // guards the rest
	last time.Time  // when the last one began
	took time.Duration
	done *Stage
}

// began records a walk whose end is awaited elsewhere.
func (k *walks) began(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last, k.done = at, NewStage()
	k.done.End(nil)
}

// ended notes how long a walk took.
func (k *walks) ended(began time.Time) {
	took := time.Since(began)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.took = took
}

// ErrNoCode is the error of answers about code where none is read.
var ErrNoCode = errors.New("code is not read because the setting brv.code.scan is off")
