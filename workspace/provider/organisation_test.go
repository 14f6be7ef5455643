package provider_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

func TestWhoIsAskedOfAnOrganisation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("hunter2-hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	loose := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(loose, []byte("hunter2-hunter2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const at = "https://knowledge.example.org"
	for name, c := range map[string]struct {
		settings.Organisation
		origin, refused string
	}{
		"none":               {},
		"a file":             {settings.Organisation{Endpoint: at + "/brv", TokenFile: file}, at, ""},
		"a variable":         {settings.Organisation{Endpoint: at, TokenVariable: "MY_TOKEN"}, at, ""},
		"no token":           {settings.Organisation{Endpoint: at}, "", "brv.organisation.tokenVariable"},
		"a maker's key":      {settings.Organisation{Endpoint: at, TokenVariable: "OPENAI_API_KEY"}, "", "provider's own address"},
		"no encryption":      {settings.Organisation{Endpoint: "http://knowledge.example.org", TokenFile: file}, "", "must use https"},
		"a password":         {settings.Organisation{Endpoint: "https://u:hunter2@h", TokenFile: file}, "", "user or password"},
		"a file of others":   {settings.Organisation{Endpoint: at, TokenFile: loose}, "", "chmod 600"},
		"a file elsewhere":   {settings.Organisation{Endpoint: at, TokenFile: "token"}, "", "full path"},
		"a folder":           {settings.Organisation{Endpoint: at, TokenFile: filepath.Dir(file)}, "", "not contain a token"},
		"a file that is not": {settings.Organisation{Endpoint: at, TokenFile: file + "x"}, "", "tokenFile"},
	} {
		if name == "a file of others" && runtime.GOOS == "windows" {
			continue
		}
		w, err := workspace.Open(t.Context(), t.TempDir(), workspace.Options{Cache: t.TempDir(), Trusted: true})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		getenv := func(name string) string {
			return map[string]string{"MY_TOKEN": "x", "OPENAI_API_KEY": "hunter2-key"}[name]
		}
		err = provider.UseOrganisation(w, c.Organisation, nil, getenv)
		origin := ""
		asked, first := provider.Organisation(w.View())
		if asked != nil {
			origin = asked.Origin()
		}
		if origin != c.origin || (err != nil) != (c.refused != "") || first != (origin != "") {
			t.Errorf("%s: %q, %v, %v", name, origin, first, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.refused) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %v", name, err)
		}
		if _, again := provider.Organisation(w.View()); again {
			t.Errorf("%s: it is told twice", name)
		}
	}
}
