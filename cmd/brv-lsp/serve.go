package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/lsp"
)

// release is the version of this source tree.
const release = "0.1.0"

func version(_ context.Context, _ []string, e env) (int, error) {
	return exitOK, e.print("brv-lsp %s\n", versionText())
}

// versionText is the release with the commit it was built from, where known.
func versionText() string {
	v := release
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				v += "+" + s.Value[:12]
			}
		}
	}
	return v
}

// serve answers an editor. vscode-languageclient appends --stdio, which is what
// the server does anyway.
func serve(ctx context.Context, args []string, e env) (int, error) {
	for _, a := range args {
		if a != "--stdio" && a != "-stdio" {
			return exitUsage, fmt.Errorf("%w: serve takes no %q", errUsage, a)
		}
	}
	if isTerminal(e.stdin) {
		fmt.Fprintln(e.stderr, "brv-lsp: waiting for an editor on standard input; 'brv-lsp help' lists the commands")
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return lsp.Serve(ctx, e.stdin, e.stdout, lsp.Options{
		Version: versionText(), Log: log, Cache: cacheDir(), Secret: seal.OfUser(), Trust: trusts, Config: configDir(), Getenv: os.Getenv,
	}), nil
}
