package imports

import (
	"path"
	"strings"
)

// luaFolders are the folders that scripts load modules from, besides their own and the ones above it.
var luaFolders = []string{"", "lua", "src", "lib", "lualib"}

// luaTarget resolves a path, or a module name, whose dots separate folders.
func (r *Resolver) luaTarget(f *File, spec string) Target {
	rel := strings.TrimSuffix(spec, ".lua")
	if !strings.Contains(rel, "/") {
		rel = strings.ReplaceAll(rel, ".", "/")
	}
	rel = path.Clean(rel)
	first, _, deeper := strings.Cut(rel, "/")
	if first == "" || first == "." || first == ".." {
		return Target{Reason: External}
	}
	why := External
	for dir := range upwards(dirOf(f.Path)) {
		for _, sub := range luaFolders {
			root := within(dir, sub)
			if !r.isFolder(root) {
				continue
			}
			if p := r.firstOf(within(root, rel+".lua"), within(root, rel+"/init.lua")); p != "" {
				return Target{Paths: []string{p}}
			}
			if deeper && r.isFolder(within(root, first)) {
				why = Missing
			}
		}
	}
	x := r.pathsBySuffix()
	for _, p := range []string{x.only(f.Path, rel+".lua"), x.only(f.Path, rel+"/init.lua")} {
		if p != "" && (deeper || strings.Contains(p, "/lua/")) {
			return Target{Paths: []string{p}}
		}
	}
	return Target{Reason: why}
}
