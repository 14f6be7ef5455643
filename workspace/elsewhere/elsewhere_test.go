package elsewhere_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestMain(m *testing.M) { os.Exit(workspacetest.Main(m)) }

var (
	library = map[string]string{
		"go.mod":        "module example.org/lib\n",
		"sign/token.go": "package sign\n\nfunc Token() {}\n\nfunc Unused() {}\n",
	}
	user = map[string]string{
		"go.mod":  "module example.org/web\n\nrequire example.org/lib v1.0.0\n",
		"main.go": "package web\n\nimport \"example.org/lib/sign\"\n\nfunc f() { sign.Token() }\n",
	}
)

// view is a folder whose code is read.
func view(t *testing.T, w *workspace.Workspace) *workspace.View {
	t.Helper()
	v, err := w.View().Complete(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func shown(links []elsewhere.Link) string {
	var out []string
	for _, l := range links {
		out = append(out, fmt.Sprintf("%s:%d", l.User.Path, l.User.Line))
	}
	return strings.Join(out, " ")
}

// TestOpenTogether: what a session has open beside a folder counts, with no setting.
func TestOpenTogether(t *testing.T) {
	web := workspacetest.Open(t, user, workspace.Options{Unhurried: true})
	view(t, web)
	peers := func() []*workspace.Workspace { return []*workspace.Workspace{web} }
	lib := workspacetest.Open(t, library, workspace.Options{Unhurried: true, Peers: peers, Untrusted: "a stranger's"})
	v := view(t, lib)
	if got := shown(elsewhere.Of(t.Context(), v, "sign/token.go").UsedBy); got != "main.go:3" {
		t.Errorf("used by %q", got)
	}
	for name, want := range map[string]string{"Token": filepath.Base(web.Root()) + " (1 file)", "Unused": ""} {
		if got := elsewhere.UsedIn(t.Context(), v, []string{"sign/token.go"}, name); got != want {
			t.Errorf("%s is used in %q", name, got)
		}
	}
}

// TestNamedFolderChanges: a folder that is named is read again, at most every five seconds.
func TestNamedFolderChanges(t *testing.T) {
	dir := t.TempDir()
	for p, text := range user {
		workspacetest.Write(t, dir, p, text)
	}
	now := workspacetest.Now
	root := t.TempDir()
	for p, text := range library {
		workspacetest.Write(t, root, p, text)
	}
	lib, err := workspace.Open(t.Context(), root, workspace.Options{Unhurried: true, Neighbours: []string{dir, dir, "relative", root,
		filepath.Join(root, "sign"), filepath.Join(dir, "missing")}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	v := view(t, lib)
	links := elsewhere.Of(t.Context(), v, "sign/token.go")
	if got := shown(links.UsedBy); got != "main.go:3" || len(links.Repositories) != 1 || len(links.Unread) != 1 {
		t.Errorf("%q of %v, %v are not read", got, links.Repositories, links.Unread)
	}
	workspacetest.Write(t, dir, "more.go", user["main.go"])
	if got := shown(elsewhere.Of(t.Context(), v, "sign/token.go").UsedBy); got != "main.go:3" {
		t.Errorf("at once: used by %q", got)
	}
	now = now.Add(5 * time.Second)
	if got := shown(elsewhere.Of(t.Context(), v, "sign/token.go").UsedBy); got != "main.go:3 more.go:3" {
		t.Errorf("later: used by %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".brv")); err == nil {
		t.Error("something was written into the other folder")
	}
}

// TestStrangeFolder: a link out of the other folder is not followed, and a manifest cannot name a folder of this machine.
func TestStrangeFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for p, text := range user {
		workspacetest.Write(t, outside, p, text)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "in")); err != nil {
		t.Skip(err)
	}
	workspacetest.Write(t, dir, "go.mod", "module example.org/x\nrequire example.org/lib v1.0.0\nreplace example.org/lib => "+outside+"\n")
	workspacetest.Write(t, dir, ".brv/config.json", `{"code":{"neighbours":["`+outside+`"]}}`)
	workspacetest.Write(t, dir, "plain.go", user["main.go"])
	lib := workspacetest.Open(t, library, workspace.Options{Unhurried: true, Neighbours: []string{dir}})
	links := elsewhere.Of(t.Context(), view(t, lib), "sign/token.go")
	if got := shown(links.UsedBy); got != "plain.go:3" || len(links.Repositories) != 1 {
		t.Errorf("%q of %v", got, links.Repositories)
	}
}

// TestNotReadYet: an answer does not wait for ever, and says what is missing.
func TestNotReadYet(t *testing.T) {
	lib := workspacetest.Open(t, library, workspace.Options{Unhurried: true, Neighbours: []string{t.TempDir()}})
	v := view(t, lib)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if near, unread := v.Workspace().Neighbours(ctx); len(near)+len(unread) != 1 {
		t.Errorf("%v, %v", near, unread)
	}
}
