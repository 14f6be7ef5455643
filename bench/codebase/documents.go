package main

import (
	"context"
	"errors"
	"os"

	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

// packer makes packs as a user's program does: of a workspace, whose documents are read or not.
type packer struct {
	documents bool
	cache     string // a folder of its own, shared by the commits of one repository
	now       *workspace.Workspace
}

// newPacker is none where mode is "".
func newPacker(mode string) (*packer, error) {
	switch mode {
	case "":
		return nil, nil
	case "on", "off":
	default:
		return nil, errors.New("documents are on or off")
	}
	cache, err := os.MkdirTemp("", "brv-bench-cache-")
	return &packer{documents: mode == "on", cache: cache}, err
}

// open takes the checkout as it is now.
func (p *packer) open(ctx context.Context, dir string) (err error) {
	p.close()
	p.now, err = workspace.Open(ctx, dir, workspace.Options{Cache: p.cache, NoDocuments: !p.documents, Unhurried: true, Trusted: true})
	if err != nil {
		return err
	}
	_, err = p.now.View().Complete(ctx)
	return err
}

func (p *packer) close() {
	if p.now != nil {
		p.now.Close()
		p.now = nil
	}
}

func (p *packer) pack(ctx context.Context, task string, budget int) (string, error) {
	made, err := contextpack.Pack(ctx, p.now.View(), contextpack.PackRequest{Task: task, BudgetTokens: budget, Unasked: true}) // else packs go on with the last
	if errors.Is(err, pack.ErrBudget) {
		return "", nil
	}
	return made.Text, err
}
