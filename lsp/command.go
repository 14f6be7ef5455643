package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// custom maps our own requests to the commands they stand for. They exist for
// typed clients: executeCommand's arguments are untyped, and some clients show
// its failures to the user.
var custom = map[string]string{
	"brv/query":   commandPrefix + "query",
	"brv/context": packCommand,
}

// customMethods lists our own requests.
func customMethods() []string {
	names := make([]string, 0, len(custom))
	for name := range custom {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// commandRequest is what a client sends to a command: the command's own request,
// plus where it is about in the client's terms.
type commandRequest struct {
	uri      uri.URI            // decides on the folder
	position *protocol.Position // with uri: becomes path and offset
	token    protocol.ProgressToken
	own      map[string]json.RawMessage
}

// readCommandRequest takes the keys that are the protocol's out of a request.
func readCommandRequest(raw json.RawMessage) (commandRequest, error) {
	var r commandRequest
	var token protocol.WorkDoneProgressParams
	var place struct {
		URI      uri.URI            `json:"uri"`
		Position *protocol.Position `json:"position"`
	}
	if len(raw) == 0 || string(raw) == "null" {
		return r, nil
	}
	if err := json.Unmarshal(raw, &r.own); err != nil {
		return r, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "request: %v", err)
	}
	if err := errors.Join(decode(jsonrpc2.RawMessage(raw), &token), decode(jsonrpc2.RawMessage(raw), &place)); err != nil {
		return r, err
	}
	r.uri, r.position, r.token = place.URI, place.Position, token.WorkDoneToken
	for _, key := range []string{"uri", "position", "workDoneToken", "partialResultToken"} {
		delete(r.own, key)
	}
	return r, nil
}

// executeCommand serves workspace/executeCommand. The first argument is the
// command's request object.
func executeCommand(s *server, p *protocol.ExecuteCommandParams) (work, error) {
	if p.Command == curateCommand {
		return curateSelection(s, p.Arguments)
	}
	if p.Command == reviewCommand {
		return reviewEntry(s, p.Arguments)
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
	return s.command(p.Command, req)
}

// customRequest serves one of our own requests.
func customRequest(command string) method {
	return method{call: func(s *server, raw jsonrpc2.RawMessage) (work, error) {
		req, err := readCommandRequest(json.RawMessage(raw))
		if err != nil {
			return nil, err
		}
		return s.command(command, req)
	}}
}

// command runs a command of the workspace's table.
func (s *server) command(name string, req commandRequest) (work, error) {
	table := workspace.Commands()
	i := slices.IndexFunc(table, func(c workspace.Command) bool { return c.Name == name })
	if i < 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %q", name)
	}
	if f, _ := s.locate(req.uri); f == nil && name == packCommand {
		req.uri, req.position = "", nil // a place outside says nothing, and is no reason not to pack
	}
	sc, err := s.commandScene(req.uri)
	if err != nil {
		return nil, err
	}
	run := func(ctx context.Context) (any, error) {
		raw, err := sc.request(req)
		if err != nil {
			return nil, err
		}
		return table[i].Run(ctx, sc.ws, sc.view, raw)
	}
	if name == packCommand {
		seen := s.session()
		run = func(ctx context.Context) (any, error) { return sc.pack(ctx, req, seen) }
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.ready(ctx); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		progress := s.startProgress(table[i].Title, req.token, cancel)
		defer progress.end()
		result, err := run(ctx)
		if err != nil {
			return nil, err
		}
		s.commandDone(name, result)
		out, err := json.Marshal(result)
		return jsonrpc2.RawMessage(out), err
	}, nil
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

// request turns the client's request into the command's own: the place, if one
// was given, as path and byte offset.
func (sc *scene) request(req commandRequest) (json.RawMessage, error) {
	own := req.own
	if req.position != nil && sc.path != "" && sc.path != "." {
		m, ok := sc.mapper()
		if !ok {
			return nil, fmt.Errorf("%s: not a readable text file", sc.path)
		}
		path, err := json.Marshal(sc.path)
		if err != nil {
			return nil, err
		}
		if own == nil {
			own = map[string]json.RawMessage{}
		}
		own["path"] = path
		own["offset"] = fmt.Appendf(nil, "%d", m.offset(*req.position))
	}
	if own == nil {
		return nil, nil
	}
	return json.Marshal(own)
}

// commandDone tells the user and the diagnostics what a command changed.
func (s *server) commandDone(name string, result any) {
	if r, ok := result.(*workspace.InitReport); ok {
		message := "The context tree is there already."
		if len(r.Written) > 0 {
			message = "The context tree is ready: " + r.Tree
		}
		err := s.conn.ShowMessage(s.ctx, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: message})
		if err != nil {
			s.log.Debug("message", "command", name, "err", err)
		}
		s.diagnostics.diskChanged()
	}
}
