package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/command"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// customNotes are our own notifications: what clients send, and what those that ask for
// it get.
var customNotes = []string{config.TrustMethod, focusMethod, client.SecretChangeMethod, state.StatusMethod}

// The commands of the table, by their names and by our own requests that stand for them. These
// exist for typed clients: executeCommand's arguments are untyped, and some clients show its
// failures to the user.
var commands, custom = func() (byName, byMethod map[string]command.Row) {
	byName, byMethod = map[string]command.Row{}, map[string]command.Row{}
	for c := range command.All() {
		byName[c.Name] = c
		if c.Method != "" {
			byMethod[c.Method] = c
		}
	}
	return byName, byMethod
}()

// customMethods lists our own requests.
func customMethods() []string { return slices.Sorted(maps.Keys(custom)) }

// polled reports whether a command, or our own request for it, is one that clients send by
// themselves.
func polled(name string) bool { return commands[name].Polled || custom[name].Polled }

// commandRequest is a client's request to a command: the command's own request,
// plus where it is about in the client's terms.
type commandRequest struct {
	uri      uri.URI            // decides on the folder
	position *protocol.Position // with uri: becomes path and offset
	token    protocol.ProgressToken
	part     protocol.ProgressToken // what there is before the answer is told by it; nil: is not
	seen     *session               // of the editor, if the command wants to know
	show     bool                   // the outcome is shown in the editor, too; see show
	ask      string                 // what the user is asked first; "" for nothing
	own      map[string]json.RawMessage
}

// readCommandRequest takes the keys that are the protocol's out of a request. A range is
// left in it: it may be the command's own (see [scene.request]).
func readCommandRequest(raw json.RawMessage) (commandRequest, error) {
	var r commandRequest
	var token protocol.WorkDoneProgressParams
	var part protocol.PartialResultParams
	var place struct {
		URI      uri.URI            `json:"uri,omitzero"`
		Position *protocol.Position `json:"position,omitzero"`
		Show     bool               `json:"show,omitzero"`
		Ask      string             `json:"ask,omitzero"`
	}
	if len(raw) == 0 || string(raw) == "null" {
		return r, nil
	}
	if json.Unmarshal(raw, &r.own) != nil {
		return r, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the request is no JSON object")
	}
	if err := wire.DecodeRequired(jsonrpc2.RawMessage(raw), &place); err != nil {
		return r, err
	}
	if wire.Decode(jsonrpc2.RawMessage(raw), &token) != nil {
		return r, jsonrpc2.NewError(jsonrpc2.InvalidParams, "invalid parameters: key `workDoneToken`: expected a string or a number")
	}
	if wire.Decode(jsonrpc2.RawMessage(raw), &part) != nil {
		return r, jsonrpc2.NewError(jsonrpc2.InvalidParams, "invalid parameters: key `partialResultToken`: expected a string or a number")
	}
	r.part = part.PartialResultToken
	r.uri, r.position, r.token, r.show, r.ask = place.URI, place.Position, token.WorkDoneToken, place.Show, place.Ask
	for _, key := range []string{"uri", "position", "workDoneToken", "partialResultToken", "show", "ask"} {
		delete(r.own, key)
	}
	return r, nil
}

// executeCommand serves workspace/executeCommand. The first argument is the
// command's request object.
func executeCommand(s *server, p *protocol.ExecuteCommandParams) (dispatch.Work, error) {
	if !polled(p.Command) {
		s.idle.Seen(p.Command)
	}
	if c, ok := editorCommands[p.Command]; ok {
		return s.editorCommand(p, c)
	}
	var raw json.RawMessage
	if len(p.Arguments) > 0 {
		raw = json.RawMessage(p.Arguments[0])
	}
	req, err := readCommandRequest(raw)
	if err != nil {
		return nil, err
	}
	if req.token == nil {
		req.token = p.WorkDoneToken
	}
	c, ok := commands[p.Command]
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %q", p.Command)
	}
	return s.command(c, req)
}

// customRequest serves one of our own requests.
func customRequest(c command.Row) method {
	return method{Call: func(s *server, raw jsonrpc2.RawMessage) (dispatch.Work, error) {
		req, err := readCommandRequest(json.RawMessage(raw))
		if err != nil {
			return nil, err
		}
		return s.command(c, req)
	}}
}

// command runs a command of the table.
func (s *server) command(c command.Row, req commandRequest) (dispatch.Work, error) {
	f := editorForms[c.Name]
	if f.prepare != nil {
		f.prepare(s, &req)
	}
	sc, err := s.commandScene(req.uri)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		wait := sc.Complete
		if c.Part {
			wait = sc.Ready
		}
		if err := wait(ctx); err != nil {
			return nil, err
		}
		if req.ask != "" {
			if yes, err := s.confirmed(ctx, req.ask); err != nil || !yes {
				return &client.Applied{Reason: cancelledByUser}, err
			}
		}
		if c.Writes {
			if err := dispatch.Stay(ctx); err != nil {
				return nil, err
			}
		}
		progress := s.Client.StartProgress(c.Title, req.token, dispatch.CancelOf(ctx))
		defer progress.End()
		if c.StopsDream {
			s.idle.Stop(ctx)
		}
		if c.Counts {
			progress.Counts()
		}
		ctx = provider.Asking(ctx, progress.Asking)
		ctx = upkeep.WatchDream(ctx, dreaming(progress))
		result, err := sc.run(ctx, c, req)
		if err != nil {
			return nil, requestError(err)
		}
		if c.Writes {
			s.diagnostics.DiskChanged()
		}
		out, err := json.Marshal(sc.show(ctx, req, result))
		return jsonrpc2.RawMessage(out), err
	}, nil
}

// run runs a command, in the client's terms if it has such.
func (sc *scene) run(ctx context.Context, c command.Row, req commandRequest) (any, error) {
	if run := editorForms[c.Name].run; run != nil {
		return run(ctx, sc, req)
	}
	keys := command.Keys(c.Request)
	if !c.Writes { // who asks is nobody's author: there the key would be a part of the question
		keys = slices.DeleteFunc(keys, func(key string) bool { return key == "author" })
	}
	raw, err := sc.request(req, keys)
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, sc.Workspace, sc.View, raw)
}

// requestOf is a command's own request.
func requestOf[Req any](sc *scene, req commandRequest) (own Req, err error) {
	raw, err := sc.request(req, command.Keys(reflect.TypeFor[Req]()))
	if err != nil {
		return own, err
	}
	return command.Decode[Req](raw)
}

// cancelledByUser is why nothing came of a command whose question was not answered with yes.
const cancelledByUser = "cancelled by the user"

// confirmed asks the user whether to do what the question says.
func (s *server) confirmed(ctx context.Context, question string) (bool, error) {
	yes, err := s.Client.Ask(ctx, question, "Yes")
	if err != nil {
		return false, fmt.Errorf("asking before the change: %w", err)
	}
	return yes, nil
}

// commandScene decides which folder a command is about: the one of the file it
// names, else the first that has a context tree, else the first.
func (s *server) commandScene(u uri.URI) (*scene, error) {
	folders := s.Folders.All()
	if len(folders) == 0 {
		return nil, jsonrpc2.NewError(wire.CodeRequestFailed, "no folder is open")
	}
	in, path := folders[0], ""
	if file, ok := state.FilePath(u); ok {
		if in, path = state.Innermost(folders, file); in == nil {
			return nil, jsonrpc2.Errorf(wire.CodeRequestFailed, "%s lies in no workspace folder", u)
		}
	} else if i := slices.IndexFunc(folders, func(f *state.Folder) bool { return f.Current() != nil && f.Current().HasTree() }); i >= 0 {
		in = folders[i]
	}
	sc := s.sceneOf(in)
	sc.Path = path
	if path != "" {
		sc.Doc = s.Documents.Get(u)
	}
	return sc, nil
}

// request turns the client's request into the command's own, which has these keys: the
// document as a path, a position as an offset in bytes, a range as start and end. What the
// request leaves out of them is filled in: `path` by the document's, `severity` by the editor's,
// `author`, of what writes, by the system's user.
func (sc *scene) request(req commandRequest, keys []string) (json.RawMessage, error) {
	own := req.own
	if own == nil {
		own = map[string]json.RawMessage{}
	}
	var err error
	if _, given := own["severity"]; !given && slices.Contains(keys, "severity") {
		if own["severity"], err = json.Marshal(sc.Grades()); err != nil {
			return nil, err
		}
	}
	if _, given := own["author"]; !given && slices.Contains(keys, "author") {
		if user := sc.server.user(); user != "" {
			if own["author"], err = json.Marshal(user); err != nil {
				return nil, err
			}
		}
	}
	if slices.Contains(keys, "selection") {
		return sc.materialRequest(own)
	}
	if _, given := own["path"]; given || sc.Path == "" || sc.Path == "." || !slices.Contains(keys, "path") {
		return json.Marshal(own)
	}
	if own["path"], err = json.Marshal(sc.Path); err != nil {
		return nil, err
	}
	at := req.position
	area := own["range"]
	if !slices.Contains(keys, "offset") {
		at = nil
	}
	if area == nil && at == nil || area != nil && !slices.Contains(keys, "start") {
		return json.Marshal(own)
	}
	m, ok := sc.Mapper()
	if !ok {
		return nil, fmt.Errorf("%s: not a readable text file", sc.Path)
	}
	if at != nil {
		own["offset"] = fmt.Appendf(nil, "%d", m.Offset(*at))
	}
	if area != nil {
		var r position.LooseRange
		if err := json.Unmarshal(area, &r); err != nil {
			return nil, fmt.Errorf("%w: key `range`: expected a range", workspace.ErrRequest)
		}
		span := m.Span(r.Bounds())
		own["start"], own["end"] = fmt.Appendf(nil, "%d", span.Start), fmt.Appendf(nil, "%d", span.End)
		delete(own, "range")
	}
	return json.Marshal(own)
}

// user is who sits before the editor, as the system calls them, "" if it does not say.
func (s *server) user() string {
	if s.opts.Getenv == nil {
		return ""
	}
	return cmp.Or(s.opts.Getenv("USER"), s.opts.Getenv("USERNAME"))
}
