package consult

import (
	"context"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// FrameRequest is a text that an editor gives to a language model.
type FrameRequest struct {
	Text string `json:"text"` // a text of files, or with names of files
}

// FrameResponse is the text between two tags. The text cannot contain these tags.
type FrameResponse struct {
	Text string `json:"text"`
}

// Frame quotes a text for an agent. Editors request it so that only the server has the rules about text that
// reads as a tag.
func Frame(_ context.Context, _ *workspace.View, req FrameRequest) (*FrameResponse, error) {
	return &FrameResponse{sanitize.FrameNote + sanitize.Frame(req.Text)}, nil
}
