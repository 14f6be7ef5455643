package imports

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// Sure tells why an import of one repository is believed to lead into another.
type Sure string

// The ways, surest first.
const (
	Declared Sure = "declared"              // a manifest names the package
	SameName Sure = "same package and type" // a package and one of its types have the same names; no manifest was compared
	SamePath Sure = "same .proto path"      // the file that the import names is at that path
	SameMod  Sure = "same module path"      // for Go, where paths are addresses; go.mod does not name the module, a go.work may
)

// Outside returns the files of r that an import leads to, for a file of another repository, that of user. Use it
// for imports that lead to no file there. It uses both resolvers, so no other goroutine may use them meanwhile.
//
// A package counts only if the manifest of its user names it, and if it is public: a private npm package is meant
// only by a path.
func Outside(r, user *Resolver, f *File, imp syntax.Import) (paths []string, sure Sure) {
	switch f.Language {
	case syntax.Go:
		paths, sure = goOutside(r, user, f, imp)
	case syntax.TypeScript, syntax.TSX, syntax.JavaScript:
		paths, sure = scriptOutside(r, user, f, imp)
	case syntax.Python:
		paths, sure = pythonOutside(r, user, imp)
	case syntax.Rust:
		paths, sure = rustOutside(r, user, f, imp)
	case syntax.Java, syntax.Kotlin, syntax.Scala:
		if paths = r.jvmTarget(f, imp).Paths; len(paths) > 0 {
			paths, sure = r.packageNarrowed(f, imp, paths), SameName
		}
	case syntax.Protobuf:
		paths, sure = protoOutside(r, imp.Spec), SamePath
	}
	if len(paths) > 0 && f.Language != syntax.Rust { // Rust's names are resolved from the file itself
		paths = append(slices.Clone(paths), r.passedOn(&File{Language: f.Language}, imp, Target{Paths: paths})...)
		paths = append(paths, r.behind(f, imp, paths)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), sure
}

// behind returns the files that define what a file uses of a whole imported module, if the module only passes it
// on.
func (r *Resolver) behind(f *File, imp syntax.Import, paths []string) (found []string) {
	uses := usesBehind(f, terms.Name(cmp.Or(imp.Alias, imp.Spec[strings.LastIndexAny(imp.Spec, "./:")+1:])))
	used := func(t terms.Term) bool { return slices.ContainsFunc(uses, func(u Use) bool { return u.Name == t }) }
	if len(imp.Names) > 0 || len(uses) == 0 {
		return nil
	}
	for _, p := range paths {
		for _, from := range r.reachOf(p).files {
			if slices.ContainsFunc(from.Defines, used) {
				found = append(found, from.Path)
			}
			for _, i := range from.Imports {
				for k := range i.Names {
					if name := i.Bound(k); used(terms.Name(name)) {
						found = append(found, cmp.Or(r.source(wanted{p, name}), p))
					}
				}
			}
		}
	}
	return found
}

// goOutside looks for the module with the longest path that is a prefix of the import.
func goOutside(r, user *Resolver, f *File, imp syntax.Import) ([]string, Sure) {
	home, _ := nearest(user.goModules.byDir, dirOf(f.Path))
	for prefix := imp.Spec; strings.Contains(prefix, "."); prefix = dirOf(prefix) {
		if len(user.goModules.byPrefix[prefix]) > 0 {
			break
		}
		mods := r.goModules.byPrefix[prefix]
		if len(mods) != 1 {
			continue
		}
		files := r.goPackageIn(path.Join(mods[0].dir, strings.TrimPrefix(imp.Spec[len(prefix):], "/"))).paths
		if len(files) == 0 {
			break
		}
		used := r.goNarrowed(f, imp, files)
		if len(used) == len(files) && imp.Alias == "_" {
			used = used[:1] // it represents the package
		}
		if home != nil && home.required[prefix] {
			return used, Declared
		}
		return used, SameMod
	}
	return nil, ""
}

// scriptOutside looks for an npm package that is named by a package.json in the file's folder or above it.
func scriptOutside(r, user *Resolver, f *File, imp syntax.Import) ([]string, Sure) {
	name, rest := splitPackage(imp.Spec)
	to, here := r.scripts.byName[name]
	if !here {
		return nil, ""
	}
	version := ""
	for dir := range upwards(dirOf(f.Path)) {
		if pkg := user.scripts.packages[dir]; pkg != nil {
			version = cmp.Or(version, pkg.needs[name])
		}
	}
	byPath := strings.HasPrefix(version, "file:") || strings.HasPrefix(version, "link:") || strings.HasPrefix(version, "portal:")
	if version == "" || strings.HasPrefix(version, "npm:") || r.scripts.packages[to].private && !byPath {
		return nil, ""
	}
	if found := r.packageFile(to, rest, isTyped(f.Path)); found != "" {
		return []string{found}, Declared
	}
	return nil, ""
}

// pythonOutside looks for a module of a distribution that a manifest of the user names.
func pythonOutside(r, user *Resolver, imp syntax.Import) ([]string, Sure) {
	if strings.HasPrefix(imp.Spec, ".") {
		return nil, ""
	}
	found := r.pythonFiles("", imp)
	if len(found) == 0 {
		return nil, ""
	}
	needs := pythonNeeds(user)
	for dir := range upwards(dirOf(found[0])) {
		if name := distribution(r.configs.Texts, dir); name != "" {
			if slices.Contains(needs, name) {
				return found, Declared
			}
			break
		}
	}
	return nil, ""
}

// pythonName matches a name where a requirement may begin, as PEP 508 writes it: at the start of a line, or after
// a quote. Other words in a manifest are no names of distributions.
var pythonName = lazyregexp.New(`(?m)(?:^[ \t]*|["'])([A-Za-z0-9][A-Za-z0-9._-]*)`)

// distributionName matches the name that setup.py or setup.cfg gives to a distribution.
var distributionName = lazyregexp.New(`(?m)\bname\s*=\s*["']?([A-Za-z0-9][A-Za-z0-9._-]*)`)

// distribution returns the name of the distribution that a folder's manifest makes, "" if there is none.
func distribution(configs map[string]string, dir string) string {
	toml := tomlStrings(configs[path.Join(dir, "pyproject.toml")])
	for _, key := range []string{tomlKey("project", "name"), tomlKey("tool", "poetry", "name")} {
		if v := toml[key]; len(v) > 0 {
			return pep503(v[0])
		}
	}
	for _, file := range []string{"setup.py", "setup.cfg"} {
		if m := distributionName().FindStringSubmatch(configs[path.Join(dir, file)]); m != nil {
			return pep503(m[1])
		}
	}
	return ""
}

// pythonNeeds lists the distributions that a repository's manifests name, by their normalised names.
func pythonNeeds(r *Resolver) []string {
	if r.pythonNeeds != nil {
		return r.pythonNeeds
	}
	r.pythonNeeds = []string{}
	for p, text := range r.configs.Texts {
		if base := path.Base(p); base == "pyproject.toml" || base == "setup.py" || base == "setup.cfg" || isRequirements(base) {
			for _, m := range pythonName().FindAllStringSubmatch(text, -1) {
				r.pythonNeeds = append(r.pythonNeeds, pep503(m[1]))
			}
		}
	}
	return r.pythonNeeds
}

// isRequirements reports whether a file lists requirements for pip.
func isRequirements(base string) bool {
	return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
}

// pep503 returns the normalised form of a distribution's name.
func pep503(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("-_.", r) }), "-")
}

// rustOutside looks for the library of a crate that the user's Cargo.toml names.
func rustOutside(r, user *Resolver, f *File, imp syntax.Import) ([]string, Sure) {
	first, _, _ := strings.Cut(strings.TrimPrefix(imp.Spec, "::"), "::")
	k, _ := nearest(user.crates.byDir, dirOf(f.Path))
	lib := r.crates.byName[first]
	if k == nil || lib == nil || !r.has(lib.lib) {
		return nil, ""
	}
	if d, named := k.deps[first]; !named || d.local {
		return nil, ""
	}
	if found := r.rust(&File{Path: lib.lib, Language: syntax.Rust}, syntax.Import{Spec: "crate" + strings.TrimPrefix(
		strings.TrimPrefix(imp.Spec, "::"), first)}); len(found.Paths) > 0 {
		return found.Paths, Declared
	}
	return []string{lib.lib}, Declared
}

// protoOutside looks for the only file whose path ends in the import, from a folder that the compiler gets.
func protoOutside(r *Resolver, spec string) []string {
	if !strings.Contains(spec, "/") || strings.HasPrefix(spec, "google/") {
		return nil // a name such as common.proto is too general, and Google's files are copied into many repositories
	}
	if r.has(spec) {
		return []string{spec}
	}
	if p := r.pathsBySuffix().only("", spec); p != "" {
		return []string{p}
	}
	return nil
}
