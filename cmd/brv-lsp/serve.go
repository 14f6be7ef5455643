package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/lsp"
)

// release is the version of this source tree. It is stated only here; other places are generated from it
// (internal/release).
const release = "0.1.0"

// version prints the version, the commit, its date, the platform, and whether the program reads symbols of code.
func version(_ context.Context, f *flags, _ *none, e env) (int, error) {
	b := built()
	if f.json {
		return exitOK, printJSON(e.stdout, b)
	}
	symbols := "with code symbols"
	if !b.Symbols {
		symbols = "without code symbols"
	}
	return exitOK, e.print("brv-lsp %s\n%s\n", versionText(), strings.Trim(b.Date+" "+b.Platform+", "+symbols, " "))
}

// buildOf describes the build of this program.
type buildOf struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // known if it was built inside git's repository
	Date     string `json:"date,omitempty"`   // of the commit
	Changed  bool   `json:"changed"`          // there were uncommitted changes
	Platform string `json:"platform"`
	Symbols  bool   `json:"symbols"` // whether it was built with cgo
}

func built() buildOf {
	b := buildOf{Version: release, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			b.Changed = s.Value == "true"
		case "CGO_ENABLED":
			b.Symbols = s.Value == "1"
		}
	}
	return b
}

// versionText returns the release, with the commit of the build if it is known.
func versionText() string {
	b := built()
	if b.Commit == "" {
		return b.Version
	}
	return b.Version + "+" + b.Commit[:min(12, len(b.Commit))]
}

// serve answers an editor. It accepts --stdio, which vscode-languageclient appends, and does the same without
// it.
func serve(ctx context.Context, args []string, e env) (int, error) {
	for _, a := range args {
		if a != "--stdio" && a != "-stdio" {
			return exitUsage, fmt.Errorf("%w: serve takes no %q", errUsage, a)
		}
	}
	if isTerminal(e.stdin) {
		fmt.Fprintln(e.stderr, "brv-lsp: waiting for an editor on standard input; `brv-lsp help` lists the commands")
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return lsp.Serve(ctx, e.stdin, e.stdout, lsp.Options{
		Version: versionText(), Log: log, Cache: cacheDir(), Secret: seal.OfUser(), Trust: trusts, Config: configDir(), Getenv: os.Getenv,
	}), nil
}
