package words

import (
	"flag"
	"os"
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
