package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// zodVersion is the version whose source the entries in testdata/zod describe.
const zodVersion = "4.1.12"

//go:embed testdata/net testdata/zod
var testdata embed.FS

// repository is a project that is checked.
type repository struct {
	name    string
	version string
	source  string   // folder it is copied from; "" if it is not at hand
	absent  string   // then: why, and what to do
	keep    []string // what is copied, as top-level names; nil for all
	define  func(root string) (definitions, error)
	tasks   []task
	symbol  string // one that the code defines once and entries name, for the first hover in code
}

// netRepository is the folder net of the Go installation in use.
func netRepository(ctx context.Context) repository {
	r := repository{name: "net", version: runtime.Version(), define: goDefinitions, tasks: netTasks, symbol: "dialParallel"}
	root, err := process.GoRoot(ctx)
	if err == nil {
		r.source = filepath.Join(root, "src", "net")
		_, err = os.Stat(filepath.Join(r.source, "dial.go"))
	}
	if err != nil {
		r.source, r.absent = "", fmt.Sprintf("skipped: no sources of the standard library (%v)", err)
	}
	return r
}

// ownRepository is this project, with the context tree that it has.
func ownRepository(ctx context.Context) repository {
	r := repository{
		name: "brv-lsp", version: "as it is", define: goDefinitions, tasks: ownTasks, symbol: "inTree",
		keep: []string{".brv", "bench", "cmd", "codebase", "curate", "docs", "documents", "dream", "editor/nvim", "editor/vscode/src",
			"editor/vscode/package.json", "go.mod", "host", "internal", "link", "llm", "lsp", "mcp", "refactor", "pack", "retrieval", "test",
			"tree", "vault", "workspace"},
	}
	root, err := process.ModuleRoot(ctx)
	if err != nil {
		r.absent = fmt.Sprintf("skipped: %v", err)
	}
	r.source = root
	return r
}

// zodRepository is the npm package zod, which holds its TypeScript sources.
func zodRepository(dir string) repository {
	r := repository{
		name: "zod", version: zodVersion, source: dir, keep: []string{"src", "package.json"},
		absent: "skipped: no folder given; get it with `npm pack zod@" + zodVersion + "` and pass -zod DIR",
		define: tsDefinitions, tasks: zodTasks, symbol: "finalizeIssue",
	}
	if dir == "" {
		return r
	}
	var manifest struct{ Name, Version string }
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil || manifest.Name != "zod" || manifest.Version != zodVersion {
		r.source, r.absent = "", fmt.Sprintf("skipped: not zod %s but %q %q (%v)", zodVersion, manifest.Name, manifest.Version, err)
	}
	return r
}

// treeFolder is where a project keeps its context tree.
const treeFolder = ".brv/context-tree"

// prepare makes the writable copy with its context tree.
func (r repository) prepare(root string) error {
	names := r.keep
	if names == nil {
		names = []string{"."}
	}
	for _, name := range names {
		if err := copyTree(os.DirFS(r.source), name, root); err != nil {
			return err
		}
	}
	entries, err := fs.Sub(testdata, "testdata/"+r.name)
	if err != nil {
		return err
	}
	if _, err := fs.Stat(entries, "."); err != nil {
		return nil // it has a tree of its own
	}
	return copyTree(entries, ".", filepath.Join(root, filepath.FromSlash(treeFolder)))
}

// copyTree copies a file, or a folder with all that is in it, writable.
func copyTree(from fs.FS, name, to string) error {
	return fs.WalkDir(from, name, func(p string, d fs.DirEntry, err error) error {
		target := filepath.Join(to, filepath.FromSlash(p))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(from, p)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		if unread(p) {
			data = nil
		}
		return os.WriteFile(target, data, 0o666)
	})
}

// unread reports whether a file is code that the oracle does not read: what it defines
// would count as wrong. Such files are there, and empty.
func unread(file string) bool {
	switch path.Ext(file) {
	case ".py", ".cjs", ".mjs", ".js", ".lua", ".c", ".h", ".java":
		return true
	}
	return false
}

// languageID returns the language identifier that an editor sends for a file.
func languageID(file string) string {
	switch path.Ext(file) {
	case ".go":
		return "go"
	case ".ts":
		return "typescript"
	}
	return "markdown"
}

// isTest reports whether a file of either repository is a test.
func isTest(file string) bool {
	return strings.HasSuffix(file, "_test.go") || strings.Contains("/"+file, "/tests/") || strings.Contains("/"+file, "/benchmarks/")
}
