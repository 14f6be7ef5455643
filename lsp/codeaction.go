package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// initKind is the kind of the action that makes a context tree.
const initKind protocol.CodeActionKind = "source.brv"

// selection is the place that a curate action is about, as it travels through
// the client in a command's argument or an action's data.
type selection struct {
	URI     uri.URI        `json:"uri"`
	Range   protocol.Range `json:"range"`
	Version *int32         `json:"version,omitempty"` // of the buffer that was looked at
}

func actionDocument(p *protocol.CodeActionParams) uri.URI { return p.TextDocument.URI }

// codeActions offers to repair what an entry names and is not as it was, to curate what
// is selected, or to make a context tree where there is none.
func codeActions(ctx context.Context, sc *scene, p *protocol.CodeActionParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	at := m.span(p.Range)
	selects := strings.TrimSpace(at.Of(m.text)) != ""
	actions, err := sc.staleActions(ctx, p, at)
	if err != nil {
		return nil, err
	}
	switch {
	case !selects:
	case !sc.ws.HasTree() && wanted(p.Context.Only, initKind):
		action, err := sc.initAction()
		if err != nil {
			return nil, err
		}
		actions = append(actions, action)
	case sc.ws.HasTree() && wanted(p.Context.Only, curateKind):
		sel := selection{URI: p.TextDocument.URI, Range: p.Range}
		if sc.doc != nil {
			sel.Version = ptr(sc.doc.version)
		}
		action, err := sc.curateAction(sel)
		if err != nil {
			return nil, err
		}
		actions = append(actions, action)
	}
	return sc.server.client.actions(actions)
}

// actions writes code actions for the client: one without them gets their commands.
func (c *clientFeatures) actions(actions []protocol.CodeAction) (any, error) {
	if len(actions) == 0 {
		return nil, nil
	}
	if c.literalActions {
		return marshalled(actions)
	}
	commands := make([]protocol.Command, len(actions))
	for i := range actions {
		commands[i] = actions[i].Command
	}
	return marshalled(commands)
}

// wanted reports whether the client's filter lets a kind through.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool { return includes(k, kind) })
}

// curateAction offers the selection's entry in the best form the client has: as
// an edit that it previews, else as a command that asks before it writes.
func (sc *scene) curateAction(sel selection) (protocol.CodeAction, error) {
	client := &sc.server.client
	const title = "Curate this selection"
	action := protocol.CodeAction{Title: title, Kind: client.kind(curateKind)}
	raw, err := json.Marshal(sel)
	if err != nil {
		return action, err
	}
	switch {
	case !client.previewsEdits():
		action.Command = protocol.Command{Title: title, Command: curateCommand, Arguments: []protocol.LSPAny{raw}}
	case client.resolveEdit:
		action.Data = raw
	default:
		action.Edit, err = sc.curateEdit(sel)
	}
	return action, err
}

// initAction offers to make a context tree.
func (sc *scene) initAction() (protocol.CodeAction, error) {
	raw, err := json.Marshal(map[string]uri.URI{"uri": sc.folder.uri(".")})
	command := protocol.Command{Title: "Initialise the context tree", Command: commandPrefix + "init", Arguments: []protocol.LSPAny{raw}}
	return protocol.CodeAction{Title: command.Title, Kind: sc.server.client.kind(initKind), Command: command}, err
}

// resolveCodeAction fills in the edit of a curate action that was chosen.
func resolveCodeAction(s *server, action *protocol.CodeAction) (work, error) {
	var sel selection
	if len(action.Data) == 0 || decode(jsonrpc2.RawMessage(action.Data), &sel) != nil || sel.URI == "" {
		return answer(action), nil // not ours, or nothing left to fill in
	}
	sc, err := s.scene(sel.URI)
	if err != nil {
		return nil, err
	}
	if sc == nil {
		return nil, protocol.ErrContentModified
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.ready(ctx); err != nil {
			return nil, err
		}
		if action.Edit, err = sc.curateEdit(sel); err != nil {
			return nil, err
		}
		return action, nil
	}, nil
}

// stale reports whether the buffer has moved on since sel was made.
func (sc *scene) stale(sel selection) bool {
	return sel.Version != nil && (sc.doc == nil || sc.doc.version != *sel.Version)
}
