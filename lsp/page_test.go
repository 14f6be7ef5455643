package lsp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// driftedPages is a repository without a context tree in which a file moved and a function got another name since its
// documents were committed.
func driftedPages(t *testing.T) string {
	t.Helper()
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	root := t.TempDir()
	body := "{\n\tclaims := header(user)\n\tclaims.subject = user\n\tclaims.expiry = later()\n\treturn seal(claims)\n}\n"
	for path, text := range map[string]string{
		"go.mod":        "module example.com/app\n",
		"auth/jwt.go":   "package auth\n\nfunc SignToken(user string) string " + body,
		"auth/other.go": "package auth\n\nfunc Other() {}\n",
		"README.md": "# App\n\n[code](auth/jwt.go) and [keys](docs/guide.md#key-rotation), [more](docs/guide.md#more).\n" +
			"`Nothing` never was, nor [this](docs/never.md).\n",
		"docs/guide.md": "# Guide\n\n`SignToken` of `auth/jwt.go` signs, see [it](../auth/jwt.go) and [keys](#key-rotation).\n" +
			"\n## Key rotation\n\nk\n",
		"CHANGELOG.md":   "# Changes\n\n`auth/jwt.go` is new.\n",
		"docs/adr/01.md": "# Keys\n\n`auth/jwt.go` is chosen.\n",
	} {
		writeFile(t, filepath.Join(root, path), text)
	}
	git := gitIn(t, root)
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	git("mv", "auth/jwt.go", "auth/sign.go")
	writeFile(t, filepath.Join(root, "auth/sign.go"), "package auth\n\nfunc MakeToken(user string) string "+body)
	git("commit", "-q", "-am", "two")
	return root
}

// shownDrift writes diagnostics in lines.
func shownDrift(t *testing.T, e *lsptest.Editor, file string, items []lsptest.Diagnostic) (out []string) {
	t.Helper()
	text, _ := e.Text(file)
	lines := strings.Split(text, "\n")
	for _, d := range items {
		at := lines[d.Range.Start.Line][d.Range.Start.Character:d.Range.End.Character]
		out = append(out, fmt.Sprintf("%s %d %s: %s", d.Code, d.Severity, at, strings.Split(d.Message, " (")[0]))
	}
	return out
}

// What a page named when it was committed and is elsewhere now is a hint with its new name, of the text as it
// is typed, and can be rewritten here or in all documents.
func TestPageThatNamesWhatIsGone(t *testing.T) {
	root := driftedPages(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}, Encodings: []string{"utf-8"}})
	guide := open(t, e, root, "docs/guide.md")
	for _, quiet := range []string{"CHANGELOG.md", "docs/adr/01.md"} {
		open(t, e, root, quiet)
	}
	items, err := e.WaitDiagnostics(ctx, guide, func(d []lsptest.Diagnostic) bool { return len(d) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stale 4 SignToken: `SignToken` is gone from `auth/jwt.go`; `MakeToken` in `auth/sign.go` is 90 % similar",
		"stale 4 auth/jwt.go: `auth/jwt.go` was renamed to `auth/sign.go`",
		"stale 4 ../auth/jwt.go: `auth/jwt.go` was renamed to `auth/sign.go`",
	}
	if diff := cmp.Diff(want, shownDrift(t, e, guide, items)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	at := find(t, e, guide, "auth/jwt.go")
	actions, err := e.Actions(ctx, guide, at, at)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, a := range actions {
		titles = append(titles, a.Title+" "+a.Kind)
	}
	fixes := []string{"Update to auth/sign.go quickfix", "Rewrite 3 links to auth/jwt.go quickfix"}
	if !slices.Equal(titles, fixes) {
		t.Fatalf("%q, want %q", titles, fixes)
	}
	all, err := e.Resolve(ctx, actions[1])
	if err != nil {
		t.Fatal(err)
	}
	texts, err := e.Apply(all.Edit)
	if err != nil || !strings.Contains(texts[filepath.Join(root, "README.md")], "[code](auth/sign.go) and") ||
		!strings.Contains(texts[guide], "`SignToken` of `auth/sign.go` signs, see [it](../auth/sign.go)") {
		t.Errorf("%v, %q", err, texts)
	}
	for _, quiet := range []string{"CHANGELOG.md", "docs/adr/01.md"} {
		if len(e.Received("textDocument/publishDiagnostics")) > 0 && strings.Contains(fmt.Sprint(published(t, e)), quiet) {
			t.Errorf("%s has problems, though it tells what was", quiet)
		}
	}
	text, _ := e.Text(guide)
	if err := e.Replace(guide, "# Guide\n\nNew `auth/jwt.go`.\n"+text[len(text)-1:]); err != nil {
		t.Fatal(err)
	}
	items, err = e.WaitDiagnostics(ctx, guide, func(d []lsptest.Diagnostic) bool { return len(d) == 1 })
	if err != nil || items[0].Range.Start.Line != 2 {
		t.Errorf("unsaved text: %v, %v", items, err)
	}
}

// published are the documents that the client was told problems of.
func published(t *testing.T, e *lsptest.Editor) (out []string) {
	t.Helper()
	for _, m := range e.Received("textDocument/publishDiagnostics") {
		var p struct {
			URI         string
			Diagnostics []json.RawMessage
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Diagnostics) > 0 {
			out = append(out, p.URI)
		}
	}
	return out
}

// Links of documents to a heading follow its new name when the user wants it, and not before.
func TestRenamedHeadingOffersItsLinks(t *testing.T) {
	root := driftedPages(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	guide := open(t, e, root, "docs/guide.md")
	if _, err := e.WaitDiagnostics(ctx, guide, func(d []lsptest.Diagnostic) bool { return len(d) > 0 }); err != nil {
		t.Fatal(err) // the history is known then
	}
	offered := func(place string) (out []lsptest.Action) {
		t.Helper()
		at := find(t, e, guide, place)
		actions, err := e.Actions(ctx, guide, at, at)
		if err != nil {
			t.Fatal(err)
		}
		return actions
	}
	if actions := offered("Key rotation"); len(actions) > 0 {
		t.Fatalf("an old heading offers %v", actions)
	}
	at := find(t, e, guide, "Key rotation")
	if err := e.Edit(guide, at, at+len("Key rotation"), "How keys rotate"); err != nil {
		t.Fatal(err)
	}
	if actions := offered("Guide"); len(actions) > 0 {
		t.Errorf("another heading offers %v", actions)
	}
	actions := offered("How keys rotate")
	if len(actions) != 1 || actions[0].Title != "Rewrite 2 links to #key-rotation" ||
		actions[0].Kind != "refactor.rewrite.brv" {
		t.Fatalf("%v", actions)
	}
	all, err := e.Resolve(ctx, actions[0])
	if err != nil {
		t.Fatal(err)
	}
	texts, err := e.Apply(all.Edit)
	readme := texts[filepath.Join(root, "README.md")]
	if err != nil || !strings.Contains(readme, "guide.md#how-keys-rotate), [more](docs/guide.md#more)") ||
		!strings.Contains(texts[guide], "[keys](#how-keys-rotate)") {
		t.Errorf("%v, %q", err, texts)
	}
}

// With brv.documents.editor off nothing of all this is shown.
func TestDocumentsInEditorAreSwitchedOff(t *testing.T) {
	for _, on := range []bool{true, false} {
		root := driftedPages(t)
		options := map[string]any{"documents": map[string]any{"editor": on}}
		e, ctx := configured(t, lsp.Options{}, root, options, nil)
		guide := open(t, e, root, "docs/guide.md")
		at := find(t, e, guide, "key-rotation")
		to, err := e.Definition(ctx, guide, at)
		if err != nil || (len(to) > 0) != on {
			t.Errorf("on %v: definition %v, %v", on, to, err)
		}
		links, err := e.Links(ctx, guide)
		if err != nil || len(links) > 0 {
			t.Errorf("on %v: %v, %v: nothing there is linked any more", on, links, err)
		}
		code := open(t, e, root, "auth/sign.go")
		writeFile(t, filepath.Join(root, "docs/guide.md"), "`MakeToken`\n")
		if err := e.Replace(guide, "`MakeToken`\n"); err != nil {
			t.Fatal(err)
		}
		about, err := e.Hover(ctx, code, find(t, e, code, "MakeToken"))
		if err != nil || (about != nil) != on {
			t.Errorf("on %v: hover %v, %v", on, about, err)
		}
	}
}
