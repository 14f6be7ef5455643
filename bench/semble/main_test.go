package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/mirror/mirrortest"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// TestMain makes the test binary its own syntax worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// benchmark makes a repository whose history alone says that the winch is about storms,
// and questions about it. What comes after the pin, and what is beside the folder that
// is searched, would be found first.
func benchmark(t *testing.T) (repos, annotations string) {
	t.Helper()
	repos, annotations = t.TempDir(), t.TempDir()
	files := map[string]string{
		"src/crane.go": "package pier\n\n// Lift raises a load.\nfunc Lift(tons int) bool { return tons < 40 }\n",
		"src/tide.go":  "package pier\n\n// High tells when the water is highest.\nfunc High(day int) int { return day * 50 }\n",
		"src/winch.go": "package pier\n",
		"doc/lift.go":  "package doc\n\n// Lift raises a load.\nfunc Lift() {}\n",
	}
	states := []mirrortest.Commit{{Message: "first"}, {Message: "secure ropes against storms"}, {Message: "later"}}
	for i := range states {
		states[i].Files = map[string]string{}
		for p, text := range files {
			states[i].Files[p] = text
		}
		files["src/winch.go"] = "package pier\n\n// Pull winds up.\nfunc Pull() {}\n"
		if i == 1 {
			files["src/lift.go"] = "package pier\n\n// Lift raises a load again.\nfunc Lift2() {}\n"
		}
	}
	commits := mirrortest.Repository(t, repos, "o+pier", states...)
	write(t, annotations, "repos.json", fmt.Sprintf(`[
		{"name": "pier", "language": "go", "url": "https://example.org/o/pier.git", "revision": %q, "benchmark_root": "src"},
		{"name": "quay", "language": "go", "url": "https://example.org/o/quay.git", "revision": "0", "benchmark_root": null},
		{"name": "bare", "language": "go", "url": "https://example.org/o/bare.git", "revision": "0"}]`, commits[1]))
	write(t, annotations, "annotations/pier.json", `[
		{"query": "Lift", "relevant": ["src/crane.go"], "secondary": [], "category": "symbol"},
		{"query": "protection against storms", "relevant": [{"path": "src/winch.go", "start_line": 1, "end_line": 2}], "category": "semantic"},
		{"query": "when the water is highest", "relevant": ["src/tide.go"], "secondary": ["src/gone.go"], "category": "semantic"}]`)
	write(t, annotations, "annotations/quay.json", `[{"query": "a", "relevant": ["a.go"], "category": "symbol"}]`)
	write(t, annotations, "results/dense-0123456789ab.json",
		`{"repos": [{"repo": "pier", "ndcg10": 0.5, "by_category": {"symbol": 0.25}}, {"repo": "quay", "ndcg10": 1}]}`)
	write(t, annotations, "results/words-0.json", `{"tool": "words", "repos": [{"repo": "pier", "mode": "raw", "ndcg10": 0.125}]}`)
	write(t, annotations, "results/speed-0.json", `{"repos": ["pier"]}`)
	return repos, annotations
}

func TestRunMeasuresWhatIsAtHand(t *testing.T) {
	repos, annotations := benchmark(t)
	c := config{repos: repos, annotations: annotations, verbose: true, runs: filepath.Join(t.TempDir(), "x.md")}
	var out bytes.Buffer
	if err := run(t.Context(), c, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	// Of the two files that answer the third question one does not exist.
	third := 1 / (1 + 1/math.Log2(3))
	row := func(second float64, symbol string) string {
		all, semantic := (1+second+third)/3, (second+third)/2
		return strings.ReplaceAll(fmt.Sprintf("| %.3f | %.3f | – | %s | %.3f |", all, semantic, symbol, all), "0.", ".")
	}
	for _, want := range []string{
		"1 repositories at their pins, 3 questions; not at hand: quay\n",
		"| brv-lsp " + row(1, "1.000"),
		"| brv-lsp, no history " + row(0, "1.000"),
		"| dense * | .500 | – | – | .250 | .500 |",
		"| words raw * | .125 | – | – | – | .125 |",
		"| language | n | brv-lsp | brv-lsp, no history | BM25 over files | dense * | words raw * |",
		"| go | 3 | ",
		"| pier | 3 | ",
		"pier 3, semantic: 0.613, without history 0.613: when the water is highest\n  want src/tide.go src/gone.go\n  have src/tide.go",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if kept, err := os.ReadFile(c.runs); err != nil || len(kept) == 0 || !strings.HasPrefix(out.String(), string(kept)) {
		t.Errorf("kept %q, %v", kept, err)
	}
	for _, p := range []string{c.runs, strings.TrimSuffix(c.runs, ".md") + ".jsonl.gz"} {
		if kept, err := os.ReadFile(p); err != nil || len(kept) == 0 || bytes.Contains(kept, []byte("highest")) {
			t.Errorf("%s: a question is kept, or nothing is: %v", p, err)
		}
	}
}

func TestNothingAtHandIsAnError(t *testing.T) {
	_, annotations := benchmark(t)
	err := run(t.Context(), config{repos: t.TempDir(), annotations: annotations}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no repository is at hand") {
		t.Error(err)
	}
}

func TestQuestionsWithoutFilesAreRefused(t *testing.T) {
	_, annotations := benchmark(t)
	write(t, annotations, "annotations/quay.json", `[{"query": "a", "relevant": [], "category": "symbol"}]`)
	if _, err := readProjects(annotations); err == nil || !strings.Contains(err.Error(), "question 1") {
		t.Error(err)
	}
}

func TestRanksAreThoseOfTheFirstFileThatIsMeant(t *testing.T) {
	ranking := []string{"src/a/mod.rs", "src/b/mod.rs", "src/mod.rs"}
	for targets, want := range map[string][]int{
		"src/mod.rs":              {3},
		"b/mod.rs":                {2},
		"mod.rs":                  {1},
		"lib/src/mod.rs":          {3},
		"src/a/mod.rs a/mod.rs c": {1, 1},
	} {
		if got := ranksOf(ranking, strings.Fields(targets)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", targets, got, want)
		}
	}
}

func TestNDCGDiscountsByPlace(t *testing.T) {
	for _, c := range []struct {
		ranks    []int
		relevant int
		want     float64
	}{
		{[]int{1}, 1, 1},
		{[]int{3}, 1, .5},
		{nil, 2, 0},
		{[]int{2, 1}, 2, 1},
		{[]int{1, 1}, 2, 1 / (1 + 1/math.Log2(3))},
		{[]int{11}, 1, 0},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 12, 1},
	} {
		if got := ndcg(c.ranks, c.relevant); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v of %d: %v, want %v", c.ranks, c.relevant, got, c.want)
		}
	}
}
