package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Command is something that an editor, an agent or the CLI can ask for by name,
// with a request and a response that are JSON objects.
type Command struct {
	Name  string // "brv.query"
	Title string
	Run   func(ctx context.Context, w *Workspace, v *View, request json.RawMessage) (any, error)
}

// Commands is the command table.
func Commands() []Command {
	return []Command{
		{"brv.query", "Ask the context tree", typed((*Workspace).Query)},
		{"brv.search", "Search the context tree", typed((*Workspace).Search)},
		{"brv.scopes", "List the domains, topics and entries a search can be narrowed to", typed((*Workspace).Scopes)},
		{"brv.pack", "Pack context for a task", typed((*Workspace).Pack)},
		{"brv.expand", "Add what stands around code files", typed((*Workspace).Expand)},
		{"brv.read", "Read entries and code files", typed((*Workspace).Read)},
		{"brv.map", "Map the code", typed((*Workspace).Map)},
		{"brv.deps", "List what a code file depends on, and what depends on it", typed((*Workspace).Deps)},
		{"brv.symbols", "Find definitions by name", typed((*Workspace).Symbols)},
		{"brv.check", "Check the context tree", typed((*Workspace).Check)},
		{"brv.draft", "Draft an entry from a selection", typed((*Workspace).Draft)},
		{"brv.curate", "Change the context tree", typed((*Workspace).Curate)},
		{"brv.reviews", "List what waits for a review", typed((*Workspace).Reviews)},
		{"brv.approve", "Approve what waits for a review", typed((*Workspace).Approve)},
		{"brv.reject", "Reject what waits for a review", typed((*Workspace).Reject)},
		{"brv.undo", "Undo a change of the context tree", typed((*Workspace).Undo)},
		{"brv.log", "List the changes of the context tree", typed((*Workspace).Log)},
		{"brv.archive", "Archive or restore entries", typed((*Workspace).Archive)},
		{"brv.status", "Status of the context tree", typed((*Workspace).Status)},
		{"brv.init", "Initialise the context tree", typed(func(w *Workspace, ctx context.Context, _ *View, _ struct{}) (*InitReport, error) { return w.Init(ctx) })},
	}
}

// typed decodes the request; unknown keys are errors, so that a misspelt option
// does not pass silently.
func typed[Req, Res any](f func(*Workspace, context.Context, *View, Req) (Res, error)) func(context.Context, *Workspace, *View, json.RawMessage) (any, error) {
	return func(ctx context.Context, w *Workspace, v *View, raw json.RawMessage) (any, error) {
		var req Req
		if len(raw) > 0 && string(raw) != "null" {
			dec := json.NewDecoder(bytes.NewReader(raw))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&req); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrRequest, err)
			}
		}
		return f(w, ctx, v, req)
	}
}

// ErrNoTree is returned where a command needs a context tree and there is none.
var ErrNoTree = errors.New("no context tree in this folder; `brv-lsp init` makes one")

// ErrRequest marks a request that no state could answer: the caller's mistake.
var ErrRequest = errors.New("wrong request")

// DraftRequest asks for an entry that keeps a selection.
type DraftRequest struct {
	Path  string `json:"path"`  // workspace path of the file
	Start int    `json:"start"` // the selection, in bytes
	End   int    `json:"end"`
}

// DraftResponse is a planned entry; nothing is written.
type DraftResponse struct {
	Path  string `json:"path"` // workspace path
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Draft plans an entry from a selection in any file of the folder.
func (w *Workspace) Draft(ctx context.Context, v *View, req DraftRequest) (*DraftResponse, error) {
	text, ok := v.Text(req.Path)
	if !ok {
		return nil, fmt.Errorf("%s: not a readable text file of this folder", req.Path)
	}
	if req.Start < 0 || req.End > len(text) || strings.TrimSpace(text[min(req.Start, req.End):req.End]) == "" {
		return nil, fmt.Errorf("%s: select the text to keep first", req.Path)
	}
	entry, _ := v.EntryPath(req.Path)
	sel := curate.Selection{
		Path: req.Path, Entry: entry, Text: text[req.Start:req.End], Language: languageOf(req.Path), Symbol: symbolAround(w.symbols(ctx, v, req.Path, text), req),
		StartLine: 1 + strings.Count(text[:req.Start], "\n"),
		EndLine:   1 + strings.Count(strings.TrimRight(text[:req.End], "\r\n"), "\n"),
	}
	d, err := curate.Plan(sel, v.Tree(), w.opts.Now())
	if err != nil {
		return nil, err
	}
	return &DraftResponse{Path: v.FilePath(d.Path), Title: d.Title, Text: d.Text}, nil
}

// symbols are the definitions of a file's current text: those of the repo map
// where it was made of that text, else read now.
func (w *Workspace) symbols(ctx context.Context, v *View, p, text string) []syntax.Symbol {
	if c, ok := v.Code().Chunk(p); ok && c.Hash == codebase.HashOf(text) {
		return c.Symbols()
	}
	f, err := w.pool.Parse(ctx, syntax.Request{Path: p, Language: syntax.LanguageFor(p, []byte(text)), Source: []byte(text), Urgent: true})
	if err != nil {
		w.opts.Log.Warn("symbols of the selection", "path", p, "err", err)
	}
	return f.Symbols
}

// symbolAround names what is selected: the first definition that begins inside
// the selection, else the smallest one around it.
func symbolAround(symbols []syntax.Symbol, req DraftRequest) string {
	name, size := "", 0
	for _, s := range symbols {
		at := tree.Span(s.Range)
		if req.Start <= at.Start && at.Start < req.End {
			return s.Name
		}
		if at.Start <= req.Start && req.End <= at.End && (name == "" || at.End-at.Start < size) {
			name, size = s.Name, at.End-at.Start
		}
	}
	return name
}
