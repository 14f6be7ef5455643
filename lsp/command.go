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

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/command"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// customNotes are our own notifications, in both directions.
var customNotes = []string{config.TrustMethod, client.SecretChangeMethod, state.StatusMethod}

// The commands, of the table and the editor's own, by their names and by our own requests that stand
// for them. These exist for typed clients: executeCommand's arguments are untyped, and some clients
// show its failures to the user.
var commands, custom = func() (byName, byMethod map[string]command.Row) {
	byName, byMethod = map[string]command.Row{}, map[string]command.Row{}
	for c := range command.All() {
		byName[c.Name] = c
	}
	for name, f := range editorForms {
		c := byName[name]
		c.Name, c.Title, c.Writes = name, cmp.Or(f.title, c.Title), c.Writes || f.writes
		c.Request, c.Response = cmp.Or(f.request, c.Request), cmp.Or(f.response, c.Response)
		byName[name] = c
	}
	for _, c := range byName {
		if c.Method != "" {
			byMethod[c.Method] = c
		}
	}
	return byName, byMethod
}()

// customMethods lists our own requests.
func customMethods() []string { return slices.Sorted(maps.Keys(custom)) }

// polled reports whether clients send a command, or our own request for it, without a person's action.
func polled(name string) bool { return commands[name].Polled || custom[name].Polled }

// placed are the keys of a request beside the command's own: its place, in the client's terms, and how it is
// answered.
type placed struct {
	URI                uri.URI              `json:"uri"`      // decides on the folder
	Position           *point               `json:"position"` // with uri: becomes path and offset
	Range              *position.LooseRange `json:"range"`    // likewise: start and end, or what to draft from
	Show               bool                 `json:"show"`     // the outcome is shown in the editor, too; see show
	Ask                string               `json:"ask"`      // what the user is asked first; "" for nothing
	WorkDoneToken      progressToken        `json:"workDoneToken"`
	PartialResultToken progressToken        `json:"partialResultToken"` // what there is before the answer is told by it
}

// point is a position in which no number may be missing: a default would mean the beginning of the document.
type point protocol.Position

// UnmarshalJSON reads a position.
func (p *point) UnmarshalJSON(raw []byte) error {
	return cmp.Or(wire.Missing(raw, p), json.Unmarshal(raw, (*protocol.Position)(p)))
}

// progressToken names a progress that the client shows; nil inside for none.
type progressToken struct{ protocol.ProgressToken }

// UnmarshalJSON reads a token.
func (t *progressToken) UnmarshalJSON(raw []byte) error {
	if protocol.Unmarshal(raw, &t.ProgressToken) != nil {
		return errors.New("expected a string or a number")
	}
	return nil
}

// commandRequest is a client's request to a command.
type commandRequest struct {
	placed
	own  any      // the command's own request: a pointer to one
	seen *session // of the editor, if the command wants to know
}

// readRequest reads a request to a command.
func readRequest(c command.Row, raw []byte) (commandRequest, error) {
	r := commandRequest{own: reflect.New(c.Request).Interface()}
	if len(raw) > 0 && string(raw) != "null" {
		if err := wire.DecodeMembers(raw, r.own, &r.placed); err != nil {
			return r, requestError(fmt.Errorf("%w: %w", workspace.ErrRequest, err))
		}
	}
	return r, nil
}

// executeCommand serves workspace/executeCommand. The first argument is the
// command's request object.
func executeCommand(s *server, p *protocol.ExecuteCommandParams) (dispatch.Work, error) {
	if !polled(p.Command) {
		s.idle.Seen(p.Command)
	}
	c, ok := commands[p.Command]
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "unknown command %q", p.Command)
	}
	var raw []byte
	if len(p.Arguments) > 0 {
		raw = p.Arguments[0]
	}
	req, err := readRequest(c, raw)
	if err != nil {
		return nil, err
	}
	if req.WorkDoneToken.ProgressToken == nil {
		req.WorkDoneToken.ProgressToken = p.WorkDoneToken
	}
	return s.command(c, req)
}

// customRequest serves one of our own requests.
func customRequest(c command.Row) method {
	return method{Call: func(s *server, raw jsonrpc2.RawMessage) (dispatch.Work, error) {
		req, err := readRequest(c, raw)
		if err != nil {
			return nil, err
		}
		return s.command(c, req)
	}}
}

// command runs a command.
func (s *server) command(c command.Row, req commandRequest) (dispatch.Work, error) {
	f := editorForms[c.Name]
	if f.prepare != nil {
		f.prepare(s, &req)
	}
	if c.Run == nil && req.URI == "" {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s needs {uri} and a place in that file", c.Name)
	}
	sc, err := s.commandScene(req.URI)
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
		if req.Ask != "" {
			if yes, err := s.confirmed(ctx, req.Ask); err != nil || !yes {
				return &client.Applied{Reason: cancelledByUser}, err
			}
		}
		if c.Writes {
			if err := dispatch.Stay(ctx); err != nil {
				return nil, err
			}
		}
		progress := s.Client.StartProgress(c.Title, req.WorkDoneToken.ProgressToken, dispatch.CancelOf(ctx))
		defer progress.End()
		if c.StopsDream {
			s.idle.Stop(ctx)
		}
		if c.Counts {
			progress.Counts()
		}
		ctx = provider.Asking(ctx, progress.Asking)
		if d, ok := req.own.(*upkeep.DreamRequest); ok {
			d.Progress = dreaming(progress)
		}
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

// run runs a command, in its form for the client if there is one.
func (sc *scene) run(ctx context.Context, c command.Row, req commandRequest) (any, error) {
	run := editorForms[c.Name].run
	if c.Run == nil {
		return run(ctx, sc, req)
	}
	if err := sc.fill(c, req); err != nil {
		return nil, err
	}
	if run != nil {
		return run(ctx, sc, req)
	}
	return c.Run(ctx, sc.Workspace, sc.View, req.own)
}

// cancelledByUser is the error of a command whose question was not answered with yes.
const cancelledByUser = "cancelled by the user"

// confirmed asks the user whether to do what the question says.
func (s *server) confirmed(ctx context.Context, question string) (bool, error) {
	yes, err := s.Client.Ask(ctx, question, "Yes")
	if err != nil {
		return false, fmt.Errorf("nothing was changed, because the editor could not ask you: %w", err)
	}
	return yes, nil
}

// commandScene chooses the folder of a command: that of the file in the request, else the first with a
// context tree, else the first.
func (s *server) commandScene(u uri.URI) (*scene, error) {
	folders := s.Folders.All()
	if len(folders) == 0 {
		return nil, jsonrpc2.NewError(wire.CodeRequestFailed, "no folder is open")
	}
	in, path := folders[0], ""
	if file, ok := state.FilePath(u); ok {
		if in, path = state.Innermost(folders, file); in == nil {
			return nil, jsonrpc2.Errorf(wire.CodeRequestFailed, "%s is not in a workspace folder", u)
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

// fill converts the place of the client's request into fields of the command: the document into Path, a
// position into Offset in bytes, a range into Start and End. It fills in missing fields: Severity from the
// editor's settings, and Author of commands that write from the system's user.
func (sc *scene) fill(c command.Row, req commandRequest) error {
	own := reflect.ValueOf(req.own).Elem()
	left := func(name string) (f reflect.Value, ok bool) {
		f = own.FieldByName(name)
		return f, f.IsValid() && f.IsZero()
	}
	if f, ok := left("Severity"); ok {
		f.Set(reflect.ValueOf(sc.Grades()))
	}
	if f, ok := left("Author"); ok && c.Writes {
		f.SetString(sc.server.user())
	}
	path, free := left("Path")
	offset, start := own.FieldByName("Offset"), own.FieldByName("Start")
	draft, drafts := req.own.(*drafting.ProposeRequest)
	here := sc.Path != "" && sc.Path != "." && (free || drafts)
	at := req.Position != nil && offset.IsValid()
	switch {
	case req.Range != nil && !(here && (drafts || start.IsValid())):
		return fmt.Errorf("%w: key `range`: %s takes no range, or only together with `uri`", workspace.ErrRequest, c.Name)
	case !here:
		return nil
	case drafts:
		return sc.material(draft, req.Range)
	}
	if path.SetString(sc.Path); req.Range == nil && !at {
		return nil
	}
	m, ok := sc.Mapper()
	if !ok {
		return fmt.Errorf("%s: not a readable text file", sc.Path)
	}
	if at {
		n := m.Offset(protocol.Position(*req.Position))
		if offset.Kind() == reflect.Pointer {
			offset.Set(reflect.ValueOf(&n))
		} else {
			offset.SetInt(int64(n))
		}
	}
	if req.Range != nil {
		span := m.Span(req.Range.Bounds())
		start.SetInt(int64(span.Start))
		own.FieldByName("End").SetInt(int64(span.End))
	}
	return nil
}

// user is who sits before the editor, as the system calls them, "" if it does not say.
func (s *server) user() string {
	if s.opts.Getenv == nil {
		return ""
	}
	return cmp.Or(s.opts.Getenv("USER"), s.opts.Getenv("USERNAME"))
}
