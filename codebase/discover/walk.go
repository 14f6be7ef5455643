package discover

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// folder is one folder to read.
type folder struct {
	path   string
	rules  *ignoreStack // of the folders above
	inRepo bool         // a folder above belongs to a repository
}

// content is what reading one folder gives.
type content struct {
	err     error
	nested  bool // another repository: not entered
	rules   *ignoreStack
	folders []folder
	files   []File
	configs map[string]string
	skipped map[string]string
}

// walker reads folders. Only what mu guards changes.
type walker struct {
	root   *jail.Root
	fsys   fs.FS
	opts   Options
	filter *Filter

	mu             sync.Mutex // guards the counters and calls of Progress
	folders, files int
}

// Walk finds the files of a folder. It fails if the folder itself cannot be read,
// a pattern is malformed or ctx ends; what cannot be read further down is listed
// in Found.Skipped.
//
// Folders are read level by level, those of one level on as many goroutines as
// Go may use: the order of the work, and so where a limit cuts, does not depend
// on timing. Each file's record is read once.
func Walk(ctx context.Context, root *jail.Root, opts Options) (*Found, error) {
	if opts.MaxFileSize <= 0 {
		opts.MaxFileSize = DefaultMaxFileSize
	}
	opts.maxFolders = cmp.Or(opts.maxFolders, maxFolders)
	opts.maxFiles = cmp.Or(opts.maxFiles, maxFiles)
	filter, err := newFilter(opts)
	if err != nil {
		return nil, err
	}
	w := &walker{root: root, fsys: root.FS(), opts: opts, filter: filter}
	found := &Found{Filter: filter, Configs: map[string]string{}, Skipped: map[string]string{}}
	for level := []folder{{}}; len(level) > 0; {
		if room := opts.maxFolders - len(filter.walked); len(level) > room {
			found.Skipped[orDot(level[max(room, 0)].path)] = "too many folders"
			level = level[:max(room, 0)]
		}
		read, err := w.level(ctx, level)
		if err != nil {
			return nil, err
		}
		level = found.add(level, read, opts.maxFiles)
	}
	slices.SortFunc(found.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return found, nil
}

// level reads the folders of one level.
func (w *walker) level(ctx context.Context, level []folder) ([]content, error) {
	read := make([]content, len(level))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(len(level), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(level) {
					return
				}
				read[i] = w.read(ctx, level[i])
				w.report(len(read[i].files))
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
		for p, text := range c.configs {
			d.Configs[p] = text
		}
		for p, reason := range c.skipped {
			d.Skipped[p] = reason
		}
	}
	return next
}

// read reads one folder.
func (w *walker) read(ctx context.Context, dir folder) content {
	entries, err := w.list(ctx, dir.path)
	if err != nil {
		return content{err: err}
	}
	c := content{rules: dir.rules, configs: map[string]string{}, skipped: map[string]string{}}
	repo := w.isRepository(dir.path, entries)
	if repo && dir.inRepo {
		return content{nested: true}
	}
	if repo || dir.path == "" {
		c.rules = w.repositoryRules(&c, dir.path)
	}
	if e, ok := find(entries, ".gitignore"); ok && e.Type().IsRegular() {
		c.rules = c.rules.with(w.ignoreFile(&c, dir.path, path.Join(dir.path, ".gitignore"), c.rules.folds()))
	}
	for _, e := range entries {
		p := path.Join(dir.path, e.Name())
		switch {
		case e.IsDir():
			if w.filter.enters(p, c.rules) {
				c.folders = append(c.folders, folder{p, c.rules, repo || dir.inRepo})
			}
		case e.Type().IsRegular():
			w.file(&c, p, e)
		case w.filter.wants(p, c.rules):
			c.skipped[p] = "not a regular file"
		}
	}
	return c
}

// listStep is how many entries of a folder are read between two looks at ctx.
const listStep = 4096

// list returns the entries of a folder, sorted by name. On Unix, a folder opened
// inside an os.Root gives each entry together with its record, taken relative to
// the open folder; no path is looked up a second time.
func (w *walker) list(ctx context.Context, dir string) (entries []fs.DirEntry, err error) {
	f, err := w.fsys.Open(orDot(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, jail.ErrNotRegular
	}
	for ctx.Err() == nil {
		some, err := d.ReadDir(listStep)
		entries = append(entries, some...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, ctx.Err()
}

// file takes one regular file.
func (w *walker) file(c *content, p string, e fs.DirEntry) {
	if w.filter.config != nil && w.filter.config(p) {
		if b, err := w.root.ReadFile(p, MaxConfigSize(p)); err == nil {
			c.configs[p] = string(b)
		}
	}
	if !w.filter.wants(p, c.rules) {
		return
	}
	info, err := e.Info()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return // gone or replaced since the folder was read: an event will tell
	case info.Size() > w.opts.MaxFileSize:
		c.skipped[p] = "too large"
	default:
		c.files = append(c.files, newFile(p, info))
	}
}

// isRepository reports whether a folder has a .git that git would accept: a
// folder with a HEAD, or a file that says where it is.
func (w *walker) isRepository(dir string, entries []fs.DirEntry) bool {
	e, ok := find(entries, ".git")
	if !ok {
		return false
	}
	git := path.Join(dir, ".git")
	if e.IsDir() {
		_, err := w.root.Lstat(path.Join(git, "HEAD"))
		return err == nil
	}
	if !e.Type().IsRegular() {
		return false
	}
	const maxGitFile = 64 << 10 // a path and a few bytes; far more than any system's paths
	text, err := w.root.ReadFile(git, maxGitFile)
	return err == nil && strings.HasPrefix(string(text), "gitdir: ")
}

// repositoryRules begins the rules of a repository: those above do not count.
func (w *walker) repositoryRules(c *content, dir string) *ignoreStack {
	_, err := w.root.Lstat(path.Join(dir, ".git/CoNfIg")) // how git itself finds out
	fold := err == nil
	first := &ignoreStack{file: ignoreFile{dir: dir, fold: fold}}
	return first.with(w.ignoreFile(c, dir, path.Join(dir, ".git/info/exclude"), fold))
}

// ignoreFile reads an ignore file; one that cannot be read rules nothing and is
// listed, except where there is none.
func (w *walker) ignoreFile(c *content, dir, p string, fold bool) ignoreFile {
	if info, err := w.root.Lstat(p); err != nil || !info.Mode().IsRegular() {
		return ignoreFile{}
	}
	b, err := w.root.ReadFile(p, maxConfigSize)
	if err != nil {
		c.skipped[p] = Reason(err)
		return ignoreFile{}
	}
	return parseIgnore(dir, string(b), fold)
}

func find(entries []fs.DirEntry, name string) (fs.DirEntry, bool) {
	i, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	if !ok {
		return nil, false
	}
	return entries[i], true
}
