package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// packed is a pack as a client reads it.
type packed struct {
	Text   string
	Tokens int
	Budget int
	URI    string
	Items  []struct {
		Path, Kind string
		Lines      [2]int
		URI        string
		Range      *lsptest.Range
	}
}

// content asks for a document that is not on disk.
func content(t *testing.T, e *lsptest.Editor, uri string) (string, error) {
	t.Helper()
	var result struct{ Text string }
	err := e.Call(t.Context(), "workspace/textDocumentContent", map[string]string{"uri": uri}, &result)
	return result.Text, err
}

func TestPackCanBeOpenedAgain(t *testing.T) {
	root := project(t)
	capabilities := lsptest.Modern()
	capabilities["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{}
	e := begin(lsp.Options{})
	t.Cleanup(e.Close)
	initialized, err := e.Initialize(t.Context(), lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(initialized.Capabilities["workspace"])
	if !strings.Contains(string(raw), `"textDocumentContent":{"schemes":["brv"]}`) {
		t.Errorf("capabilities %s", raw)
	}
	var first, second packed
	request := map[string]any{"task": "change how tokens are signed", "budgetTokens": 2000}
	if err := e.Call(t.Context(), "brv/context", request, &first); err != nil {
		t.Fatal(err)
	}
	request["budgetTokens"] = 60
	if err := e.Execute(t.Context(), "brv.pack", request, &second); err != nil || second.URI == first.URI || second.Text == first.Text {
		t.Fatal(second.URI, err)
	}
	if text, err := content(t, e, first.URI); err != nil || text != first.Text || text == "" {
		t.Errorf("%s: %q, %v", first.URI, text, err)
	}
	if len(first.Items) == 0 {
		t.Fatal("no items")
	}
	for _, item := range first.Items {
		path, err := lsptest.Path(item.URI)
		if err != nil {
			t.Fatal(err)
		}
		if rel, err := filepath.Rel(root, path); err != nil || !strings.HasSuffix(filepath.ToSlash(rel), item.Path) {
			t.Errorf("%s leads to %s", item.Path, path)
		}
		if (item.Range == nil) != (item.Lines[0] == 0) || item.Range != nil &&
			item.Range.Start != (lsptest.Position{Line: item.Lines[0] - 1}) {
			t.Errorf("%s: lines %v, range %v", item.Path, item.Lines, item.Range)
		}
	}
}

func TestDocumentsThatAreNotThere(t *testing.T) {
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{project(t)}})
	alive := func() bool { return e.Execute(ctx, "brv.status", nil, nil) == nil }
	for uri, want := range map[string]string{
		"brv://pack/0123456789abcdef.md": "no longer stored",
		"brv://pack/":                    "no longer stored",
		"brv://other/x.md":               "no such document; the documents are brv://answer/<id>.md, brv://archive/<entry>.full.md,",
		"brv://diff/../../etc/passwd":    "no such document",
		"brv://diff/auth/jwt/none.md":    "no entry auth/jwt/none.md",
		"brv://diff/x.md?/etc":           "not open",
		"file:///etc/passwd":             "begins with brv://",
	} {
		if text, err := content(t, e, uri); err == nil || !strings.Contains(err.Error(), want) || !alive() {
			t.Errorf("%s: %q, %v", uri, text, err)
		}
	}
}

func TestPlaceOutsideOfTheFolderDoesNotKeepFromPacking(t *testing.T) {
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{project(t)}})
	for _, uri := range []string{"untitled:Untitled-1", "file:///elsewhere/x.go"} {
		var p packed
		request := map[string]any{
			"task": "change how tokens are signed", "budgetTokens": 2000, "uri": uri, "position": lsptest.Position{},
			"visible": lsptest.Range{}, "openFiles": []string{uri},
			"references": []any{map[string]any{"uri": uri, "range": lsptest.Range{}}},
		}
		if err := e.Call(ctx, "brv/context", request, &p); err != nil || len(p.Items) == 0 {
			t.Errorf("%s: %d items, %v", uri, len(p.Items), err)
		}
	}
}

// TestUnsavedEditIsInTheNextPack: what was typed is packed, at lines that hold it, and
// what was undone is not.
func TestUnsavedEditIsInTheNextPack(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	root := project(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, "auth.go")
	saved, _ := e.Text(file)
	pack := func() packed {
		t.Helper()
		var p packed
		request := map[string]any{"task": "SignToken and quarantineSession", "budgetTokens": 2000, "uri": lsptest.URI(file),
			"position": lsptest.Position{Line: 3}}
		if err := e.Call(ctx, "brv/context", request, &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	if strings.Contains(pack().Text, "quarantineSession(") {
		t.Fatal("it is there before it was typed")
	}
	typed := "// quarantineSession keeps it apart.\nfunc quarantineSession(id string) { /* 😀 */ }\n\n"
	at := find(t, e, file, "// Sign")
	if err := e.Edit(file, at, at, typed); err != nil {
		t.Fatal(err)
	}
	p := pack()
	if !strings.Contains(p.Text, "func quarantineSession(id string)") {
		t.Errorf("the edit is not in the pack:\n%s", p.Text)
	}
	text, _ := e.Text(file)
	for _, item := range p.Items {
		if item.Path != "auth.go" || item.Range == nil {
			continue
		}
		start, err := lsptest.OffsetIn(text, item.Range.Start, e.Encoding())
		end, err2 := lsptest.OffsetIn(text, item.Range.End, e.Encoding())
		if err != nil || err2 != nil || !strings.Contains(text[start:end], "quarantineSession") {
			t.Errorf("%v: %v, %v", item.Range, err, err2)
		}
	}
	if err := e.Replace(file, saved); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(pack().Text, "func quarantineSession") {
		t.Error("it is in the pack after it was undone")
	}
}
