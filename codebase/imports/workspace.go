package imports

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/glob"
)

// A package manager links the members of a workspace, and dependencies on folders, into node_modules. These links
// are not read, since they follow from the configuration files.

// workspace is a folder whose package.json or pnpm-workspace.yaml names members.
type workspace map[string]string // package name → folder

// readWorkspaces finds the members of every workspace of the folder.
func readWorkspaces(configs map[string]string, packages map[string]*scriptPackage) map[string]workspace {
	patterns := map[string][]string{}
	for dir, pkg := range packages {
		if len(pkg.workspaces) > 0 {
			patterns[dir] = pkg.workspaces
		}
	}
	for p, text := range configs {
		if path.Base(p) == "pnpm-workspace.yaml" {
			patterns[dirOf(p)] = yamlList(text, "packages")
		}
	}
	out := map[string]workspace{}
	folders := slices.Sorted(maps.Keys(packages))
	for root, globs := range patterns {
		w := workspace{}
		for _, dir := range folders {
			name := packages[dir].name
			rel, ok := under(dir, root)
			if _, taken := w[name]; !ok || name == "" || taken || rel != "" && !isMember(globs, rel) {
				continue
			}
			w[name] = dir
		}
		out[root] = w
	}
	return out
}

// isMember applies the patterns of a workspace in order; "!" excludes.
func isMember(globs []string, rel string) bool {
	member := false
	for _, g := range globs {
		g, without := strings.CutPrefix(g, "!")
		g = strings.Trim(strings.TrimPrefix(g, "./"), "/")
		if member == without && fits(g, rel) {
			member = !without
		}
	}
	return member
}

// fits matches a path with a pattern, which may come from a stranger.
func fits(pattern, p string) bool {
	return glob.Check(pattern) == nil && glob.Match([]string{pattern}, p)
}

// dependencyFolder returns the folder of a dependency on a folder: "link:../x".
func dependencyFolder(dir, version string) (string, bool) {
	for _, scheme := range []string{"link:", "file:", "portal:"} {
		if to, ok := strings.CutPrefix(version, scheme); ok {
			return joinInside(dir, to)
		}
	}
	return "", false
}

// localDependencies returns a package's dependencies on folders, by name.
func localDependencies(dir string, needs map[string]string) map[string]string {
	out := map[string]string{}
	for name, version := range needs {
		if to, ok := dependencyFolder(dir, version); ok {
			out[name] = to
		}
	}
	return out
}

// dependencyTable joins the tables of dependencies of a package.json: name → version or address.
func dependencyTable(tables ...json.RawMessage) map[string]string {
	out := map[string]string{}
	for _, raw := range tables {
		var table map[string]string
		_ = json.Unmarshal(raw, &table)
		maps.Copy(out, table)
	}
	return out
}

// workspacePatterns reads "workspaces": a list, or an object with "packages".
func workspacePatterns(raw json.RawMessage) []string {
	var list []string
	if len(raw) == 0 || json.Unmarshal(raw, &list) == nil {
		return list
	}
	var object struct {
		Packages []string `json:"packages"`
	}
	_ = json.Unmarshal(raw, &object)
	return object.Packages
}
