package lsp_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// exact are the methods whose answers hold texts to be written: those of edits are the user's own, and
// stay as they are. What else they say is looked at like all answers.
var exact = []string{"textDocument/rename", "textDocument/prepareRename", "textDocument/formatting", "textDocument/codeAction", "codeAction/resolve", "workspace/willRenameFiles", "workspace/willDeleteFiles"}

// TestNoCredentialIsShown asks everything, at each line of files in which credentials stand, and looks for
// them in each string of each answer, notification and line of the log. A method or command that it
// does not ask fails it.
func TestNoCredentialIsShown(t *testing.T) {
	root := t.TempDir()
	files, planted := secretstest.Project()
	for p, text := range files {
		writeFile(t, filepath.Join(root, p), text)
	}
	var log strings.Builder
	e, ctx := start(t, lsp.Options{Now: fixedNow, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	result, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	p := newProbe(t, e, root)
	shown := map[string][]string{} // by method and what was planted
	p.also = func(method, s, key string) {
		if slices.Contains(exact, method) && (key == "newText" || key == "placeholder") {
			return
		}
		for _, as := range planted.In(s) {
			what, around, _ := strings.Cut(as, ": ")
			shown[method+p.command+" "+key+": "+what] = append(shown[method+p.command+" "+key+": "+what], around)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		p.open(filepath.Join(root, file), files[file])
	}
	p.execute("brv.reindex", map[string]any{})
	for _, file := range slices.Sorted(maps.Keys(files)) {
		path, text := filepath.Join(root, file), files[file]
		p.name = file
		p.whole(path)
		at := 0
		for line := range strings.Lines(text) {
			for _, part := range []int{0, len(line) / 2, len(line) - 2} {
				if part >= 0 && strings.TrimSpace(line) != "" {
					p.everywhere(path, text, at+part)
				}
			}
			at += len(line)
		}
	}
	p.name = "the folder"
	for _, as := range slices.Sorted(maps.Keys(planted)) {
		p.execute("brv.symbols", map[string]any{"query": planted[as][:6]})
		p.follow("symbol", p.call("workspace/symbol", map[string]any{"query": planted[as][:6]}))
	}
	for file := range files {
		p.execute("brv.graph", map[string]any{"path": file, "depth": 3})
		p.execute("brv.deps", map[string]any{"path": file})
		p.execute("brv.read", map[string]any{"paths": []string{file}, "budgetTokens": 20_000})
		p.execute("brv.expand", map[string]any{"paths": []string{file}, "budgetTokens": 20_000})
		p.execute("brv.explain", map[string]any{"query": "password token", "path": file})
		p.execute("brv.propose", map[string]any{"files": []string{file}, "dryRun": true, "noModel": true})
		p.execute("brv.draft", map[string]any{"path": file, "start": 0, "end": len(files[file])})
	}
	for _, format := range []string{"md", "xml", "json"} {
		for _, tokens := range []int{300, 2000, 50_000} {
			p.execute("brv.pack", map[string]any{"task": "sign tokens with the password, SignToken connect fetch", "budgetTokens": tokens, "format": format})
		}
	}
	p.execute("brv.map", map[string]any{"task": "sign token", "budgetTokens": 50_000})
	p.execute("brv.query", map[string]any{"text": "how are tokens of the login signed", "explain": true})
	p.execute("brv.query", map[string]any{"text": "which password", "explain": true})
	p.changing(root)
	p.folder()
	p.documents()
	p.complete(nil)
	for _, name := range result.Capabilities["executeCommandProvider"].(map[string]any)["commands"].([]any) {
		if !p.ran[name.(string)] {
			t.Errorf("%s was never run", name)
		}
	}
	p.received()
	for _, line := range planted.In(log.String()) {
		shown["the log: "+line] = nil
	}
	for _, where := range slices.Sorted(maps.Keys(shown)) {
		if len(shown[where]) > 0 {
			where += " " + shown[where][0]
		}
		t.Errorf("shown: %s", where)
	}
	p.report()
}

// changing runs the commands that write, on entries with credentials.
func (p *probe) changing(root string) {
	p.t.Helper()
	const entry = "auth/jwt/tokens.md"
	op := func(kind string, more map[string]any) map[string]any {
		m := map[string]any{"type": kind, "path": entry, "reason": "a test"}
		maps.Copy(m, more)
		return map[string]any{"operations": []any{m}}
	}
	for _, r := range []struct {
		command string
		request map[string]any
	}{
		{"brv.init", nil}, {"brv/curate/apply", op("CONFIRM", nil)},
		{"brv.curate", op("ADD", map[string]any{"path": "auth/jwt", "title": "Tokens of the login"})},
		{"brv.curate", op("UPDATE", map[string]any{"summary": "New"})},
		{"brv.curate", op("UPDATE", map[string]any{"replace": []string{"task"}, "content": map[string]any{"rawConcept": map[string]any{"task": "new"}}})},
		{"brv.curate", op("CONFIRM", nil)},
		{"brv.curate", op("MERGE", map[string]any{"path": "auth/jwt/alike.md", "mergeTarget": entry})},
		{"brv.curate", op("DELETE", nil)},
		{"brv.reviews", nil}, {"brv.proposed", map[string]any{"batch": 1, "path": entry}},
		{"brv.approve", map[string]any{"batch": 1}}, {"brv.reject", map[string]any{"batch": 2, "reason": "a test"}},
		{"brv.archive", map[string]any{"paths": []string{"auth/jwt/other.md"}}}, {"brv.archive", map[string]any{"paths": []string{"_archived/auth/jwt/other.full.md"}, "restore": true}},
		{"brv.dream", map[string]any{"force": true, "noModel": true}}, {"brv.log", nil}, {"brv.status", nil}, {"brv.check", map[string]any{"code": true}}, {"brv.dreamUndo", nil}, {"brv/review/approve", map[string]any{"batch": 3}}, {"brv/review/reject", map[string]any{"batch": 4, "reason": "a test"}}, {"brv.undo", nil}, {"brv.undo", map[string]any{"batch": 1}},
		{"brv.fix", map[string]any{"uri": lsptest.URI(filepath.Join(root, ".brv/context-tree", entry))}},
	} {
		if strings.HasPrefix(r.command, "brv/") {
			p.call(r.command, r.request)
		} else {
			p.execute(r.command, r.request)
		}
	}
}

// documents asks for every kind of document that the server has and the disk has not: a kind that there is not
// is refused with the kinds that there are.
func (p *probe) documents() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	ask := func(uri string) error {
		return p.e.Call(ctx, "workspace/textDocumentContent", map[string]any{"uri": uri}, nil)
	}
	_, kinds, ok := strings.Cut(fmt.Sprint(ask("brv://none/1.md")), "there are ")
	if !ok {
		p.t.Fatal("the kinds of documents are not told")
	}
	for kind := range strings.FieldsSeq(strings.NewReplacer(",", " ", " and ", " ").Replace(kinds)) {
		host, _, _ := strings.Cut(strings.TrimPrefix(kind, "brv://"), "/")
		shown := 0
		for _, name := range []string{"1.md", "2.md", "3.md", "4.md", "5.md", "auth/jwt/tokens.md", "auth/jwt/alike.md", "_archived/auth/jwt/other.full.md"} {
			uri := "brv://" + host + "/" + name
			if p.call("workspace/textDocumentContent", map[string]any{"uri": uri}); ask(uri) == nil {
				shown++
			}
		}
		p.t.Logf("%s: %d documents", host, shown)
	}
}
