package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/organisation/client"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// gateway is the client with which a folder asks its organisation.
type gateway struct {
	mu     sync.Mutex // guards the fields below
	client *client.Client
	of     settings.Organisation
	token  string
	told   bool
}

// gateways holds one for each open folder.
var gateways = workspace.NewMemory(func(*workspace.Workspace) *gateway { return new(gateway) })

// UseOrganisation makes a workspace ask the organisation that the settings name. If they name none, or if it
// cannot be used, the workspace asks none; the error tells the reason. The token is found like a model's key
// ([Choose]), or else in a file that no other user may read.
func UseOrganisation(w *workspace.Workspace, s settings.Organisation, key func(origin string) string, getenv func(string) string) error {
	now := gateways.Of(w.View())
	now.mu.Lock()
	defer now.mu.Unlock()
	token, err := organisationToken(s, key, getenv)
	if err == nil && s.Endpoint != "" && now.client != nil && now.of == s && now.token == token {
		return nil
	}
	now.client, now.of, now.token = nil, s, token
	if err == nil && s.Endpoint != "" {
		now.client, err = client.New(s.Endpoint, token)
	}
	return err
}

// Organisation returns the client for the organisation of a view's folder, nil if there is none. first is true if
// this user asks there for the first time, as far as the cache knows.
func Organisation(v *workspace.View) (c *client.Client, first bool) {
	now := gateways.Of(v)
	now.mu.Lock()
	defer now.mu.Unlock()
	if now.client == nil || now.told {
		return now.client, false
	}
	now.told = true
	dir := v.Workspace().Cache()
	if dir == "" {
		return now.client, true
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return now.client, true
	}
	f, err := os.OpenFile(filepath.Join(dir, "told-"+organisation.Digest(now.client.Origin())[:16]), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	return now.client, !errors.Is(err, os.ErrExist)
}

// maxToken bounds the size of a token's file, in bytes.
const maxToken = 8 << 10

func organisationToken(s settings.Organisation, key func(origin string) string, getenv func(string) string) (string, error) {
	if s.Endpoint == "" {
		return "", nil
	}
	at, err := outbound.Parse(s.Endpoint)
	if err != nil {
		return "", fmt.Errorf("brv.organisation.endpoint: %w", err)
	}
	k := keyring{setting: "brv.organisation.tokenVariable", origin: at.Origin, named: strings.TrimSpace(s.TokenVariable),
		stored: key, getenv: getenv}
	token, _, err := k.find()
	if token != "" || s.TokenFile == "" {
		return token, err
	}
	info, err := os.Stat(s.TokenFile)
	switch {
	case !filepath.IsAbs(s.TokenFile):
		return "", errors.New("brv.organisation.tokenFile: write the full path")
	case err != nil:
		return "", fmt.Errorf("brv.organisation.tokenFile: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxToken:
		return "", errors.New("brv.organisation.tokenFile: the file does not contain a token")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", errors.New("brv.organisation.tokenFile: other users can read the file; run chmod 600")
	}
	raw, err := os.ReadFile(s.TokenFile)
	return strings.TrimSpace(string(raw)), err
}
