package lsp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// A folder that is all of the disk, or lies above the workspace, is not read for what the editor does
// with files, which waits for the answer.
func TestFileOperationsAboveAProjectAreAnswered(t *testing.T) {
	for _, folders := range [][]string{{"/"}, {project(t)}, {"/", project(t)}} {
		e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: folders})
		for _, u := range []string{
			"file:///", lsptest.URI(filepath.Dir(folders[0])), lsptest.URI(folders[0]), "file:///none/such.go",
		} {
			for method, form := range map[string]string{
				"workspace/willDeleteFiles": `{"files":[{"uri":%q}]}`,
				"workspace/willRenameFiles": `{"files":[{"oldUri":%q,"newUri":"file:///elsewhere"}]}`,
			} {
				var edit json.RawMessage
				err := e.Call(ctx, method, json.RawMessage(fmt.Sprintf(form, u)), &edit)
				if err != nil || len(edit) > 0 && string(edit) != "null" {
					t.Errorf("%v: %s of %s: %s, %v", folders, method, u, edit, err)
				}
			}
			for method, form := range map[string]string{
				"workspace/didDeleteFiles": `{"files":[{"uri":%q}]}`,
				"workspace/didCreateFiles": `{"files":[{"uri":%q}]}`,
				"workspace/didRenameFiles": `{"files":[{"oldUri":%q,"newUri":"file:///elsewhere"}]}`,
			} {
				if err := e.Notify(method, json.RawMessage(fmt.Sprintf(form, u))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
