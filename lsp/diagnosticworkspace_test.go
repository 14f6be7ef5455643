package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// wholePull asks for all problems.
func wholePull(t *testing.T, e *lsptest.Editor, ctx context.Context, previous map[string]string, token any) map[string]pulled {
	t.Helper()
	ids := []any{}
	for u, id := range previous {
		ids = append(ids, map[string]any{"uri": u, "value": id})
	}
	params := map[string]any{"previousResultIds": ids}
	if token != nil {
		params["partialResultToken"] = token
	}
	var report struct{ Items []pulled }
	if err := e.Call(ctx, "workspace/diagnostic", params, &report); err != nil {
		t.Fatal(err)
	}
	return byURI(t, map[string]pulled{}, report.Items)
}

func byURI(t *testing.T, all map[string]pulled, items []pulled) map[string]pulled {
	t.Helper()
	for _, p := range items {
		if _, twice := all[p.URI]; twice {
			t.Errorf("%s is reported twice", p.URI)
		}
		all[p.URI] = p
	}
	return all
}

func TestWorkspaceReportsWhatChanged(t *testing.T) {
	root := project(t)
	writeFile(t, filepath.Join(root, ".brv/context-tree/auth/jwt/alone.md"), "---\ntitle: Alone\n---\n")
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{root}, Capabilities: pulling()})
	file := open(t, e, root, tokens)
	end, _ := e.Text(file)
	if err := e.Edit(file, len(end), len(end), "@auth/nosuch/entry.md\n"); err != nil {
		t.Fatal(err)
	}
	alone, here := lsptest.URI(filepath.Join(root, ".brv/context-tree/auth/jwt/alone.md")), lsptest.URI(file)
	first := wholePull(t, e, ctx, nil, nil)
	if len(first) != 2 || codes(first[here].Items) != "broken-relation" || codes(first[alone].Items) != "orphan" {
		t.Fatalf("%+v", first)
	}
	if v := first[here].Version; v == nil || *v != 2 || first[alone].Version != nil {
		t.Errorf("versions %v and %v, want 2 and none", v, first[alone].Version)
	}
	if _, id, _, err := e.PullDiagnostics(ctx, file, ""); err != nil || id != first[here].ResultID {
		t.Errorf("asked about alone the result is %q, with all it is %q; %v", id, first[here].ResultID, err)
	}
	known := map[string]string{here: first[here].ResultID, alone: first[alone].ResultID}
	again := wholePull(t, e, ctx, known, nil)
	if len(again) != 2 || again[here].Kind != "unchanged" || again[alone].Kind != "unchanged" || again[alone].ResultID != known[alone] {
		t.Errorf("asked again: %+v", again)
	}
	if err := e.Edit(file, len(end), len(end)+len("@auth/nosuch/entry.md"), "@auth/jwt/alone.md"); err != nil {
		t.Fatal(err)
	}
	cured := wholePull(t, e, ctx, known, nil)
	if len(cured) != 2 || len(cured[here].Items)+len(cured[alone].Items) != 0 || cured[here].Kind != "full" ||
		cured[here].ResultID != "" {
		t.Errorf("without problems: %+v", cured)
	}
	if rest := wholePull(t, e, ctx, nil, nil); len(rest) != 0 {
		t.Errorf("nothing is wrong any more: %+v", rest)
	}
}

// A client that knows all is answered when there is news, and after a minute: until then it would ask every two
// seconds, and send all that it knows along.
func TestWorkspaceReportsWaitForNews(t *testing.T) {
	root := project(t)
	alone := filepath.Join(root, ".brv/context-tree/auth/jwt/alone.md")
	writeFile(t, alone, "---\ntitle: Alone\n---\n")
	capabilities := pulling()
	capabilities["workspace"].(map[string]any)["didChangeWatchedFiles"] = map[string]any{"dynamicRegistration": true}
	clock := lsptest.NewClock(time.Unix(0, 0))
	e, ctx := session(t, withEcho(lsp.Options{After: clock.After}), lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	if err := e.Execute(ctx, "brv.check", nil, nil); err != nil { // the code is read, and that was told
		t.Fatal(err)
	}
	known := map[string]string{}
	for u, p := range wholePull(t, e, ctx, nil, nil) {
		known[u] = p.ResultID
	}
	u := lsptest.URI(alone)
	if known[u] == "" {
		t.Fatalf("nothing is wrong with the lone entry: %v", known)
	}
	ask := func() <-chan map[string]pulled {
		answer := make(chan map[string]pulled, 1)
		go func() { answer <- wholePull(t, e, ctx, known, "part") }()
		return answer
	}
	parts := func() (got []string) {
		for _, m := range e.Received("$/progress") {
			if text := string(m.Params); strings.Contains(text, `"token":"part"`) {
				got = append(got, text)
			}
		}
		return got
	}
	waits := func(answer <-chan map[string]pulled) {
		t.Helper()
		for range 3 {
			alive(t, e, ctx) // a later request is answered
		}
		select {
		case got := <-answer:
			t.Fatalf("answered without news: %+v", got)
		default:
		}
		if got := parts(); len(got) > 0 {
			t.Fatalf("parts of the answer without news: %q", got)
		}
	}
	answered := func(answer <-chan map[string]pulled, step time.Duration) {
		t.Helper()
		eventually(t, func() (bool, string) {
			clock.Advance(step)
			alive(t, e, ctx)
			return len(answer) > 0, "no answer"
		})
	}

	answer := ask()
	waits(answer)
	answered(answer, time.Minute)
	if got := parts(); len(got) != 1 || !strings.Contains(got[0], `"unchanged"`) {
		t.Fatalf("after a minute: %q", got)
	}

	<-answer
	answer = ask()
	writeFile(t, alone, "---\ntitle: Alone\n---\n@auth/jwt/tokens.md\n@auth/nosuch/entry.md\n")
	if err := e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": u, "type": 2}}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() (bool, string) { // else a minute passes before the change is known
		return wholePull(t, e, ctx, nil, nil)[u].ResultID != known[u], "the change is not known"
	})
	answered(answer, time.Second)
	if got := parts(); !strings.Contains(got[len(got)-1], "broken-relation") {
		t.Errorf("after a change: %q", got)
	}
}

func TestWorkspaceReportsInParts(t *testing.T) {
	root := project(t)
	const entries = 250
	for i := range entries {
		writeFile(t, filepath.Join(root, fmt.Sprintf(".brv/context-tree/many/topic/e%03d.md", i)),
			fmt.Sprintf("---\ntitle: E%d\n---\n@auth/nosuch/entry.md\n", i))
	}
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{root}, Capabilities: pulling()})
	if rest := wholePull(t, e, ctx, nil, "part"); len(rest) != 0 {
		t.Errorf("%d reports in the answer behind the parts", len(rest))
	}
	all, parts := map[string]pulled{}, 0
	for _, m := range e.Received("$/progress") {
		var p struct {
			Token any
			Value struct{ Items []pulled }
		}
		if json.Unmarshal(m.Params, &p) != nil || p.Token != "part" {
			continue
		}
		parts++
		byURI(t, all, p.Value.Items)
	}
	if len(all) != entries || parts != 3 {
		t.Errorf("%d documents in %d parts, want %d in 3", len(all), parts, entries)
	}
}

// What an editor shows of other entries is asked for again when the tree changed on
// disk, at once and then once in a second.
func TestRefreshesKeepTheirDistance(t *testing.T) {
	root := project(t)
	clock := lsptest.NewClock(time.Unix(0, 0))
	capabilities := pulling()
	workspace := capabilities["workspace"].(map[string]any)
	workspace["inlayHint"] = map[string]any{"refreshSupport": true}
	workspace["semanticTokens"] = map[string]any{"refreshSupport": true}
	e, ctx := session(t, withEcho(lsp.Options{After: clock.After}), lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file := open(t, e, root, tokens)
	hoverOnce(t, e, ctx, file)
	if err := e.Execute(ctx, "brv.check", nil, nil); err != nil { // the code is read, and that was told
		t.Fatal(err)
	}
	const method = "workspace/inlayHint/refresh"
	title := 0
	change := func() {
		title++
		gone := filepath.Join(root, other)
		writeFile(t, gone, fmt.Sprintf("---\ntitle: %d\n---\n@auth/jwt/tokens.md\n", title))
		if err := e.Notify("workspace/didChangeWatchedFiles",
			map[string]any{"changes": []any{map[string]any{"uri": lsptest.URI(gone), "type": 2}}}); err != nil {
			t.Fatal(err)
		}
	}
	atLeast := func(n int) {
		t.Helper()
		if _, err := e.WaitFor(ctx, method, func(m []lsptest.Message) bool { return len(m) >= n }); err != nil {
			t.Fatal(err)
		}
	}
	change()
	atLeast(1)
	before := len(e.Received(method))
	for range 5 {
		change()
		alive(t, e, ctx)
	}
	if n := len(e.Received(method)); n > before+1 {
		t.Errorf("%d refreshes within the pause", n-before)
	}
	eventually(t, func() (bool, string) { // what came within the pause comes behind it
		clock.Advance(time.Second)
		alive(t, e, ctx)
		return len(e.Received(method)) > before, "no " + method
	})
	if len(e.Received("workspace/semanticTokens/refresh")) == 0 {
		t.Error("semantic tokens were not refreshed")
	}
}

// The whole folder's list has the problems of the project's settings, as the document's
// own has, and loses them when they are mended.
func TestWorkspaceReportsTheSettings(t *testing.T) {
	root := project(t)
	file := filepath.Join(root, ".brv/config.json")
	writeFile(t, file, `{"no.such.setting": 1}`)
	e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{root}, Capabilities: pulling()})
	u := lsptest.URI(file)
	first := wholePull(t, e, ctx, nil, nil)
	if codes(first[u].Items) != "setting" {
		t.Fatalf("%+v", first)
	}
	var alone pulled
	open(t, e, root, ".brv/config.json")
	if err := e.Call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": u}}, &alone); err != nil {
		t.Fatal(err)
	}
	if codes(alone.Items) != "setting" {
		t.Errorf("the document itself: %+v", alone)
	}
	if again := wholePull(t, e, ctx, map[string]string{u: alone.ResultID}, nil); again[u].Kind != "unchanged" {
		t.Errorf("the document's own result is not known to the folder: %+v", again[u])
	}
	if err := e.CloseDocument(file); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, `{}`)
	if err := e.Notify("workspace/didChangeWatchedFiles",
		map[string]any{"changes": []any{map[string]any{"uri": u, "type": 2}}}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(converged); ; {
		if now := wholePull(t, e, ctx, map[string]string{u: first[u].ResultID}, nil); now[u].Kind == "full" && len(now[u].Items) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is not taken off the list")
		}
	}
}
