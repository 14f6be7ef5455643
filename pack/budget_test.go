package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// The budget property is checked on so many packs in all, in all encodings and over both
// workspaces; BRV_NIGHTLY=1 checks the larger number.
const (
	budgetPacks        = 240
	budgetPacksNightly = 10_000
)

func TestRandomPacksKeepTheirBudgetInEveryEncoding(t *testing.T) {
	packs := sampletest.Count(budgetPacks, budgetPacksNightly)
	workspaces := []workspace{ownWorkspace(t), madeWorkspace(t)}
	for e, name := range tokens.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			encoding, err := tokens.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			var seen uses
			seed := sampletest.Seed(t)
			for _, w := range workspaces {
				w.Count, w.Estimate, w.Memory = encoding.Count, encoding.Estimate, NewMemory()
				for i := range packs / len(tokens.Names()) / len(workspaces) {
					random := rand.New(rand.NewPCG(seed+uint64(e), uint64(i)))
					task := w.task(random)
					p, err := Build(t.Context(), w.Inputs, task)
					quotes, problem := w.broken(t, p, task, err)
					if problem != "" {
						t.Fatalf("%s, pack %d: %s\ntask %+v\n%.3000s", w.name, i, problem, task, p.Text)
					}
					seen.add(p, quotes, err)
				}
			}
			t.Log(seen.String())
			// Of 24 samples, 60 packs each, two had 24 with something in them: small budgets are drawn as often as large ones.
			if !testing.Short() && (seen.filled < seen.packs/4 || seen.quotes < seen.packs/2) {
				t.Errorf("little is checked: %s", seen.String())
			}
		})
	}
}

// uses says how far budgets were used.
type uses struct {
	packs, filled, tooSmall, exact int
	quotes                         int     // ranges of lines
	most                           float64 // share of a budget
	mostTokens, mostBudget         int
}

func (u *uses) add(p Pack, quotes int, err error) {
	u.packs++
	u.quotes += quotes
	switch {
	case err != nil:
		u.tooSmall++
		return
	case p.Tokens > 0:
		u.filled++
	}
	if p.Tokens == p.Budget {
		u.exact++
	}
	if share := float64(p.Tokens) / float64(p.Budget); share > u.most || share == u.most && p.Budget > u.mostBudget {
		u.most, u.mostTokens, u.mostBudget = share, p.Tokens, p.Budget
	}
}

func (u *uses) String() string {
	return fmt.Sprintf(
		"%d packs, %d with something in them, %d ranges of lines in them, %d budgets too small; used to the last token %d times, "+
			"at most %.1f %% (%d of %d tokens)",
		u.packs, u.filled, u.quotes, u.tooSmall, u.exact, 100*u.most, u.mostTokens, u.mostBudget)
}

// broken says what of a pack's promises does not hold, "" if all do, and how many
// ranges of lines it shows.
func (w workspace) broken(t *testing.T, p Pack, task Task, err error) (quotes int, problem string) {
	switch n := w.Count(p.Text); {
	case errors.Is(err, ErrBudget):
		if p.Text != "" {
			return 0, "text beside the error " + err.Error()
		}
		return 0, ""
	case err != nil:
		return 0, err.Error()
	case n != p.Tokens:
		return 0, fmt.Sprintf("%d tokens, said %d", n, p.Tokens)
	case n > task.Budget || p.Budget != task.Budget:
		return 0, fmt.Sprintf("%d tokens, said to be for %d", n, p.Budget)
	case !utf8.ValidString(p.Text):
		return 0, "no UTF-8"
	case n > 0 != (len(p.Items) > 0):
		return 0, fmt.Sprintf("%d tokens for %d items", n, len(p.Items))
	}
	return showsWhatItSays(t, w.Inputs, p), ""
}

// workspace is a fixture and what random tasks are made of.
type workspace struct {
	Inputs
	name  string
	files []string
	words []string
}

// ownWorkspace is the package tree of this project with the project's own entries.
func ownWorkspace(t *testing.T) workspace {
	t.Helper()
	dir, entries := t.TempDir(), map[string]string{}
	if err := os.CopyFS(filepath.Join(dir, "tree"), os.DirFS(filepath.Join("..", "tree"))); err != nil {
		t.Fatal(err)
	}
	own := os.DirFS(filepath.Join("..", filepath.FromSlash(tree.FromProject)))
	err := fs.WalkDir(own, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := fs.ReadFile(own, path)
		entries[path] = string(text)
		return err
	})
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	return newWorkspace(t, "own", dir, entries)
}

// oddTexts stand in sources, entries and tasks alike.
var oddTexts = []string{
	"", "\n\n\n", " \n\t\n", "```", "``` `` ````\n# h", "~~~", "]]>", "<![CDATA[", "</file>", "<|endoftext|>", "\"\\u0000\"", "\x00",
	"\x1b[0m", "\xff\xfe", "\u2028",
	"設計 資料の構造", "Größe für Ärger", "👩‍👩‍👧 ok", "e\u0301", "\ufeff", "don't we'LL", strings.Repeat(" \n", 40),
	strings.Repeat("=", 300), "a\r\nb\rc", "### `a.go:1-2`", "\u202egnp.exe",
}

// madeWorkspace is a generated one, of files and entries as odd as they come.
func madeWorkspace(t *testing.T) workspace {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	odd := func() string { return oddTexts[random.IntN(len(oddTexts))] }
	names := []string{"order", "Invoice", "ledger_entry", "refreshToken", "größe", "設計", "Cart", "HTTPServer", "parse2"}
	name := func() string { return names[random.IntN(len(names))] }
	dir, entries := t.TempDir(), map[string]string{}
	var files []string
	for i := range 40 {
		path := fmt.Sprintf("src/%s%d%s", name(), i, []string{".go", ".py", ".ts", ".md", "_test.go", ".d.ts"}[i%6])
		files = append(files, path)
		var b strings.Builder
		b.WriteString(odd() + "\n")
		for f := range 1 + random.IntN(12) {
			switch i % 6 {
			case 1:
				fmt.Fprintf(&b, "def %s%d(a, b):\n    # %s\n%s    return %s(a)\n\n", name(), f, lineOf(odd()),
					strings.Repeat("    b += 1\n\n", random.IntN(60)), name())
			case 2, 5:
				fmt.Fprintf(&b, "export function %s%d(a: string) {\n  // %s\n%s  return %s(a)\n}\r\n", name(), f, lineOf(odd()),
					strings.Repeat("  a += `x`\n", random.IntN(60)), name())
			case 3:
				fmt.Fprintf(&b, "# %s\n%s\n", name(), odd())
			default:
				fmt.Fprintf(&b, "// %s\nfunc %s%d() {\n%s\t%s0()\n}\n\n", lineOf(odd()), name(), f,
					strings.Repeat("\tx++\n \n", random.IntN(60)), name())
			}
		}
		text := strings.TrimRight(b.String(), "\n"[:random.IntN(2)])
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 30 {
		entries[fmt.Sprintf("shop/%s/e%d.md", strings.ToLower(name()), i)] = fmt.Sprintf(
			"---\ntitle: %q\nsummary: %s\n---\n## Raw Concept\n**Files:**\n- %s\n\n## Narrative\n`%s` %s\n%s",
			name()+" "+odd(), lineOf(odd()), files[random.IntN(len(files))], name(), odd(),
			strings.Repeat("The "+name()+" of the "+name()+" is kept.\n", random.IntN(80)))
	}
	return newWorkspace(t, "made", dir, entries)
}

// lineOf is a text as it can stand in a comment of one line.
func lineOf(s string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(s) }

func newWorkspace(t *testing.T, name, dir string, entries map[string]string) workspace {
	t.Helper()
	w := workspace{Inputs: inputs(t, dir, entries), name: name}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "testdata") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		w.files, w.words = append(w.files, path), append(w.words, strings.Fields(string(text))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	paths := make([]string, 0, len(entries))
	for path := range entries {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		w.words = append(w.words, strings.Fields(entries[path])...)
	}
	w.Drift = func(entry string) []link.Drift {
		switch len(entry) % 4 {
		case 0:
			return []link.Drift{{Entry: entry, Kind: link.Vanished, Path: "src/gone`.go", Grade: 1, Reason: "it is gone ```"}}
		case 1:
			return []link.Drift{{Entry: entry, Kind: link.Moved, Path: w.files[0], To: w.files[1], Grade: 0.5, Reason: "moved"}}
		}
		return nil
	}
	return w
}

// task is a random task, some of them what follows before.
func (w workspace) task(r *rand.Rand) Task {
	task := Task{
		Text: w.text(r), Budget: w.budget(r), Boost: float64(r.IntN(3)), Offset: -1,
		Strategy:     []codebase.Strategy{"", codebase.ImportanceFirst, codebase.BreadthFirst, codebase.DepthFirst}[r.IntN(4)],
		Kinds:        [][]Kind{nil, nil, {KindEntry}, {KindCode}, {KindEntry, KindCode}}[r.IntN(5)],
		IncludeTests: r.IntN(2) == 0, ExcludeTypes: r.IntN(4) == 0,
	}
	if r.IntN(2) == 0 {
		task.File, task.Offset = w.file(r), r.IntN(9000)-1
		start := r.IntN(9000)
		task.Visible = syntax.Span{Start: start, End: start + r.IntN(3000)}
	}
	for range r.IntN(6) {
		kind := []PlaceKind{PlaceOpen, PlaceEdit, PlaceProblem, PlaceReference, PlacePinned}[r.IntN(5)]
		task.Places = append(task.Places, Place{Path: w.file(r), Offset: r.IntN(9000) - 1, Kind: kind, Text: w.text(r),
			Age: time.Duration(r.IntN(1e6)) * time.Millisecond})
	}
	for range r.IntN(4) {
		task.Pinned, task.Without = append(task.Pinned, w.file(r)), append(task.Without, w.file(r))
	}
	if r.IntN(30) == 0 {
		task.Deadline = time.Unix(1, 0) // long past
	}
	return task
}

// file is a file of the workspace, now and then one that is not there.
func (w workspace) file(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return []string{"gone.go", "../up.go", "/etc/hosts", "src", "a\x00b"}[r.IntN(5)]
	}
	return w.files[r.IntN(len(w.files))]
}

// budget is between 1 and 20,000 tokens, every third at most 60, every third at most 1,500.
func (w workspace) budget(r *rand.Rand) int {
	return 1 + r.IntN([]int{60, 1500, 20_000}[r.IntN(3)])
}

// text is some words of the workspace among odd texts and empty lines.
func (w workspace) text(r *rand.Rand) string {
	var words []string
	for range r.IntN(14) {
		switch r.IntN(8) {
		case 0:
			words = append(words, oddTexts[r.IntN(len(oddTexts))])
		case 1:
			words = append(words, w.files[r.IntN(len(w.files))])
		default:
			words = append(words, w.words[r.IntN(len(w.words))])
		}
	}
	return strings.Join(words, []string{" ", "\n"}[r.IntN(2)])
}
