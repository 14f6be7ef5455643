package discover

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// excludedFolders are never entered: version control, dependencies, build
// output and tool caches (specification "Discovery"; the dotted ones are added).
var excludedFolders = setOf(
	"node_modules .git dist build coverage target vendor .brv",
	".hg .svn bower_components __pycache__ .venv venv .tox .nox",
	".mypy_cache .pytest_cache .ruff_cache .next .nuxt .svelte-kit",
	".turbo .cache .gradle .terraform .idea .eggs",
)

// ordinaryFolders are names of excluded folders that also occur for hand-written code: files in them that git
// tracks belong to the map.
var ordinaryFolders = setOf("build coverage target vendor dist venv")

// fetchedMarks are files that package managers leave in folders that they fill: tracked files there are
// copies.
var fetchedMarks = []string{"modules.txt", "vendor.json", "autoload.php", "pyvenv.cfg"}

// Filter decides which paths belong to the map. It has the ignore files of the walked folders, and does not
// change after the walk.
type Filter struct {
	include []string // none: isCode
	exclude []string
	config  func(string) bool
	walked  map[string]*ignoreStack // rules by folder, for every folder that was read
	nested  map[string]bool         // other repositories
	tracked map[string]bool         // files and folders that belong to the map because git tracks them, and scripts
	away    map[string]bool         // files and folders that git tracks and does not check out
	left    []string                // folders that were not entered, the highest first
}

// newFilter checks the patterns of opts.
func newFilter(opts Options) (*Filter, error) {
	f := &Filter{include: opts.Include, exclude: opts.Exclude, config: opts.Config,
		walked: map[string]*ignoreStack{}, nested: map[string]bool{}, tracked: map[string]bool{}}
	for _, p := range slices.Concat(f.include, f.exclude) {
		if err := glob.Check(p); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// WantsFile reports whether a file at p belongs to the map; p need not exist.
// False in a folder that was not walked.
func (f *Filter) WantsFile(p string) bool {
	rules, ok := f.walked[dirOf(p)]
	return f.tracked[p] || ok && !f.tracked[dirOf(p)] && f.wants(p, rules, &meter{left: stepsOne})
}

// wants is WantsFile in a folder with the given rules.
func (f *Filter) wants(p string, rules *ignoreStack, m *meter) bool {
	return f.fits(p) && !rules.ignores(p, false, m)
}

// fits is wants without ignore files.
func (f *Filter) fits(p string) bool { return f.matches(p) && sanitize.Plain(p) }

// matches is fits for a file whose path is plain.
func (f *Filter) matches(p string) bool {
	return f.includes(p) && !glob.Match(f.exclude, p)
}

func (f *Filter) includes(p string) bool {
	if len(f.include) == 0 {
		return isCode(p)
	}
	return glob.Match(f.include, p)
}

// WantsConfig reports whether p is a configuration file in a folder that was
// walked. Git may ignore it: tracked package.json files are found among the
// patterns of real ignore files.
func (f *Filter) WantsConfig(p string) bool {
	_, ok := f.walked[dirOf(p)]
	return ok && f.config != nil && f.config(p)
}

// WouldWant is WantsFile for a file in folders that may not exist yet: the ignore files of the walked folders
// above apply.
func (f *Filter) WouldWant(p string) bool {
	rules, ok := f.rulesOf(dirOf(p))
	return f.tracked[p] || ok && !f.tracked[dirOf(p)] && f.wants(p, rules, &meter{left: stepsOne})
}

// WouldWantConfig is WantsConfig for such files.
func (f *Filter) WouldWantConfig(p string) bool {
	_, ok := f.rulesOf(dirOf(p))
	return ok && f.config != nil && f.config(p)
}

// rulesOf returns the rules of a folder that was walked or would be.
func (f *Filter) rulesOf(dir string) (*ignoreStack, bool) {
	if rules, ok := f.walked[dir]; ok || dir == "" {
		return rules, ok
	}
	rules, ok := f.rulesOf(dirOf(dir))
	return rules, ok && !f.nested[dir] && f.enters(dir, rules, &meter{left: stepsOne})
}

// Equal reports whether two filters of the same options know the same folders and rules.
func (f *Filter) Equal(g *Filter) bool {
	if !maps.Equal(f.nested, g.nested) || !maps.Equal(f.tracked, g.tracked) || !maps.Equal(f.away, g.away) {
		return false
	}
	same := map[[2]*ignoreStack]bool{} // folders share their stacks, so pairs repeat
	return maps.EqualFunc(f.walked, g.walked, func(rules, other *ignoreStack) bool {
		pair := [2]*ignoreStack{rules, other}
		same[pair] = same[pair] || rules.equal(other)
		return same[pair]
	})
}

// EntersFolder reports whether a folder at p, a child of a walked folder, is
// walked too; p need not exist.
func (f *Filter) EntersFolder(p string) bool {
	return f.tracked[p] || !f.nested[p] && !f.tracked[dirOf(p)] && f.enters(p, f.walked[dirOf(p)], &meter{left: stepsOne})
}

func (f *Filter) enters(p string, rules *ignoreStack, m *meter) bool {
	return !excludedFolders[path.Base(p)] && !glob.Match(f.exclude, p) && !rules.ignores(p, true, m)
}

// Away reports whether git tracks a path but does not check it out: because of a sparse checkout, or in a
// submodule that is not checked out.
func (f *Filter) Away(p string) bool {
	for ; p != ""; p = dirOf(p) {
		if f.away[p] {
			return !f.nested[p]
		}
	}
	return false
}

// Known reports whether a folder was walked; "" is the top.
func (f *Filter) Known(dir string) bool {
	_, ok := f.walked[dir]
	return ok
}

// UnderExcluded reports whether p or a folder above it is left out by name, by pattern, by an ignore file or
// as another repository: changes there do not affect the map.
func (f *Filter) UnderExcluded(p string) bool {
	for i := 0; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		dir := p[:i]
		if !f.Known(dirOf(dir)) {
			return false // made after the walk
		}
		if !f.Known(dir) && !f.EntersFolder(dir) {
			return true
		}
	}
	return false
}

// The limits of [Filter.LeftOut]: named folders, and names that it reads on disk to find them.
const (
	maxLeft   = 5
	maxPeeked = 2_000
)

// LeftOut returns a sentence that names folders with files of the wanted kind that were left out because of their name, a pattern or
// an ignore file; "" if there are none. It looks only briefly, and not into hidden folders.
func (f *Filter) LeftOut(root *jail.Root) string {
	var named []string
	peeked := 0
	var holds func(dir string) bool
	holds = func(dir string) bool {
		list, _ := root.ReadDir(dir)
		peeked += len(list)
		return slices.ContainsFunc(list, func(e fs.DirEntry) bool {
			p := path.Join(dir, e.Name())
			return e.Type().IsRegular() && f.includes(p) || e.IsDir() && peeked < maxPeeked && holds(p)
		})
	}
	if f == nil {
		return ""
	}
	for _, dir := range f.left {
		if len(named) < maxLeft && peeked < maxPeeked && sanitize.Plain(dir) && holds(dir) {
			named = append(named, dir)
		}
	}
	if len(named) == 0 {
		return ""
	}
	return "these folders were not searched because of their names, the settings or an ignore file: " + strings.Join(named, ", ")
}
