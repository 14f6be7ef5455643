package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// The resources. The URI of an entry is brv://tree/ and its path in the tree.
const (
	treeURI  = locate.TreeURI
	indexURI = "brv://index"

	mimeMarkdown = "text/markdown"
)

// pageSize is how many resources a page lists.
const pageSize = 200

func indexResource() *sdk.Resource {
	return &sdk.Resource{URI: indexURI, Name: "index", Title: "Index of the context tree",
		Description: "Every entry with its title and summary", MIMEType: mimeMarkdown}
}

func (s *server) addResources() {
	s.sdk.AddResource(indexResource(), s.readIndex)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: treeURI + "{+path}", Name: "entry",
		Title: "Entry of the context tree", Description: "An entry by its path, such as auth/jwt/tokens.md", MIMEType: mimeMarkdown},
		s.readEntry)
}

// listResources returns the SDK's list with the page of entries at the cursor. Entries are listed from the present
// tree, so the SDK need not store them.
func (s *server) listResources(next sdk.MethodHandler, req *sdk.ListResourcesRequest) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		after, err := cursor(req)
		if err != nil {
			return nil, err
		}
		ws, err := s.open(ctx, req.Session)
		if err != nil {
			return nil, err
		}
		result, err := next(ctx, method, r)
		list, ok := result.(*sdk.ListResourcesResult)
		if err != nil || !ok {
			return result, err
		}
		if after != "" {
			list.Resources = []*sdk.Resource{}
		}
		page, last := page(ws.View().Tree(), after)
		list.Resources = append(list.Resources, page...)
		list.NextCursor = ""
		if last != "" {
			list.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(treeURI + last))
		}
		return list, nil
	}
}

// cursor removes our cursor, a path in the tree, from a request.
func cursor(req *sdk.ListResourcesRequest) (after string, err error) {
	if req.Params == nil || req.Params.Cursor == "" {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
	after, ok := strings.CutPrefix(string(data), treeURI)
	if err != nil || !ok || after == "" {
		return "", noCursor()
	}
	own := *req.Params
	own.Cursor = ""
	req.Params = &own
	return after, nil
}

// noCursor refuses a cursor. Only the list of resources has a second page.
func noCursor() error {
	return invalid("cursor: not from this server; list again without a cursor")
}

// page lists the entries after a path. last is the path from which to continue, "" at the end.
func page(t *tree.Snapshot, after string) (list []*sdk.Resource, last string) {
	entries := t.Entries()
	from, found := slices.BinarySearchFunc(entries, after, func(e *format.Entry, p string) int { return strings.Compare(e.Path, p) })
	if found {
		from++
	}
	for _, e := range entries[from:] {
		if e.Role == format.RoleSummary {
			continue
		}
		if len(list) == pageSize {
			return list, last
		}
		last = e.Path
		list = append(list, &sdk.Resource{
			URI: entryURI(e.Path), Name: sanitize.Quote(sanitize.Line(e.Path, 400)), Title: sanitize.Quote(sanitize.Line(e.Title, 200)),
			Description: sanitize.Quote(sanitize.Line(described(e), 300)), MIMEType: mimeMarkdown, Size: int64(len(e.Text)),
		})
	}
	return list, ""
}

// described returns an entry's description besides its title, "" if there is none.
func described(e *format.Entry) string {
	if e.Role == format.RoleConflict {
		return "In a merge conflict: use neither side until a person has chosen one"
	}
	return e.Summary
}

func entryURI(p string) string { return treeURI + (&url.URL{Path: p}).EscapedPath() }

// maxURI bounds a URI, in bytes: the longest possible path of an entry, with each byte escaped.
const maxURI = len(treeURI) + 3*maxText

// inURI holds the characters that may occur in a URI, RFC 3986 section 2.
const inURI = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%"

// named refuses a URI that no resource has. The SDK must not see such URIs: it writes unknown ones without
// escaping them as JSON, and then ends the session.
func named(uri string) error {
	if uri != indexURI && !strings.HasPrefix(uri, treeURI) || len(uri) > maxURI || strings.Trim(uri, inURI) != "" {
		return notFound(uri)
	}
	return nil
}

// notFound returns the error for a resource that does not exist.
func notFound(uri string) error {
	const most = 2_000                                                         // bytes of it that are quoted
	data, _ := json.Marshal(map[string]string{"uri": sanitize.Cut(uri, most)}) // a string always marshals
	const why = "uri: no such resource; see resources/list and resources/templates/list"
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why, Data: data}
}

func contents(uri, kind, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind,
		Text: sanitize.Quote(text)}}}
}

func (s *server) readEntry(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	ws, err := s.open(ctx, req.Session)
	if err != nil {
		return nil, err
	}
	if p, ok := locate.EntryOf(req.Params.URI); ok {
		if e, ok := ws.View().Tree().Entry(p); ok {
			text := e.Shown(markdown.Span{End: len(e.Text)})
			if err := e.Unmerged(); err != nil {
				text = fmt.Sprintf("Use neither side of the following text: %v.\n\n%s", err, text)
			}
			return contents(req.Params.URI, mimeMarkdown, text), nil
		}
	}
	return nil, notFound(req.Params.URI)
}

// readIndex lists all entries with their summaries.
func (s *server) readIndex(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	ws, err := s.open(ctx, req.Session)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, e := range ws.View().Tree().Entries() {
		if e.Role != format.RoleEntry && e.Role != format.RoleStub && e.Role != format.RoleConflict {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s", sanitize.Line(e.Path, 400), sanitize.Line(e.Title, 200))
		if about := described(e); about != "" {
			b.WriteString(". " + sanitize.Line(about, 300))
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		b.WriteString("The context tree is empty.\n")
	}
	return contents(indexURI, mimeMarkdown, b.String()), nil
}

// subscribe refuses resources that never change. The SDK stores the list of subscribers.
func (s *server) subscribe(_ context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	p, entry := locate.EntryOf(uri)
	if folder := s.serves.Load().folder; entry && folder != nil {
		_, entry = folder.View().Tree().Entry(p)
		entry = entry && uri == entryURI(p) // exactly the URI that lists and notifications use
	}
	if named(uri) != nil || !entry && uri != indexURI {
		return notFound(uri)
	}
	return nil
}

// changed notifies clients of changes in the tree.
func (s *server) changed(at *opening, c workspace.Change) {
	if !c.Tree && !c.Settings {
		return
	}
	select {
	case <-at.opened:
	case <-s.ctx.Done():
		return
	}
	if at.folder == nil || s.serves.Load() != at {
		return
	}
	if c.Settings {
		at.folder.SetTrusted(s.trusts(at.folder.Root()))
	}
	after := at.folder.View().Tree()
	before := s.told.Swap(after)
	for _, uri := range updated(before, after) {
		s.sdk.ResourceUpdated(s.ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}) // an error means that the client is gone
	}
	if listed(before) != listed(after) {
		s.sdk.AddResource(indexResource(), s.readIndex) // adding it again makes the SDK announce that the list changed
	}
}

// updated returns the resources that differ between two trees.
func updated(before, after *tree.Snapshot) []string {
	uris := []string{indexURI}
	for _, e := range after.Entries() {
		if was, had := before.Entry(e.Path); !had || was.Hash != e.Hash {
			uris = append(uris, entryURI(e.Path))
		}
	}
	for _, e := range before.Entries() {
		if _, has := after.Entry(e.Path); !has {
			uris = append(uris, entryURI(e.Path))
		}
	}
	return uris
}

// listed returns the list of a tree's resources, for comparison.
func listed(t *tree.Snapshot) string {
	var b strings.Builder
	for _, e := range t.Entries() {
		if e.Role != format.RoleSummary {
			fmt.Fprintf(&b, "%q %q %q %d\n", e.Path, e.Title, e.Summary, e.Role)
		}
	}
	return b.String()
}

func (s *server) addPrompts() {
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "recall", Title: "Recall what the team knows", Description: "Answers a question from the context tree, with sources",
		Arguments: []*sdk.PromptArgument{{Name: "question", Required: true}},
	}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		question := r.Params.Arguments["question"]
		if strings.TrimSpace(question) == "" || len(question) > maxText {
			return nil, invalid(fmt.Sprintf("arguments: question is required: a string of 1 to %d bytes", maxText))
		}
		return promptResult("Answer from the context tree, naming the entries you use: " + question +
			"\nCall brv_query first. If it says that the tree does not cover the question, say that."), nil
	})
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "curate-session", Title: "Keep what this session taught",
		Description: "Proposes entries for what was learned in this conversation",
	}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return promptResult(
			"List what we learned in this conversation that a colleague would need: rules, decisions with reasons, pitfalls. " +
				"Leave out what the code already says. For each, check with brv_search whether an entry already has it. Then propose them " +
				"with brv_curate, UPDATE where an entry exists, else ADD, naming the files it is about. Tell me the number of the " +
				"review."), nil
	})
}

func promptResult(text string) *sdk.GetPromptResult {
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}
