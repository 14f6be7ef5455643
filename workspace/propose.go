package workspace

import (
	"context"
	"errors"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
)

// ProposeRequest says what knowledge is to be drafted from; at least one of Files, Folder,
// Selection and Changes.
type ProposeRequest struct {
	Files     []string      `json:"files,omitempty"`     // workspace paths: text, code, Markdown, PDF; at most 5
	Folder    string        `json:"folder,omitempty"`    // workspace path: the telling files in it
	Selection *DraftRequest `json:"selection,omitempty"` // a part of one file
	// Changes is "worktree", "staged", or a commit as git names it.
	Changes     string `json:"changes,omitempty"`
	Instruction string `json:"instruction,omitempty"` // what to look for, for a model
	NoModel     bool   `json:"noModel,omitempty"`     // also where a model could be asked
	DryRun      bool   `json:"dryRun,omitempty"`      // show what would be held, hold nothing
	Author      string `json:"author,omitempty"`      // who asks, for the audit log
}

// ProposeResponse is what was drafted. It is held for a review, unless that was not wanted.
type ProposeResponse struct {
	Operations []tree.Op    `json:"operations"`
	Report     *tree.Report `json:"report"` // with the batch's id, by which it is approved
	Model      string       `json:"model,omitempty"`
	Notes      []string     `json:"notes,omitempty"` // sources that were cut, a model that failed
	Usage      *llm.Usage   `json:"usage,omitempty"`
}

// Propose drafts operations from files, a selection or changes of code, and holds them for
// a review.
func (w *Workspace) Propose(ctx context.Context, v *View, req ProposeRequest) (*ProposeResponse, error) {
	return nil, errors.New("not yet")
}
