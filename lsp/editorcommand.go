package lsp

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// editorForm adds the editor's protocol to a command of the table, which then has requests and responses in
// the client's terms: URIs and positions. With a title it is a separate command of the editor, not of the
// workspace's table, because it opens, shows or changes something there.
type editorForm struct {
	title             string
	request, response reflect.Type // nil: the command's own
	writes            bool         // of a command of its own, as that of [command.Row]
	// prepare adds the editor's present state to a request, on the read loop; nil if that does not matter.
	prepare func(*server, *commandRequest)
	run     func(context.Context, *scene, commandRequest) (any, error)
}

// editorForms are the forms by command name; their functions are beside each feature.
var editorForms = map[string]editorForm{
	packCommand: {
		request: reflect.TypeFor[packParams](), response: reflect.TypeFor[packResult](),
		prepare: preparePack, run: runPack,
	},
	proposeCommand:           {run: runPropose},
	queryCommand:             {run: runQuery},
	curateCommand:            ownForm[curated]("Curate the selection", true, curateSelection),
	render.ReviewCommand:     ownForm[review]("Compare an entry with the code", false, reviewEntry),
	render.EntryCommand:      ownForm[review]("Open an entry", false, openEntry),
	render.ShowReviewCommand: ownForm[review]("Show waiting changes", false, showReview),
	render.ReferencesCommand: ownForm[found]("List mentions of a file or of an item in it", false, showReferences),
}

// ownForm is the form of a command of the editor's own.
func ownForm[Res any](title string, writes bool, run func(context.Context, *scene, commandRequest) (any, error)) editorForm {
	return editorForm{title: title, request: reflect.TypeFor[placeParams](), response: reflect.TypeFor[Res](), writes: writes, run: run}
}

// placeParams is the argument of the commands that only the language server has. It requires the key `uri`.
type placeParams struct {
	// the version of the document; if the document has another version, the server refuses the command
	Version *int32 `json:"version,omitzero"`
	ID      string `json:"id,omitzero"` // the id of a change, from a code action; for brv.showReview, the number of a batch
}

// found is the result of `brv.showReferences`.
type found struct {
	Locations []protocol.Location `json:"locations"`
}

// showReferences serves the command. If the editor asked to see the references, it is taken to the only one,
// or told about several.
func showReferences(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	var targets []navigate.Target
	if m, ok := sc.Mapper(); ok && req.Position != nil {
		targets = navigate.References(ctx, sc.View, sc.Path, m.Offset(protocol.Position(*req.Position)), false)
	} else {
		targets = navigate.Mentioning(ctx, sc.View, sc.Path)
	}
	out := &found{Locations: render.Locations(sc.Scene, sc.Existing(targets))}
	switch {
	case !req.Show:
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
