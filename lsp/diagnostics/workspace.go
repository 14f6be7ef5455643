package diagnostics

import (
	"context"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

// reportChunk is how many documents one partial result holds: some tens of kilobytes,
// which a client shows before the next comes.
const reportChunk = 100

// A client that shows the whole list asks again two seconds after each answer, with the identifiers of all
// reports that it has. If nothing is new to it, the answer is held until something changes.
const (
	heldFor   = time.Minute // at most: what its watcher missed is looked for then
	heldPause = time.Second // from news to the answer: while somebody types, news follow news
)

// PullAll answers workspace/diagnostic: all documents with problems, and those that
// had some as far as the client knows.
func (d *Diagnostics) PullAll(p *protocol.WorkspaceDiagnosticParams) (dispatch.Work, error) {
	w := d.workspaceReports(p)
	return func(ctx context.Context) (any, error) {
		late, stop := d.after(heldFor)
		defer stop()
		for ; ; w = d.workspaceReports(p) {
			if err := w.read(ctx); err != nil {
				return nil, err
			}
			if !w.held {
				return w.end(), nil
			}
			select {
			case <-w.news:
			case <-late:
				return w.end(), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			pause, stop := d.after(heldPause)
			select {
			case <-pause:
			case <-ctx.Done():
				stop()
				return nil, ctx.Err()
			}
		}
	}, nil
}

// after is closed when some time has passed.
func (d *Diagnostics) after(t time.Duration) (passed <-chan struct{}, stop func() bool) {
	done := make(chan struct{})
	return done, d.s.Client.After(t, func() { close(done) })
}

// workspaceReports is one answer about all folders, sent in parts where the client asked
// for that.
type workspaceReports struct {
	d        *Diagnostics
	scenes   []*state.Scene
	news     <-chan struct{} // closed when something is another than here
	held     bool            // nothing in it is new to a client that can wait
	token    protocol.ProgressToken
	previous map[string]protocol.PreviousResultId // by buffer key; what was reported is taken out
	docs     map[string]*state.Document           // open ones by buffer key, as of the request
	items    []protocol.WorkspaceDocumentDiagnosticReport
}

// workspaceReports is an answer about the present state, in which nothing is reported yet. A client that does not
// watch files is told of changes on disk only when it asks.
func (d *Diagnostics) workspaceReports(p *protocol.WorkspaceDiagnosticParams) *workspaceReports {
	w := &workspaceReports{
		d: d, news: d.awaitNews(), held: d.s.Client.WatchFiles && len(p.PreviousResultIds) > 0, token: p.PartialResultToken,
		previous: map[string]protocol.PreviousResultId{}, docs: map[string]*state.Document{},
	}
	for _, f := range d.s.Folders.All() {
		sc := d.s.SceneOf(f)
		if sc.Workspace != nil {
			sc.Workspace.FollowSoon()
		}
		w.scenes = append(w.scenes, sc)
	}
	for _, id := range p.PreviousResultIds {
		w.previous[state.Key(id.URI)] = id
	}
	for _, doc := range d.s.Documents.All() {
		w.docs[state.Key(doc.URI)] = doc
	}
	return w
}

// read reports all folders.
func (w *workspaceReports) read(ctx context.Context) error {
	for _, sc := range w.scenes {
		if err := w.folder(ctx, sc); err != nil {
			if ctx.Err() != nil {
				return err
			}
			w.d.s.Client.Log.Warn("problems of a folder", "folder", sc.Folder.Spelled, "err", err)
		}
	}
	return nil
}

// folder reports one folder.
func (w *workspaceReports) folder(ctx context.Context, sc *state.Scene) error {
	if err := sc.Complete(ctx); err != nil {
		return err
	}
	files, err := diagnosis.All(ctx, sc.View, sc.Grades())
	if err != nil {
		return err
	}
	ids := w.d.known(sc.Folder, files)
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		u := sc.Folder.URI(f.Path)
		doc := w.docs[state.Key(u)]
		if doc != nil {
			u = doc.URI
		}
		if !sc.Stands(f.Path) {
			continue
		}
		previous := w.previous[state.Key(u)]
		delete(w.previous, state.Key(u))
		if doc != nil && (doc.Desynced || doc.Text() != f.Text && f.Text != "") {
			continue // the client asks about the document itself
		}
		var items []protocol.Diagnostic
		if ids[i] == "" || previous.Value != openedID(ids[i], doc) {
			items = render.Diagnostics(sc, position.NewMapper(f.Text, w.d.s.Client.Encoding), f.Problems)
			ids[i] = render.Fingerprint(items)
		}
		w.add(u, doc, openedID(ids[i], doc), previous.Value, items)
	}
	w.d.know(sc.Folder, files, ids)
	w.clean(sc)
	return nil
}

// add reports the problems of one document, or that they have not changed.
func (w *workspaceReports) add(u uri.URI, doc *state.Document, id, previous string, items []protocol.Diagnostic) {
	var version *int32
	if doc != nil {
		version = &doc.Version
	}
	if id == previous {
		w.send(&protocol.WorkspaceUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id}, URI: u,
			Version: version,
		})
		return
	}
	w.send(&protocol.WorkspaceFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: fullReport(&id, items), URI: u,
		Version: version})
}

// clean reports the documents of a folder whose problems are gone. An empty list has no identifier: the
// client need not ask about it again.
func (w *workspaceReports) clean(sc *state.Scene) {
	for key, id := range w.previous {
		if f, _ := w.d.s.Folders.Locate(id.URI); f != sc.Folder {
			continue
		}
		delete(w.previous, key)
		doc := w.docs[key]
		if doc != nil && id.Value == openedID(render.NoProblems, doc) || doc == nil && id.Value == render.NoProblems {
			continue // it knows
		}
		var version *int32
		if doc != nil {
			version = &doc.Version
		}
		w.send(&protocol.WorkspaceFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: fullReport(nil, nil), URI: id.URI,
			Version: version})
	}
}

// send adds a report, and sends those that wait where they are a part.
func (w *workspaceReports) send(r protocol.WorkspaceDocumentDiagnosticReport) {
	w.items = append(w.items, r)
	if _, known := r.(*protocol.WorkspaceUnchangedDocumentDiagnosticReport); !known {
		w.held = false
	}
	if w.token != nil && !w.held && len(w.items) >= reportChunk {
		w.flush()
	}
}

// flush sends what waits as partial results.
func (w *workspaceReports) flush() {
	for part := range slices.Chunk(w.items, reportChunk) {
		client := w.d.s.Client
		if err := client.SendProgress(client.Ctx, w.token, &protocol.WorkspaceDiagnosticReportPartialResult{Items: part}); err != nil {
			client.Log.Debug("partial result", "err", err)
		}
	}
	w.items = nil
}

// end is the answer: all, or the empty rest of what was sent in parts.
func (w *workspaceReports) end() *protocol.WorkspaceDiagnosticReport {
	if w.token != nil {
		w.flush()
	}
	if w.items == nil {
		w.items = []protocol.WorkspaceDocumentDiagnosticReport{}
	}
	return &protocol.WorkspaceDiagnosticReport{Items: w.items}
}

// known returns the fingerprints of a list, "" for unknown ones. The result is the caller's.
func (d *Diagnostics) known(f *state.Folder, files []diagnosis.FileProblems) []string {
	ids := make([]string, len(files))
	d.results.mu.Lock()
	defer d.results.mu.Unlock()
	if last := d.results.lists[f]; len(files) > 0 && len(last.files) == len(files) && &last.files[0] == &files[0] {
		copy(ids, last.ids)
	}
	return ids
}

// know keeps them.
func (d *Diagnostics) know(f *state.Folder, files []diagnosis.FileProblems, ids []string) {
	d.results.mu.Lock()
	defer d.results.mu.Unlock()
	if d.results.lists == nil {
		d.results.lists = map[*state.Folder]knownList{}
	}
	d.results.lists[f] = knownList{files, ids}
}
