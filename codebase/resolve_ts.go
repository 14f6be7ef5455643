package codebase

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// scriptConfigs are the configuration files of TypeScript and JavaScript, by
// folder.
type scriptConfigs struct {
	configs  map[string]scriptConfig  // tsconfig.json, else jsconfig.json
	packages map[string]scriptPackage // package.json
	byName   map[string]scriptPackage // packages with a name: what a workspace's members import
}

// scriptPackage is one package.json.
type scriptPackage struct {
	dir     string
	name    string
	entries []string // files that the bare name stands for, best first
	exports json.RawMessage
	imports json.RawMessage
}

func readScriptConfigs(r *resolver) scriptConfigs {
	s := scriptConfigs{map[string]scriptConfig{}, map[string]scriptPackage{}, map[string]scriptPackage{}}
	paths := slices.Sorted(maps.Keys(r.configs))
	for _, p := range paths {
		if path.Base(p) != "package.json" {
			continue
		}
		pkg := parsePackage(dirOf(p), r.configs[p])
		s.packages[pkg.dir] = pkg
		if _, taken := s.byName[pkg.name]; pkg.name != "" && !taken {
			s.byName[pkg.name] = pkg
		}
	}
	r.scripts = s // extends may name a package
	for _, p := range paths {
		base, dir := path.Base(p), dirOf(p)
		if _, has := s.configs[dir]; base == "tsconfig.json" || base == "jsconfig.json" && !has {
			s.configs[dir] = r.readScriptConfig(p, maxExtends)
		}
	}
	return s
}

func parsePackage(dir, text string) scriptPackage {
	var file struct {
		Name    string          `json:"name"`
		Source  json.RawMessage `json:"source"`
		Types   json.RawMessage `json:"types"`
		Typings json.RawMessage `json:"typings"`
		Module  json.RawMessage `json:"module"`
		Main    json.RawMessage `json:"main"`
		Exports json.RawMessage `json:"exports"`
		Imports json.RawMessage `json:"imports"`
	}
	_ = json.Unmarshal(plainJSON(text), &file)
	p := scriptPackage{dir: dir, name: file.Name, exports: file.Exports, imports: file.Imports}
	for _, raw := range []json.RawMessage{file.Source, file.Module, file.Main, file.Types, file.Typings} {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			p.entries = append(p.entries, s)
		}
	}
	return p
}

// packageOf returns the package of the folder that a bare specifier names, and
// the subpath behind its name.
func (s *scriptConfigs) packageOf(spec string) (scriptPackage, string, bool) {
	name := spec
	for {
		if pkg, ok := s.byName[name]; ok {
			return pkg, strings.TrimPrefix(spec[len(name):], "/"), true
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return scriptPackage{}, "", false
		}
		name = name[:i]
	}
}

// script resolves an import of a TypeScript or JavaScript file, "" if it leads
// out of the folder.
func (r *resolver) script(from, spec string) string {
	dir := dirOf(from)
	spec, _, _ = strings.Cut(spec, "?") // bundlers' queries: ./x?raw
	if spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../") {
		if p, ok := joinInside(dir, spec); ok {
			return r.scriptFile(p)
		}
		return ""
	}
	if strings.HasPrefix(spec, "#") {
		if p := r.hashImport(dir, spec); p != "" {
			return p
		}
	}
	if c, ok := nearest(r.scripts.configs, dir); ok {
		for _, p := range c.lookup(spec) {
			if found := r.scriptFile(p); found != "" {
				return found
			}
		}
		if c.hasBase {
			if found := r.scriptFile(path.Join(c.baseURL, spec)); found != "" {
				return found
			}
		}
	}
	if pkg, rest, ok := r.scripts.packageOf(spec); ok {
		return r.packageFile(pkg, rest)
	}
	return ""
}

// nearest returns the value of dir or of the closest folder above it.
func nearest[T any](m map[string]T, dir string) (T, bool) {
	for {
		if v, ok := m[dir]; ok {
			return v, true
		}
		if dir == "" {
			var none T
			return none, false
		}
		dir = dirOf(dir)
	}
}

// hashImport resolves "#name" by the imports of the nearest package.json.
func (r *resolver) hashImport(dir, spec string) string {
	pkg, ok := nearest(r.scripts.packages, dir)
	if !ok {
		return ""
	}
	return r.firstTarget(pkg.dir, exportTargets(pkg.imports, spec))
}

// packageFile resolves a package of the folder, or a subpath of it.
func (r *resolver) packageFile(pkg scriptPackage, rest string) string {
	subpath := "."
	if rest != "" {
		subpath = "./" + rest
	}
	if p := r.firstTarget(pkg.dir, exportTargets(pkg.exports, subpath)); p != "" {
		return p
	}
	if rest == "" {
		if p := r.firstTarget(pkg.dir, pkg.entries); p != "" {
			return p
		}
		return r.firstTarget(pkg.dir, []string{"./src/index", "./index", "./src/main", "./lib/index"})
	}
	return r.firstTarget(pkg.dir, []string{"./" + rest, "./src/" + rest})
}

// firstTarget returns the first target that is a mapped file, or whose source
// is: packages point at what their build makes.
func (r *resolver) firstTarget(dir string, targets []string) string {
	for _, t := range targets {
		p, ok := joinInside(dir, t)
		if !ok {
			continue
		}
		if found := r.scriptFile(p); found != "" {
			return found
		}
		if found := r.sourceOf(dir, p); found != "" {
			return found
		}
	}
	return ""
}

// buildFolders hold what is made from src.
var buildFolders = []string{"dist", "build", "lib", "out", "esm", "cjs", "es"}

// sourceOf maps a build product to its source: dist/x.js to src/x.ts.
func (r *resolver) sourceOf(dir, p string) string {
	rel, ok := under(p, dir)
	if !ok {
		return ""
	}
	parts := strings.Split(rel, "/")
	if !slices.Contains(buildFolders, parts[0]) {
		return ""
	}
	for len(parts) > 1 && slices.Contains(buildFolders, parts[0]) {
		parts = parts[1:]
		rest := path.Join(parts...)
		stem := strings.TrimSuffix(strings.TrimSuffix(rest, path.Ext(rest)), ".d")
		for _, src := range []string{"src", ""} {
			if found := r.scriptFile(path.Join(dir, src, stem)); found != "" {
				return found
			}
		}
	}
	return ""
}

// exportTargets returns the files that a package's exports or imports give a
// subpath, best first. Conditions are taken in an order that prefers sources.
func exportTargets(raw json.RawMessage, subpath string) []string {
	if len(raw) == 0 {
		return nil
	}
	var table map[string]json.RawMessage
	if json.Unmarshal(raw, &table) != nil || !isSubpathTable(table) {
		if subpath == "." {
			return conditionTargets(raw, maxConditions)
		}
		return nil
	}
	if exact, ok := table[subpath]; ok {
		return conditionTargets(exact, maxConditions)
	}
	best, middle := "", ""
	for pattern := range table {
		prefix, suffix, star := strings.Cut(pattern, "*")
		if star && len(subpath) >= len(prefix)+len(suffix) && strings.HasPrefix(subpath, prefix) &&
			strings.HasSuffix(subpath, suffix) && (len(pattern) > len(best) || len(pattern) == len(best) && pattern < best) {
			best, middle = pattern, subpath[len(prefix):len(subpath)-len(suffix)]
		}
	}
	targets := conditionTargets(table[best], maxConditions)
	for i := range targets {
		targets[i] = strings.ReplaceAll(targets[i], "*", middle)
	}
	return targets
}

// isSubpathTable tells a table of subpaths from one of conditions.
func isSubpathTable(table map[string]json.RawMessage) bool {
	for key := range table {
		return strings.HasPrefix(key, ".") || strings.HasPrefix(key, "#")
	}
	return false
}

// conditions in the order in which they are tried; others follow by name.
var conditions = []string{"source", "development", "import", "module", "node", "default", "require", "types"}

// maxConditions bounds the nesting of conditions.
const maxConditions = 8

// conditionTargets flattens a target: a string, a list, or conditions.
func conditionTargets(raw json.RawMessage, depth int) []string {
	var one string
	if depth == 0 || len(raw) == 0 {
		return nil
	}
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var out []string
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			out = append(out, conditionTargets(item, depth-1)...)
		}
		return out
	}
	var table map[string]json.RawMessage
	_ = json.Unmarshal(raw, &table)
	for _, c := range conditions {
		out = append(out, conditionTargets(table[c], depth-1)...)
		delete(table, c)
	}
	for _, c := range slices.Sorted(maps.Keys(table)) {
		out = append(out, conditionTargets(table[c], depth-1)...)
	}
	return out
}

var (
	scriptExtensions = []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}
	// sourceExtensions are what TypeScript looks for when an import names the
	// file that will be made.
	sourceExtensions = map[string][]string{
		".js": {".ts", ".tsx", ".d.ts"}, ".jsx": {".tsx", ".ts", ".d.ts"},
		".mjs": {".mts", ".d.mts"}, ".cjs": {".cts", ".d.cts"},
	}
)

// scriptFile finds the file that a path without its extension, with the
// extension of its product, or of a folder stands for.
func (r *resolver) scriptFile(p string) string {
	if r.has(p) {
		return p
	}
	ext := path.Ext(p)
	for _, e := range sourceExtensions[ext] {
		if q := strings.TrimSuffix(p, ext) + e; r.has(q) {
			return q
		}
	}
	for _, e := range scriptExtensions {
		if r.has(p + e) {
			return p + e
		}
	}
	for _, e := range scriptExtensions {
		if q := path.Join(p, "index"+e); r.has(q) {
			return q
		}
	}
	if pkg, ok := r.scripts.packages[p]; ok && p != "" {
		for _, entry := range pkg.entries {
			if q, ok := joinInside(p, entry); ok && r.has(q) {
				return q
			}
		}
	}
	return ""
}
