package retrieval

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// render writes the tokens of a text as the golden has them.
func render(text string) string {
	var out []string
	forEachToken(text, func(t token) {
		mark := map[wordKind]string{wordName: "=", wordCompound: "~"}[t.kind]
		if t.stop {
			mark = "-"
		}
		out = append(out, mark+t.term)
	})
	return strings.Join(out, " ")
}

func TestAnalysisGoldens(t *testing.T) {
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
		forEachToken(content, func(tok token) {
			if tok.term == "" || tok.start < 0 || tok.start >= tok.end || tok.end > len(content) {
				t.Fatalf("token %+v of %d bytes", tok, len(content))
			}
			if !utf8.ValidString(tok.term) {
				t.Fatalf("term %q is not UTF-8", tok.term)
			}
			if tok.kind == wordPlain {
				if tok.start < last {
					t.Fatalf("token %+v stands before %d", tok, last)
				}
				last = tok.start
			}
		})
		for f := range numFields {
			indexed := &text{field: f, content: content}
			indexed.Analyze()
			for term, freq := range indexed.terms {
				if term == "" || term != string(freq.Term) || freq.Frequency() <= 0 || freq.Frequency() > indexed.length {
					t.Fatalf("%s: term %q, %q %d times of %d", fieldNames[f], term, freq.Term, freq.Frequency(), indexed.length)
				}
			}
		}
	})
}
