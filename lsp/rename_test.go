package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// renaming is a workspace in which one entry links to another.
func renaming(t *testing.T) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, ".brv/context-tree/auth/jwt/tokens.md"), "# Tokens\n\n[pic](../../../../assets/pic.png)\n")
	writeFile(t, filepath.Join(root, ".brv/context-tree/auth/jwt/use.md"), "# Use\n\n@auth/jwt/tokens.md\n")
	return root
}

// renameIn asks for another name of what stands at some words of a file.
func renameIn(t *testing.T, e *lsptest.Editor, file, words string) map[string]any {
	t.Helper()
	text, _ := e.Text(file)
	return map[string]any{
		"textDocument": map[string]any{"uri": lsptest.URI(file)},
		"position":     lsptest.PositionIn(text, strings.Index(text, words), e.Encoding()), "newName": "renamed",
	}
}

func TestRenameNeedsAnEditorThatRenamesFiles(t *testing.T) {
	root := renaming(t)
	capabilities := lsptest.Modern()
	edit := capabilities["workspace"].(map[string]any)["workspaceEdit"].(map[string]any)
	edit["resourceOperations"] = []string{"create"}
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file := open(t, e, root, ".brv/context-tree/auth/jwt/use.md")
	err := e.Call(ctx, "textDocument/rename", renameIn(t, e, file, "tokens.md"), nil)
	if code(err) != -32803 || !strings.Contains(err.Error(), "cannot rename files") {
		t.Errorf("answered %v", err)
	}
}

// An editor without documentChanges gets plain changes, which carry no move.
func TestRenameOfAHeadingInAPlainEditor(t *testing.T) {
	root := renaming(t)
	capabilities := lsptest.Modern()
	delete(capabilities["workspace"].(map[string]any), "workspaceEdit")
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file := open(t, e, root, ".brv/context-tree/auth/jwt/use.md")
	var edit json.RawMessage
	if err := e.Call(ctx, "textDocument/rename", renameIn(t, e, file, "Use"), &edit); err != nil {
		t.Fatal(err)
	}
	texts, err := e.Apply(edit)
	if err != nil || !strings.HasPrefix(texts[file], "# renamed\n") || strings.Contains(string(edit), "documentChanges") {
		t.Errorf("%s: %q, %v", edit, texts, err)
	}
}

// TestRenameIsCarriedOut does what an editor does: it asks what must follow each move,
// also those that are parts of the edit itself, and tells that it was made.
func TestRenameIsCarriedOut(t *testing.T) {
	root := renaming(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, ".brv/context-tree/auth/jwt/use.md")
	open(t, e, root, ".brv/context-tree/auth/jwt/tokens.md")
	var edit json.RawMessage
	if err := e.Call(ctx, "textDocument/rename", renameIn(t, e, file, "jwt/"), &edit); err != nil {
		t.Fatal(err)
	}
	from, to := lsptest.URI(filepath.Join(root, ".brv/context-tree/auth/jwt")),
		lsptest.URI(filepath.Join(root, ".brv/context-tree/auth/renamed"))
	moves := map[string]any{"files": []any{map[string]any{"oldUri": from, "newUri": to}}}
	if _, err := e.Apply(edit); err != nil {
		t.Fatal(err)
	}
	if err := e.Notify("workspace/didRenameFiles", moves); err != nil {
		t.Fatal(err)
	}
	now := filepath.Join(root, ".brv/context-tree/auth/renamed/use.md")
	if text, _ := e.Text(now); text != "# Use\n\n@auth/renamed/tokens.md\n" {
		t.Errorf("the text is %q", text)
	}
	if _, err := os.Stat(filepath.Join(root, ".brv/context-tree/auth/jwt")); !os.IsNotExist(err) {
		t.Errorf("the old folder: %v", err)
	}
	var prepared struct{ Placeholder string }
	if err := e.Call(ctx, "textDocument/prepareRename", renameIn(t, e, now, "tokens.md"), &prepared); err != nil ||
		prepared.Placeholder != "tokens" {
		t.Errorf("afterwards: %+v, %v", prepared, err)
	}
}

// An editor that carries a rename out asks, after the edits and before the move, what must
// follow. A second rewriting of relative links would break them.
func TestMoveOfAnOwnRenameNeedsNothing(t *testing.T) {
	root := renaming(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, ".brv/context-tree/auth/jwt/use.md")
	var edit json.RawMessage
	if err := e.Call(ctx, "textDocument/rename", renameIn(t, e, file, "tokens.md"), &edit); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, ".brv/context-tree/auth/jwt")
	move := map[string]any{"files": []any{map[string]any{"oldUri": lsptest.URI(dir + "/tokens.md"),
		"newUri": lsptest.URI(dir + "/renamed.md")}}}
	ask := func() (answer *json.RawMessage) {
		if err := e.Call(ctx, "workspace/willRenameFiles", move, &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if answer := ask(); answer == nil {
		t.Error("before the edits are made, a move by hand needs them")
	}
	if err := e.Replace(file, "# Use\n\n@auth/jwt/renamed.md\n"); err != nil {
		t.Fatal(err)
	}
	if answer := ask(); answer != nil {
		t.Errorf("the rename's own move needs %s", *answer)
	}
}

// A file can be moved back before the events of its first move arrive.
func TestMovesBackAreFollowedAtOnce(t *testing.T) {
	root := renaming(t)
	entry := "# Use\n\n@auth/jwt/tokens.md\n\n[a](../../../../src/a.go)\n\n## Raw Concept\nFiles:\n- src/a.go\n"
	writeFile(t, filepath.Join(root, ".brv/context-tree/auth/jwt/use.md"), entry)
	writeFile(t, filepath.Join(root, "src/a.go"), "package a\n")
	capabilities := lsptest.Modern()
	capabilities["workspace"].(map[string]any)["didChangeWatchedFiles"] = map[string]any{"dynamicRegistration": true}
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file := open(t, e, root, ".brv/context-tree/auth/jwt/use.md")
	move := func(from, to string) {
		t.Helper()
		from, to = filepath.Join(root, from), filepath.Join(root, to)
		var edit json.RawMessage
		moves := map[string]any{"files": []any{map[string]any{"oldUri": lsptest.URI(from), "newUri": lsptest.URI(to)}}}
		if err := e.Call(ctx, "workspace/willRenameFiles", moves, &edit); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Apply(edit); err != nil {
			t.Fatal(err)
		}
		shown := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}}
		if err := e.Call(ctx, "textDocument/documentLink", shown, nil); err != nil { // between the edit and the move
			t.Fatal(err)
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ from, to, old, now string }{
		{"src/a.go", "src/b.go", "src/a.go", "src/b.go"},
		{".brv/context-tree/auth/jwt/tokens.md", ".brv/context-tree/auth/jwt/keys.md", "jwt/tokens", "jwt/keys"},
	} {
		move(c.from, c.to)
		if text, _ := e.Text(file); text != strings.ReplaceAll(entry, c.old, c.now) {
			t.Errorf("the text is %q", text)
		}
		move(c.to, c.from)
		if text, _ := e.Text(file); text != entry {
			t.Errorf("back again, the text is %q", text)
		}
	}
}

func TestFileOperationsAreOfferedAsTheClientHasThem(t *testing.T) {
	root := renaming(t)
	capabilities := lsptest.Modern()
	capabilities["workspace"].(map[string]any)["fileOperations"] = map[string]any{"willRename": true, "didDelete": true}
	for name, c := range map[string]map[string]any{"some": capabilities, "none": lsptest.Modern()} {
		e, ctx := start(t, lsp.Options{})
		got, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}, Capabilities: c})
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(got.Capabilities["workspace"].(map[string]any)["fileOperations"])
		has := func(what string) bool { return strings.Contains(string(raw), `"`+what+`"`) }
		if has("willRename") != (name == "some") || has("didDelete") != (name == "some") || has("didRename") || has("willDelete") {
			t.Errorf("%s: offered %s", name, raw)
		}
	}
}

// What is in no workspace folder, or is no file, is nobody's business.
func TestMovesOutsideAreIgnored(t *testing.T) {
	root := renaming(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	inside := lsptest.URI(filepath.Join(root, ".brv/context-tree/auth/jwt/tokens.md"))
	for _, from := range []string{"untitled:Untitled-1", "file:///etc/passwd", inside + "/../../../../../../x.md", "file:", "",
		"brv://pack/1.md", lsptest.URI(root)} {
		for _, to := range []string{"file:///etc/passwd", "untitled:a", "", inside} {
			files := map[string]any{"files": []any{map[string]any{"oldUri": from, "newUri": to, "uri": from}}}
			for _, method := range []string{"workspace/willRenameFiles", "workspace/willDeleteFiles"} {
				var answer *json.RawMessage
				if err := e.Call(ctx, method, files, &answer); err != nil || answer != nil {
					t.Errorf("%s %q to %q: %v, %v", method, from, to, answer, err)
				}
			}
			for _, method := range []string{"workspace/didRenameFiles", "workspace/didCreateFiles", "workspace/didDeleteFiles"} {
				if err := e.Notify(method, files); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if shown := e.Received("window/showMessage"); len(shown) > 0 {
		t.Errorf("shown: %s", shown[0].Params)
	}
}

// A rename that is asked for while the code is read, or after others changed it, changes
// the comments in it as well.
func TestRenameWaitsForTheCode(t *testing.T) {
	root := project(t)
	for i := range 300 {
		writeFile(t, filepath.Join(root, fmt.Sprintf("p%d/x.go", i)), "package x\n\n// @brv:auth/jwt/other\nfunc F() {}\n")
	}
	var passed atomic.Int64
	now := func() time.Time { return fixedNow().Add(time.Duration(passed.Load())) }
	e, ctx := session(t, lsp.Options{Now: now}, lsptest.Session{Folders: []string{root}, Capabilities: lsptest.Modern()})
	file := open(t, e, root, tokens)
	changed := func(method string, params map[string]any) int {
		t.Helper()
		var raw jsonText
		if err := e.Call(ctx, method, params, &raw); err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(raw), "/x.go\"")
	}
	rename := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)},
		"position": lsptest.Position{Line: 3, Character: 12}, "newName": "renamed"}
	if n := changed("textDocument/rename", rename); n != 300 {
		t.Errorf("%d files of 300 are changed", n)
	}
	writeFile(t, filepath.Join(root, "p0/x.go"), "package x\n\n// moved\n\n// @brv:auth/jwt/other\nfunc F() {}\n")
	writeFile(t, filepath.Join(root, "new/x.go"), "package x\n\n// @brv:auth/jwt/other\nfunc F() {}\n")
	passed.Add(int64(time.Minute))
	from := filepath.Join(root, other)
	move := map[string]any{"files": []any{map[string]any{"oldUri": lsptest.URI(from),
		"newUri": lsptest.URI(filepath.Join(filepath.Dir(from), "moved.md"))}}}
	if n := changed("workspace/willRenameFiles", move); n != 301 {
		t.Errorf("%d files of 301 follow the move", n)
	}
	pull := func() bool {
		return len(wholePull(t, e, ctx, nil, nil)[lsptest.URI(filepath.Join(root, "newer/x.go"))].Items) > 0
	}
	if pull() {
		t.Error("workspace/diagnostic knows a file before it is there")
	}
	passed.Add(int64(10 * time.Second)) // the drift of all entries is looked at less often
	writeFile(t, filepath.Join(root, "newer/x.go"), "package x\n\n// @brv:auth/jwt/nothing\nfunc F() {}\n")
	var found struct{ Findings []struct{ Path string } }
	if err := e.Execute(ctx, "brv.check", map[string]any{}, &found); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(found.Findings, func(f struct{ Path string }) bool { return f.Path == "newer/x.go" }) {
		t.Errorf("brv.check does not know the new file: %v", found)
	}
	if !pull() {
		t.Error("workspace/diagnostic does not know it")
	}
}
