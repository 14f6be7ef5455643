package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/workspace/codeaction"
)

// listing is an action that is being prepared for the client.
type listing struct {
	sc     *scene
	action codeaction.Action
	sel    selection
	fixes  []protocol.Diagnostic
}

// kind is the action's kind: what ends a problem that the client shows is a quick fix.
func (l *listing) kind() protocol.CodeActionKind {
	if len(l.fixes) > 0 {
		return codeaction.KindFix
	}
	return protocol.CodeActionKind(l.action.Kind)
}

// shown reports whether the client asked for the action and supports it.
func (l *listing) shown(only []protocol.CodeActionKind) bool {
	client := &l.sc.server.Client.Features
	switch {
	case !wanted(only, l.kind()):
		return false
	case l.action.Disabled != "":
		return client.DisabledActions
	}
	return true
}

// codeAction writes the action in the best form the client has: with the place to plan its
// change from when it is chosen, with the change, or with a command.
func (l *listing) codeAction() (protocol.CodeAction, error) {
	client := &l.sc.server.Client.Features
	title := markup.OneLine(l.action.Title)
	out := protocol.CodeAction{Title: title, Kind: client.Kind(l.kind()), Diagnostics: l.fixes}
	if l.action.Preferred {
		out.IsPreferred = new(true)
	}
	l.sel.ID = l.action.ID
	raw, err := json.Marshal(l.sel)
	switch {
	case err != nil:
	case l.action.Disabled != "":
		out.Disabled.Reason = markup.OneLine(l.action.Disabled)
	case l.action.Command != "":
		out.Command, err = l.command(title)
	case client.ResolveEdit:
		out.Data = raw
	default:
		var c refactor.Change
		if c, err = l.action.Plan(); err == nil {
			out.Edit, err = render.WorkspaceEdit(l.sc.Scene, c)
		}
	}
	return out, err
}

// command is the action's command, with its folder. Results of the table's commands are shown; the editor's
// own commands show theirs themselves.
func (l *listing) command(title string) (protocol.Command, error) {
	argument := map[string]any{"uri": l.sel.URI}
	if l.action.About != "" {
		argument["uri"] = l.sc.URI(l.action.About)
	}
	for key, value := range l.action.Request {
		argument[key] = value
	}
	if commands[l.action.Command].Run != nil {
		argument["show"] = true
	}
	if l.action.Ask != "" && l.sc.server.Client.Asks {
		argument["ask"] = markup.OneLine(l.action.Ask)
	}
	raw, err := json.Marshal(argument)
	return protocol.Command{Title: title, Command: l.action.Command, Arguments: []protocol.LSPAny{raw}}, err
}

// resolveCodeAction fills in the edit of an action that was chosen.
func resolveCodeAction(s *server, action *protocol.CodeAction) (dispatch.Work, error) {
	var sel selection
	if len(action.Data) == 0 {
		return dispatch.Answer(action), nil // nothing left to fill in
	}
	if err := wire.ItemData("codeAction", action.Data, &sel); err != nil {
		return nil, err
	}
	sc, err := s.scene(sel.URI)
	if err != nil {
		return nil, err
	}
	if sc == nil {
		return nil, protocol.ErrContentModified
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.Complete(ctx); err != nil {
			return nil, err
		}
		if sel.ID == "" {
			action.Edit, err = sc.curateEdit(ctx, sel)
		} else {
			action.Edit, err = sc.plannedEdit(ctx, sel)
		}
		if err != nil {
			return nil, err
		}
		return action, nil
	}, nil
}

// plannedEdit plans the change that a selection names, on the present state.
func (sc *scene) plannedEdit(ctx context.Context, sel selection) (*protocol.WorkspaceEdit, error) {
	m, ok := sc.Current()
	if !ok || sc.stale(sel) {
		return nil, protocol.ErrContentModified
	}
	a, ok := sc.action(ctx, m.Span(sel.Range), func(a codeaction.Action) bool { return a.ID == sel.ID && a.Plan != nil })
	if !ok {
		return nil, errors.New("this change no longer applies; request the code actions again")
	}
	if a.Disabled != "" {
		return nil, fmt.Errorf("%s: %s", a.Title, a.Disabled)
	}
	c, err := a.Plan()
	if err != nil {
		return nil, err
	}
	return render.WorkspaceEdit(sc.Scene, c)
}

// action finds one of the actions about a place.
func (sc *scene) action(ctx context.Context, at markdown.Span, which func(codeaction.Action) bool) (codeaction.Action, bool) {
	req := codeaction.Request{Path: sc.Path, At: at, Wants: func(string) bool { return true }, Explicit: true}
	all := codeaction.At(ctx, sc.View, req)
	if i := slices.IndexFunc(all, which); i >= 0 {
		return all[i], true
	}
	return codeaction.Action{}, false
}

// wanted reports whether the client's filter lets a kind through.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool { return client.Includes(k, kind) })
}
