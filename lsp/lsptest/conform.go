package lsptest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The editor checks the rules of a session on every message of the server: it may use only features that the
// client announced, and each place must lie in its document. Editors break on such mistakes in other, mostly
// silent ways.

// asked is a running request, with the editor's documents at its time.
type asked struct {
	answered chan reply
	method   string
	params   json.RawMessage
	docs     map[string]buffer
}

// Violations lists the server's violations of the rules.
func (e *Editor) Violations() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.violations)
}

// agreement holds the capabilities that client and server have told each other.
type agreement struct {
	client, server any // capabilities, decoded
	encoding       string
}

// at returns a value of decoded JSON by its path, nil if there is none.
func at(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// yes reports whether the client announced something.
func (a *agreement) yes(path string) bool { return at(a.client, path) == true }

// lists reports whether a list that the client announced has a value.
func (a *agreement) lists(path string, value any) bool {
	list, _ := at(a.client, path).([]any)
	return slices.Contains(list, value)
}

// checker checks one message of the server.
type checker struct {
	agreement
	about string            // names the message
	home  string            // URI of the document that the request was about
	docs  map[string]buffer // by path: when it was asked
	now   map[string]buffer // and as they are
	found []string
}

func (c *checker) wrong(format string, args ...any) {
	c.found = append(c.found, c.about+": "+fmt.Sprintf(format, args...))
}

// wants records a violation unless ok.
func (c *checker) wants(ok bool, what string) {
	if !ok {
		c.wrong("%s, which the client did not announce", what)
	}
}

// agreeLocked records the capabilities if a request was initialize.
func (e *Editor) agreeLocked(q asked, result json.RawMessage) {
	if q.method != "initialize" {
		return
	}
	var client, server struct{ Capabilities any }
	if json.Unmarshal(q.params, &client) == nil && json.Unmarshal(result, &server) == nil {
		e.announced, e.offered = client.Capabilities, server.Capabilities
		if encoding, ok := at(server.Capabilities, "positionEncoding").(string); ok {
			e.encoding = encoding
		}
	}
}

// checkAnswer looks at the answer to a request.
func (e *Editor) checkAnswer(q asked, result json.RawMessage) {
	c := e.checkerLocked("answer to "+q.method, q.docs)
	var params, v any
	if json.Unmarshal(q.params, &params) != nil || json.Unmarshal(result, &v) != nil || c.client == nil {
		return
	}
	for _, path := range []string{"textDocument.uri", "item.uri", "uri"} {
		if uri, ok := at(params, path).(string); ok && c.home == "" {
			c.home = uri
		}
	}
	c.gates(q.method, v)
	c.walk(v, c.home)
	e.violations = append(e.violations, c.found...)
}

// checkMessage looks at a request or notification of the server's.
func (e *Editor) checkMessage(m Message) {
	c := e.checkerLocked(m.Method, e.snapshotLocked())
	var params any
	_ = json.Unmarshal(m.Params, &params)
	if c.client == nil {
		quiet := m.Method == "window/logMessage" || m.Method == "window/showMessage" || m.Method == "error" || m.Method == "result"
		if !quiet {
			c.wrong("sent before the answer to initialize")
		}
		e.violations = append(e.violations, c.found...)
		return
	}
	if gate, ok := messageGates[m.Method]; ok {
		_, section := at(c.client, gate).(map[string]any) // a capability without switches is announced by being there
		c.wants(section || c.yes(gate), m.Method)
	}
	switch m.Method {
	case "client/registerCapability":
		list, _ := at(params, "registrations").([]any)
		for _, r := range list {
			c.registration(fmt.Sprint(at(r, "method")))
		}
	case "textDocument/publishDiagnostics":
		if at(c.client, "textDocument.diagnostic") != nil {
			c.wrong("sent to a client that pulls")
		}
		c.home, _ = at(params, "uri").(string)
		c.gates(m.Method, params)
	}
	if m.Method != "textDocument/publishDiagnostics" { // those are about the version they name
		c.walk(params, c.home)
	}
	e.violations = append(e.violations, c.found...)
}

// messageGates are the capabilities that the server's own messages need.
var messageGates = map[string]string{
	"window/workDoneProgress/create":        "window.workDoneProgress",
	"window/showDocument":                   "window.showDocument.support",
	"workspace/applyEdit":                   "workspace.applyEdit",
	"workspace/configuration":               "workspace.configuration",
	"workspace/workspaceFolders":            "workspace.workspaceFolders",
	"workspace/diagnostic/refresh":          "workspace.diagnostics.refreshSupport",
	"workspace/codeLens/refresh":            "workspace.codeLens.refreshSupport",
	"workspace/inlayHint/refresh":           "workspace.inlayHint.refreshSupport",
	"workspace/semanticTokens/refresh":      "workspace.semanticTokens.refreshSupport",
	"workspace/foldingRange/refresh":        "workspace.foldingRange.refreshSupport",
	"workspace/textDocumentContent/refresh": "workspace.textDocumentContent",
}

// registrationGates are the capabilities that announce registration of a method and are
// not called like it.
var registrationGates = map[string]string{
	"textDocument/didOpen":   "textDocument.synchronization",
	"textDocument/didChange": "textDocument.synchronization",
	"textDocument/didClose":  "textDocument.synchronization",
	"textDocument/didSave":   "textDocument.synchronization",
}

func (c *checker) registration(method string) {
	path, named := registrationGates[method]
	switch {
	case named:
	case strings.HasSuffix(method, "Files") && method != "workspace/didChangeWatchedFiles":
		path = "workspace.fileOperations"
	default:
		path = strings.ReplaceAll(method, "/", ".")
	}
	c.wants(c.yes(path+".dynamicRegistration"), "registration of "+method)
}

func (e *Editor) checkerLocked(about string, docs map[string]buffer) *checker {
	return &checker{about: about, docs: docs, now: e.snapshotLocked(),
		agreement: agreement{client: e.announced, server: e.offered, encoding: e.encoding}}
}

func (e *Editor) snapshotLocked() map[string]buffer {
	docs := make(map[string]buffer, len(e.docs))
	for path, d := range e.docs {
		docs[path] = *d
	}
	return docs
}
