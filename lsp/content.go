package lsp

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/pack"
)

// The documents that the server has and the disk has not, all of one scheme:
//
//	brv://pack/<id>.md        a pack of this session, as it was
//	brv://diff/<entry>.md     what an entry names that is not as it was, with the differences
//
// Where several folders are open, that of an entry stands behind it: ?<path>. There is
// no key before it, since VS Code escapes what would stand between them.
const (
	contentScheme = "brv"
	packHost      = "pack"
	diffHost      = "diff"
)

// packURI names the document that shows a pack, "" for one without items.
func packURI(p *pack.Pack, format string) string {
	if p.ID == "" {
		return ""
	}
	return contentScheme + "://" + packHost + "/" + p.ID + "." + cmp.Or(format, string(pack.Markdown))
}

// packText returns the text of a pack that one of the workspaces remembers.
func (s *server) packText(name string) (string, bool) {
	for _, f := range s.allFolders() {
		if ws := f.current(); ws != nil {
			if text, ok := ws.PackText(strings.TrimSuffix(name, path.Ext(name))); ok {
				return text, true
			}
		}
	}
	return "", false
}

// textDocumentContent serves workspace/textDocumentContent.
func textDocumentContent(s *server, p *protocol.TextDocumentContentParams) (work, error) {
	u, err := url.Parse(string(p.URI))
	if err != nil || u.Scheme != contentScheme {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: documents of this server begin with %s://", p.URI, contentScheme)
	}
	name := strings.TrimPrefix(path.Clean(u.Path), "/")
	switch u.Host {
	case packHost:
		text, ok := s.packText(name)
		if !ok {
			return nil, jsonrpc2.Errorf(codeRequestFailed, "%s: this pack is not remembered any more; pack the task again", p.URI)
		}
		return answer(&protocol.TextDocumentContentResult{Text: text}), nil
	case diffHost:
		spelled, err := url.QueryUnescape(u.RawQuery)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", p.URI, err)
		}
		return s.diffContent(name, spelled)
	}
	return nil, jsonrpc2.Errorf(codeRequestFailed, "%s: no such document; there are %[2]s://%[3]s/<id>.md and %[2]s://%[4]s/<entry>.md", p.URI, contentScheme, packHost, diffHost)
}

// diffContent is the document to review an entry by.
func (s *server) diffContent(entry, spelled string) (work, error) {
	var f *folder
	for _, candidate := range s.allFolders() {
		if spelled == "" || candidate.spelled == spelled {
			f = candidate
			break
		}
	}
	if f == nil {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s: its folder is not open", entry)
	}
	return func(ctx context.Context) (any, error) {
		ws, err := f.wait(ctx)
		if err != nil {
			return nil, err
		}
		text, err := ws.DriftReview(ctx, ws.View(), entry)
		if err != nil {
			return nil, err
		}
		return &protocol.TextDocumentContentResult{Text: text}, nil
	}, nil
}

// diffURI names the document to review an entry by.
func (sc *scene) diffURI(entry string) string {
	u := url.URL{Scheme: contentScheme, Host: diffHost, Path: "/" + entry}
	if len(sc.server.allFolders()) > 1 {
		u.RawQuery = url.QueryEscape(sc.folder.spelled)
	}
	return u.String()
}
