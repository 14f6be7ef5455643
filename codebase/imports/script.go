package imports

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// scriptConfigs holds the configuration files of TypeScript and JavaScript, by folder.
type scriptConfigs struct {
	configs    map[string]*scriptConfig  // tsconfig.json, else jsconfig.json
	packages   map[string]*scriptPackage // package.json
	byName     map[string]string         // name → folder, for names that only one package has
	workspaces map[string]workspace
	maps       map[string][]pathMapping // import maps of Deno, by folder
}

func readScriptConfigs(r *Resolver) scriptConfigs {
	s := scriptConfigs{map[string]*scriptConfig{}, map[string]*scriptPackage{}, map[string]string{}, nil, map[string][]pathMapping{}}
	paths := slices.Sorted(maps.Keys(r.configs.Texts))
	twice := map[string]bool{}
	for _, p := range paths {
		if base := path.Base(p); base != "package.json" && !strings.HasPrefix(base, "deno.json") {
			continue
		}
		pkg := parsePackage(dirOf(p), r.configs.Texts[p])
		s.packages[pkg.dir] = pkg
		if _, taken := s.byName[pkg.name]; taken {
			twice[pkg.name] = true
		}
		s.byName[pkg.name] = pkg.dir
	}
	delete(s.byName, "")
	for name := range twice {
		delete(s.byName, name)
	}
	s.workspaces = readWorkspaces(r.configs.Texts, s.packages)
	r.scripts = s // needed for an extends that names a package
	read := &configReader{r, map[string]*scriptConfig{}, map[string]*scriptConfig{}}
	for _, p := range paths {
		base, dir := path.Base(p), dirOf(p)
		if strings.HasPrefix(base, "deno.json") || base == "import_map.json" {
			s.maps[dir] = append(s.maps[dir], importMap(dir, r.configs.Texts[p])...)
		}
		if _, has := s.configs[dir]; base == "tsconfig.json" || base == "jsconfig.json" && !has {
			s.configs[dir] = read.project(p)
		}
	}
	return s
}

// importMap reads the imports of an import map: names, and prefixes that end in a slash.
func importMap(dir, text string) []pathMapping {
	var file struct {
		Imports map[string]string `json:"imports"`
	}
	if decodeJSONC(text, &file) != nil {
		return nil
	}
	table := map[string][]string{}
	for name, to := range file.Imports {
		if strings.HasSuffix(name, "/") {
			name, to = name+"*", to+"*"
		}
		table[name] = []string{to}
	}
	return pathMappings(dir, table)
}

// packageOf returns the folder of the package that a name means in dir: the package that contains dir, a
// dependency on a folder, or a member of the workspace. If no workspace is declared, it is the only package of
// that name.
func (s *scriptConfigs) packageOf(dir, name string) (string, bool) {
	inWorkspace, self := false, false
	for d := range upwards(dir) {
		if pkg, ok := s.packages[d]; ok {
			if !self && pkg.name == name && len(pkg.exports) > 0 {
				return d, true
			}
			self = true
			if to, ok := pkg.local[name]; ok {
				return to, true
			}
		}
		if w, ok := s.workspaces[d]; ok {
			if to, ok := w[name]; ok {
				return to, true
			}
			inWorkspace = true
		}
	}
	if inWorkspace {
		return "", false
	}
	to, ok := s.byName[name]
	return to, ok
}

// script resolves an import of a TypeScript or JavaScript file.
func (r *Resolver) script(from, spec string) Target {
	spec, _, _ = strings.Cut(spec, "?") // bundlers' queries: ./x?raw
	if spec == "" {
		return Target{Reason: Missing}
	}
	typed := isTyped(from)
	if spec[0] == '.' && isRelative(spec) {
		return r.relativeScript(dirOf(from), spec, typed, r.projectOf(from))
	}
	found, ours := r.bareScript(from, spec, typed)
	switch {
	case found != "":
		return Target{Paths: []string{found}}
	case ours:
		return unmapped(spec)
	}
	return Target{Reason: External}
}

func isRelative(spec string) bool {
	return spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
}

// relativeScript resolves "./x", in the file's folder or in the folders that
// rootDirs lays over it.
func (r *Resolver) relativeScript(dir, spec string, typed bool, c *scriptConfig) Target {
	p, ok := joinInside(dir, spec)
	if !ok {
		return Target{Reason: External}
	}
	find := r.scriptFile
	if strings.HasSuffix(spec, "/") || strings.HasSuffix(spec, ".") && path.Base(spec) == spec {
		find = r.scriptFolder // "./x/" and "." mean folders even if there is an x.ts
	}
	if found := find(p, typed); found != "" {
		return Target{Paths: []string{found}}
	}
	if c != nil {
		for _, q := range c.overlaid(p) {
			if found := r.scriptFile(q, typed); found != "" {
				return Target{Paths: []string{found}}
			}
		}
	}
	return unmapped(spec)
}

// bareScript resolves a specifier that is not a relative path. ours reports whether it means something in the
// folder.
func (r *Resolver) bareScript(from, spec string, typed bool) (found string, ours bool) {
	dir := dirOf(from)
	if spec[0] == '#' {
		if found, ours = r.hashImport(dir, spec, typed); found != "" {
			return found, true
		}
	}
	for up := range upwards(dir) {
		mapped, _ := lookupMapping(r.scripts.maps[up], spec)
		for _, p := range mapped {
			if found := r.scriptFile(p, typed); found != "" {
				return found, true
			}
		}
	}
	if c := r.projectOf(from); c != nil {
		mapped, ok := c.lookup(spec)
		for _, p := range mapped {
			if found := r.scriptFile(p, typed); found != "" {
				return found, true
			}
		}
		ours = ours || ok && spec[0] == '@' && strings.HasPrefix(spec, "@/")
		if c.hasBase {
			if found := r.scriptFile(path.Join(c.baseURL, spec), typed); found != "" {
				return found, true
			}
		}
	}
	if spec[0] == '/' {
		return "", true // an address on a server, or a path on a machine
	}
	name, rest := splitPackage(spec)
	if to, ok := r.scripts.packageOf(dir, name); ok {
		return r.packageFile(to, rest, typed), true
	}
	return "", ours
}

// hashImport resolves "#name" through the imports of the nearest package.json.
func (r *Resolver) hashImport(dir, spec string, typed bool) (found string, ours bool) {
	pkg, ok := nearest(r.scripts.packages, dir)
	if !ok {
		return "", false
	}
	for _, t := range exportTargets(pkg.imports, spec, typed) {
		ours = true
		if !strings.HasPrefix(t, ".") {
			name, rest := splitPackage(t)
			if to, ok := r.scripts.packageOf(pkg.dir, name); ok {
				return r.packageFile(to, rest, typed), true
			}
			continue
		}
		if p := r.firstTarget(pkg.dir, []string{t}, typed); p != "" {
			return p, true
		}
	}
	return "", ours
}

// packageFile resolves a package of the folder, or a subpath of it.
func (r *Resolver) packageFile(dir, rest string, typed bool) string {
	pkg, ok := r.scripts.packages[dir]
	if !ok {
		return r.scriptFile(path.Join(dir, rest), typed)
	}
	subpath := "."
	if rest != "" {
		subpath = "./" + rest
	}
	if p := r.firstTarget(dir, exportTargets(pkg.exports, subpath, typed), typed); p != "" {
		return p
	}
	if typed && len(pkg.typesVersions) > 0 {
		mapped, _ := lookupMapping(pkg.typesVersions, strings.TrimPrefix(subpath, "./"))
		if p := r.firstTarget(dir, mapped, typed); p != "" {
			return p
		}
	}
	if rest == "" {
		if p := r.firstTarget(dir, pkg.entries(typed), typed); p != "" {
			return p
		}
		return r.firstTarget(dir, []string{"./src/index", "./index", "./src/main", "./lib/index"}, typed)
	}
	return r.firstTarget(dir, []string{"./" + rest, "./src/" + rest}, typed)
}

// firstTarget returns the first target that is a mapped file, or whose source is one, since packages name build
// output.
func (r *Resolver) firstTarget(dir string, targets []string, typed bool) string {
	for _, t := range targets {
		p, ok := joinInside(dir, t)
		if !ok {
			continue
		}
		if found := r.scriptFile(p, typed); found != "" {
			return found
		}
		if found := r.sourceOf(dir, p, typed); found != "" {
			return found
		}
	}
	return ""
}
