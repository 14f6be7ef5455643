package codemap

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	gitrepo "github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// code is a small project whose files depend on each other in a circle.
var code = map[string]string{
	"go.mod": "module example.org/app\n\ngo 1.26\n",
	"src/main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/app/sign\"\n)\n\nfunc main() { " +
		"fmt.Println(sign.Token(\"x\")) }\n",
	"sign/sign.go": "package sign\n\n// Token signs.\nfunc Token(user string) string { return join(user) }\n",
	"sign/join.go": "package sign\n\nfunc join(user string) string { return twice(user) }\n",
	"sign/twice.go": "package sign\n\nfunc twice(user string) string { if user == \"\" { return Token(user) }; return user + " +
		"user }\n",
	"sign/sign_test.go": "package sign\n\nfunc TestToken() { Token(\"x\") }\n",
	"web/page.ts":       "import { gone } from './gone'\nimport fs from 'fs'\nexport const page = gone(fs)\n",
	"README.md":         "# App\n",
}

func opened(t *testing.T) *workspace.Workspace {
	t.Helper()
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	return workspacetest.Open(t, code, workspace.Options{})
}

func TestMapFillsItsBudgetAndNoMore(t *testing.T) {
	w := opened(t)
	for _, task := range []string{"", "sign tokens"} {
		for budget := 1; budget < 200; budget += 7 {
			r, err := Map(t.Context(), w.View(), MapRequest{Task: task, BudgetTokens: budget})
			if err != nil {
				t.Fatal(err)
			}
			if n := tokens.Count(r.Outline); n > budget || n != r.OutlineTokens || r.BudgetTokens != budget {
				t.Errorf("task %q, budget %d: %d tokens, said to be %d of %d", task, budget, n, r.OutlineTokens, r.BudgetTokens)
			}
			if budget > 150 && r.OutlineTokens < 60 {
				t.Errorf("task %q, budget %d: only %d tokens", task, budget, r.OutlineTokens)
			}
		}
	}
}

func TestMapCountsWhatThereIs(t *testing.T) {
	w := opened(t)
	r, err := Map(t.Context(), w.View(), MapRequest{})
	if err != nil {
		t.Fatal(err)
	}
	files, edges := 0, 0
	for _, l := range r.Languages {
		files += l.Files
	}
	m := w.View().Code()
	for _, c := range m.Chunks() {
		edges += len(m.Dependents(c.Path))
	}
	if r.Files != 6 || files != 6 || r.Edges != edges || r.Tokens != m.TotalTokens() || r.History != nil || len(r.Ranked) != 0 {
		t.Errorf("%+v", r)
	}
	if len(r.EntryPoints) != 1 || r.EntryPoints[0].Path != "src/main.go" {
		t.Errorf("entry points %+v", r.EntryPoints)
	}
	nowhere := 0
	for _, i := range r.Nowhere {
		nowhere += i.Imports
	}
	if nowhere != 3 { // fmt, ./gone, fs
		t.Errorf("imports that lead nowhere: %+v", r.Nowhere)
	}
}

func TestMapExplainsScores(t *testing.T) {
	w := opened(t)
	offset := strings.Index(code["src/main.go"], "func main")
	r, err := Map(t.Context(), w.View(), MapRequest{Task: "sign a token", Path: "src/main.go", Offset: &offset, Limit: 3, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Ranked) != 3 || r.Matches < 3 || r.Ranked[0].Path != "sign/sign.go" || r.Ranked[0].Score != 1 || r.Ranked[0].Reason == "" {
		t.Fatalf("ranked %+v", r.Ranked)
	}
	for _, f := range r.Ranked {
		if len(f.Signals) == 0 {
			t.Errorf("%s: no signals", f.Path)
		}
		for _, s := range f.Signals {
			if s.Weighed != s.Value*s.Weight || s.Weighed <= 0 {
				t.Errorf("%s: %+v", f.Path, s)
			}
		}
	}
	if r, err = Map(t.Context(), w.View(), MapRequest{Task: "sign a token"}); err != nil || r.Ranked[0].Signals != nil {
		t.Errorf("unasked: %+v, %v", r.Ranked, err)
	}
}

// drawn writes a tree in one line.
func drawn(f DepFile) string {
	out := f.Path
	if f.Repeated {
		out += "*"
	}
	var below []string
	for _, c := range f.Files {
		below = append(below, drawn(c))
	}
	if f.Left > 0 {
		below = append(below, fmt.Sprint("+", f.Left))
	}
	if below != nil {
		out += "(" + strings.Join(below, " ") + ")"
	}
	return out
}

func TestDepsFollowTheGraph(t *testing.T) {
	w := opened(t)
	for _, test := range []struct {
		req  DepsRequest
		want string
	}{
		{DepsRequest{Path: "src/main.go"}, "src/main.go(sign/sign.go)"},
		{DepsRequest{Path: "src/main.go", Depth: 3}, "src/main.go(sign/sign.go(sign/join.go(sign/twice.go)))"},
		{DepsRequest{Path: "src/main.go", Depth: 10}, "src/main.go(sign/sign.go(sign/join.go(sign/twice.go(sign/sign.go*))))"},
		{DepsRequest{Path: "sign/join.go", Depth: 2, Reverse: true},
			"sign/join.go(sign/sign.go(sign/sign_test.go sign/twice.go src/main.go))"},
		{DepsRequest{Path: "web/page.ts", Depth: 2}, "web/page.ts"},
	} {
		r, err := Deps(t.Context(), w.View(), test.req)
		if err != nil {
			t.Fatal(err)
		}
		if got := drawn(r.Tree); got != test.want {
			t.Errorf("%+v: %s, want %s", test.req, got, test.want)
		}
	}
	r, err := Deps(t.Context(), w.View(), DepsRequest{Path: "sign/join.go"})
	if err != nil || !slices.Equal(r.SamePackage, []string{"sign/twice.go"}) ||
		!slices.Equal(r.Dependents, []string{"sign/sign.go"}) || r.DependentCount != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = Deps(t.Context(), w.View(), DepsRequest{Path: "src/main.go"}); err != nil {
		t.Fatal(err)
	}
	want := []FileImport{
		{Spec: "fmt", Line: 4, Files: []string{}, Reason: "external"},
		{Spec: "example.org/app/sign", Line: 6, Files: []string{"sign/sign.go"}},
	}
	if diff := cmp.Diff(want, r.Imports); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFollowIsBounded(t *testing.T) {
	calls := 0
	all := make([]string, 60)
	for i := range all {
		all[i] = fmt.Sprint(i)
	}
	root, reached := follow("0", MaxDepth, func(string) []string { calls++; return all })
	files := 0
	var count func(f DepFile)
	count = func(f DepFile) {
		files += len(f.Files)
		for _, c := range f.Files {
			count(c)
		}
	}
	count(root)
	if files != maxTreeFiles || calls > len(all) || reached != len(all)-1 {
		t.Errorf("%d files, %d calls, %d reached", files, calls, reached)
	}
}

// What is not listed is counted once too, and what stands behind it.
func TestFollowCountsEachFileOnce(t *testing.T) {
	wide := make([]string, maxTreeFiles+2)
	for i := range wide {
		wide[i] = fmt.Sprint("f", i)
	}
	root, reached := follow("top", 3, func(p string) []string {
		switch p {
		case "top":
			return wide
		case "behind":
			return nil
		}
		return []string{"behind", "top", "f0"}
	})
	if want := len(wide) + 1; reached != want || len(root.Files)+root.Left != len(wide) {
		t.Errorf("%d reached, %d listed and %d left", reached, len(root.Files), root.Left)
	}
}

func TestExpansionsNeverExceedTheirBudgets(t *testing.T) {
	w := opened(t)
	for budget := 1; budget < 400; budget += 7 {
		r, err := Expand(t.Context(), w.View(), ExpandRequest{Paths: []string{"src/main.go"}, BudgetTokens: budget})
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens.Count(r.Text); n != r.Tokens || n > budget || len(r.Missed) != r.Left {
			t.Errorf("budget %d: %d tokens, said to be %d; missed %v", budget, n, r.Tokens, r.Missed)
		}
	}
}

func TestUnknownFilesSayWhatIsMeant(t *testing.T) {
	w := opened(t)
	for _, test := range []struct {
		path, want string
		usage      bool
	}{
		{"sign/sing.go", "no code file sign/sing.go; similar names: sign/sign.go", false},
		{"lib/twice.go", "similar names: sign/twice.go", false},
		{"sign", "sign is a folder; name a file in it, such as sign/join.go", false},
		{".", ". is a folder; name a file in it, such as sign/join.go", false},
		{"README.md", "README.md is not in the repo map", false},
		{"zzzz", "no code file zzzz; `brv-lsp map` lists", false},
		{"../x.go", "not a path inside the folder", true},
		{"/etc/passwd", "not a path inside the folder", true},
		{"", "not a path inside the folder", true},
		{strings.Repeat("é", 5000), "…", false},
	} {
		_, err := Deps(t.Context(), w.View(), DepsRequest{Path: test.path})
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.Is(err, workspace.ErrRequest) != test.usage ||
			len(err.Error()) > 700 {
			t.Errorf("%.20q: %v", test.path, err)
		}
	}
	if _, err := Map(t.Context(), w.View(), MapRequest{Path: "sign/sing.go"}); err == nil ||
		!strings.Contains(err.Error(), "sign/sign.go") {
		t.Errorf("map of an unknown file: %v", err)
	}
}

func TestWrongCodeRequests(t *testing.T) {
	w := opened(t)
	ctx, v := t.Context(), w.View()
	for name, ask := range map[string]func() (any, error){
		"outline below 1":   func() (any, error) { return Map(ctx, v, MapRequest{BudgetTokens: -1}) },
		"outline too large": func() (any, error) { return Map(ctx, v, MapRequest{BudgetTokens: 200001}) },
		"too many files":    func() (any, error) { return Map(ctx, v, MapRequest{Limit: 201}) },
		"too deep":          func() (any, error) { return Deps(ctx, v, DepsRequest{Path: "src/main.go", Depth: 11}) },
		"no name":           func() (any, error) { return Symbols(ctx, v, SymbolsRequest{Query: "  "}) },
		"no such kind":      func() (any, error) { return Symbols(ctx, v, SymbolsRequest{Query: "x", Kind: "verb"}) },
		"too many symbols":  func() (any, error) { return Symbols(ctx, v, SymbolsRequest{Query: "x", Limit: 1001}) },
	} {
		if _, err := ask(); !errors.Is(err, workspace.ErrRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSymbolsCommand(t *testing.T) {
	w := opened(t)
	res, err := Symbols(t.Context(), w.View(), SymbolsRequest{Query: "token", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := &SymbolsResponse{Total: 2, Left: 1, Symbols: []FoundSymbol{{
		Name: "Token", Kind: "function", Path: "sign/sign.go", Line: 4, Signature: "func Token(user string) string", Exported: true,
		Match: "same",
	}}}
	if diff := cmp.Diff(want, res); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestHistoryIsTold gives the map the commits of a repository made by the git program.
func TestHistoryIsTold(t *testing.T) {
	w := opened(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = w.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "README.md")
	git("commit", "-q", "-m", "first")
	git("add", "sign", "src")
	git("commit", "-q", "-m", "sign tokens")
	workspacetest.Write(t, w.Root(), "sign/gone.txt", "x")
	git("add", "sign/gone.txt", "web/page.ts")
	git("commit", "-q", "-m", "the page")
	git("rm", "-q", "-f", "sign/gone.txt")
	git("commit", "-q", "-m", "tidy")
	repo, err := gitrepo.Open(w.Root())
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.Read(t.Context(), repo, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(t.Context())
	m, err := Map(t.Context(), w.View(), MapRequest{})
	if err != nil || m.History == nil || m.History.Commits != h.Len() || h.Len() < 3 || m.History.Head != h.Head() {
		t.Errorf("%+v, %v", m.History, err)
	}
	for of, want := range map[string][]string{
		"sign/sign.go": {"sign/join.go", "sign/sign_test.go", "sign/twice.go", "src/main.go"},
		"web/page.ts":  nil, // what it was changed with is gone
	} {
		r, err := Deps(t.Context(), w.View(), DepsRequest{Path: of})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Together {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s changes together with %v, want %v", of, got, want)
		}
	}
}
