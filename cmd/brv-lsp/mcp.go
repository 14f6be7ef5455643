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

// serveTools answers an agent. Standard output carries only the protocol.
func serveTools(ctx context.Context, f *flags, o *struct{ HTTP string }, e env) (int, error) {
	here, err := os.Getwd()
	if err != nil && f.root == "" {
		return exitFailed, err
	}
	if f.root != "" {
		if info, err := os.Stat(f.root); err != nil || !info.IsDir() {
			return exitUsage, fmt.Errorf("%w: --root %s is not a folder", errUsage, f.root)
		}
	}
	if o.HTTP == "" && isTerminal(e.stdin) {
		fmt.Fprintln(e.stderr, "brv-lsp: waiting for an agent on standard input; Ctrl-C stops the server. `brv-lsp install NAME` "+
			"sets up an agent")
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := mcp.Options{
		Version: versionText(), Root: f.root, Here: here,
		Nearest: workspace.Above, Log: log, Trust: trusts, User: workspace.Options{Cache: cacheDir(), Secret: seal.OfUser()},
		Config: configDir(), Getenv: os.Getenv,
	}
	if o.HTTP == "" {
		return exitOK, mcp.Serve(ctx, e.stdin, e.stdout, options)
	}
	token, file, err := mcp.Token(configDir())
	if err != nil {
		return exitFailed, err
	}
	l, err := mcp.Listen(o.HTTP)
	if err != nil {
		return exitUsage, fmt.Errorf("%w: --http %w", errUsage, err)
	}
	sayf(e.stderr, "brv-lsp: serving http://%s%s; clients send the token from %s in the header `Authorization: Bearer`\n",
		l.Addr(), mcp.Path, file)
	return exitOK, mcp.ServeHTTP(ctx, l, token, options)
}
