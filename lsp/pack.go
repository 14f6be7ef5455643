package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

// packCommand packs context. It uses the session's state, and answers with URIs.
const packCommand = render.CommandPrefix + "pack"

// Limits of the editor's data in a request. More is not useful, and each place may require reading a file.
const (
	maxOpenFiles = 50
	maxPlaces    = 200
	maxMessage   = 500 // bytes of a problem's message
)

// packParams is the request of brv/context and brv.pack, without `uri` and `position`,
// with its places as URIs and ranges.
type packParams struct {
	contextpack.PackRequest
	Visible     *position.LooseRange `json:"visible"`     // the visible range of the open file
	OpenFiles   []string             `json:"openFiles"`   // URIs of open files; null: those of the session
	Edits       []edited             `json:"edits"`       // recent edits; null: those of the session
	Diagnostics []diagnosed          `json:"diagnostics"` // problems from any language server
	References  []referring          `json:"references"`  // places that refer to the symbol at the cursor
}

type edited struct {
	URI      string         `json:"uri"`
	Position position.Loose `json:"position"`
	AgeMs    float64        `json:"ageMs"`
}

type diagnosed struct {
	URI      string              `json:"uri"`
	Range    position.LooseRange `json:"range"`
	Message  string              `json:"message"`
	Severity int                 `json:"severity"`
}

type referring struct {
	URI   string              `json:"uri"`
	Range position.LooseRange `json:"range"`
}

// packResult is a pack for a client: for each item the URI and range to open, and the document that shows the pack.
type packResult struct {
	*pack.Pack
	URI    string     `json:"uri,omitempty"`
	Items  []packItem `json:"items"`
	Missed []packItem `json:"missed"`
}

type packItem struct {
	pack.Item
	URI   uri.URI         `json:"uri"`
	Range *protocol.Range `json:"range,omitempty"` // the range of the lines that are shown
}

// session is the server's own data about the editor, at one moment.
type session struct {
	open  []string // URIs, the last opened first
	edits []state.Edit
	now   time.Time
}

func (s *server) session() *session {
	docs := s.Documents.All()
	slices.SortFunc(docs, func(a, b *state.Document) int { return cmp.Compare(b.Opening, a.Opening) })
	seen := &session{edits: s.Edits.All(), now: s.Client.Now()}
	for _, d := range docs {
		seen.open = append(seen.open, string(d.URI))
	}
	return seen
}

// preparePack records the session's state. Places outside of all folders are ignored.
func preparePack(s *server, req *commandRequest) {
	if f, _ := s.Folders.Locate(req.URI); f == nil {
		req.URI, req.Position = "", nil
	}
	req.seen = s.session()
}

// runPack runs the command.
func runPack(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	params := *req.own.(*packParams)
	t := translator{sc: sc, mappers: map[string]*position.Mapper{}}
	usual := sc.Settings().Pack
	params.BudgetTokens = cmp.Or(params.BudgetTokens, usual.BudgetTokens)
	params.Tokenizer = cmp.Or(params.Tokenizer, usual.Tokenizer)
	request, err := t.request(params, req.seen)
	if err != nil {
		return nil, err
	}
	p, err := contextpack.Pack(ctx, sc.View, request)
	if err != nil {
		return nil, err
	}
	return &packResult{Pack: p, URI: packURI(p), Items: t.items(p.Items), Missed: t.items(p.Missed)}, nil
}

// translator turns places of the client into those of the scene's folder and back.
type translator struct {
	sc      *scene
	mappers map[string]*position.Mapper // by path; nil: not readable
	places  []contextpack.PackPlace
}

// request is the workspace's request. A place outside of the folder says nothing about
// it and is left out.
func (t *translator) request(p packParams, seen *session) (contextpack.PackRequest, error) {
	req := p.PackRequest
	if path := t.sc.Path; path != "" && path == req.Path {
		m := t.mapper(path)
		if m == nil && p.Visible != nil {
			return req, fmt.Errorf("%s: not a readable text file", path)
		}
		if p.Visible != nil {
			span := m.Span(p.Visible.Bounds())
			req.Visible = &[2]int{span.Start, span.End}
		}
	}
	t.places = req.Places
	if p.OpenFiles == nil {
		p.OpenFiles = seen.open
	}
	for _, u := range p.OpenFiles[:min(len(p.OpenFiles), maxOpenFiles)] {
		if path, ok := t.path(u); ok && path != req.Path {
			t.add(contextpack.PackPlace{Path: path, Kind: string(pack.PlaceOpen)})
		}
	}
	t.addEdits(p, seen)
	for _, d := range p.Diagnostics {
		if d.Severity <= int(protocol.DiagnosticSeverityWarning) { // 0: not said; hints are no problems
			message := strings.ToValidUTF8(d.Message[:min(len(d.Message), maxMessage)], "")
			t.addAt(d.URI, d.Range.Start, contextpack.PackPlace{Kind: string(pack.PlaceProblem), Text: message})
		}
	}
	for _, r := range p.References {
		t.addAt(r.URI, r.Range.Start, contextpack.PackPlace{Kind: string(pack.PlaceReference)})
	}
	req.Places = t.places
	return req, nil
}

// addEdits adds the edits that the client tells of, else those that the server saw.
func (t *translator) addEdits(p packParams, seen *session) {
	kind := string(pack.PlaceEdit)
	if p.Edits != nil {
		for _, e := range p.Edits {
			t.addAt(e.URI, e.Position, contextpack.PackPlace{Kind: kind, AgeMs: int(position.Clamp(e.AgeMs))})
		}
		return
	}
	for _, e := range seen.edits {
		path, ok := t.path(string(e.URI))
		if !ok {
			continue
		}
		place := contextpack.PackPlace{Path: path, Kind: kind, AgeMs: int(max(0, seen.now.Sub(e.At)).Milliseconds())}
		if m := t.mapper(path); m != nil {
			place.Offset = new(min(e.Offset, len(m.Text))) // it may have been closed without being saved
		}
		t.add(place)
	}
}

// addAt adds a place that is known by its position; of a file that cannot be read, the
// whole file.
func (t *translator) addAt(u string, at position.Loose, place contextpack.PackPlace) {
	path, ok := t.path(u)
	if !ok || len(t.places) >= maxPlaces {
		return
	}
	place.Path = path
	if m := t.mapper(path); m != nil {
		place.Offset = new(m.Offset(at.Position()))
	}
	t.add(place)
}

func (t *translator) add(place contextpack.PackPlace) {
	if len(t.places) < maxPlaces {
		t.places = append(t.places, place)
	}
}

// path is a URI's file inside the scene's folder.
func (t *translator) path(text string) (string, bool) {
	u, err := uri.Parse(text)
	if err != nil {
		return "", false
	}
	f, path := t.sc.server.Folders.Locate(u)
	return path, f == t.sc.Folder && path != "."
}

// mapper returns the coordinates of a file as the view has it: of the open buffer,
// else of the disk; nil if it is not readable.
func (t *translator) mapper(path string) *position.Mapper {
	m, known := t.mappers[path]
	if known {
		return m
	}
	if text, ok := t.sc.View.Text(path); ok {
		m = position.NewMapper(text, t.sc.server.Client.Encoding)
		if d := t.sc.Doc; d != nil && d.Path == path && d.Text() == text {
			m = d.Mapper // has its index already
		}
	}
	t.mappers[path] = m
	return m
}

// items adds the client's terms to items.
func (t *translator) items(items []pack.Item) []packItem {
	out := make([]packItem, 0, len(items))
	for _, item := range items {
		path := item.Path
		if item.Kind == pack.KindEntry {
			path = t.sc.View.FilePath(path)
		}
		out = append(out, packItem{Item: item, URI: t.sc.URI(path), Range: t.lines(path, item.Lines)})
	}
	return out
}

// lines is the range of some lines, counted from 1; nil for none.
func (t *translator) lines(path string, lines [2]int) *protocol.Range {
	m := t.mapper(path)
	if m == nil {
		return nil
	}
	r, ok := m.Lines(lines[0]-1, lines[1]-1)
	if !ok {
		return nil
	}
	return &r
}
