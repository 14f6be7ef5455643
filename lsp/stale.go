package lsp

import (
	"context"
	"fmt"
)

// review is the result of the command.
type review struct {
	URI   string `json:"uri"` // the document of the review
	Shown bool   `json:"shown"`
	Text  string `json:"text,omitempty"` // of the document, if the editor was not asked to show it
}

// reviewEntry serves the command: it shows the document by which the user changes the
// entry.
func reviewEntry(ctx context.Context, sc *scene, _ commandPlace) (any, error) {
	entry, ok := sc.View.EntryPath(sc.Path)
	if !ok {
		return nil, fmt.Errorf("%s: not an entry of the context tree", sc.Path)
	}
	text, err := sc.Workspace.DriftReview(ctx, sc.View, entry)
	if err != nil {
		return nil, err
	}
	result := &review{URI: sc.diffURI(entry)}
	if result.Shown = sc.server.Client.OpenContent(ctx, result.URI); !result.Shown {
		result.Text = text
	}
	return result, nil
}
