package layers

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

func TestCodeKeepsTheDesign(t *testing.T) {
	top := filepath.Join("..", "..")
	found, table, err := check(top, exceptions)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range pure {
		if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(folder))); err != nil {
			t.Error(err)
		}
	}
	for _, problem := range found {
		t.Error(problem)
	}
	if t.Failed() {
		t.Log("above a limit: a function, another file or a package below is the way; an exception's ceiling only falls")
	}
	if *update {
		t.Logf("const exceptions, with the present figures (a new line needs its reason):\n%s", table)
	}
}

// Each archive is a module; its file "want" lists what the checker must find, and the exceptions with the present
// figures. Those that it has stand in a file "exceptions".
func TestCheckerFindsWhatBreaksTheRules(t *testing.T) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	if len(archives) == 0 {
		t.Fatal("no testdata")
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := txtar.Write(archive, dir); err != nil {
				t.Fatal(err)
			}
			exceptions, _ := os.ReadFile(filepath.Join(dir, "exceptions"))
			found, table, err := check(dir, string(exceptions))
			if err != nil {
				found = append(found, err.Error())
			}
			compare(t, name, archive, strings.Join(append(found, table), "\n"))
		})
	}
}

func compare(t *testing.T, name string, archive *txtar.Archive, got string) {
	t.Helper()
	want := &archive.Files[len(archive.Files)-1]
	if want.Name != "want" {
		t.Fatal("the last file must be want")
	}
	if *update {
		want.Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(want.Data), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestListIsReadInAllItsForms(t *testing.T) {
	list, err := readOrder("# Design\n\n```go\nnot(a, list)\n```\n\n```\nbench, cmd/tool     programs: text  with columns\n" +
		"lsp · mcp   faces\ntree   format\ninternal/a  internal/b\neditor/vscode  editor/nvim\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	want := order{"bench": 0, "cmd/tool": 1, "lsp": 2, "mcp": 3, "tree": 4, "internal/a": 5, "internal/b": 6, "editor/vscode": 7,
		"editor/nvim": 8}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
