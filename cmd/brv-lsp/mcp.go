package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/mcp"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// serveTools answers an agent. Standard output carries the protocol only.
func serveTools(ctx context.Context, f *flags, _ *none, e env) (int, error) {
	here, err := os.Getwd()
	if err != nil && f.root == "" {
		return exitFailed, err
	}
	if f.root != "" {
		if info, err := os.Stat(f.root); err != nil || !info.IsDir() {
			return exitUsage, fmt.Errorf("%w: --root %s is no folder", errUsage, f.root)
		}
	}
	if isTerminal(e.stdin) {
		fmt.Fprintln(e.stderr, "brv-lsp: waiting for an agent on standard input; docs/mcp.md says how to register the server")
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := mcp.Options{
		Version: versionText(), Root: f.root, Here: here,
		Nearest: workspace.Above, Log: log, Trust: trusts, User: workspace.Options{Cache: cacheDir(), Secret: seal.OfUser()},
		Config: configDir(), Getenv: os.Getenv,
	}
	return exitOK, mcp.Serve(ctx, e.stdin, e.stdout, options)
}
