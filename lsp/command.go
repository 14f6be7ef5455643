package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/command"
)

// customNotes are our own notifications: what clients send, and what those that ask for
// it get.
var customNotes = []string{trustMethod, focusMethod, secretChangeMethod, statusMethod}

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

// commandRequest is what a client sends to a command: the command's own request,
// plus where it is about in the client's terms.
type commandRequest struct {
	uri      uri.URI            // decides on the folder
	position *protocol.Position // with uri: becomes path and offset
	token    protocol.ProgressToken
	seen     *session // of the editor, if the command wants to know
	show     bool     // the outcome is shown in the editor, too; see show
	ask      string   // what the user is asked first; "" for nothing
	own      map[string]json.RawMessage
}

// readCommandRequest takes the keys that are the protocol's out of a request. A range is
// left in it: it may be the command's own (see [scene.request]).
func readCommandRequest(raw json.RawMessage) (commandRequest, error) {
	var r commandRequest
	var token protocol.WorkDoneProgressParams
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
	if err := decodeAll(jsonrpc2.RawMessage(raw), &place); err != nil {
		return r, err
	}
	if decode(jsonrpc2.RawMessage(raw), &token) != nil {
		return r, jsonrpc2.NewError(jsonrpc2.InvalidParams, "invalid parameters: key `workDoneToken`: expected a string or a number")
	}
	r.uri, r.position, r.token, r.show, r.ask = place.URI, place.Position, token.WorkDoneToken, place.Show, place.Ask
	for _, key := range []string{"uri", "position", "workDoneToken", "partialResultToken", "show", "ask"} {
		delete(r.own, key)
	}
	return r, nil
}

// question is what the request asks, "" if it asks nothing.
func (r commandRequest) question() (text string) {
	if json.Unmarshal(r.own["text"], &text) != nil {
		return ""
	}
	return text
}

// executeCommand serves workspace/executeCommand. The first argument is the
// command's request object.
func executeCommand(s *server, p *protocol.ExecuteCommandParams) (work, error) {
	s.idle.seen(p.Command)
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
	return method{call: func(s *server, raw jsonrpc2.RawMessage) (work, error) {
		req, err := readCommandRequest(json.RawMessage(raw))
		if err != nil {
			return nil, err
		}
		return s.command(c, req)
	}}
}

// command runs a command of the table.
func (s *server) command(c command.Row, req commandRequest) (work, error) {
	f := faces[c.Name]
	if f.prepare != nil {
		f.prepare(s, &req)
	}
	sc, err := s.commandScene(req.uri)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		wait := sc.whole
		if c.Part {
			wait = sc.ready
		}
		if err := wait(ctx); err != nil {
			return nil, err
		}
		if req.ask != "" {
			if yes, err := s.confirmed(ctx, req.ask); err != nil || !yes {
				return &applied{Reason: cancelledByUser}, err
			}
		}
		if c.Writes {
			if err := stay(ctx); err != nil {
				return nil, err
			}
		}
		progress := s.startProgress(c.Title, req.token, cancelOf(ctx))
		defer progress.end()
		if c.StopsDream {
			s.idle.stop(ctx)
		}
		if c.Counts {
			progress.counts()
		}
		ctx = workspace.Asking(ctx, progress.asking)
		ctx = workspace.WatchDream(ctx, workspace.DreamWatch{Progress: progress.dreaming})
		result, err := sc.run(ctx, c, req)
		if err != nil {
			return nil, requestError(err)
		}
		if c.Writes {
			s.diagnostics.diskChanged()
		}
		out, err := json.Marshal(sc.show(ctx, req, result))
		return jsonrpc2.RawMessage(out), err
	}, nil
}

// run runs a command, in the client's terms if it has such.
func (sc *scene) run(ctx context.Context, c command.Row, req commandRequest) (any, error) {
	if run := faces[c.Name].run; run != nil {
		return run(ctx, sc, req)
	}
	raw, err := sc.request(req, command.Keys(c.Request))
	if err != nil {
		return nil, err
	}
	return c.Run(ctx, sc.ws, sc.view, raw)
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
	yes, err := s.ask(ctx, question, "Yes")
	if err != nil {
		return false, fmt.Errorf("asking before the change: %w", err)
	}
	return yes, nil
}

// commandScene decides which folder a command is about: the one of the file it
// names, else the first that has a context tree, else the first.
func (s *server) commandScene(u uri.URI) (*scene, error) {
	folders := s.allFolders()
	if len(folders) == 0 {
		return nil, jsonrpc2.NewError(codeRequestFailed, "no folder is open")
	}
	sc := &scene{server: s, folder: folders[0]}
	if path, ok := filePath(u); ok {
		sc.doc = s.buffers.get(u)
		sc.folder, sc.path = innermost(folders, path)
		if sc.folder == nil {
			return nil, jsonrpc2.Errorf(codeRequestFailed, "%s lies in no workspace folder", u)
		}
	} else {
		for _, f := range folders {
			if ws := f.current(); ws != nil && ws.HasTree() {
				sc.folder = f
				break
			}
		}
	}
	if sc.ws = sc.folder.current(); sc.ws != nil {
		sc.view = sc.ws.View()
	}
	return sc, nil
}

// requestError says by its code whether a request was wrong, or could not be carried out.
func requestError(err error) error {
	if errors.Is(err, command.ErrUnknownKey) {
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error()+"; and for each request uri, position, show, workDoneToken")
	}
	if errors.Is(err, workspace.ErrRequest) {
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	return err
}

// request turns the client's request into the command's own, which has these keys: the
// document as a path, a position as an offset in bytes, a range as start and end. Problems
// are as grave as in the editor unless it says otherwise, and who asks is the system's user.
func (sc *scene) request(req commandRequest, keys []string) (json.RawMessage, error) {
	own := req.own
	if own == nil {
		own = map[string]json.RawMessage{}
	}
	var err error
	if _, given := own["severity"]; !given && slices.Contains(keys, "severity") {
		if own["severity"], err = json.Marshal(sc.grades()); err != nil {
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
	if _, given := own["path"]; given || sc.path == "" || sc.path == "." || !slices.Contains(keys, "path") {
		return json.Marshal(own)
	}
	if own["path"], err = json.Marshal(sc.path); err != nil {
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
	m, ok := sc.mapper()
	if !ok {
		return nil, fmt.Errorf("%s: not a readable text file", sc.path)
	}
	if at != nil {
		own["offset"] = fmt.Appendf(nil, "%d", m.Offset(*at))
	}
	if area != nil {
		var r looserange
		if err := json.Unmarshal(area, &r); err != nil {
			return nil, fmt.Errorf("%w: key `range`: expected a range", workspace.ErrRequest)
		}
		span := m.Span(r.bounds())
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
