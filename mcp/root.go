//lint:file-ignore SA1019 roots are deprecated in 2026-07-28; the clients in use speak older protocols and offer them

package mcp

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// rootsWithin bounds the wait for the roots that a client announced.
const rootsWithin = 5 * time.Second

// root returns the folder to serve. That is the option's folder; or the working directory or the nearest folder
// above it with a context tree; or the client's first readable root; or the nearest project folder.
func (s *server) root(ctx context.Context, client *sdk.ServerSession) string {
	first := s.clientRoot(ctx, client) // all of them become neighbours
	return cmp.Or(s.fixedRoot(), s.opts.Nearest(cmp.Or(first, s.opts.Here)))
}

// fixedRoot returns the folder if it does not depend on the client, or "".
func (s *server) fixedRoot() string {
	here := s.opts.Nearest(s.opts.Here)
	if info, err := os.Lstat(filepath.Join(here, ".brv")); s.opts.Root == "" && err == nil && info.IsDir() {
		return here
	}
	return s.opts.Root
}

// clientRoot asks the client for its roots and stores them, if the client has any and the protocol allows the
// server to ask. It returns the first one.
func (s *server) clientRoot(ctx context.Context, client *sdk.ServerSession) string {
	if client == nil || client.ID() != "" || client.InitializeParams() == nil { // over HTTP, one client does not decide for the others
		return ""
	}
	if can := client.InitializeParams().Capabilities; can == nil || can.RootsV2 == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, rootsWithin)
	defer cancel()
	list, err := client.ListRoots(ctx, nil)
	if err != nil {
		s.opts.Log.Debug("the client's roots", "err", err)
		return ""
	}
	var dirs []string
	for _, r := range list.Roots {
		if r == nil { // the client's list may contain null
			continue
		}
		dir := locate.URIPath(r.URI)
		if _, err := os.ReadDir(dir); err == nil { // an error means that it is gone, or belongs to another system
			dirs = append(dirs, dir)
		}
	}
	if s.roots.Store(&dirs); len(dirs) > 0 {
		return dirs[0]
	}
	return ""
}

// setModel gives the folder the model in the settings. An agent's own model is not called, since the agent reads
// the passages itself.
func (s *server) setModel(ws *workspace.Workspace, all settings.Settings) {
	trusted, _ := ws.Trusted()
	p := provider.Program{Getenv: s.getenv, Dir: s.opts.Config, Now: s.now, Log: s.opts.Log,
		Tell: func(what string, why error) { s.opts.Log.Warn(what, "err", why) }}
	p.Find(all, trusted)(ws)
}

func (s *server) getenv(name string) string {
	if s.opts.Getenv == nil {
		return ""
	}
	return s.opts.Getenv(name)
}
