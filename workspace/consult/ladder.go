package consult

import (
	"context"
	"fmt"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// ladders are the ladders of the open folders.
var ladders = workspace.NewMemory(newLadder)

// Answer asks the tiers about the tree of a view. Its documents are not waited for.
func Answer(ctx context.Context, v *workspace.View, q retrieval.Query) (retrieval.Answer, error) {
	return ladders.Of(v).Answer(ctx, v.Searchable(), q)
}

// answerAll asks the tiers about all text of a view: its tree and its documents.
func answerAll(h *limits.Deadline, v *workspace.View, q retrieval.Query) (retrieval.Answer, error) {
	in, err := workspace.Knowledge(h.Prompt, v, q.Text)
	if h.Prompt.Err() != nil {
		return retrieval.Answer{}, h.Prompt.Err()
	}
	if err != nil {
		h.Degraded = append(h.Degraded, limits.Without(limits.Documents, err))
	}
	return ladders.Of(v).Answer(h.Prompt, in, q)
}

// newLadder wires the tiers to the workspace.
func newLadder(w *workspace.Workspace) *retrieval.Ladder {
	return retrieval.NewLadder(retrieval.LadderOptions{
		Model:   func() llm.Model { return provider.Model(w) },
		Outline: func(ctx context.Context, file string) (string, error) { return outline(ctx, w, file) },
		Code:    func() string { return w.View().Code().Fingerprint() },
		Writing: func(tokens, most int) { writing(w, tokens, most) },
		Now:     w.Now,
	})
}

// writingAnswer is the title of the progress of an answer.
const writingAnswer = "Writing an answer"

// writing reports the length of the answer that a model is writing.
func writing(w *workspace.Workspace, tokens, most int) {
	w.TellProgress(workspace.Progress{Title: writingAnswer, Done: tokens, Total: most, End: tokens == 0})
}

// outline returns the declarations of a code file: its signatures.
func outline(ctx context.Context, w *workspace.Workspace, file string) (string, error) {
	if err := w.WaitCode(ctx); err != nil {
		return "", err
	}
	code := w.View().Code()
	c, ok := code.Chunk(file)
	if !ok {
		return "", fmt.Errorf("there is no code file %q; `brv-lsp map` lists the code files", file)
	}
	text, err := code.Read(file)
	if err != nil {
		return "", err
	}
	return codebase.Skeleton(text, c.Symbols()), nil
}
