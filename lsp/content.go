package lsp

import (
	"context"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// The documents that the server has and the disk has not, all of one scheme:
//
//	brv://pack/<id>.md            a pack of this session, as it was
//	brv://answer/<id>.md          an answer of this session, as it was
//	brv://diff/<entry>.md         what an entry names that is not as it was, with the differences
//	brv://archive/<entry>.full.md the full text of an archived entry
//	brv://review/<batch>.md       a batch that waits for a decision
//
// Where several folders are open, that of an entry or a batch stands behind it: ?<path>.
// There is no key before it, since VS Code escapes what would stand between them.
const (
	contentScheme = "brv"
	packHost      = "pack"
	answerHost    = "answer"
	diffHost      = "diff"
)

// contents are the kinds of documents by host.
var contents = map[string]struct {
	name string // what stands behind the host, for people
	// of is the text of a document of a folder; nil for those of the session.
	of func(context.Context, *scene, string) (string, error)
	// of returns the text of a document of a folder; nil for documents of the session.
	kept func(s *server, id string) (text string, ok bool)
	gone string
}{
	packHost: {name: "<id>.md", kept: (*server).packText, gone: "this pack is no longer stored; pack the task again"},
	answerHost: {name: "<id>.md", kept: func(s *server, id string) (string, bool) { return s.answers.Text(id) },
		gone: "this answer is no longer stored; ask again"},
	diffHost: {name: "<entry>.md", of: func(ctx context.Context, sc *scene, name string) (string, error) {
		return curation.DriftReview(ctx, sc.View, name)
	}},
	"archive": {name: "<entry>.full.md", of: func(_ context.Context, sc *scene, name string) (string, error) {
		return curation.Archived(sc.View, name)
	}},
	reviewHost: {name: "<batch>.md", of: func(_ context.Context, sc *scene, name string) (string, error) {
		return curation.ReviewText(sc.Workspace, strings.TrimSuffix(name, ".md"))
	}},
}

// packURI is the URI of the document that shows a pack, "" for a pack without items.
func packURI(p *pack.Pack) string {
	if p.ID == "" {
		return ""
	}
	return contentScheme + "://" + packHost + "/" + p.ID + ".md"
}

// packText is the text of a pack that one of the workspaces remembers.
func (s *server) packText(id string) (string, bool) {
	for _, f := range s.Folders.All() {
		if ws := f.Current(); ws != nil {
			if p, ok := contextpack.Kept(ws, id); ok {
				return p.Text, true
			}
		}
	}
	return "", false
}

// textDocumentContent serves workspace/textDocumentContent.
func textDocumentContent(s *server, p *protocol.TextDocumentContentParams) (dispatch.Work, error) {
	u, err := url.Parse(string(p.URI))
	if err != nil || u.Scheme != contentScheme {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: this server has only documents whose URI begins with %s://",
			p.URI, contentScheme)
	}
	name := strings.TrimPrefix(u.Path, "/")
	c, ok := contents[u.Host]
	ok = ok && !slices.Contains(strings.Split(name, "/"), "..")
	switch {
	case !ok:
		return nil, jsonrpc2.Errorf(wire.CodeRequestFailed, "%s: no such document; the documents are %s", p.URI, contentNames())
	case c.of == nil:
		text, ok := c.kept(s, strings.TrimSuffix(name, path.Ext(name)))
		if !ok {
			return nil, jsonrpc2.Errorf(wire.CodeRequestFailed, "%s: %s", p.URI, c.gone)
		}
		return dispatch.Answer(&protocol.TextDocumentContentResult{Text: text}), nil
	}
	spelled, err := url.QueryUnescape(u.RawQuery)
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", p.URI, err)
	}
	f := s.contentFolder(spelled)
	if f == nil {
		return nil, jsonrpc2.Errorf(wire.CodeRequestFailed, "%s: its folder is not open", name)
	}
	s.Refresh.Gave(p.URI) // what is of the session stays as it was
	return func(ctx context.Context) (any, error) {
		sc := s.sceneOf(f)
		if err := sc.Complete(ctx); err != nil {
			return nil, err
		}
		text, err := c.of(ctx, sc, name)
		if err != nil {
			return nil, requestError(err)
		}
		return &protocol.TextDocumentContentResult{Text: text}, nil
	}, nil
}

// contentFolder is the folder of a document: the one in its URI, else the first with a context tree, else the
// first.
func (s *server) contentFolder(spelled string) *state.Folder {
	folders := s.Folders.All()
	for _, f := range folders {
		if ws := f.Current(); f.Spelled == spelled || spelled == "" && ws != nil && ws.HasTree() {
			return f
		}
	}
	if spelled == "" && len(folders) > 0 {
		return folders[0]
	}
	return nil
}

// contentNames lists the documents that there are.
func contentNames() string {
	var names []string
	for _, host := range slices.Sorted(maps.Keys(contents)) {
		names = append(names, contentScheme+"://"+host+"/"+contents[host].name)
	}
	return strings.Join(names, ", ")
}

// contentURI is the address of a document about the folder.
func (sc *scene) contentURI(host, name string) string {
	u := url.URL{Scheme: contentScheme, Host: host, Path: "/" + name}
	if len(sc.server.Folders.All()) > 1 {
		u.RawQuery = url.QueryEscape(sc.Folder.Spelled)
	}
	return u.String()
}

// opened makes the editor show such a document. If it cannot, the text is returned in the result.
func (sc *scene) opened(ctx context.Context, host, name, text string) *review {
	result := &review{URI: sc.contentURI(host, name)}
	if result.Shown = sc.server.Client.OpenContent(ctx, result.URI); !result.Shown {
		result.Text = text
	}
	return result
}

// emphasised is a remark as a line of its own, "" for none.
func emphasised(remark string) string {
	if remark == "" {
		return ""
	}
	return "_" + markup.OneLine(remark) + "_"
}

// queryText is the document that shows an answer: first notes for its reader, for example that a model's
// answer was rejected.
func queryText(question string, r *consult.QueryResponse) string {
	var b strings.Builder
	b.WriteString("# " + markup.OneLine(question) + "\n")
	for _, part := range []string{emphasised(r.Note), strings.TrimSpace(r.Markdown), strings.TrimSpace(provider.ElsewhereText(r.Elsewhere)),
		emphasised(r.Why)} {
		if part != "" {
			b.WriteString("\n" + part + "\n")
		}
	}
	return b.String()
}

// reviewHost is the host in the addresses of documents about pending batches.
const reviewHost = "review"
