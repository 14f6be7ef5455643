package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/sanitize/sanitizetest"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// exact are the methods whose answers hold texts to be written: those of edits are the user's own, and
// stay as they are. What else they say is looked at like all answers.
var exact = []string{"textDocument/rename", "textDocument/prepareRename", "textDocument/codeAction",
	"codeAction/resolve", "workspace/willRenameFiles", "workspace/willDeleteFiles", "workspace/applyEdit"}

// TestNoCredentialIsShown asks everything, at a third of the places of files in which credentials stand, and looks for
// them in each string of each answer, notification and line of the log; and for names of files as no repository should
// have them, which show as one line in quotes. A method or command that it does not ask fails it.
func TestNoCredentialIsShown(t *testing.T) {
	root := t.TempDir()
	files, planted := secretstest.Project()
	for p, text := range files {
		writeFile(t, filepath.Join(root, p), text)
	}
	odd := sanitizetest.Files()
	names, err := sanitizetest.Write(root, odd)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	e, ctx := startBut(
		t, lsp.Options{Now: fixedNow, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))},
		func(violation string) bool { return strings.Contains(violation, "_index.md") }) // which is written meanwhile
	result, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	p := newProbe(t, e, root)
	shown := map[string][]string{} // by method and what was planted
	documents := map[string]bool{} // that answers name
	p.also = func(method, s, key string) {
		if strings.HasPrefix(s, "brv://") {
			documents[s] = true
		}
		if slices.Contains(exact, method) && (key == "newText" || key == "placeholder") ||
			// which the user edits
			(p.command == "brv.proposed" || method == "brv/review/proposed") && (key == "before" || key == "after") {
			return
		}
		for _, f := range sanitizetest.InString(key, s) {
			shown[method+p.command+" "+key+": "+f] = nil
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
	places, due := 0, sampletest.Every(t, 3)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		path, text := filepath.Join(root, file), files[file]
		p.name = file
		p.whole(path)
		at := 0
		for line := range strings.Lines(text) {
			for _, part := range []int{0, len(line) / 2, len(line) - 2} {
				if part < 0 || strings.TrimSpace(line) == "" {
					continue
				}
				if places++; due(places) {
					p.everywhere(path, text, at+part)
				}
			}
			at += len(line)
		}
	}
	for i, name := range names {
		if p.name = name; i%5 > 0 && !strings.HasSuffix(name, "listed.md") {
			continue // one of each name
		}
		p.open(filepath.Join(root, name), odd[name])
		p.whole(filepath.Join(root, name))
		p.everywhere(filepath.Join(root, name), odd[name], 5)
		p.execute("brv.deps", map[string]any{"path": name})
		p.execute("brv.read", map[string]any{"paths": []string{name}})
		p.execute("brv.propose", map[string]any{"files": []string{name}, "dryRun": true, "noModel": true})
		p.execute("brv.promote", map[string]any{"path": name, "topic": "notes/names", "dryRun": true})
		p.execute("brv.query", map[string]any{"text": "names of tokens delete", "scope": name})
	}
	p.name = "the folder"
	for _, as := range slices.Sorted(maps.Keys(planted)) {
		p.execute("brv.symbols", map[string]any{"query": planted[as][:6]})
		p.follow("symbol", p.call("workspace/symbol", map[string]any{"query": planted[as][:6]}))
	}
	for file := range files {
		p.execute("brv.deps", map[string]any{"path": file})
		p.execute("brv.frame", map[string]any{"text": file})
		p.execute("brv.read", map[string]any{"paths": []string{file}, "budgetTokens": 20_000})
		p.execute("brv.expand", map[string]any{"paths": []string{file}, "budgetTokens": 20_000})
		p.execute("brv.propose", map[string]any{"files": []string{file}, "dryRun": true, "noModel": true})
		p.execute("brv.draft", map[string]any{"path": file, "start": 0, "end": len(files[file])})
		p.execute("brv.promote", map[string]any{"path": file, "topic": "notes/" + strings.ReplaceAll(path.Base(file), ".", ""), "dryRun": true})
	}
	for _, tokens := range []int{300, 2000, 50_000} {
		p.execute("brv.pack", map[string]any{"task": "sign tokens with the password, SignToken connect fetch", "budgetTokens": tokens})
	}
	p.execute("brv.import", map[string]any{"dir": root})
	p.execute("brv.graph", map[string]any{"svg": true})
	p.execute("brv.map", map[string]any{"task": "sign token", "budgetTokens": 50_000})
	p.execute("brv.query", map[string]any{"text": "how are tokens of the login signed", "explain": true})
	p.execute("brv.query", map[string]any{"text": "which password", "explain": true, "show": true})
	p.changing(root, planted)
	p.folder()
	for uri := range documents {
		p.call("workspace/textDocumentContent", map[string]any{"uri": uri})
	}
	p.documents()
	p.complete(nil)
	for _, name := range result.Capabilities["executeCommandProvider"].(map[string]any)["commands"].([]any) {
		if !p.ran[name.(string)] && name != "brv.dreamUndo" { // of which there must be one

			t.Errorf("%s never did its work", name)
		}
	}
	p.received()
	for _, f := range sanitizetest.In(sanitize.Log(log.String())) { // as the command line writes it
		shown["the log: "+f] = nil
	}
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
func (p *probe) changing(root string, planted secretstest.Planted) {
	p.t.Helper()
	const entry = "auth/jwt/tokens.md"
	file := filepath.Join(root, ".brv/context-tree", entry)
	op := func(kind string, more map[string]any) map[string]any {
		m := map[string]any{"type": kind, "path": entry, "reason": "a test"}
		maps.Copy(m, more)
		return map[string]any{"operations": []any{m}}
	}
	held := func(kind string, more map[string]any) (batch int) {
		request := op(kind, more)
		request["hold"] = "all"
		var report struct{ Batch int }
		if err := json.Unmarshal(p.execute("brv.curate", request), &report); err != nil || report.Batch == 0 {
			p.t.Errorf("%s is not held: %v", kind, err)
		}
		return report.Batch
	}
	of := func(batch int) map[string]any { return map[string]any{"batch": batch, "reason": "a test"} }
	for uri := range p.opened {
		if path, err := lsptest.Path(uri); err == nil && strings.Contains(path, ".brv/") {
			if err := p.e.CloseDocument(path); err != nil { // they change on disk
				p.t.Fatal(err)
			}
		}
	}
	first := map[string]any{"uri": lsptest.URI(file), "range": lsptest.Range{End: lsptest.Position{Line: 2}}}

	p.execute("brv.init", nil)
	p.execute("brv.curate", op("ADD", map[string]any{"path": "auth/jwt", "title": "Tokens of the login"})) // which is there
	p.execute("brv.curate", op("UPDATE", map[string]any{"summary": "New"}))
	p.execute("brv.curate", op("UPDATE", map[string]any{"replace": []string{"task"},
		"content": map[string]any{"rawConcept": map[string]any{"task": "new"}}}))
	p.call("brv/curate/apply", op("CONFIRM", nil))
	update := held("UPDATE", map[string]any{"replace": []string{"task"},
		"content": map[string]any{"rawConcept": map[string]any{"task": "newer"}}})
	deletion := held("DELETE", nil)
	merge := held("MERGE", map[string]any{"path": "auth/jwt/alike.md", "mergeTarget": entry})
	p.execute("brv.reviews", nil)
	for _, batch := range []int{update, deletion, merge} {
		p.execute("brv.showReview", map[string]any{"uri": first["uri"], "id": fmt.Sprint(batch)})
		p.call("workspace/textDocumentContent", map[string]any{"uri": fmt.Sprintf("brv://review/%d.md", batch)})
	}
	p.execute("brv.proposed", map[string]any{"batch": update, "path": entry})
	p.call("brv/review/proposed", map[string]any{"batch": update, "path": entry})
	p.execute("brv.reject", of(deletion))
	p.call("brv/review/reject", of(update))
	p.execute("brv.approve", of(merge))
	p.call("brv/review/approve", of(held("UPDATE", map[string]any{"summary": "Newer"})))
	p.execute("brv.archive", map[string]any{"paths": []string{"auth/jwt/other.md"}})
	p.call("workspace/textDocumentContent", map[string]any{"uri": "brv://archive/_archived/auth/jwt/other.full.md"})
	for _, command := range []string{"brv.log", "brv.status", "brv.check"} {
		p.execute(command, nil)
	}
	p.execute("brv.dream", map[string]any{"force": true, "noModel": true})
	p.execute("brv.dreams", nil)
	p.execute("brv.dreamUndo", nil)
	p.execute("brv.undo", nil)
	p.execute("brv.archive", map[string]any{"paths": []string{"auth/jwt/other.md"}, "restore": true})
	p.execute("brv.undo", map[string]any{"batch": 1})
	p.execute("brv.curateSelection", map[string]any{"uri": lsptest.URI(filepath.Join(root, "auth.go")),
		"range": lsptest.Range{End: lsptest.Position{Line: 9}}})
	text, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	p.open(file, string(text))
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
	_, kinds, ok := strings.Cut(fmt.Sprint(ask("brv://none/1.md")), "the documents are ")
	if !ok {
		p.t.Fatal("the kinds of documents are not told")
	}
	for kind := range strings.FieldsSeq(strings.NewReplacer(",", " ", " and ", " ").Replace(kinds)) {
		host, _, _ := strings.Cut(strings.TrimPrefix(kind, "brv://"), "/")
		shown := 0
		for _, name := range []string{"1.md", "2.md", "3.md", "4.md", "5.md", "auth/jwt/tokens.md", "auth/jwt/alike.md",
			"_archived/auth/jwt/other.full.md"} {
			uri := "brv://" + host + "/" + name
			if p.call("workspace/textDocumentContent", map[string]any{"uri": uri}); ask(uri) == nil {
				shown++
			}
		}
		p.t.Logf("%s: %d documents", host, shown)
	}
}
