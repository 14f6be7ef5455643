package pack

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/codebasetest"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

func TestMain(m *testing.M) { codebasetest.Main(m) }

// inputs builds what a pack is made of from a folder of code and some entries,
// with the real search and counter.
func inputs(t testing.TB, dir string, entries map[string]string) Inputs {
	t.Helper()
	var parsed []*format.Entry
	for path, text := range entries {
		parsed = append(parsed, format.Parse(path, text))
	}
	s := tree.NewSnapshot(parsed, nil)
	m := codebasetest.Scan(t, dir)
	return Inputs{Tree: s, Code: m, Links: link.Build(s, m), Search: search(t, s), Count: tokens.Count, Estimate: tokens.Estimate}
}

func search(t testing.TB, s *tree.Snapshot) func(context.Context, string, int) ([]retrieval.Hit, error) {
	t.Helper()
	r, err := retrieval.New(retrieval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	x, err := r.Sync(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error) {
		result, err := x.Search(ctx, retrieval.Query{Text: text, Limit: limit})
		return result.Hits, err
	}
}

// shop is the fixture of the goldens.
func shop(t testing.TB) (Inputs, *txtar.Archive) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	entries, files := map[string]string{}, &txtar.Archive{}
	for _, f := range archive.Files {
		if p, ok := strings.CutPrefix(f.Name, "tree/"); ok {
			entries[p] = string(f.Data)
		} else if p, ok := strings.CutPrefix(f.Name, "code/"); ok {
			files.Files = append(files.Files, txtar.File{Name: p, Data: f.Data})
		}
	}
	dir := t.TempDir()
	if err := txtar.Write(files, dir); err != nil {
		t.Fatal(err)
	}
	return inputs(t, dir, entries), archive
}

// Each file "pack <budget> <task>" of the archive is the text of that pack.
func TestPacksOfTheShop(t *testing.T) {
	in, archive := shop(t)
	for i := range archive.Files {
		f := &archive.Files[i]
		var budget int
		if n, _ := fmt.Sscanf(f.Name, "pack %d", &budget); n != 1 {
			continue
		}
		text := strings.SplitN(f.Name, " ", 3)[2]
		p, err := Build(t.Context(), in, Task{Text: text, Budget: budget})
		got := p.Text + drawItems(p)
		if err != nil {
			got = err.Error() + "\n"
		}
		if *update {
			f.Data = []byte(got)
		}
		if diff := cmp.Diff(string(f.Data), got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/shop.txtar", txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// drawItems leaves scores and reasons out: they belong to the packages that rank.
func drawItems(p Pack) string {
	var out strings.Builder
	fmt.Fprintf(&out, "==== %d of %d tokens\n", p.Tokens, p.Budget)
	for _, i := range p.Items {
		fmt.Fprintf(&out, "%s %s %s %v %d tokens\n", i.Kind, i.Form, i.Path, i.Lines, i.Tokens)
	}
	for _, i := range p.Missed {
		fmt.Fprintf(&out, "missed %s %s\n", i.Kind, i.Path)
	}
	return out.String()
}

// keeps checks what holds for every pack.
func keeps(t *testing.T, in Inputs, task Task) Pack {
	t.Helper()
	p, err := Build(t.Context(), in, task)
	switch {
	case errors.Is(err, ErrBudget):
		return p
	case err != nil:
		t.Fatalf("budget %d: %v", task.Budget, err)
	}
	if n := tokens.Count(p.Text); n != p.Tokens || n > task.Budget {
		t.Fatalf("budget %d, task %q: %d tokens, said %d", task.Budget, task.Text, n, p.Tokens)
	}
	if !utf8.ValidString(p.Text) {
		t.Errorf("budget %d: invalid UTF-8", task.Budget)
	}
	showsWhatItSays(t, in, p)
	return p
}

var tasks = []string{
	"", "fix the parser of frontmatter", "relations that are broken", "where is Parse", "snapshot With overlay", "設計 資料",
	"\x00\xff ``` \n# x",
	"format/parse.go: panic in Parse when the fence is not closed", strings.Repeat("resolve ", 200),
}

func TestNoPackExceedsItsBudget(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		budget := 1 + random.IntN(20_000)
		if i%3 == 0 {
			budget = 1 + random.IntN(400)
		}
		task := Task{Text: tasks[random.IntN(len(tasks))], Budget: budget, IncludeTests: random.IntN(2) == 0}
		if random.IntN(2) == 0 {
			task.File, task.Offset = "format/parse.go", random.IntN(9000)
		}
		if random.IntN(4) == 0 {
			task.Strategy = []codebase.Strategy{codebase.ImportanceFirst, codebase.BreadthFirst, codebase.DepthFirst}[random.IntN(3)]
		}
		keeps(t, in, task)
	}
}

// What is chosen is counted in runs: their sum must be the count of the whole text.
func TestRunsCountAsTheirText(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	for i, text := range tasks {
		task := Task{Text: text, Budget: 300 << (i % 6), IncludeTests: true}
		m := newMaker(t.Context(), in, task)
		candidates, err := m.gather()
		if err != nil {
			t.Fatal(err)
		}
		f := newFiller(m, candidates)
		f.fill()
		got, text := f.tokens(), strings.Join(f.runs(), "")
		if want := in.Count(text); got != want || want == 0 && len(candidates) > 0 {
			t.Errorf("budget %d, task %q: %d tokens in runs, %d as a whole", task.Budget, task.Text, got, want)
		}
	}
}

// An encoding that counts more for a text than for its runs is kept to as well.
func TestWholeTextIsWhatIsCounted(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	count := func(s string) int { return tokens.Count(s) + len(s)*len(s)/100_000 }
	in.Count = count
	for _, budget := range []int{200, 1500, 6000} {
		p, err := Build(t.Context(), in, Task{Text: "fix the parser of frontmatter", Budget: budget})
		if n := count(p.Text); err != nil || n > budget || n != p.Tokens || len(p.Items) == 0 {
			t.Errorf("budget %d: %d tokens, said %d, %d items, error %v", budget, n, p.Tokens, len(p.Items), err)
		}
	}
}

var ownEntries = map[string]string{
	"format/parse/frontmatter.md": "---\ntitle: Frontmatter\nsummary: How it is read\nrelated: " +
		"[format/parse/relations.md]\n---\n## Raw Concept\n**Files:**\n- parse.go\n- `frontmatter.go`\n\n## Narrative\n" +
		strings.Repeat("`Parse` reads the fence, `parseFrontmatter` the keys. ", 80) + "\n",
	"format/parse/relations.md": "# Relations\n`Snapshot.Resolve` decides.\n" +
		strings.Repeat("A relation is a mention of another entry.\n", 30),
	"format/parse/odd.md": "---\ntitle: \"a ` b\\n# c\"\n---\n```\nnever closed\n````\x00\xff",
}

func TestPackUsesItsBudget(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	for _, budget := range []int{500, 2000, 8000} {
		p := keeps(t, in, Task{Text: "fix the parser of frontmatter", Budget: budget})
		if float64(p.Tokens) < 0.85*float64(budget) {
			t.Errorf("budget %d: only %d tokens used", budget, p.Tokens)
		}
	}
}

func TestEqualInputsGiveEqualPacks(t *testing.T) {
	task := Task{Text: "relations that are broken", Budget: 3000, File: "resolve.go", Offset: 700}
	first := keeps(t, inputs(t, filepath.Join("..", "tree"), ownEntries), task)
	for range 3 {
		again := keeps(t, inputs(t, filepath.Join("..", "tree"), ownEntries), task)
		if diff := cmp.Diff(first, again, cmpopts.IgnoreUnexported(Pack{})); diff != "" {
			t.Fatalf("(-first +again)\n%s", diff)
		}
	}
}

func TestOpenFileIsInThePackWithTheSymbolAtTheCursor(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), nil)
	text, err := in.Code.Read("resolve.go")
	if err != nil {
		t.Fatal(err)
	}
	p := keeps(t, in, Task{Text: "why does this happen", Budget: 1500, File: "resolve.go",
		Offset: strings.Index(text, "func InTree(") + 10})
	if !strings.Contains(p.Text, "func InTree(") || !strings.Contains(p.Text, `seg == ".."`) {
		t.Errorf("the function at the cursor is missing:\n%s", p.Text)
	}
}

func TestChangedFileIsNotCutByOldPositions(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("package a\n\nfunc Total() int { return 1 }\n" + strings.Repeat("// filler\n", 2000))
	in := inputs(t, dir, nil)
	write("package a\n\nvar x = 1 // everything moved\n\nfunc Total() int { return 1 }\n" + strings.Repeat("// filler\n", 2000))
	p := keeps(t, in, Task{Text: "Total", Budget: 300})
	if len(p.Items) != 1 || p.Items[0].Form != FormOutline {
		t.Errorf("items %+v", p.Items)
	}
}

// Of a function that is longer than the budget the part is shown that the task speaks
// of, below the function's signature.
func TestPartOfALongFunctionIsShown(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n\nfunc Serve() {\n")
	for i := range 80 {
		call := "handle"
		if i == 50 {
			call = "reconnectGateway"
		}
		fmt.Fprintf(&b, "\tif step%d() {\n\t\tprepare()\n\t\t%s(%d)\n\t}\n\n", i, call, i)
	}
	b.WriteString("}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	p := keeps(t, inputs(t, dir, nil), Task{Text: "Serve: reconnect of the gateway fails", Budget: 400})
	if !strings.Contains(p.Text, "reconnectGateway(50)") || !strings.Contains(p.Text, "func Serve()") || len(p.Items) != 1 ||
		p.Items[0].Form != FormBody {
		t.Errorf("items %+v\n%s", p.Items, p.Text)
	}
}

func TestTinyBudgetNamesTheMinimum(t *testing.T) {
	in, _ := shop(t)
	_, err := Build(t.Context(), in, Task{Text: "refresh token", Budget: 3})
	var got, need int
	if !errors.Is(err, ErrBudget) {
		t.Fatalf("error %v", err)
	}
	if n, _ := fmt.Sscanf(err.Error(), "budget too small: %d tokens; the smallest answer needs %d", &got, &need); n != 2 {
		t.Fatalf("error %q", err)
	}
	if p := keeps(t, in, Task{Text: "refresh token", Budget: need}); len(p.Items) == 0 {
		t.Errorf("the named minimum of %d is not enough", need)
	}
	if _, err := Build(t.Context(), in, Task{Text: "x", Budget: 0}); !errors.Is(err, ErrBudget) {
		t.Errorf("budget 0: %v", err)
	}
}

func TestNothingToSayIsAnEmptyPack(t *testing.T) {
	in := inputs(t, t.TempDir(), nil)
	p := keeps(t, in, Task{Text: "anything", Budget: 100})
	if p.Text != "" || p.Tokens != 0 || len(p.Items) != 0 {
		t.Errorf("pack %+v", p)
	}
}

func TestCancelledTaskEnds(t *testing.T) {
	in, _ := shop(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, in, Task{Text: "refresh token", Budget: 1000}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func FuzzOddTextsKeepTheBudget(f *testing.F) {
	f.Add("---\ntitle: x\n---\nbody `a`", "package a\nfunc F() {}\n", "F x", 200)
	f.Add("```\n````\n", "// ```\n", "```", 60)
	f.Add("---\ntitle: \"\\x00\"\nsummary: \"\n# h\"\n---\n\xff\xfe", "\xff", "\xff", 30)
	f.Add(strings.Repeat("`", 500), strings.Repeat(" \n", 300), "`", 100)
	f.Fuzz(func(t *testing.T, entry, source, task string, budget int) {
		budget = 1 + (budget&0x7fffffff)%20_000
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		root, err := jail.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		m, err := codebase.Scan(t.Context(), root, codebase.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := format.Parse("a/b/c.md", entry)
		s := tree.NewSnapshot([]*format.Entry{e}, nil)
		hit := retrieval.Hit{Path: "a/b/c.md", Score: 0.9, Passage: markdown.Span{Start: len(entry) / 3, End: len(entry) / 2}}
		in := Inputs{Tree: s, Code: m, Links: link.Build(s, m), Count: tokens.Count, Estimate: tokens.Estimate,
			Search: func(context.Context, string, int) ([]retrieval.Hit, error) { return []retrieval.Hit{hit}, nil }}
		keeps(t, in, Task{Text: task, Budget: budget, File: "a.go"})
	})
}
