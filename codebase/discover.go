package codebase

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// excludedFolders are never entered: version control, dependencies, build
// output and tool caches (specification "Discovery"; the dotted ones are added).
var excludedFolders = setOf(
	"node_modules", ".git", "dist", "build", "coverage", "target", "vendor", ".brv",
	".hg", ".svn", "bower_components", "__pycache__", ".venv", "venv", ".tox", ".nox",
	".mypy_cache", ".pytest_cache", ".ruff_cache", ".next", ".nuxt", ".svelte-kit",
	".turbo", ".cache", ".gradle", ".terraform", ".idea", ".eggs",
)

func setOf(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// maxConfigSize bounds the configuration files that resolution reads.
const maxConfigSize = 1 << 20

// maxFolders stops a walk that has left every reasonable source tree.
const maxFolders = 200_000

// filter decides which paths belong to the map. It knows the ignore files of
// the folders it has walked.
type filter struct {
	include []string
	exclude []string
	ignores map[string]*ignoreStack // by folder, for every folder entered
}

// newFilter checks the patterns of opts.
func newFilter(opts Options) (*filter, error) {
	f := &filter{include: opts.Include, exclude: opts.Exclude, ignores: map[string]*ignoreStack{}}
	if len(f.include) == 0 {
		f.include = DefaultInclude
	}
	for _, p := range slices.Concat(f.include, f.exclude) {
		if !doublestar.ValidatePattern(p) {
			return nil, fmt.Errorf("%s: not a glob pattern", p)
		}
	}
	return f, nil
}

func matchesAny(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return doublestar.MatchUnvalidated(pattern, p)
	})
}

// wantsFile reports whether a file of an entered folder belongs to the map.
func (f *filter) wantsFile(p string) bool {
	return matchesAny(f.include, p) && !matchesAny(f.exclude, p) && !f.ignores[dirOf(p)].ignores(p, false)
}

// entersFolder reports whether a child of an entered folder is walked.
func (f *filter) entersFolder(p string) bool {
	return !excludedFolders[path.Base(p)] && !matchesAny(f.exclude, p) && !f.ignores[dirOf(p)].ignores(p, true)
}

// dirOf is path.Dir with "" for the top.
func dirOf(p string) string {
	i := strings.LastIndexByte(p, '/')
	return p[:max(i, 0)]
}

// discovery is what a walk of the folder finds.
type discovery struct {
	filter  *filter
	files   []string // to be read, sorted
	configs map[string]string
	skipped map[string]string // reason by path
}

// discover walks the folder. Only the top folder's own error ends it; what
// cannot be read further down is skipped with a reason.
func discover(ctx context.Context, root *jail.Root, opts Options) (*discovery, error) {
	f, err := newFilter(opts)
	if err != nil {
		return nil, err
	}
	d := &discovery{filter: f, configs: map[string]string{}, skipped: map[string]string{}}
	f.ignores[""] = (*ignoreStack)(nil).with(readIgnore(root, "", ".git/info/exclude"))
	queue := []string{""}
	for i := 0; i < len(queue); i++ {
		if i == maxFolders {
			d.skipped[queue[i]] = "too many folders"
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entries, err := root.ReadDir(orDot(queue[i]))
		if err != nil {
			if queue[i] == "" {
				return nil, err
			}
			d.skipped[queue[i]] = reasonOf(err)
			continue
		}
		queue = append(queue, d.visit(root, queue[i], entries)...)
	}
	slices.Sort(d.files)
	return d, nil
}

func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// visit files the entries of one folder and returns its folders to enter.
func (d *discovery) visit(root *jail.Root, dir string, entries []fs.DirEntry) (folders []string) {
	stack := d.filter.ignores[dir]
	for _, e := range entries {
		if e.Name() == ".gitignore" && e.Type().IsRegular() {
			stack = stack.with(readIgnore(root, dir, path.Join(dir, ".gitignore")))
		}
	}
	d.filter.ignores[dir] = stack
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if d.filter.entersFolder(p) {
				d.filter.ignores[p] = stack
				folders = append(folders, p)
			}
		case !e.Type().IsRegular():
			if d.filter.wantsFile(p) {
				d.skipped[p] = "not a regular file"
			}
		default:
			d.file(root, p)
		}
	}
	return folders
}

func (d *discovery) file(root *jail.Root, p string) {
	if d.filter.wantsFile(p) {
		d.files = append(d.files, p)
	}
	if isConfig(p) && !d.filter.ignores[dirOf(p)].ignores(p, false) {
		if b, err := root.ReadFile(p, maxConfigSize); err == nil {
			d.configs[p] = string(b)
		}
	}
}

func readIgnore(root *jail.Root, dir, p string) ignoreFile {
	b, err := root.ReadFile(p, maxConfigSize)
	if err != nil {
		return ignoreFile{}
	}
	return parseIgnore(dir, string(b))
}

// reasonOf says in a few words why a file was not read.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, jail.ErrTooLarge):
		return "too large"
	case errors.Is(err, jail.ErrNotRegular):
		return "not a regular file"
	case errors.Is(err, jail.ErrEscapes):
		return "leads out of the folder"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return err.Error()
}

// sortedSkipped lists the skipped paths in order.
func sortedSkipped(m map[string]string) []Skipped {
	out := make([]Skipped, 0, len(m))
	for _, p := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Skipped{p, m[p]})
	}
	return out
}
