package imports

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// scriptPackage is one package.json.
type scriptPackage struct {
	dir           string
	name          string
	run, declared []string // entries: files that are run, files with type declarations
	exports       json.RawMessage
	imports       json.RawMessage
	typesVersions []pathMapping
	workspaces    []string          // patterns of its member folders
	needs         map[string]string // all dependencies: name → version or address
	local         map[string]string // dependencies on folders
	private       bool              // never published
}

func parsePackage(dir, text string) *scriptPackage {
	var file map[string]json.RawMessage
	_ = json.Unmarshal(plainJSON(text), &file)
	p := &scriptPackage{dir: dir, name: jsonString(file["name"]), exports: file["exports"], imports: file["imports"]}
	for _, key := range []string{"source", "module", "main"} {
		if s := jsonString(file[key]); s != "" {
			p.run = append(p.run, s)
		}
	}
	for _, key := range []string{"types", "typings"} {
		if s := jsonString(file[key]); s != "" {
			p.declared = append(p.declared, s)
		}
	}
	p.typesVersions = typesVersions(file["typesVersions"])
	p.workspaces = workspacePatterns(file["workspaces"])
	p.needs = dependencyTable(file["dependencies"], file["devDependencies"], file["optionalDependencies"], file["peerDependencies"])
	p.local = localDependencies(dir, p.needs)
	p.private = string(file["private"]) == "true"
	return p
}

// typesVersions reads the mapping for the newest compiler: the last range that
// has no upper bound, else the first.
func typesVersions(raw json.RawMessage) []pathMapping {
	var ranges map[string]map[string][]string
	if len(raw) == 0 || json.Unmarshal(raw, &ranges) != nil {
		return nil
	}
	best := ""
	for _, key := range slices.Sorted(maps.Keys(ranges)) {
		if best == "" || !strings.Contains(key, "<") {
			best = key
		}
	}
	return pathMappings("", ranges[best])
}

// A package's exports give each subpath one target for each set of conditions. Conditions are tried in this order:
// sources first, then what the importing file's language reads.
var (
	runConditions     = []string{"source", "development", "import", "module", "browser", "node", "default", "require", "types"}
	declareConditions = []string{"source", "types", "development", "import", "module", "node", "default", "require"}
)

// exportTargets returns the files that a package's exports or imports give for a subpath, best first.
func exportTargets(raw json.RawMessage, subpath string, typed bool) []string {
	if len(raw) == 0 {
		return nil
	}
	var table map[string]json.RawMessage
	if json.Unmarshal(raw, &table) != nil || !isSubpathTable(table) {
		if subpath == "." {
			return conditionTargets(raw, typed, maxConditions)
		}
		return nil
	}
	if exact, ok := table[subpath]; ok {
		return conditionTargets(exact, typed, maxConditions)
	}
	best, middle, folder := "", "", false
	for pattern := range table {
		prefix, suffix, star := strings.Cut(pattern, "*")
		isFolder := !star && strings.HasSuffix(pattern, "/") // "./lib/": an old form of "./lib/*"
		if !star && !isFolder || len(subpath) < len(prefix)+len(suffix) || !strings.HasPrefix(subpath, prefix) ||
			!strings.HasSuffix(subpath, suffix) {
			continue
		}
		if len(pattern) > len(best) || len(pattern) == len(best) && pattern < best {
			best, middle, folder = pattern, subpath[len(prefix):len(subpath)-len(suffix)], isFolder
		}
	}
	targets := conditionTargets(table[best], typed, maxConditions)
	for i := range targets {
		if folder {
			targets[i] += middle
		} else {
			targets[i] = strings.ReplaceAll(targets[i], "*", middle)
		}
	}
	return targets
}

// isSubpathTable tells a table of subpaths from a table of conditions.
func isSubpathTable(table map[string]json.RawMessage) bool {
	for key := range table {
		return strings.HasPrefix(key, ".") || strings.HasPrefix(key, "#")
	}
	return false
}

// maxConditions bounds the nesting of conditions.
const maxConditions = 8

// conditionTargets flattens a target: a string, a list, or conditions. By convention, a condition with a scope,
// such as "@acme/source", names sources.
func conditionTargets(raw json.RawMessage, typed bool, depth int) []string {
	if depth == 0 || len(raw) == 0 {
		return nil
	}
	if one := jsonString(raw); one != "" {
		return []string{one}
	}
	var out []string
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			out = append(out, conditionTargets(item, typed, depth-1)...)
		}
		return out
	}
	var table map[string]json.RawMessage
	_ = json.Unmarshal(raw, &table)
	keys := slices.Sorted(maps.Keys(table))
	order := runConditions
	if typed {
		order = declareConditions
	}
	for _, c := range keys {
		if strings.HasSuffix(c, "source") && c != "source" {
			out = append(out, conditionTargets(table[c], typed, depth-1)...)
		}
	}
	for _, c := range order {
		out = append(out, conditionTargets(table[c], typed, depth-1)...)
	}
	for _, c := range keys {
		if !slices.Contains(order, c) && !strings.HasSuffix(c, "source") {
			out = append(out, conditionTargets(table[c], typed, depth-1)...)
		}
	}
	return out
}

// buildFolders are folders that usually hold the output of building src.
var buildFolders = []string{"dist", "build", "lib", "out", "esm", "cjs", "es"}

// sourceOf maps a build product to its source: by the project's outDir and rootDir, or else by convention,
// dist/x.js to src/x.ts.
func (r *Resolver) sourceOf(dir, p string, typed bool) string {
	if c, ok := nearest(r.scripts.configs, dir); ok && c.outDir != "" {
		if rest, ok := under(p, c.outDir); ok && rest != "" {
			for _, src := range []string{c.rootDir, path.Join(c.dir, "src"), c.dir} {
				if found := r.scriptFile(path.Join(src, productStem(rest)), typed); found != "" {
					return found
				}
			}
		}
	}
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
		stem := productStem(path.Join(parts...))
		for _, src := range []string{"src", ""} {
			if found := r.scriptFile(path.Join(dir, src, stem), typed); found != "" {
				return found
			}
		}
	}
	return ""
}

// productStem is a product's path without its extension: x for x.d.ts, x.js.
func productStem(p string) string {
	return strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), ".d")
}

// splitPackage splits a bare specifier into the package's name and the subpath.
func splitPackage(spec string) (name, rest string) {
	i := strings.IndexByte(spec, '/')
	if i >= 0 && spec[0] == '@' {
		if j := strings.IndexByte(spec[i+1:], '/'); j >= 0 {
			i += 1 + j
		} else {
			i = -1
		}
	}
	if i < 0 {
		return spec, ""
	}
	return spec[:i], spec[i+1:]
}
