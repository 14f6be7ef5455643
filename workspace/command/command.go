// Package command is the table of commands that can be called by name: each with the types of its request and
// its response, and everything that a protocol needs to run it.
//
// Inside the program the functions are called directly: the CLI's verbs and the agents' tools know the types
// at compile time, and a response is the function's result. The table is for callers that have a name and
// some bytes, such as the language server, which decodes them into the request's type and runs any row in the
// same way; the row's fields describe the command.
//
// A field of a request with the tag flag is an option of the command line.
//
// A new command is a function of a package below and one row. If it is called or shown in the client's terms
// (a URI, a position), the language server adds that beside the feature. It also fills in some fields that a
// request leaves out: Path, Selection, Severity, and Author for commands that write.
package command

import (
	"context"
	"iter"
	"reflect"
	"slices"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/browse"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
	"github.com/brv-lsp/brv-lsp/workspace/graph"
	"github.com/brv-lsp/brv-lsp/workspace/transfer"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// Row is one command.
type Row struct {
	Name   string // "brv.query"
	Method string // the language server's own request for it, "brv/query"; "" for none
	Title  string
	// Request and Response are the structs of the parameters and of the result, by their JSON tags.
	Request, Response reflect.Type

	// Part means that a part of the context tree is enough for an answer, which reports the missing rest,
	// while the tree is read; otherwise the command waits for it.
	Part bool
	// Writes means that the command changes the tree or the settings, and not only remembered data: once
	// started it is waited for, even if it was cancelled, and views of the tree are refreshed.
	Writes bool
	// Counts means that it reports progress.
	Counts bool
	// StopsDream means that an automatic dream ends before the command starts, as both do the same work.
	StopsDream bool
	// Polled means that clients send it whenever something changed, so it is not a sign of a person.
	Polled bool

	// Run does what the command does. The request is a pointer to one.
	Run func(_ context.Context, _ *workspace.Workspace, _ *workspace.View, request any) (any, error)
}

// All are the rows of the table.
func All() iter.Seq[Row] { return slices.Values(rows) }

// asks makes a row of a function of a view: the view of the request, or its successor if the function waits
// for the code.
func asks[Req, Res any](r Row, do func(context.Context, *workspace.View, Req) (*Res, error)) Row {
	return typed(r, func(ctx context.Context, _ *workspace.Workspace, v *workspace.View, req Req) (*Res, error) {
		return do(ctx, v, req)
	})
}

// does makes a row of a function that acts on the folder, or reads data outside of views.
func does[Req, Res any](r Row, do func(context.Context, *workspace.Workspace, Req) (*Res, error)) Row {
	return typed(r, func(ctx context.Context, w *workspace.Workspace, _ *workspace.View, req Req) (*Res, error) {
		return do(ctx, w, req)
	})
}

// typed sets the types of a row.
func typed[Req, Res any](
	r Row, do func(context.Context, *workspace.Workspace, *workspace.View, Req) (*Res, error),
) Row {
	r.Request, r.Response = reflect.TypeFor[Req](), reflect.TypeFor[Res]()
	r.Run = func(ctx context.Context, w *workspace.Workspace, v *workspace.View, request any) (any, error) {
		return do(ctx, w, v, *request.(*Req))
	}
	return r
}

var rows = []Row{
	asks(Row{Name: "brv.query", Method: "brv/query", Title: "Ask the context tree", Part: true}, consult.Query),
	asks(Row{Name: "brv.search", Method: "brv/search", Title: "Search the context tree", Part: true}, consult.Search),
	asks(Row{Name: "brv.pack", Method: "brv/context", Title: "Pack context for a task", Part: true}, contextpack.Pack),
	asks(Row{Name: "brv.expand", Method: "brv/expand", Title: "Add related code files", Part: true}, codemap.Expand),
	asks(Row{Name: "brv.read", Method: "brv/read", Title: "Read entries and code files", Part: true}, consult.Read),
	asks(Row{Name: "brv.frame", Method: "brv/frame", Title: "Quote text for an agent"}, consult.Frame),
	asks(Row{Name: "brv.map", Method: "brv/map", Title: "Map the code", Part: true}, codemap.Map),
	asks(Row{Name: "brv.deps", Title: "List the dependencies and dependents of a code file", Part: true}, codemap.Deps),
	asks(Row{Name: "brv.graph", Method: "brv/graph", Title: "Draw the knowledge graph"}, graph.Draw),
	asks(Row{Name: "brv.symbols", Title: "Find definitions by name", Part: true}, codemap.Symbols),
	asks(Row{
		Name: "brv.knowledge", Method: "brv/knowledge", Title: "List a folder of the context tree", Polled: true,
	}, browse.Browse),
	asks(Row{
		Name: "brv.here", Method: "brv/here", Title: "List knowledge about a place", Polled: true,
	}, describe.Known),
	asks(Row{Name: "brv.check", Title: "Check the context tree"}, diagnosis.Check),
	asks(Row{Name: "brv.draft", Method: "brv/curate/plan", Title: "Draft an entry from a selection"}, drafting.Draft),
	asks(Row{
		Name: "brv.propose", Method: "brv/curate/propose",
		Title: "Draft changes to the context tree from files, a selection or code changes", Writes: true,
	}, drafting.Propose),
	does(Row{Name: "brv.curate", Method: "brv/curate/apply", Title: "Change the context tree", Writes: true}, curation.Curate),
	does(Row{
		Name: "brv.promote", Method: "brv/curate/promote", Title: "Promote a section of a document to an entry", Writes: true,
	}, transfer.Promote),
	does(Row{Name: "brv.import", Title: "Import notes from other programs", Writes: true}, transfer.Import),
	does(Row{Name: "brv.reviews", Method: "brv/review/list", Title: "List waiting reviews", Polled: true}, curation.Reviews),
	does(Row{
		Name: "brv.proposed", Method: "brv/review/proposed",
		Title: "Show the proposed text of an entry", Polled: true,
	}, curation.Proposed),
	does(Row{
		Name: "brv.approve", Method: "brv/review/approve",
		Title: "Approve waiting changes", Writes: true,
	}, curation.Approve),
	does(Row{
		Name: "brv.reject", Method: "brv/review/reject",
		Title: "Reject waiting changes", Writes: true,
	}, curation.Reject),
	does(Row{Name: "brv.undo", Title: "Undo a change to the context tree", Writes: true}, curation.Undo),
	does(Row{Name: "brv.log", Title: "List the changes to the context tree"}, curation.Log),
	does(Row{Name: "brv.archive", Title: "Archive or restore entries", Writes: true}, curation.Archive),
	does(Row{Name: "brv.dream", Title: "Maintain the context tree", Writes: true, Counts: true, StopsDream: true}, upkeep.Dream),
	does(Row{
		Name:  "brv.dreamUndo",
		Title: "Undo the last dream", Writes: true, Counts: true, StopsDream: true,
	}, upkeep.UndoDream),
	does(Row{Name: "brv.dreams", Title: "List the dreams of the context tree"}, upkeep.Dreams),
	asks(Row{Name: "brv.status", Method: "brv/status", Title: "Status of the context tree", Polled: true}, upkeep.Status),
	does(Row{Name: "brv.reindex", Title: "Read the folder again"}, upkeep.Reindex),
	does(Row{Name: "brv.init", Title: "Initialise the context tree", Writes: true},
		func(ctx context.Context, w *workspace.Workspace, req workspace.InitRequest) (*workspace.InitReport, error) {
			return w.Init(ctx, req)
		}),
}
