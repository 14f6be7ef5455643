package words

import (
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// render writes the tokens of a text as the golden has them.
func render(text string) string {
	var out []string
	Each(text, func(t Token) {
		mark := map[Kind]string{Name: "=", Compound: "~"}[t.Kind]
		if t.Stop {
			mark = "-"
		}
		out = append(out, mark+t.Term)
	})
	return strings.Join(out, " ")
}

func TestScanGoldens(t *testing.T) {
	const file = "testdata/analysis.txt"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		text, _, _ := strings.Cut(line, "  →  ")
		if strings.HasPrefix(line, "#") {
			got.WriteString(line + "\n")
			continue
		}
		got.WriteString(text + "  →  " + render(text) + "\n")
	}
	if got.String() == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s differs; got:\n%s", file, got.String())
	}
	if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSpellingsOfAnIdentifierAreOneTerm(t *testing.T) {
	for _, s := range []string{"retryBudget", "RetryBudget", "retry_budget", "RETRY_BUDGET", "retry-budget"} {
		if !strings.Contains(" "+strings.NewReplacer("=", "", "~", "").Replace(render(s))+" ", " retrybudget ") {
			t.Errorf("%s → %s lacks retrybudget", s, render(s))
		}
	}
}

// TestLongRunsAreData: a run of thousands of parts has some hundred tokens and takes next to no memory.
func TestLongRunsAreData(t *testing.T) {
	for _, each := range []string{"a.", "a/", "a::", "aB", "a_", "a'", "Aa", "1.", "é-", "a.b_c"} {
		text := strings.Repeat(each, 1<<16/len(each)) + " end"
		tokens, last := 0, ""
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Each(text, func(t Token) { tokens, last = tokens+1, t.Term })
		runtime.ReadMemStats(&after)
		size := after.TotalAlloc - before.TotalAlloc
		if tokens > 2*maxParts || last != "end" || size > 1<<20 {
			t.Errorf("%q: %d tokens, the last is %q, %d bytes allocated", each, tokens, last, size)
		}
	}
}

func FuzzScan(f *testing.F) {
	raw, err := os.ReadFile("testdata/analysis.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		f.Add(line)
	}
	f.Add("\xff\xfe�a\xc3")
	f.Fuzz(func(t *testing.T, content string) {
		last := 0
		Each(content, func(tok Token) {
			if tok.Term == "" || tok.Start < 0 || tok.Start >= tok.End || tok.End > len(content) {
				t.Fatalf("token %+v of %d bytes", tok, len(content))
			}
			if !utf8.ValidString(tok.Term) {
				t.Fatalf("term %q is not UTF-8", tok.Term)
			}
			if tok.Kind == Plain {
				if tok.Start < last {
					t.Fatalf("token %+v stands before %d", tok, last)
				}
				last = tok.Start
			}
		})
	})
}
