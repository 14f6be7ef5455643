package codebase

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// ChunkType is the purpose of a file, as its path shows it.
type ChunkType string

// The types of the specification's table.
const (
	EntryPoint ChunkType = "entry_point"
	CoreModule ChunkType = "core_module"
	Utility    ChunkType = "utility"
	Types      ChunkType = "types"
	Config     ChunkType = "config"
	Test       ChunkType = "test"
	Other      ChunkType = "other"
)

// baseImportance is the order of the specification's table with the numbers of
// the reference system.
var baseImportance = map[ChunkType]float64{
	EntryPoint: .95, CoreModule: .8, Types: .7, Config: .6, Utility: .5, Other: .4, Test: .2,
}

// connectivityBoost is added to the file with the most dependents.
const connectivityBoost = .2

// importance is a file's base by type, raised by its share of dependents.
func importance(t ChunkType, dependents, most int) float64 {
	boost := 0.0
	if most > 0 {
		boost = connectivityBoost * float64(dependents) / float64(most)
	}
	return min(1, baseImportance[t]+boost)
}

var (
	entryStems   = setOf("index", "main", "app", "server", "__main__", "cli", "manage", "wsgi", "asgi", "lib", "mod")
	typeStems    = setOf("types", "type", "typings", "interfaces", "interface", "models", "schema", "schemas", "errors")
	typeFolders  = setOf("types", "typings", "interfaces", "@types")
	utilityNames = setOf("utils", "util", "helpers", "helper", "common", "shared", "misc", "support", "tools")
	configStems  = setOf("config", "configuration", "settings", "conf", "setup", "conftest", "constants")
	coreFolders  = setOf("src", "lib", "core", "pkg", "internal", "crates", "packages", "cmd", "app")
)

// TypeOf tells a file's type. A test is a test wherever it stands; then the
// file's own name counts before its folders.
func TypeOf(p string) ChunkType {
	dir, base := path.Split(p)
	folders := strings.Split(strings.Trim(dir, "/"), "/")
	stem := strings.ToLower(stemOf(base))
	switch {
	case isTest(p):
		return Test
	case typeStems[stem] || strings.HasSuffix(base, ".d.ts") || anyIn(folders, typeFolders):
		return Types
	case configStems[stem] || strings.HasSuffix(stem, ".config") || strings.HasSuffix(stem, "_config") || strings.HasPrefix(base, "."):
		return Config
	case isEntry(p, stem, folders):
		return EntryPoint
	case utilityNames[stem] || anyIn(folders, utilityNames) || strings.HasSuffix(stem, "_utils") || strings.HasSuffix(stem, "-utils"):
		return Utility
	case anyIn(folders, coreFolders) || stem == "__init__":
		return CoreModule
	}
	return Other
}

// isEntry knows the entry names of the table; Rust's mod.rs and lib.rs count
// only as the root of a crate, "index" only in JavaScript and TypeScript.
func isEntry(p, stem string, folders []string) bool {
	if !entryStems[stem] {
		return false
	}
	last := folders[len(folders)-1]
	switch path.Ext(p) {
	case ".rs":
		return (stem == "lib" || stem == "main") && last == "src"
	case ".go":
		return stem == "main"
	case ".py", ".pyi":
		return stem != "index" && stem != "lib" && stem != "mod"
	}
	return stem != "lib" && stem != "mod" && stem != "__main__"
}

// stemOf is the file's name without its last extension.
func stemOf(base string) string {
	return strings.TrimSuffix(base, path.Ext(base))
}

func anyIn(folders []string, set map[string]bool) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return set[strings.ToLower(f)] })
}

// isTest tells test code by the conventions of the mapped languages.
func isTest(p string) bool {
	dir, base := path.Split(p)
	stem := strings.ToLower(stemOf(base))
	for _, mark := range []string{"_test", ".test", ".test-d", ".spec", "_spec", "-test", ".e2e", ".stories", ".bench"} {
		if strings.HasSuffix(stem, mark) {
			return true
		}
	}
	shell := path.Ext(base) == ".sh" || path.Ext(base) == ".bash" // where test_ begins names of what tests are written with
	if strings.HasPrefix(stem, "test_") && !shell || stem == "conftest" || stem == "tests" || stem == "test" {
		return true
	}
	// Java, Kotlin, Scala, C# and Swift name a test after the class it tests.
	for _, mark := range []string{"Test", "Tests", "Spec", "IT"} {
		if name := stemOf(base); len(name) > len(mark) && strings.HasSuffix(name, mark) && isLower(name[len(name)-len(mark)-1]) {
			return true
		}
	}
	for folder := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if discover.HoldsTests(folder) {
			return true
		}
	}
	return false
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// The folders that are proposed as topics: at most maxTopics, of at least minTopic files each.
const (
	maxTopics = 10
	minTopic  = 3
)

// Topics are the folders of the code: those at the top, and the subfolders of one that has more than half of
// all files. It reads no files.
func Topics(ctx context.Context, root *jail.Root, o Options) ([]string, error) {
	found, err := discover.Walk(ctx, root, discover.Options{Include: o.Include, Exclude: o.Exclude})
	if err != nil {
		return nil, err
	}
	found.Files = slices.DeleteFunc(found.Files, func(f discover.File) bool { // somebody else's, and tests
		return discover.Origin(f.Path, nil) != "" || isTest(f.Path) || strings.HasPrefix(f.Path, "doc/") || strings.HasPrefix(f.Path, "docs/")
	})
	sizes, names := map[string]int{}, []string{}
	for within, again := "", true; again; {
		again = false
		clear(sizes)
		for _, f := range found.Files {
			rest, ok := strings.CutPrefix(f.Path, within)
			if top, _, folder := strings.Cut(rest, "/"); ok && folder && !strings.HasPrefix(top, ".") {
				sizes[within+top]++
			}
		}
		large := slices.DeleteFunc(slices.Collect(maps.Keys(sizes)), func(p string) bool { return sizes[p] < minTopic })
		if len(large) == 0 {
			break
		}
		slices.SortFunc(large, func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], strings.Compare(a, b)) })
		if names = large; 2*sizes[names[0]] > len(found.Files) && strings.Count(within, "/") < 3 {
			within, again = names[0]+"/", true
		}
	}
	return names[:min(len(names), maxTopics)], nil
}
