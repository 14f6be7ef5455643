package describe

import (
	"maps"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestKnownAroundAnEntry(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := Known(t.Context(), w.View(), HereRequest{Path: workspacetest.TokensPath})
	if err != nil {
		t.Fatal(err)
	}
	about := map[string]int{}
	for _, h := range r.Items {
		about[h.About]++
	}
	if lines := Named(t.Context(), w.View(), "src/sign.go"); len(lines) != 2 || lines[0].Title != "1 entry" ||
		lines[1].Symbol != "SignToken" || lines[1].Title != "Access tokens" {
		t.Errorf("%+v", lines)
	}
	if about[hereCode] == 0 || about[hereRelation] == 0 {
		t.Errorf("%+v", r.Items)
	}
}

func TestKnownAroundTheCursor(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, _ := w.View().Text("src/sign.go")
	for at, symbol := range map[string]string{
		"func": "SignToken", "return": "SignToken", "// Sign": "SignToken", "user }": "SignToken", "package": "",
	} {
		r, err := Known(t.Context(), w.View(), HereRequest{Path: "src/sign.go", Offset: strings.Index(text, at)})
		if err != nil || r.Symbol != symbol {
			t.Errorf("%s: %+v, %v", at, r, err)
		}
	}
}

func TestKnownOfAFileFromDocuments(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{
		"src/sign.go": workspacetest.Files["src/sign.go"], "docs/signing.md": "# Signing\n\n## Where\nIn `src/sign.go`.\n",
	}, workspace.Options{CodeScan: true})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := w.View()
	if workspace.PagesIn(t.Context(), v) == nil { // read before, so that nobody waits for it
		t.Fatal("no documents")
	}
	r, err := Known(t.Context(), v, HereRequest{Path: "src/sign.go"})
	if err != nil || len(r.Items) != 1 || r.Items[0].Title != "docs/signing.md › Where" || r.Items[0].About != hereFile {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Known(t.Context(), v, HereRequest{Path: "docs/signing.md"})
	if err != nil || len(r.Items) != 1 || r.Items[0].FilePath != "src/sign.go" || r.Items[0].About != hereCode {
		t.Errorf("around the document: %+v, %v", r, err)
	}
}

func TestKnownAroundADocument(t *testing.T) {
	files := map[string]string{"docs/signing.md": "# Signing\n\nDone by `SignToken`.\n"}
	maps.Copy(files, workspacetest.Files)
	w := workspacetest.Open(t, files, workspace.Options{CodeScan: true})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := Known(t.Context(), w.View(), HereRequest{Path: "docs/signing.md"})
	if err != nil || len(r.Items) != 2 || r.Items[0].Title != "SignToken" || r.Items[0].Line == 0 ||
		r.Items[1].FilePath != workspacetest.TokensPath || r.Items[1].About != hereRelation {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestStaleIsShownAtAPlace(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := drift.Of(t.Context(), w.View(), workspacetest.TokensEntry); err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	v := w.View()
	text, _ := v.Text("src/sign.go")
	r, err := Known(t.Context(), v, HereRequest{Path: "src/sign.go", Offset: strings.Index(text, "SignToken(") + 1})
	if err != nil || r.Symbol != "SignToken" || len(r.Items) == 0 || !strings.Contains(r.Items[0].Stale, "different since") {
		t.Errorf("%+v, %v", r, err)
	}
	if lines := Named(t.Context(), v, "src/sign.go"); len(lines) != 1 || lines[0].Title != "1 entry · stale" {
		t.Errorf("%+v", lines)
	}
}
