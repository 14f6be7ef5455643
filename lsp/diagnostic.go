package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/tree"
)

// diagnosticSource names us in the editor's list of problems.
const diagnosticSource = "brv"

// diagnosticDelay is how long the client must be quiet before problems are
// computed: longer than the pause between two keys of a fast typist (about
// 100 ms), shorter than what reads as a delay.
const diagnosticDelay = 150 * time.Millisecond

// diagnostics keeps the client's picture of the problems up to date. A client
// that can ask for them is only told when something changed on disk; to any
// other they are sent. Never both: the client would show each problem twice.
type diagnostics struct {
	s *server

	mu         sync.Mutex // guards the fields below, and orders what is sent
	generation uint64     // counts what happened; a pass for an older one sends nothing
	cancel     func() bool
	changed    bool              // the next pass has a client that pulls do so again, whatever it has
	told       map[string]string // by buffer key: fingerprint of what the client last got
	lenses     map[string]string // by buffer key: title of the lens that the client last got
}

func newDiagnostics(s *server) *diagnostics {
	return &diagnostics{s: s, told: map[string]string{}, lenses: map[string]string{}}
}

// touched notes that a buffer was opened or changed.
func (d *diagnostics) touched() {
	if !d.s.client.pullDiagnostics {
		d.schedule()
	}
}

// opened notes that a workspace has opened, and with it the tree that buffers
// were waiting for. Pulls waited for it by themselves.
func (d *diagnostics) opened() { d.touched() }

// closed notes that a buffer was closed: its problems leave the list.
func (d *diagnostics) closed(doc *document) {
	d.mu.Lock()
	key := bufferKey(doc.uri)
	delete(d.lenses, key)
	if d.s.client.pullDiagnostics {
		delete(d.told, key)
		d.mu.Unlock()
		return
	}
	if told, ok := d.told[key]; ok && told != noProblems {
		d.sendLocked(doc, nil)
	}
	delete(d.told, key)
	d.mu.Unlock()
	d.schedule()
}

// diskChanged notes that the tree changed on disk.
func (d *diagnostics) diskChanged() {
	d.mu.Lock()
	d.changed = true
	d.mu.Unlock()
	d.schedule()
}

// codeChanged notes that the code changed, or how entries fit it became known.
func (d *diagnostics) codeChanged() { d.schedule() }

// lensTold notes the title of the lens that the client was given, "" for none.
func (d *diagnostics) lensTold(doc *document, title string) {
	d.tell(d.lenses, doc, title)
}

// tell notes in told what the client was given about an open document.
func (d *diagnostics) tell(told map[string]string, doc *document, what string) {
	if doc == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	told[bufferKey(doc.uri)] = what
}

// differs reports whether the client was given something else about a document. What it
// never asked about it has no use for.
func (d *diagnostics) differs(told map[string]string, doc *document, what string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, asked := told[bufferKey(doc.uri)]
	return asked && before != what
}

// schedule starts a pass after the delay, instead of the one that was scheduled.
func (d *diagnostics) schedule() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel()
	}
	d.generation++
	generation := d.generation
	d.cancel = d.s.opts.After(diagnosticDelay, func() {
		d.s.spawn("diagnostics", func() error { return d.pass(generation) })
	})
}

// pass brings the client up to date: by asking it to ask, or by sending.
func (d *diagnostics) pass(generation uint64) error {
	client := &d.s.client
	d.mu.Lock()
	pull := d.changed && client.pullDiagnostics
	d.changed = false
	d.mu.Unlock()
	lenses := false
	for _, doc := range d.s.buffers.all() {
		sc := d.scene(doc)
		if sc == nil {
			continue // there will be another pass, or nothing to say
		}
		items, ok := problems(d.s.ctx, sc)
		if !ok || len(items) == 0 && !d.concerns(sc) {
			continue
		}
		if client.pullDiagnostics {
			pull = pull || d.differs(d.told, doc, fingerprint(items))
		} else if !d.send(generation, doc, items) {
			return nil
		}
		_, title := sc.lens(d.s.ctx)
		lenses = lenses || d.differs(d.lenses, doc, title)
	}
	var err error
	if pull && client.refreshDiagnostics {
		err = d.s.conn.DiagnosticRefresh(d.s.ctx)
	}
	if lenses && client.refreshLenses {
		err = errors.Join(err, d.s.conn.CodeLensRefresh(d.s.ctx))
	}
	return err
}

// concerns reports whether the client expects to be told that a document has no
// problems: other documents than entries only where they had some.
func (d *diagnostics) concerns(sc *scene) bool {
	if _, entry := sc.view.EntryPath(sc.path); entry {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, told := d.told[bufferKey(sc.doc.uri)]
	return told
}

// scene is the present state of an open document, nil if its workspace is not open.
func (d *diagnostics) scene(doc *document) *scene {
	if doc.folder == nil || doc.lost {
		return nil
	}
	sc, err := d.s.scene(doc.uri)
	if err != nil || sc == nil || sc.view == nil || sc.doc != doc {
		return nil
	}
	return sc
}

// send publishes a document's problems unless the client has them already. It
// returns false if the pass is out of date.
func (d *diagnostics) send(generation uint64, doc *document, items []protocol.Diagnostic) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.generation != generation {
		return false
	}
	if told, ok := d.told[bufferKey(doc.uri)]; !ok || told != fingerprint(items) {
		d.sendLocked(doc, items)
	}
	return true
}

func (d *diagnostics) sendLocked(doc *document, items []protocol.Diagnostic) {
	p := &protocol.PublishDiagnosticsParams{URI: doc.uri, Diagnostics: items}
	if items == nil {
		p.Diagnostics = []protocol.Diagnostic{}
	}
	if d.s.client.versionedPush {
		p.Version = protocol.NewOptional(doc.version)
	}
	if err := d.s.conn.PublishDiagnostics(d.s.ctx, p); err != nil {
		d.s.log.Warn("publishing diagnostics", "err", err)
		return
	}
	d.told[bufferKey(doc.uri)] = fingerprint(items)
}

// problems returns the problems of the scene's document; ok is false if its text has
// moved on since the scene was taken.
func problems(ctx context.Context, sc *scene) (items []protocol.Diagnostic, ok bool) {
	m, ok := sc.present()
	if !ok {
		return nil, false
	}
	found, err := sc.ws.Problems(ctx, sc.view, sc.path)
	if err != nil {
		sc.server.log.Warn("problems", "document", sc.path, "err", err)
		return nil, false
	}
	items = make([]protocol.Diagnostic, 0, len(found))
	for _, p := range found {
		items = append(items, diagnosticOf(m, p))
	}
	return items, true
}

// diagnosticOf renders one problem.
func diagnosticOf(m *mapper, p tree.Problem) protocol.Diagnostic {
	return protocol.Diagnostic{
		Range:    m.bounds(p.At),
		Severity: protocol.DiagnosticSeverity(p.Severity),
		Code:     protocol.String(p.Code),
		Source:   protocol.NewOptional(diagnosticSource),
		Message:  protocol.String(p.Message),
	}
}

// noProblems is the fingerprint of an empty list.
var noProblems = fingerprint(nil)

// fingerprint identifies a list of problems, for resultId and for not sending
// the same list twice.
func fingerprint(items []protocol.Diagnostic) string {
	hash := sha256.New()
	for i := range items {
		raw, err := protocol.Marshal(&items[i])
		if err != nil {
			panic(err) // own values always marshal
		}
		hash.Write(raw)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// pullDiagnostic serves textDocument/diagnostic. Unlike the other passive
// requests it has no empty answer: a document without problems has a report.
func pullDiagnostic(s *server, p *protocol.DocumentDiagnosticParams) (work, error) {
	sc, err := s.scene(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		var items []protocol.Diagnostic
		if sc != nil {
			if err := sc.ready(ctx); err != nil {
				return nil, serverCancelled(err)
			}
			items, _ = problems(ctx, sc)
			s.diagnostics.tell(s.diagnostics.told, sc.doc, fingerprint(items))
		}
		return report(resultID(sc, items), items, p.PreviousResultID), nil
	}, nil
}

// serverCancelled asks the client to pull again when the document moved on, or
// not to when the workspace cannot be opened.
func serverCancelled(err error) error {
	const codeServerCancelled jsonrpc2.Code = -32802 // LSP 3.17, DiagnosticServerCancellationData
	e := jsonrpc2.NewError(codeServerCancelled, err.Error())
	e.Data = jsonrpc2.RawMessage(`{"retriggerRequest":false}`)
	if err == error(protocol.ErrContentModified) {
		e.Data = jsonrpc2.RawMessage(`{"retriggerRequest":true}`)
	}
	return e
}

// resultID identifies a report. It changes when the document is opened anew:
// Neovim drops a document's problems when it is closed, yet asks with the old
// identifier after it was reloaded.
func resultID(sc *scene, items []protocol.Diagnostic) string {
	id := fingerprint(items)
	if sc != nil && sc.doc != nil {
		id += fmt.Sprintf("-%d", sc.doc.opening)
	}
	return id
}

// report makes the answer to a pull: the list, or "unchanged" if the client has
// it already.
func report(id string, items []protocol.Diagnostic, previous *string) protocol.DocumentDiagnosticReport {
	if previous != nil && *previous == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
		}
	}
	if items == nil {
		items = []protocol.Diagnostic{}
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: items},
	}
}
