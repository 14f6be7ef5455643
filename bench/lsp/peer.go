package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed markdown/package.json markdown/package-lock.json markdown/server.mjs
var markdownFiles embed.FS

// zk makes the project's tree a notebook of zk, which keeps its index in a folder `.zk`
// of it, and indexes it.
func zk(ctx context.Context, program, root string) (contender, error) {
	if program == "" {
		return contender{}, errors.New(
			"zk's program is needed: -peer zk=PROGRAM, built from the module github.com/zk-org/zk with -tags fts5")
	}
	notebook := filepath.Join(root, ".brv", "context-tree")
	for _, args := range [][]string{{"init", "--no-input", notebook}, {"index", "--no-input", "--notebook-dir", notebook}} {
		if _, err := os.Stat(filepath.Join(notebook, ".zk")); err == nil && args[0] == "init" {
			continue
		}
		if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
			return contender{}, fmt.Errorf("zk %s: %w\n%s", args[0], err, out)
		}
	}
	return contender{name: "zk", command: []string{program, "lsp"}}, nil
}

// markdown installs the Markdown server of VS Code in the user's cache, and what it asks of
// its editor.
func markdown(ctx context.Context) (contender, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return contender{}, err
	}
	dir := filepath.Join(cache, "brv-lsp-bench", "markdown")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return contender{}, err
	}
	for _, name := range []string{"package.json", "package-lock.json", "server.mjs"} {
		data, err := markdownFiles.ReadFile("markdown/" + name)
		if err != nil {
			return contender{}, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return contender{}, err
		}
	}
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return contender{}, fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return contender{name: "VS Code's Markdown server", command: []string{"node", filepath.Join(dir, "server.mjs")}}, nil
}
