// Package diagnostics keeps the client's view of documents up to date: their problems, and the lenses over
// them, which can change without an edit. Requests of clients that pull are answered here
// ([Diagnostics.Pull], [Diagnostics.PullAll]); for other changes, a pass sends them or makes the client ask
// again.
//
// A pass holds passing to its end, so that the later one sees the later state, and takes mu, which guards the
// data given to the client, only around each document. The lock of the known lists of folders is taken inside
// of neither.
package diagnostics

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

// diagnosticDelay is how long the client must be quiet before problems are computed: longer than the pause
// between two keys of a fast typist (about 100 ms), and too short to be noticed as a delay.
const diagnosticDelay = 150 * time.Millisecond

// Diagnostics keeps the client's picture of the problems up to date. A client
// that can ask for them is only told when something changed on disk; to any
// other they are sent. Never both: the client would show each problem twice.
type Diagnostics struct {
	s *state.Session

	passing sync.Mutex // held by a pass: the later one sees the later state

	mu        sync.Mutex // guards the fields below, and orders what is sent
	cancel    func() bool
	changed   bool              // the next pass makes a client that pulls ask again in any case
	published map[string]string // by buffer key: fingerprint of what the client last got
	lenses    map[string]string // by buffer key: title of the lens that the client last got

	news    chan struct{} // closed by the next event that may change a problem
	results knownIDs
}

// New is for a session without open folders and documents.
func New(s *state.Session) *Diagnostics {
	return &Diagnostics{s: s, published: map[string]string{}, lenses: map[string]string{},
		news: make(chan struct{})}
}

// awaitNews is closed by the next event that may change a problem.
func (d *Diagnostics) awaitNews() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.news
}

// tellNewsLocked lets pulls that wait for news look again.
func (d *Diagnostics) tellNewsLocked() {
	close(d.news)
	d.news = make(chan struct{})
}

// Touched notes that a buffer was opened or changed.
func (d *Diagnostics) Touched() {
	if !d.s.Client.PullDiagnostics {
		d.schedule()
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tellNewsLocked()
}

// Opened notes that a workspace has opened, and with it the tree that buffers
// were waiting for. Pulls waited for it by themselves.
func (d *Diagnostics) Opened() { d.Touched() }

// Closed notes that a buffer was closed: its problems leave the list.
func (d *Diagnostics) Closed(doc *state.Document) {
	d.mu.Lock()
	key := state.Key(doc.URI)
	delete(d.lenses, key)
	if d.s.Client.PullDiagnostics {
		delete(d.published, key)
		d.tellNewsLocked()
		d.mu.Unlock()
		return
	}
	if told, ok := d.published[key]; ok && told != render.NoProblems {
		d.sendLocked(doc, nil)
	}
	delete(d.published, key)
	d.mu.Unlock()
	d.schedule()
}

// DiskChanged notes that the tree changed on disk.
func (d *Diagnostics) DiskChanged() {
	d.mu.Lock()
	d.changed = true
	d.mu.Unlock()
	d.schedule()
}

// CodeChanged notes that the code changed, or how entries fit it became known.
func (d *Diagnostics) CodeChanged() { d.schedule() }

// LensTold records the title of the lens that the client was given, "" for none. If a pass since then
// expected another title, another pass is scheduled.
func (d *Diagnostics) LensTold(doc *state.Document, title string) {
	if d.tell(d.lenses, doc, title) {
		d.schedule()
	}
}

// tell records in told the data given to the client about an open document, and reports whether they are new.
func (d *Diagnostics) tell(told map[string]string, doc *state.Document, what string) bool {
	if doc == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before, asked := told[state.Key(doc.URI)]
	told[state.Key(doc.URI)] = what
	return !asked || before != what
}

// differs reports whether the client has other data about a document. A document that it never asked about
// does not count.
func (d *Diagnostics) differs(told map[string]string, doc *state.Document, what string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, asked := told[state.Key(doc.URI)]
	return asked && before != what
}

// schedule starts a pass after the delay, instead of the one that was scheduled.
func (d *Diagnostics) schedule() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tellNewsLocked()
	if d.cancel != nil {
		d.cancel()
	}
	d.cancel = d.s.Client.After(diagnosticDelay, func() { d.s.Client.Spawn("diagnostics", d.pass) })
}

// pass updates the client, by a refresh request or by sending. Events meanwhile schedule another pass; this
// one still sends what is valid.
func (d *Diagnostics) pass() error {
	d.passing.Lock()
	defer d.passing.Unlock()
	client := &d.s.Client.Features
	d.mu.Lock()
	pull := d.changed && client.PullDiagnostics
	d.changed = false
	d.mu.Unlock()
	lenses := false
	for _, doc := range d.s.Documents.All() {
		sc := d.scene(doc)
		if sc == nil {
			continue // there will be another pass, or nothing to say
		}
		items, ok := problems(d.s.Client.Ctx, sc)
		switch {
		case !ok || len(items) == 0 && !d.concerns(sc):
		case client.PullDiagnostics:
			pull = pull || d.differs(d.published, doc, render.Fingerprint(items))
		default:
			d.send(doc, items)
		}
		_, title := Lenses(d.s.Client.Ctx, sc)
		lenses = lenses || d.differs(d.lenses, doc, title)
	}
	again := state.RefreshStatus // it counts what is stale
	if pull {
		again |= state.RefreshDiagnostics
	}
	if lenses {
		again |= state.RefreshLenses
	}
	d.s.Refresh.Want(again)
	return nil
}

// concerns reports whether the client expects an empty list of problems for a document: for documents other
// than entries only if they had some.
func (d *Diagnostics) concerns(sc *state.Scene) bool {
	if _, entry := sc.View.EntryPath(sc.Path); entry {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, told := d.published[state.Key(sc.Doc.URI)]
	return told
}

// scene is the present state of an open document, nil if its workspace is not open or its
// context tree still being read.
func (d *Diagnostics) scene(doc *state.Document) *state.Scene {
	if doc.Folder == nil || doc.Desynced {
		return nil
	}
	sc, err := d.s.Scene(doc.URI)
	if err != nil || sc == nil || sc.View == nil || sc.View.Reading() || sc.Doc != doc {
		return nil
	}
	return sc
}

// send publishes a document's problems, unless the client has them already or the
// document has moved on: then another pass follows.
func (d *Diagnostics) send(doc *state.Document, items []protocol.Diagnostic) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.s.Documents.Get(doc.URI) != doc {
		return
	}
	if told, ok := d.published[state.Key(doc.URI)]; !ok || told != render.Fingerprint(items) {
		d.sendLocked(doc, items)
	}
}

func (d *Diagnostics) sendLocked(doc *state.Document, items []protocol.Diagnostic) {
	p := &protocol.PublishDiagnosticsParams{URI: doc.URI, Diagnostics: items}
	if items == nil {
		p.Diagnostics = []protocol.Diagnostic{}
	}
	if d.s.Client.VersionedPush {
		p.Version = protocol.NewOptional(doc.Version)
	}
	if err := d.s.Client.Conn.PublishDiagnostics(d.s.Client.Ctx, p); err != nil {
		d.s.Client.Log.Warn("publishing diagnostics", "err", err)
		return
	}
	d.published[state.Key(doc.URI)] = render.Fingerprint(items)
}

// knownIDs remembers the fingerprints of a folder's last list of problems: a client that
// asks every two seconds is answered without rendering them.
type knownIDs struct {
	mu    sync.Mutex // guards lists
	lists map[*state.Folder]knownList
}

// knownList belongs to one list, told by where it lies: lists are made anew when
// something changed.
type knownList struct {
	files []diagnosis.FileProblems
	ids   []string
}

// problems returns the problems of the scene's document; ok is false if its text has
// moved on since the scene was taken.
func problems(ctx context.Context, sc *state.Scene) (items []protocol.Diagnostic, ok bool) {
	m, ok := sc.Current()
	if !ok {
		return nil, false
	}
	return render.Diagnostics(sc, m, diagnosis.Of(ctx, sc.View, sc.Path, sc.Grades())), true
}
