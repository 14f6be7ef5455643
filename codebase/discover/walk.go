package discover

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	gitrepo "github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// folder is one folder to read.
type folder struct {
	path   string
	rules  *ignoreStack // of the folders above
	inRepo bool         // a folder above belongs to a repository
	named  bool         // it is walked only for files that git tracks
	steps  int          // for its rules, in addition to those for each file and folder in it
}

// content is the result of reading one folder.
type content struct {
	err     error
	nested  bool // another repository: not entered
	rules   *ignoreStack
	folders []folder
	files   []File
	configs map[string]string
	skipped map[string]string
	over    int      // steps that its rules took beyond those for each file and folder in it
	tracked []string // paths of files and folders that are included only because git's index has them
	left    []string // folders that are not entered
}

// walker reads folders. Only what mu guards changes.
type walker struct {
	root    *jail.Root
	top     *jail.Dir // the folder of root
	opts    Options
	filter  *Filter
	index   gitrepo.Index
	tracked []string // what git tracks, sorted

	mu             sync.Mutex // guards the counters and calls of Progress
	folders, files int
}

// Walk finds the files of a folder. It fails if the folder itself cannot be read, a pattern is malformed or
// ctx ends; files and folders further down that cannot be read are listed in Found.Skipped.
//
// Folders are read level by level, those of one level on as many goroutines as Go may use: the order of the
// work, and so the effect of a limit, does not depend on timing. Each file's record is read once.
func Walk(ctx context.Context, root *jail.Root, opts Options) (*Found, error) {
	if opts.MaxFileSize <= 0 {
		opts.MaxFileSize = DefaultMaxFileSize
	}
	opts.maxFolders = cmp.Or(opts.maxFolders, maxFolders)
	opts.maxFiles = cmp.Or(opts.maxFiles, maxFiles)
	opts.maxSteps = cmp.Or(opts.maxSteps, stepsAll)
	filter, err := newFilter(opts)
	if err != nil {
		return nil, err
	}
	top, err := root.OpenDir()
	if err != nil {
		return nil, err
	}
	defer top.Close()
	w := &walker{root: root, top: top, opts: opts, filter: filter}
	if !opts.Top {
		w.index = gitrepo.IndexOf(root.Dir())
	}
	w.tracked, filter.away = w.index.Paths()
	found := &Found{Filter: filter, Configs: map[string]string{}, Skipped: map[string]string{}}
	steps := opts.maxSteps
	for level := []folder{{}}; len(level) > 0; {
		if room := opts.maxFolders - len(filter.walked); len(level) > room {
			found.Skipped[orDot(level[max(room, 0)].path)] = "too many folders"
			level = level[:max(room, 0)]
		}
		for i := range level {
			level[i].steps = steps / len(level) // each its share, so that the result does not depend on timing
		}
		read, err := w.level(ctx, level)
		if err != nil {
			return nil, err
		}
		for _, c := range read {
			steps -= min(c.over, steps)
		}
		if level = found.add(level, read, opts.maxFiles); opts.Top {
			break
		}
	}
	slices.SortFunc(found.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return found, nil
}

// siblings is how many folders of one parent a goroutine reads at most before it
// looks for other work.
const siblings = 16

// level reads the folders of one level: some of one parent at a time, so that the
// parent is looked up once for them.
func (w *walker) level(ctx context.Context, level []folder) ([]content, error) {
	read := make([]content, len(level))
	var group panics.Group
	var mu sync.Mutex // guards next
	next := 0
	take := func() (from, to int) {
		mu.Lock()
		defer mu.Unlock()
		from = next
		for next < min(len(level), from+siblings) && dirOf(level[next].path) == dirOf(level[from].path) {
			next++
		}
		return from, next
	}
	for range min(len(level), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for ctx.Err() == nil {
				from, to := take()
				if from == to {
					return
				}
				w.readSiblings(ctx, level[from:to], read[from:to])
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(level) == 1 && level[0].path == "" && read[0].err != nil {
		return nil, read[0].err
	}
	return read, nil
}

// readSiblings reads folders of one parent.
func (w *walker) readSiblings(ctx context.Context, folders []folder, read []content) {
	parent, err := w.top, error(nil)
	if dir := dirOf(folders[0].path); dir != "" {
		if parent, err = w.top.Open(dir); err == nil {
			defer parent.Close()
		}
	}
	for i, dir := range folders {
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			read[i] = content{err: err}
		} else {
			read[i] = w.open(ctx, parent, dir)
		}
		w.report(len(read[i].files))
	}
}

// open reads a folder in its parent; the top is in no other.
func (w *walker) open(ctx context.Context, parent *jail.Dir, dir folder) content {
	if dir.path == "" {
		return w.read(ctx, parent, dir)
	}
	d, err := parent.Open(path.Base(dir.path))
	if err != nil {
		return content{err: err}
	}
	defer d.Close()
	return w.read(ctx, d, dir)
}

func (w *walker) report(files int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folders++
	w.files += files
	if w.opts.Progress != nil {
		w.opts.Progress(w.folders, w.files)
	}
}

// add takes what was read of a level, in order, and returns the next level: none
// once there are too many files.
func (d *Found) add(level []folder, read []content, most int) (next []folder) {
	for i, c := range read {
		dir := level[i].path
		switch {
		case vanished(c.err):
			continue
		case c.err != nil:
			d.Skipped[dir] = Reason(c.err)
			continue
		case c.nested:
			d.Filter.nested[dir] = true
			d.Skipped[dir] = "another repository"
			continue
		case len(d.Files)+len(c.files) > most:
			d.Skipped[orDot(dir)] = "too many files"
			return nil
		}
		d.Filter.walked[dir] = c.rules
		d.Files = append(d.Files, c.files...)
		next = append(next, c.folders...)
		d.Filter.left = append(d.Filter.left, c.left...)
		for _, p := range c.tracked {
			d.Filter.tracked[p] = true
		}
		for p, text := range c.configs {
			d.Configs[p] = text
		}
		for p, reason := range c.skipped {
			d.Skipped[p] = reason
		}
	}
	return next
}

// read reads one folder, which is open.
func (w *walker) read(ctx context.Context, d *jail.Dir, dir folder) content {
	entries, err := entriesOf(ctx, d)
	if err != nil {
		return content{err: err}
	}
	repo := isRepository(w.root, d, dir.path, entries)
	if repo && dir.inRepo {
		return content{nested: true}
	}
	dir.inRepo = dir.inRepo || repo
	skipped := map[string]string{}
	if repo || dir.path == "" {
		dir.rules = repositoryRules(w.root, skipped, dir.path)
	}
	if e, ok := find(entries, ".gitignore"); ok && e.Type.IsRegular() {
		text, err := d.ReadFile(".gitignore", maxConfigSize)
		dir.rules = dir.rules.with(ignores(skipped, dir.path, path.Join(dir.path, ".gitignore"), text, err, dir.rules.folds()))
	}
	m := &meter{left: dir.steps + stepsEach*len(entries)}
	c := w.sort(d, dir, entries, m)
	over := max(dir.steps-m.left, 0)
	if m.spent != nil {
		skipped[m.spent.path] = "its patterns take too long to match, so some folders are read without ignore rules"
		dir.rules = &ignoreStack{file: ignoreFile{fold: dir.rules.folds()}}
		c = w.sort(d, dir, entries, &meter{left: math.MaxInt})
	}
	maps.Copy(c.skipped, skipped)
	c.over = over
	return c
}

// sort takes from the entries of a folder what its rules let through.
func (w *walker) sort(d *jail.Dir, dir folder, entries []jail.Entry, m *meter) content {
	c := content{rules: dir.rules, configs: map[string]string{}, skipped: map[string]string{}}
	for _, e := range entries {
		if m.left < 0 {
			break
		}
		p := e.Name
		if dir.path != "" {
			p = dir.path + "/" + e.Name
		}
		switch {
		case !sanitize.Plain(p):
			if e.Type.IsDir() && w.filter.enters(p, c.rules, m) || w.filter.matches(p) && !c.rules.ignores(p, false, m) {
				c.skipped[p] = sanitize.NotPlain
			}
		case e.Type.IsDir():
			free := !dir.named && w.filter.enters(p, c.rules, m)
			if !free && !w.entersTracked(p) {
				if e.Name[0] != '.' {
					c.left = append(c.left, p)
				}
				continue
			}
			c.folders = append(c.folders, folder{path: p, rules: c.rules, inRepo: dir.inRepo, named: !free})
			if !free {
				c.tracked = append(c.tracked, p)
			}
		case e.Type.IsRegular():
			w.file(&c, d, p, e.Name, dir.named, m)
		case w.filter.wants(p, c.rules, m):
			c.skipped[p] = "not a regular file"
		}
	}
	return c
}

// listStep is how many entries of a folder are read between two looks at ctx.
const listStep = 4096

// entriesOf returns the entries of a folder, sorted by name.
func entriesOf(ctx context.Context, d *jail.Dir) (entries []jail.Entry, err error) {
	for ctx.Err() == nil {
		some, err := d.List(listStep)
		entries = append(entries, some...)
		if err == io.EOF || errors.Is(err, fs.ErrNotExist) { // the latter of a folder that was removed while it was open
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b jail.Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, ctx.Err()
}

// file takes one regular file.
func (w *walker) file(c *content, d *jail.Dir, p, name string, named bool, m *meter) {
	if w.filter.config != nil && w.filter.config(p) {
		if b, err := d.ReadFile(name, MaxConfigSize(p)); err == nil {
			c.configs[p] = string(b)
		}
	}
	fits := w.filter.fits(p)
	if named || !fits || c.rules.ignores(p, false, m) {
		script := !named && w.isScript(c, d, p, name, m)
		if !script && (!fits || !w.tracks(p)) {
			return
		}
		c.tracked = append(c.tracked, p)
	}
	r, err := d.Lstat(name)
	switch {
	case err != nil || !r.Mode.IsRegular():
		return // gone or replaced since the folder was read: an event will tell
	case r.Size > w.opts.MaxFileSize:
		c.skipped[p] = "too large"
	default:
		f := newFile(p, r)
		f.Blob = w.index.Blob(p, r)
		c.files = append(c.files, f)
	}
}

// isScript reports whether a file without an extension is a program by its first line. Only files that may be run
// are looked into.
func (w *walker) isScript(c *content, d *jail.Dir, p, name string, m *meter) bool {
	if path.Ext(name) != "" || len(w.filter.include) > 0 || glob.Match(w.filter.exclude, p) || !sanitize.Plain(p) {
		return false
	}
	r, err := d.Lstat(name)
	if err != nil || !r.Mode.IsRegular() || r.Mode.Perm()&0o111 == 0 || r.Size > w.opts.MaxFileSize ||
		c.rules.ignores(p, false, m) {
		return false
	}
	text, err := d.ReadFile(name, w.opts.MaxFileSize)
	return err == nil && syntax.LanguageFor(p, text) != ""
}

// tracks reports whether git tracks a file, or with a slash at the end something in a folder.
func (w *walker) tracks(p string) bool {
	i, found := slices.BinarySearch(w.tracked, p)
	return found || strings.HasSuffix(p, "/") && i < len(w.tracked) && strings.HasPrefix(w.tracked[i], p)
}

// entersTracked reports whether a folder is walked only for files that git tracks in it.
func (w *walker) entersTracked(p string) bool {
	base := path.Base(p)
	if slices.ContainsFunc(fetchedMarks, func(mark string) bool { return w.tracks(p + "/" + mark) }) {
		return false
	}
	return (!excludedFolders[base] || ordinaryFolders[base]) && !glob.Match(w.filter.exclude, p) && w.tracks(p+"/")
}
