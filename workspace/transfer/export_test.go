package transfer_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/transfer"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestMain(m *testing.M) { os.Exit(workspacetest.Main(m)) }

// imported is an entry of a note at a path.
func imported(from string) string {
	return "---\nimported_from: \"" + from + "\"\nimported_root: x\nimported_hash: \"0\"\n---\ntext of " + from + "\n"
}

// below lists the files in a folder.
func below(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}

// TestExportWritesNoFileThatAgentsLoad but one that is named.
func TestExportWritesNoFileThatAgentsLoad(t *testing.T) {
	const tree = ".brv/context-tree/"
	w := workspacetest.Open(t, map[string]string{
		tree + "a/b/e1.md": imported("CLAUDE.md"), tree + "a/b/e2.md": imported("sub/agents.MD"), tree + "a/b/e3.md": imported("plain.md"),
		tree + "a/b/e4.md": imported("copilot-instructions.md"), tree + "a/c/Gemini.md": "# In the tree itself\n",
		tree + "a/c/e5.md": imported("x/CLAU\u200dDE.md"), tree + "a/c/e6.md": imported("CLAUDE.local.md"),
	}, workspace.Options{})
	for _, c := range []struct {
		dir, want string
		named     []string
	}{
		{"out", "a/b/e1.md a/b/e2.md a/b/e4.md a/c/e5.md a/c/e6.md plain.md", nil},
		{"named", "a/b/e2.md a/b/e4.md a/c/Gemini.md a/c/e5.md a/c/e6.md CLAUDE.md plain.md", []string{"CLAUDE.md", "a/c/Gemini.md"}},
		{"p/.claude/rules/x", "", nil},
	} {
		dir := filepath.Join(t.TempDir(), c.dir)
		r, err := transfer.Export(t.Context(), w.View(), transfer.ExportRequest{Dir: dir, Dialect: vault.Markdown, AgentFiles: c.named})
		if err != nil {
			t.Fatal(err)
		}
		got := below(t, dir)
		if strings.Join(sorted(got), " ") != strings.Join(sorted(strings.Fields(c.want)), " ") || len(r.Written) != len(got) || len(r.Left) == 0 {
			t.Errorf("%s: %q, want %s; left %+v", c.dir, got, c.want, r.Left)
		}
	}
}

// TestExportLeavesNothingWhereItFails: no file, and no folder that was made for it.
func TestExportLeavesNothingWhereItFails(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"one", "two", "three"} {
		files[".brv/context-tree/a/b/"+name+".md"] = "# " + name + "\n"
	}
	files[".brv/context-tree/z/z/last.md"] = imported("m/fine.md")
	w := workspacetest.Open(t, files, workspace.Options{})
	top := t.TempDir()
	long := filepath.Join(top, "made", strings.Repeat("n", 300))
	if _, err := transfer.Export(t.Context(), w.View(), transfer.ExportRequest{Dir: long}); err == nil || len(entries(t, top)) > 0 {
		t.Errorf("%v, left %q", err, entries(t, top))
	}
	at := filepath.Join(top, "there")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a/b/two.md", "a"} { // another text, and a file where a folder is to be
		os.RemoveAll(filepath.Join(at, "a"))
		if err := os.MkdirAll(filepath.Dir(filepath.Join(at, text)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, text), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := transfer.Export(t.Context(), w.View(), transfer.ExportRequest{Dir: at, Dialect: vault.Markdown})
		if got := below(t, at); err == nil || !strings.Contains(err.Error(), "nothing is written") || len(got) != 1 {
			t.Errorf("%s is there: %v, %q", text, err, got)
		}
	}
	r, err := transfer.Export(t.Context(), w.View(), transfer.ExportRequest{Dir: filepath.Join(top, "x/y"), Dialect: vault.Markdown})
	if err != nil || len(r.Written) != 4 || len(entries(t, filepath.Join(top, "x/y"))) != 2 {
		t.Errorf("%+v, %v, %q", r, err, entries(t, filepath.Join(top, "x/y")))
	}
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

func entries(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		out = append(out, d.Name())
	}
	return out
}
