package lsp

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// editorCommands are the commands that are the editor's and not of the workspace's table,
// because they open, show or change something there.
var editorCommands = map[string]editorCommand{
	curateCommand:            {"Curate the selection", reflect.TypeFor[curated](), curateSelection},
	render.ReviewCommand:     {"Show how an entry fits the code", reflect.TypeFor[review](), reviewEntry},
	render.EntryCommand:      {"Open an entry", reflect.TypeFor[review](), openEntry},
	render.ShowReviewCommand: {"Show what waits for a review", reflect.TypeFor[review](), showReview},
	render.ReferencesCommand: {"List what mentions a file or what stands there", reflect.TypeFor[found](), showReferences},
}

// editorForm adds the editor's protocol to a command of the table: it is asked and answered in
// the client's terms, which are URIs and positions.
type editorForm struct {
	request, response reflect.Type // nil: the command's own
	// prepare puts what the editor shows now into a request, on the read loop; nil if that says
	// nothing about it.
	prepare func(*server, *commandRequest)
	run     func(context.Context, *scene, commandRequest) (any, error)
}

// editorForms are the forms by the command's name; their functions stand beside each feature.
var editorForms = map[string]editorForm{
	packCommand: {
		request: reflect.TypeFor[packParams](), response: reflect.TypeFor[packResult](),
		prepare: preparePack, run: runPack,
	},
	proposeCommand: {run: runPropose},
	queryCommand:   {run: runQuery},
}

type editorCommand struct {
	title    string
	response reflect.Type
	do       func(context.Context, *scene, commandPlace) (any, error)
}

// placeParams is the argument of such a command.
type placeParams struct {
	URI      uri.URI            `json:"uri"`
	Range    protocol.Range     `json:"range,omitzero"`
	Position *protocol.Position `json:"position,omitzero"`
	Version  *int32             `json:"version,omitzero"` // of the document that was looked at; another one is refused
	ID       string             `json:"id,omitzero"`      // of a change, from a code action; brv.showReview: the number of a batch
	Show     bool               `json:"show,omitzero"`    // brv.showReferences: the editor has no list of its own for them
}

// editorCommand runs such a command.
func (s *server) editorCommand(e *protocol.ExecuteCommandParams, c editorCommand) (dispatch.Work, error) {
	var p placeParams
	var token protocol.WorkDoneProgressParams
	args := e.Arguments
	if len(args) == 0 || wire.DecodeRequired(jsonrpc2.RawMessage(args[0]), &p) != nil || p.URI == "" {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s wants {uri} and a place in it", e.Command)
	}
	if wire.Decode(jsonrpc2.RawMessage(args[0]), &token) != nil || token.WorkDoneToken == nil {
		token.WorkDoneToken = e.WorkDoneToken
	}
	sc, err := s.scene(p.URI)
	if err != nil {
		return nil, err
	}
	if sc == nil {
		return nil, jsonrpc2.Errorf(wire.CodeRequestFailed, "%s lies in no workspace folder", p.URI)
	}
	place := commandPlace{selection{p.URI, p.Range, p.Version, p.ID}, p.Position, p.Show}
	return func(ctx context.Context) (any, error) {
		if err := sc.Complete(ctx); err != nil {
			return nil, err
		}
		if err := dispatch.Stay(ctx); err != nil {
			return nil, err
		}
		progress := s.Client.StartProgress(c.title, token.WorkDoneToken, dispatch.CancelOf(ctx))
		defer progress.End()
		result, err := c.do(ctx, sc, place)
		return result, requestError(err)
	}, nil
}

// found is the result of showReferences.
type found struct {
	Locations []protocol.Location `json:"locations"`
}

// showReferences serves the command. An editor that asked for them to be shown is taken
// to the only one, and told of several.
func showReferences(ctx context.Context, sc *scene, p commandPlace) (any, error) {
	var targets []navigate.Target
	if m, ok := sc.Mapper(); ok && p.Position != nil {
		var err error
		if targets, err = navigate.References(ctx, sc.View, sc.Path, m.Offset(*p.Position), false); err != nil {
			return nil, err
		}
	} else {
		targets = navigate.Mentioning(ctx, sc.View, sc.Path)
	}
	out := &found{Locations: render.Locations(sc.Scene, sc.Existing(targets))}
	switch {
	case !p.Show:
	case len(out.Locations) == 0:
		sc.server.Client.Tell(ctx, protocol.MessageTypeInfo, "Nothing mentions "+sc.Path+".")
	case len(out.Locations) == 1:
		sc.showLocation(ctx, out.Locations[0])
	default:
		lines := make([]string, 0, len(out.Locations)+1)
		lines = append(lines, fmt.Sprintf("%d places mention %s:", len(out.Locations), sc.Path))
		for _, l := range out.Locations {
			lines = append(lines, sc.placeName(l))
		}
		sc.server.Client.Tell(ctx, protocol.MessageTypeInfo, markup.Brief(strings.Join(lines, "\n")))
	}
	return out, nil
}
