package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// Command is something that an editor, an agent or the CLI can ask for by name,
// with a request and a response that are JSON objects.
type Command struct {
	Name  string // "brv.query"
	Title string
	// Part says that a part of the context tree is enough for an answer, which names what is
	// missing, while the tree is read; else it is waited for.
	Part bool
	// Request and Response are what those objects hold: structs, by their json tags.
	Request, Response reflect.Type
	// Writes means that it changes the tree or the settings, and not only what is remembered.
	Writes bool
	Run    func(ctx context.Context, w *Workspace, v *View, request json.RawMessage) (any, error)
}

// Commands is the command table.
func Commands() []Command {
	table := []Command{
		typed("brv.query", "Ask the context tree", (*Workspace).Query),
		typed("brv.search", "Search the context tree", (*Workspace).Search),
		typed("brv.explain", "Explain why an entry is found, or is not", (*Workspace).Explain),
		typed("brv.scopes", "List the domains, topics and entries a search can be narrowed to", (*Workspace).Scopes),
		typed("brv.pack", "Pack context for a task", (*Workspace).Pack),
		typed("brv.expand", "Add what stands around code files", (*Workspace).Expand),
		typed("brv.read", "Read entries and code files", (*Workspace).Read),
		typed("brv.map", "Map the code", (*Workspace).Map),
		typed("brv.deps", "List what a code file depends on, and what depends on it", (*Workspace).Deps),
		typed("brv.symbols", "Find definitions by name", (*Workspace).Symbols),
		typed("brv.graph", "Follow who mentions whom, from an entry or a code file", (*Workspace).Graph),
		typed("brv.check", "Check the context tree", (*Workspace).Check),
		typed("brv.draft", "Draft an entry from a selection", (*Workspace).Draft),
		writes(typed("brv.propose", "Draft changes of the context tree from files, a selection or changes of code", (*Workspace).Propose)),
		writes(typed("brv.curate", "Change the context tree", (*Workspace).Curate)),
		typed("brv.reviews", "List what waits for a review", (*Workspace).Reviews),
		typed("brv.proposed", "Show what waits for a review as the text of its entry", (*Workspace).Proposed),
		writes(typed("brv.approve", "Approve what waits for a review", (*Workspace).Approve)),
		writes(typed("brv.reject", "Reject what waits for a review", (*Workspace).Reject)),
		writes(typed("brv.undo", "Undo a change of the context tree", (*Workspace).Undo)),
		writes(typed("brv.saved", "List what was saved too late, take or drop it", (*Workspace).Saved)),
		typed("brv.log", "List the changes of the context tree", (*Workspace).Log),
		writes(typed("brv.archive", "Archive or restore entries", (*Workspace).Archive)),
		writes(typed("brv.dream", "Maintain the context tree", (*Workspace).Dream)),
		writes(typed("brv.dreamUndo", "Take the last dream back", (*Workspace).UndoDream)),
		typed("brv.dreamCancel", "Stop a dream", (*Workspace).CancelDream),
		typed("brv.dreams", "List the dreams of the context tree", (*Workspace).Dreams),
		typed("brv.status", "Status of the context tree", (*Workspace).Status),
		typed("brv.reindex", "Read the folder again", (*Workspace).Reindex),
		writes(typed("brv.init", "Initialise the context tree", func(w *Workspace, ctx context.Context, _ *View, _ struct{}) (*InitReport, error) { return w.Init(ctx) })),
	}
	for i := range table {
		_, says := table[i].Response.FieldByName("Degraded")
		table[i].Part = says || slices.Contains([]string{"brv.deps", "brv.symbols"}, table[i].Name) // of code alone
	}
	return table
}

func writes(c Command) Command {
	c.Writes = true
	return c
}

// typed makes a row of the table of a method.
func typed[Req, Res any](name, title string, f func(*Workspace, context.Context, *View, Req) (*Res, error)) Command {
	return Command{
		Name: name, Title: title, Request: reflect.TypeFor[Req](), Response: reflect.TypeFor[Res](),
		Run: func(ctx context.Context, w *Workspace, v *View, raw json.RawMessage) (any, error) {
			var req Req
			if err := DecodeRequest(raw, &req); err != nil {
				return nil, err
			}
			return f(w, ctx, v, req)
		},
	}
}

// ErrNoTree is returned where a command needs a context tree and there is none.
var ErrNoTree = errors.New("no context tree in this folder; `brv-lsp init` makes one")

// linkError says that a link stands where the context tree should; it is an [ErrNoTree].
type linkError struct{ path string }

func (e linkError) Error() string {
	return e.path + " is a link, and is not followed: it decides which files are written;" +
		" open the folder that holds the context tree (--root), or put the tree here instead of the link"
}

func (e linkError) Is(target error) bool { return target == ErrNoTree }

// NoTree says why there is no context tree: [ErrNoTree], or an error like it where a link
// stands in its place.
func (w *Workspace) NoTree() error {
	for _, p := range []string{brvDir, treeDir} {
		if info, err := w.root.Lstat(p); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return linkError{p}
		}
	}
	if w.foreignBrv() {
		return errForeignBrv
	}
	return ErrNoTree
}

// errForeignBrv is an [ErrNoTree].
var errForeignBrv = foreignError{}

type foreignError struct{}

func (foreignError) Error() string {
	return brvDir + " belongs to another user than the folder that it is in, and is not read; if it is to be, change its owner"
}

func (foreignError) Is(target error) bool { return target == ErrNoTree }

// ErrUnknownKey marks a request with a key that there is not; it is an [ErrRequest].
var ErrUnknownKey = fmt.Errorf("%w: unknown key", ErrRequest)

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
	sel, err := w.selected(ctx, v, req)
	if err != nil {
		return nil, err
	}
	d, err := curate.Plan(sel, v.Tree(), w.opts.Now())
	if err != nil {
		return nil, err
	}
	if format.Parse(d.Path, d.Text).Unmerged() != nil {
		return nil, fmt.Errorf("%s: what is selected is in merge conflict: choose a side first", req.Path)
	}
	if w.root.Linked(treeDir, d.Path) {
		return nil, fmt.Errorf("%s: a link stands there or on the way; links are not followed:"+
			" put the folder itself in its place", v.FilePath(d.Path))
	}
	return &DraftResponse{Path: v.FilePath(d.Path), Title: d.Title, Text: d.Text}, nil
}

// selected reads a selection, without the credentials that it is a part of: the lines of a
// key do not show what they are.
func (w *Workspace) selected(ctx context.Context, v *View, req DraftRequest) (curate.Selection, error) {
	text, ok := v.Text(req.Path)
	if !ok {
		return curate.Selection{}, fmt.Errorf("%s: not a readable text file of this folder", req.Path)
	}
	if req.Start < 0 || req.End < req.Start || req.End > len(text) || strings.TrimSpace(text[req.Start:req.End]) == "" {
		return curate.Selection{}, fmt.Errorf("%s: select the text to keep first", req.Path)
	}
	entry, _ := v.EntryPath(req.Path)
	return curate.Selection{
		Path: req.Path, Entry: entry, Text: secrets.Veil(text).Part(req.Start, req.End), Language: languageOf(req.Path), Symbol: symbolAround(w.symbols(ctx, v, req.Path, text), req),
		StartLine: 1 + strings.Count(text[:req.Start], "\n"),
		EndLine:   1 + strings.Count(strings.TrimRight(text[:req.End], "\r\n"), "\n"),
	}, nil
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
		at := markdown.Span(s.Range)
		if req.Start <= at.Start && at.Start < req.End {
			return s.Name
		}
		if at.Start <= req.Start && req.End <= at.End && (name == "" || at.End-at.Start < size) {
			name, size = s.Name, at.End-at.Start
		}
	}
	return name
}
