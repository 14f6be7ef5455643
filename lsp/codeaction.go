package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// actionKinds are the kinds of actions that the server has.
func actionKinds() []protocol.CodeActionKind {
	return []protocol.CodeActionKind{workspace.KindFix, curateKind, workspace.KindRewrite, workspace.KindSource, workspace.KindFixAll}
}

// selection is the place that an action is about, as it travels through the client in a
// command's argument or an action's data.
type selection struct {
	URI     uri.URI        `json:"uri"`
	Range   protocol.Range `json:"range"`
	Version *int32         `json:"version,omitempty"` // of the buffer that was looked at
	ID      string         `json:"id,omitempty"`      // which change; "" means to curate
}

// stale reports whether the buffer has moved on since sel was made.
func (sc *scene) stale(sel selection) bool {
	return sel.Version != nil && (sc.doc == nil || sc.doc.version != *sel.Version)
}

func actionDocument(p *protocol.CodeActionParams) uri.URI { return p.TextDocument.URI }

// codeActions offers what the workspace knows to do about a place, to curate what is
// selected, or to make a context tree where there is none.
func codeActions(ctx context.Context, sc *scene, p *protocol.CodeActionParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	sel := selection{URI: p.TextDocument.URI, Range: p.Range}
	if sc.doc != nil {
		sel.Version = ptr(sc.doc.version)
	}
	wants := func(kind string) bool { return wanted(p.Context.Only, protocol.CodeActionKind(kind)) }
	at := chosen(m, p.Range)
	var fixes, actions []protocol.CodeAction // what ends a problem, and what is there in any case
	add := func(list *[]protocol.CodeAction, a protocol.CodeAction, err error) {
		if err != nil {
			sc.server.log.Warn("code action", "title", a.Title, "err", err)
			return
		}
		*list = append(*list, a)
	}
	switch selects := strings.TrimSpace(at.Of(m.Text)) != ""; {
	case !selects:
	case !sc.ws.HasTree() && wants(workspace.KindSource):
		action, err := sc.initAction()
		add(&actions, action, err)
	case sc.ws.HasTree() && wants(string(curateKind)):
		action, err := sc.curateAction(sel)
		add(&actions, action, err)
	}
	if _, ok := sc.present(); ok && sc.ws.HasTree() {
		for _, a := range sc.ws.Actions(ctx, sc.view, workspace.ActionRequest{Path: sc.path, At: at, Wants: wants, Asked: len(p.Context.Only) > 0}) {
			if l := (listing{sc: sc, action: a, sel: sel, fixes: fixedBy(m, a, p.Context.Diagnostics)}); l.shown(p.Context.Only) {
				list := &actions
				if a.Repairs != "" {
					list = &fixes
				}
				action, err := l.codeAction()
				add(list, action, err)
			}
		}
	}
	// Clients without groups list actions as they come, and some offer the first.
	return sc.server.client.actions(slices.Concat(fixes, actions))
}

// chosen is what an action is about. One character is where the cursor is: editors whose
// cursor is a block, such as Helix and Vim, cannot select less.
func chosen(m *position.Mapper, r protocol.Range) markdown.Span {
	at := m.Span(r)
	if utf8.RuneCountInString(at.Of(m.Text)) == 1 {
		at.End = at.Start
	}
	return at
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

// fixedBy are the problems that an action ends, of those that the client shows.
func fixedBy(m *position.Mapper, a workspace.Action, shown []protocol.Diagnostic) []protocol.Diagnostic {
	if a.Repairs == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(shown), func(d protocol.Diagnostic) bool {
		at := m.Span(d.Range)
		return d.Code != protocol.String(a.Repairs) || a.At != (markdown.Span{}) && (at.End < a.At.Start || a.At.End < at.Start)
	})
}

// initAction offers to make a context tree.
func (sc *scene) initAction() (protocol.CodeAction, error) {
	raw, err := json.Marshal(map[string]uri.URI{"uri": sc.folder.uri(".")})
	command := protocol.Command{Title: "Initialise the context tree", Command: commandPrefix + "init", Arguments: []protocol.LSPAny{raw}}
	return protocol.CodeAction{Title: command.Title, Kind: sc.server.client.kind(workspace.KindSource), Command: command}, err
}
