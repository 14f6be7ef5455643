package consult

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestRead(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.ReadFiles(), workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Root(), "caf\u00e9.txt"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	if runtime.GOOS != "windows" {
		if err := errors.Join(os.Symlink("../.env", filepath.Join(w.Root(), "src", "link.txt")),
			os.Symlink("../.git", filepath.Join(w.Root(), "src", "dir")), os.Symlink(w.Root(), linked)); err != nil {
			t.Fatal(err)
		}
	}
	spelled := strings.NewReplacer("ROOT/", w.Root()+"/", "LINKED/", linked+"/")
	for _, c := range []struct{ name, want string }{
		{"auth/jwt/rotation.md", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"auth/jwt/rotation", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"@auth/jwt/rotation.md", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{".brv/context-tree/auth/jwt/rotation.md", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"rotation", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"rotation.md:2-3", ".brv/context-tree/auth/jwt/rotation.md [2 3]"},
		{"tokens", "tokens: several entries have this name: auth/jwt/tokens.md, other/place/tokens.md"},
		{"jwt/tokens", ".brv/context-tree/auth/jwt/tokens.md [1 13]"},
		{"src/sign.go", "src/sign.go [1 4]"},
		{"./src/sign.go:3", "src/sign.go [3 3]"},
		{"src/sign.go:3-900", "src/sign.go [3 4]"},
		{"src/sign.go:9", "src/sign.go has 4 lines, so lines 9 to 9 do not exist"},
		{"src/sign.go:4-2", "src/sign.go has 4 lines, so lines 4 to 2 do not exist"},
		{"src/sign.go:0", "there is no entry or file src/sign.go:0; similar names: src/sign.go"},
		{"src/sign.go:4:1", "src/sign.go [4 4]"},
		{"src/sign.go#L2-L3", "src/sign.go [2 3]"},
		{"src/sign.go#L2C1-L3C7", "src/sign.go [2 3]"},
		{"src/sign.go(3,1)", "src/sign.go [3 3]"},
		{"src/sign.go:99999999999999999999", "src/sign.go has 4 lines, so lines 9223372036854775807 to 9223372036854775807 do not exist"},
		{"file://ROOT/src/sign.go", "src/sign.go [1 4]"},
		{"file://ROOT/src/sign.go#L2-L3", "src/sign.go [2 3]"},
		{"file://ROOT/%73rc/sign%2Ego", "src/sign.go [1 4]"},
		{"file://localhostROOT/src/sign.go", "src/sign.go [1 4]"},
		{"file://LOCALHOSTROOT/src/sign.go#L2", "src/sign.go [2 2]"},
		{"FILE://ROOT/src/sign.go", "src/sign.go [1 4]"},
		{"file:ROOT/src/sign.go", "src/sign.go [1 4]"},
		{"file://localhostROOT/.brv/context-tree/auth/jwt/rotation.md", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"file://localhostROOT/.env", ".env was not read: hidden files are read only in the context tree"},
		{"file://localhost/etc/passwd", `"/etc/passwd" is not a path inside the folder; give a relative path with forward slashes`},
		{"ROOT//src//sign.go", "src/sign.go [1 4]"},
		{"ROOT/./src/sign.go#L2-L3", "src/sign.go [2 3]"},
		{"ROOT/src/sign.go:3:1", "src/sign.go [3 3]"},
		{" ROOT/src/sign.go ", "src/sign.go [1 4]"},
		{"@ROOT/src/sign.go", "src/sign.go [1 4]"},
		{"`ROOT/src/sign.go`", "src/sign.go [1 4]"},
		{"\"ROOT/src/sign.go\"", "src/sign.go [1 4]"},
		{"`src/sign.go:3`", "src/sign.go [3 3]"},
		{"<src/sign.go>", "src/sign.go [1 4]"},
		{"'src/sign.go',", "src/sign.go [1 4]"},
		{"<ROOT/src/sign.go:2>;", "src/sign.go [2 2]"},
		{"`.env`", ".env was not read: hidden files are read only in the context tree"},
		{"\"ROOT/.env\"", ".env was not read: hidden files are read only in the context tree"},
		{"src/sign.go,", "src/sign.go [1 4]"},
		{"./.brv/context-tree/auth/jwt/rotation.md", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"ROOT/.brv/context-tree/auth/jwt/rotation", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"file://elsewhere/src/sign.go", `"file://elsewhere/src/sign.go" is not a path inside the folder; give a relative path with forward slashes`},
		{"file:///etc/passwd", `"/etc/passwd" is not a path inside the folder; give a relative path with forward slashes`},
		{"file://ROOT/.env", ".env was not read: hidden files are read only in the context tree"},
		{"a/src/sign.go", "src/sign.go [1 4]"},
		{"b/src/sign.go:2", "src/sign.go [2 2]"},
		{"a/.env", "a/.env was not read: hidden files are read only in the context tree"},
		{"a/src/link.txt", "there is no entry or file a/src/link.txt"},
		{"src/../src//sign.go", "src/sign.go [1 4]"},
		{"src/../../x", `"src/../../x" is not a path inside the folder; give a relative path with forward slashes`},
		{"cafe\u0301.txt", "caf\u00e9.txt [1 1]"},
		{"ROOT/cafe\u0301.txt:1", "caf\u00e9.txt [1 1]"},
		{"src/odd:10.go", "src/odd:10.go [1 1]"},
		{"src/crlf.txt:2", "src/crlf.txt [2 2]"},
		{"src/empty.txt", "src/empty.txt [0 0]"},
		{"src/latin.txt", "src/latin.txt [1 2]"},
		{"src/bin.dat", "src/bin.dat is not a text file"},
		{"src", "src is a folder; name a file in it, such as src/bin.dat, src/crlf.txt, src/empty.txt"},
		{"src/sihn.go", "there is no entry or file src/sihn.go; similar names: src/sign.go"},
		{"auth/jwt/rotatoin.md", "there is no entry or file auth/jwt/rotatoin.md; similar names: .brv/context-tree/auth/jwt/rotation.md"},
		{"zzzz", "there is no entry or file zzzz"},
		{"../../etc/passwd", `"../../etc/passwd" is not a path inside the folder; give a relative path with forward slashes`},
		{"/etc/passwd", `"/etc/passwd" is not a path inside the folder; give a relative path with forward slashes`},
		{`src\sign.go`, "src/sign.go [1 4]"},
		{"src/../.env", `"src/../.env" is not a path inside the folder; give a relative path with forward slashes`},
		{"", `"" is not a path inside the folder; give a relative path with forward slashes`},
		{".env", ".env was not read: hidden files are read only in the context tree"},
		{".git/config:1", ".git/config was not read: hidden files are read only in the context tree"},
		{"ROOT/src/sign.go", "src/sign.go [1 4]"},
		{"ROOT/src/sign.go:3", "src/sign.go [3 3]"},
		{"ROOT/src/../src/./sign.go", "src/sign.go [1 4]"},
		{"LINKED/src/sign.go", "src/sign.go [1 4]"},
		{"@ROOT/.brv/context-tree/auth/jwt/rotation.md", ".brv/context-tree/auth/jwt/rotation.md [1 6]"},
		{"ROOT/src/", "src is a folder; name a file in it, such as src/bin.dat, src/crlf.txt, src/empty.txt"},
		{"ROOT/src/sihn.go", "there is no entry or file src/sihn.go; similar names: src/sign.go"},
		{"ROOT/.env", ".env was not read: hidden files are read only in the context tree"},
		{"ROOT/src/link.txt", "src/link.txt is a symbolic link, and symbolic links are not followed"},
		{"LINKED/src/dir/config", "src/dir/config: src/dir is a symbolic link, and symbolic links are not followed"},
		{"ROOT/../x.go", `"ROOT/../x.go" is not a path inside the folder; give a relative path with forward slashes`},
		{"ROOT/", `"ROOT/" is not a path inside the folder; give a relative path with forward slashes`},
		{"src/link.txt", "src/link.txt is a symbolic link, and symbolic links are not followed"},
		{"src/dir/config", "src/dir/config: src/dir is a symbolic link, and symbolic links are not followed"},
	} {
		if runtime.GOOS == "windows" && (strings.Contains(c.want, "is a symbolic link") || strings.HasPrefix(c.name, "LINKED") || strings.Contains(c.name, "odd:")) {
			continue
		}
		r, err := Read(t.Context(), w.View(), ReadRequest{Paths: []string{spelled.Replace(c.name)}, BudgetTokens: 500})
		if err != nil {
			t.Errorf("%q: %v", c.name, err)
			continue
		}
		got := r.Items[0].Error
		if got == "" {
			got = fmt.Sprint(r.Items[0].Path, " ", r.Items[0].Lines)
		}
		if got != spelled.Replace(c.want) {
			t.Errorf("%q\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// What is shown are whole lines of the file at their numbers, within the budget, and a
// short text is whole beside a long one.
func TestReadKeepsItsBudget(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.ReadFiles(), workspace.Options{})
	v := w.View()
	paths := []string{"src/long.go", "src/sign.go", "auth/jwt/tokens", "src/nope.go", "src/long.go:100-300"}
	for budget := 1; budget < 12_000; budget += 1 + budget/7 {
		r, err := Read(t.Context(), v, ReadRequest{Paths: paths, BudgetTokens: budget})
		if err != nil {
			if budget > 150 || !errors.Is(err, workspace.ErrRequest) {
				t.Fatalf("%d tokens: %v", budget, err)
			}
			continue
		}
		if n := tokens.Count(r.Text); n > budget || n != r.Tokens {
			t.Errorf("%d tokens in a budget of %d, told %d", n, budget, r.Tokens)
		}
		for i, item := range r.Items {
			if item.Error != "" || item.Lines[0] == 0 {
				continue
			}
			text, _ := v.Text(item.Path)
			lines := strings.Split(text, "\n")[item.Lines[0]-1 : item.Lines[1]]
			if head := fmt.Sprintf("[%d] %s:%d-%d", i+1, item.Path, item.Lines[0], item.Lines[1]); !strings.Contains(r.Text, head) ||
				!strings.Contains(r.Text, "\n"+strings.Join(lines, "\n")+"\n") {
				t.Errorf("%d tokens: %s is not shown as %s", budget, item.Path, head)
			}
		}
		if budget > 500 && r.Items[1].Cut {
			t.Errorf("%d tokens: the short file is cut beside the long one", budget)
		}
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	for want, req := range map[string]ReadRequest{
		"paths, not 0":               {BudgetTokens: 10},
		"paths, not 65":              {Paths: make([]string, 65), BudgetTokens: 10},
		"budget must be more than 0": {Paths: []string{"src/sign.go"}},
		"no tokenizer":               {Paths: []string{"src/sign.go"}, BudgetTokens: 10, Tokenizer: "abacus"},
		"first text needs 3":         {Paths: []string{"src/sign.go"}, BudgetTokens: 10},
	} {
		if _, err := Read(t.Context(), w.View(), req); err == nil || !errors.Is(err, workspace.ErrRequest) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", req, err, want)
		}
	}
}

// The open buffer is what is read.
func TestReadShowsUnsavedText(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	w.Overlay("src/sign.go", "package src // unsaved\n")
	w.Overlay(workspacetest.TokensPath, "---\ntitle: Unsaved\n---\n")
	r, err := Read(t.Context(), w.View(), ReadRequest{Paths: []string{"src/sign.go", "auth/jwt/tokens"}, BudgetTokens: 100})
	if err != nil || !strings.Contains(r.Text, "// unsaved") || !strings.Contains(r.Text, "title: Unsaved") {
		t.Errorf("%+v, %v", r, err)
	}
}
