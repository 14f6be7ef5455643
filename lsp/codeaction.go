package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codeaction"
)

// actionKinds are the kinds of actions that the server has.
func actionKinds() []protocol.CodeActionKind {
	return []protocol.CodeActionKind{codeaction.KindFix, curateKind, codeaction.KindRewrite, codeaction.KindSource, codeaction.KindFixAll}
}

// codeActions offers the workspace's actions at a place, curating the selection, or making a context tree if
// there is none.
func codeActions(ctx context.Context, sc *scene, p *protocol.CodeActionParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok || !sc.server.Client.LiteralActions {
		return nil, nil
	}
	sel := selection{URI: p.TextDocument.URI, Range: p.Range}
	if sc.Doc != nil {
		sel.Version = new(sc.Doc.Version)
	}
	wants := func(kind string) bool { return wanted(p.Context.Only, protocol.CodeActionKind(kind)) }
	at := chosen(m, p.Range)
	var fixes, actions []protocol.CodeAction // actions that end a problem, and all others
	add := func(list *[]protocol.CodeAction, a protocol.CodeAction, err error) {
		if err != nil {
			sc.server.Client.Log.Warn("code action", "title", a.Title, "err", err)
			return
		}
		*list = append(*list, a)
	}
	switch selects := strings.TrimSpace(at.Of(m.Text)) != ""; {
	case !selects:
	case !sc.Workspace.HasTree() && wants(codeaction.KindSource):
		action, err := sc.initAction()
		add(&actions, action, err)
	case sc.Workspace.HasTree() && wants(string(curateKind)):
		action, err := sc.curateAction(ctx, sel)
		add(&actions, action, err)
	}
	if _, ok := sc.Current(); ok {
		req := codeaction.Request{Path: sc.Path, At: at, Wants: wants, Explicit: len(p.Context.Only) > 0}
		for _, a := range codeaction.At(ctx, sc.View, req) {
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
	all := slices.Concat(fixes, actions)
	if len(all) == 0 {
		return nil, nil
	}
	return render.List(all)
}

// chosen returns the range that an action is about. One character is where the cursor is: editors whose
// cursor is a block, such as Helix and Vim, cannot select less.
func chosen(m *position.Mapper, r protocol.Range) markdown.Span {
	at := m.Span(r)
	if utf8.RuneCountInString(at.Of(m.Text)) == 1 {
		at.End = at.Start
	}
	return at
}

// fixedBy returns the shown problems that an action ends.
func fixedBy(m *position.Mapper, a codeaction.Action, shown []protocol.Diagnostic) []protocol.Diagnostic {
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
	ask := "Make an empty context tree, " + workspace.TreeDir + ", in " + markup.OneLine(sc.Workspace.Root()) + "?"
	raw, err := json.Marshal(map[string]any{"uri": sc.Folder.URI("."), "ask": ask})
	command := protocol.Command{
		Title: "Initialise the context tree", Command: render.CommandPrefix + "init", Arguments: []protocol.LSPAny{raw},
	}
	return protocol.CodeAction{Title: command.Title, Kind: sc.server.Client.Kind(codeaction.KindSource), Command: command}, err
}
