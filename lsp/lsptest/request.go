package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Session says how a session begins.
type Session struct {
	Folders      []string       // absolute paths of the workspace folders
	Encodings    []string       // offered position encodings; nil offers none, which means utf-16
	Capabilities map[string]any // the client's; [Modern] if nil

	// Params, if given, is sent as it is instead of what the other fields say.
	Params json.RawMessage
}

// Initialized is the server's answer to initialize.
type Initialized struct {
	Capabilities map[string]any `json:"capabilities"`
	ServerInfo   struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

// Initialize begins the session: initialize and initialized.
func (e *Editor) Initialize(ctx context.Context, s Session) (*Initialized, error) {
	params := any(s.Params)
	if s.Params == nil {
		params = s.params()
	}
	var result Initialized
	if err := e.Call(ctx, "initialize", params, &result); err != nil {
		return nil, err
	}
	return &result, e.Notify("initialized", map[string]any{})
}

func (s Session) params() map[string]any {
	capabilities := s.Capabilities
	if capabilities == nil {
		capabilities = Modern()
	}
	if s.Encodings != nil {
		capabilities["general"] = map[string]any{"positionEncodings": s.Encodings}
	}
	folders := []any{}
	for _, f := range s.Folders {
		folders = append(folders, map[string]any{"uri": URI(f), "name": f})
	}
	return map[string]any{
		"processId": nil, "rootUri": nil, "capabilities": capabilities, "workspaceFolders": folders,
		"clientInfo": map[string]any{"name": "lsptest", "version": "1"},
	}
}

// Modern are the capabilities of an editor that can all that the server makes use
// of, but for pulling diagnostics and registering watchers.
func Modern() map[string]any {
	formats := []string{"markdown", "plaintext"}
	return map[string]any{
		"textDocument": map[string]any{
			"hover":      map[string]any{"contentFormat": formats},
			"definition": map[string]any{"linkSupport": true},
			"completion": map[string]any{"completionItem": map[string]any{
				"documentationFormat": formats, "labelDetailsSupport": true, "insertReplaceSupport": true,
				"resolveSupport": map[string]any{"properties": []string{"documentation", "detail", "additionalTextEdits"}},
			}},
			"documentLink": map[string]any{"tooltipSupport": true},
			"codeAction": map[string]any{
				"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"", "quickfix",
					"refactor", "source"}}},
				"dataSupport": true, "honorsChangeAnnotations": true, "disabledSupport": true,
				"resolveSupport": map[string]any{"properties": []string{"edit"}},
			},
			"publishDiagnostics": map[string]any{"versionSupport": true},
			"documentSymbol":     map[string]any{"hierarchicalDocumentSymbolSupport": true},
			"semanticTokens": map[string]any{
				"requests":       map[string]any{"range": true, "full": true},
				"tokenTypes":     []string{"namespace", "property", "label", "keyword", "enumMember", "number", "variable", "string"},
				"tokenModifiers": []string{"deprecated"},
				"formats":        []string{"relative"},
			},
			"rename": map[string]any{"prepareSupport": true, "honorsChangeAnnotations": true},
		},
		"workspace": map[string]any{
			"applyEdit": true, "workspaceFolders": true,
			"symbol": map[string]any{"resolveSupport": map[string]any{"properties": []string{"location.range"}}},
			"workspaceEdit": map[string]any{
				"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"},
				"changeAnnotationSupport": map[string]any{}, "failureHandling": "textOnlyTransactional",
			},
		},
		"window": map[string]any{"showDocument": map[string]any{"support": true}, "workDoneProgress": true},
	}
}

// Dynamic adds dynamic registration to capabilities, wherever the protocol has it.
func Dynamic(capabilities map[string]any) {
	sections := map[string][]string{
		"textDocument": {
			"synchronization", "hover", "definition", "typeDefinition", "references",
			"documentSymbol", "codeAction", "codeLens", "documentLink", "formatting", "rename", "foldingRange", "selectionRange",
			"completion",
			"semanticTokens", "inlayHint", "diagnostic",
		},
		"workspace": {"didChangeConfiguration", "didChangeWatchedFiles", "symbol", "executeCommand", "fileOperations",
			"textDocumentContent"},
	}
	for area, names := range sections {
		in := capabilities[area].(map[string]any)
		for _, name := range names {
			if section, ok := in[name].(map[string]any); ok {
				section["dynamicRegistration"] = true
			} else if name == "didChangeConfiguration" || name == "didChangeWatchedFiles" {
				in[name] = map[string]any{"dynamicRegistration": true}
			}
		}
	}
}

// FixtureRoot is the folder that recorded initialize requests name.
const FixtureRoot = "/workspace"

// FixtureParams returns the parameters of a recorded initialize request, with
// its folder moved to root and without the process of back then.
func FixtureParams(recorded []byte, root string) (json.RawMessage, error) {
	var request struct {
		Params map[string]any `json:"params"`
	}
	if err := json.Unmarshal(recorded, &request); err != nil {
		return nil, err
	}
	delete(request.Params, "processId")
	request.Params["processId"] = nil
	raw, err := json.Marshal(request.Params)
	if err != nil {
		return nil, err
	}
	moved := strings.ReplaceAll(string(raw), `"file://`+FixtureRoot, `"`+URI(root))
	return json.RawMessage(strings.ReplaceAll(moved, `"`+FixtureRoot, `"`+root)), nil
}

func document(path string) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": URI(path)}}
}

// at makes the parameters of a request about a place in an open document.
func (e *Editor) at(path string, offset int) (map[string]any, error) {
	text, ok := e.Text(path)
	if !ok {
		return nil, fmt.Errorf("%s is not open", path)
	}
	p := document(path)
	p["position"] = PositionIn(text, offset, e.Encoding())
	return p, nil
}

// Hover returns the server's hover at a place.
type Hover struct {
	Contents struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	} `json:"contents"`
	Range *Range `json:"range"`
}

// Hover asks about a place; nil means that there is nothing to say.
func (e *Editor) Hover(ctx context.Context, path string, offset int) (*Hover, error) {
	params, err := e.at(path, offset)
	if err != nil {
		return nil, err
	}
	var h *Hover
	err = e.Call(ctx, "textDocument/hover", params, &h)
	return h, err
}

// Location is a range in a file.
type Location struct {
	URI    string `json:"uri"`
	Range  Range  `json:"range"`
	Origin *Range `json:"-"` // of a link: what in the document leads there
}

// UnmarshalJSON reads a Location or a LocationLink.
func (l *Location) UnmarshalJSON(raw []byte) error {
	var both struct {
		URI       string `json:"uri"`
		Range     Range  `json:"range"`
		Target    string `json:"targetUri"`
		Selection Range  `json:"targetSelectionRange"`
		Origin    *Range `json:"originSelectionRange"`
	}
	if err := json.Unmarshal(raw, &both); err != nil {
		return err
	}
	*l = Location{URI: both.URI, Range: both.Range}
	if both.Target != "" {
		*l = Location{URI: both.Target, Range: both.Selection, Origin: both.Origin}
	}
	return nil
}

// Definition asks where a place leads.
func (e *Editor) Definition(ctx context.Context, path string, offset int) ([]Location, error) {
	params, err := e.at(path, offset)
	if err != nil {
		return nil, err
	}
	var l []Location
	err = e.Call(ctx, "textDocument/definition", params, &l)
	return l, err
}

// References asks what mentions the thing at a place.
func (e *Editor) References(ctx context.Context, path string, offset int, declaration bool) ([]Location, error) {
	params, err := e.at(path, offset)
	if err != nil {
		return nil, err
	}
	params["context"] = map[string]any{"includeDeclaration": declaration}
	var l []Location
	err = e.Call(ctx, "textDocument/references", params, &l)
	return l, err
}

// Link is a link that stands in a document.
type Link struct {
	Range   Range  `json:"range"`
	Target  string `json:"target"`
	Tooltip string `json:"tooltip"`
}

// Links asks for a document's links.
func (e *Editor) Links(ctx context.Context, path string) ([]Link, error) {
	var l []Link
	err := e.Call(ctx, "textDocument/documentLink", document(path), &l)
	return l, err
}

// Item is one completion.
type Item struct {
	Label    string `json:"label"`
	Kind     int    `json:"kind"`
	Detail   string `json:"detail"`
	SortText string `json:"sortText"`
	TextEdit struct {
		Range   Range  `json:"range"`
		NewText string `json:"newText"`
		Insert  Range  `json:"insert"`  // of an edit that leaves a choice
		Replace *Range `json:"replace"` // then Range is this
	} `json:"textEdit"`

	Raw json.RawMessage `json:"-"` // as the server sent it
}

// UnmarshalJSON keeps the whole of what was sent, to be sent back for resolving.
func (i *Item) UnmarshalJSON(raw []byte) error {
	type plain Item
	if err := json.Unmarshal(raw, (*plain)(i)); err != nil {
		return err
	}
	if r := i.TextEdit.Replace; r != nil {
		i.TextEdit.Range = *r
	}
	i.Raw = append(json.RawMessage(nil), raw...)
	return nil
}

// Complete asks for completions at a place.
func (e *Editor) Complete(ctx context.Context, path string, offset int) ([]Item, error) {
	params, err := e.at(path, offset)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []Item `json:"items"`
	}
	err = e.Call(ctx, "textDocument/completion", params, &list)
	return list.Items, err
}

// Diagnostic is one problem.
type Diagnostic struct {
	Range    Range  `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// PullDiagnostics asks for a document's problems. unchanged means that they are
// those of the previous result.
func (e *Editor) PullDiagnostics(ctx context.Context, path, previous string) (items []Diagnostic, id string, unchanged bool, err error) {
	params := document(path)
	if previous != "" {
		params["previousResultId"] = previous
	}
	var report struct {
		Kind     string       `json:"kind"`
		ResultID string       `json:"resultId"`
		Items    []Diagnostic `json:"items"`
	}
	err = e.Call(ctx, "textDocument/diagnostic", params, &report)
	return report.Items, report.ResultID, report.Kind == "unchanged", err
}

// WaitDiagnostics waits until the last list of problems that was published for a
// document satisfies done, and returns it.
func (e *Editor) WaitDiagnostics(ctx context.Context, path string, done func([]Diagnostic) bool) ([]Diagnostic, error) {
	var last []Diagnostic
	_, err := e.WaitFor(ctx, "textDocument/publishDiagnostics", func(messages []Message) bool {
		published := false
		for _, m := range messages {
			var p struct {
				URI         string       `json:"uri"`
				Diagnostics []Diagnostic `json:"diagnostics"`
			}
			if json.Unmarshal(m.Params, &p) != nil {
				continue
			}
			if file, err := Path(p.URI); err == nil && file == path {
				last, published = p.Diagnostics, true
			}
		}
		return published && done(last)
	})
	return last, err
}

// Action is a code action, or a bare command.
type Action struct {
	Title   string          `json:"title"`
	Kind    string          `json:"kind"`
	Edit    json.RawMessage `json:"edit"`
	Command json.RawMessage `json:"command"` // of an action: {title, command, arguments}; of a command: its name
	Data    json.RawMessage `json:"data"`

	Raw json.RawMessage `json:"-"` // as the server sent it
}

// UnmarshalJSON keeps the whole of what was sent, to be sent back for resolving.
func (a *Action) UnmarshalJSON(raw []byte) error {
	type plain Action
	if err := json.Unmarshal(raw, (*plain)(a)); err != nil {
		return err
	}
	a.Raw = append(json.RawMessage(nil), raw...)
	return nil
}

// Actions asks what can be done with a selection.
func (e *Editor) Actions(ctx context.Context, path string, start, end int, only ...string) ([]Action, error) {
	text, ok := e.Text(path)
	if !ok {
		return nil, fmt.Errorf("%s is not open", path)
	}
	params := document(path)
	params["range"] = RangeIn(text, start, end, e.Encoding())
	about := map[string]any{"diagnostics": []any{}}
	if only != nil {
		about["only"] = only
	}
	params["context"] = about
	var a []Action
	err := e.Call(ctx, "textDocument/codeAction", params, &a)
	return a, err
}

// Resolve asks for the rest of an action.
func (e *Editor) Resolve(ctx context.Context, a Action) (Action, error) {
	var out Action
	err := e.Call(ctx, "codeAction/resolve", a.Raw, &out)
	return out, err
}

// Run runs an action's command, or a bare command, and decodes its result.
func (e *Editor) Run(ctx context.Context, a Action, result any) error {
	command := a.Command
	if len(command) > 0 && command[0] == '"' {
		command = a.Raw
	}
	return e.Call(ctx, "workspace/executeCommand", command, result)
}

// Execute runs a command by its name.
func (e *Editor) Execute(ctx context.Context, command string, argument, result any) error {
	return e.Call(ctx, "workspace/executeCommand", map[string]any{"command": command, "arguments": []any{argument}}, result)
}
