package client

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
)

// Tell shows a message. All messages to the user go through it and Ask.
func (c *Client) Tell(ctx context.Context, kind protocol.MessageType, text string) {
	if err := c.Conn.ShowMessage(ctx, &protocol.ShowMessageParams{Type: kind, Message: markup.Inert(text)}); err != nil {
		c.Log.Debug("message", "err", err)
	}
}

// Ask shows a question with two answers, yes and "Cancel", and reports whether the user chose yes.
func (c *Client) Ask(ctx context.Context, question, yes string) (bool, error) {
	choice, err := c.Choose(ctx, question, yes, "Cancel")
	return choice == yes, err
}

// Choose has the user choose an answer, "" if none was chosen.
func (c *Client) Choose(ctx context.Context, question string, answers ...string) (string, error) {
	p := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: markup.Inert(question)}
	for _, a := range answers {
		p.Actions = append(p.Actions, protocol.MessageActionItem{Title: a})
	}
	choice, err := c.Conn.ShowMessageRequest(ctx, p)
	if err != nil || choice == nil || !slices.Contains(answers, choice.Title) {
		return "", err
	}
	return choice.Title, nil
}

// Open has the editor open a document, at a range if one is given, and reports
// whether it did.
func (c *Client) Open(ctx context.Context, u uri.URI, at *protocol.Range) bool {
	if !c.ShowDocument {
		return false
	}
	done, err := c.Conn.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: u, TakeFocus: new(true), Selection: at})
	if err != nil {
		c.Log.Debug("showing a document", "uri", u, "err", err)
	}
	return err == nil && done != nil && done.Success
}

// OpenContent has the editor open a document that is not on disk.
func (c *Client) OpenContent(ctx context.Context, u string) bool {
	return c.Content && c.Open(ctx, uri.URI(u), nil)
}

// Applied is the result of a command that has the editor make a change.
type Applied struct {
	Applied bool   `json:"applied"`
	Reason  string `json:"reason,omitempty"` // why it was not
}

// Apply has the editor make a change that the user asked for.
func (c *Client) Apply(ctx context.Context, label string, edit *protocol.WorkspaceEdit) (*Applied, error) {
	if !c.ApplyEdit {
		return &Applied{Reason: "this editor cannot apply edits from a language server"}, nil
	}
	done, err := c.Conn.ApplyEdit(ctx, &protocol.ApplyWorkspaceEditParams{Label: new(label), Edit: *edit})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	out := &Applied{Applied: done.Applied}
	if !done.Applied {
		out.Reason = "the editor refused the edit"
		if done.FailureReason != nil {
			out.Reason += ": " + *done.FailureReason
		}
	}
	return out, nil
}
