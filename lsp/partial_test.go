package lsp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// TestNoRequestWaitsForALargeTree holds up the reading of a tree: what an entry is related to
// is answered all the same, nothing is said to be wrong, and what must know all of the tree waits.
func TestNoRequestWaitsForALargeTree(t *testing.T) {
	root := project(t)
	for i := range 1500 {
		writeFile(t, filepath.Join(root, fmt.Sprintf(".brv/context-tree/bulk/e%d.md", i)),
			fmt.Sprintf("---\ntitle: Bulk %d\n---\nSee @auth/jwt/other.md.\n", i))
	}
	clock := lsptest.NewClock(time.Unix(0, 0))
	held, gate := make(chan struct{}, 9), make(chan struct{})
	o := lsp.WithReading(withEcho(lsp.Options{Now: fixedNow, After: clock.After}), func() { held <- struct{}{}; <-gate })
	e, ctx := hurried(t, o, lsptest.Session{Folders: []string{root}, Capabilities: map[string]any{
		"experimental": map[string]any{"brv": map[string]any{"status": true}}, "window": map[string]any{"workDoneProgress": true},
	}})
	release := sync.OnceFunc(func() { close(gate) })
	defer release()
	text := "---\ntitle: Tokens\n---\nSee @auth/jwt/other.md and @bulk/e1499.md, and @auth/nosuch.md.\n"
	file := filepath.Join(root, tokens)
	if err := e.Open(file, "markdown", text); err != nil {
		t.Fatal(err)
	}
	<-held
	hover := func(on, want string) {
		t.Helper()
		h, err := e.Hover(ctx, file, strings.Index(text, on)+2)
		if err != nil || h == nil || !strings.Contains(h.Contents.Value, want) {
			t.Errorf("hover on %s: %+v, %v; want %s", on, h, err, want)
		}
	}
	hover("@auth/jwt/other.md", "Other")
	hover("@bulk", "Bulk 1499")
	hover("@auth/nosuch.md", "still being read")
	if places, err := e.Definition(ctx, file, strings.Index(text, "@bulk")+2); err != nil || len(places) != 1 ||
		!strings.HasSuffix(places[0].URI, "e1499.md") {
		t.Errorf("definition: %v, %v", places, err)
	}
	if links, err := e.Links(ctx, file); err != nil || len(links) != 2 {
		t.Errorf("links: %v, %v", links, err)
	}
	var answer json.RawMessage
	if err := e.Execute(ctx, "brv.query", map[string]any{"text": "bulk 7"}, &answer); err != nil ||
		!strings.Contains(string(answer), "still being read") {
		t.Errorf("brv.query: %s, %v", answer, err)
	}
	_, rename, err := e.Begin("textDocument/rename", map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)},
		"position": map[string]any{"line": 1, "character": 8}, "newName": "Coins"})
	if err != nil {
		t.Fatal(err)
	}
	renamed := make(chan error, 1)
	go func() { renamed <- rename.Wait(ctx, nil) }()
	settle(t, e, ctx, clock)
	alive(t, e, ctx)
	if sent := e.Received("textDocument/publishDiagnostics"); len(sent) > 0 {
		t.Errorf("problems of a part of the tree: %s", sent[0].Params)
	}
	select {
	case err := <-renamed:
		t.Errorf("a part of the tree was renamed: %v", err)
	default:
	}
	release()
	if err := <-renamed; err != nil {
		t.Errorf("rename: %v", err)
	}
	hover("@auth/nosuch.md", "no such entry")
	eventually(t, func() (bool, string) {
		settle(t, e, ctx, clock)
		return len(e.Received("textDocument/publishDiagnostics")) > 0, "no problems"
	})
	if items, err := e.WaitDiagnostics(ctx, file, count(1)); err != nil || items[0].Code != "broken-relation" {
		t.Errorf("problems at last: %v, %v", items, err)
	}
}
