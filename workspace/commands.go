package workspace

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
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
