package mcp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/settings"
)

// TestFolderIsOpenedAsItsUserAndProjectSay looks at what the folder is opened with: what
// that means is tested in package workspace.
func TestFolderIsOpenedAsItsUserAndProjectSay(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, settings.ProjectFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"code": {"scan": false, "exclude": ["gen/**"], "include": ["**"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, trust := range []func(string) (bool, string){
		nil,
		func(string) (bool, string) { return false, "no" },
		func(folder string) (bool, string) { return folder == root, "" },
	} {
		o, _ := newServer(t.Context(), Options{Log: discard(), Trust: trust}).options(root, nil)
		want, why := false, ""
		if trust != nil {
			want, why = trust(root)
		}
		if o.Trusted != want || o.Untrusted != why || !o.NoCode || len(o.Include) != 0 || len(o.Exclude) != 1 {
			t.Errorf("%+v", o)
		}
	}
}
