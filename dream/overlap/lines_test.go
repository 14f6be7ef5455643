package overlap

import (
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

func TestSays(t *testing.T) {
	for _, c := range []struct {
		line, other string
		want        bool
	}{
		{"- Tokens live 15 minutes.", "Tokens live 15 minutes", true},
		{"Tokens live 15 minutes, refresh tokens 30 days.", "Refresh tokens live 30 days", true},
		{"Refresh tokens live 30 days", "Tokens live 15 minutes, refresh tokens 30 days.", false},
		{"Tokens live 15 min", "Tokens live fifteen minutes", true},
		{"Tokens live 15 minutes", "Tokens live 20 minutes", false},
		{"Merge with a review", "Never merge without a review", false},
		{"Never merge without a review", "Merge with a review", false},
		{"See `rotate.go`", "See `store.go`", false},
		{"", "", true},
		{"Anything", "", false},
		{"Anything", "---", false},
	} {
		if got := Says(c.line, c.other); got != c.want {
			t.Errorf("Says(%q, %q) = %v", c.line, c.other, got)
		}
	}
}

func TestOnce(t *testing.T) {
	for name, c := range map[string][2]string{
		"the one that says more stays": {
			"- Tokens live 15 minutes.\n- Keys are rotated.\n- Tokens live 15 min and are signed.",
			"- Keys are rotated.\n- Tokens live 15 min and are signed.",
		},
		"other numbers stay":              {"- Tokens live 15 minutes.\n- Tokens live 20 minutes.", "- Tokens live 15 minutes.\n- Tokens live 20 minutes."},
		"code stays":                      {"```\nx = 1\nx = 1\n\n\ny = 2\n```", "```\nx = 1\nx = 1\n\n\ny = 2\n```"},
		"prose takes no line of code":     {"```\nrun the tests\n```\nRun the tests twice.", "```\nrun the tests\n```\nRun the tests twice."},
		"a line of code takes no prose":   {"```\nrun the tests twice\n```\nRun the tests.", "```\nrun the tests twice\n```\nRun the tests."},
		"empty lines stay":                {"a\n\n\nb\n", "a\n\n\nb\n"},
		"no gap where a line was":         {"One thing.\n\nOne thing.\n\nAnother.", "One thing.\n\nAnother."},
		"a fence that ends nowhere":       {"```\na\na", "```\na\na"},
		"rules between parts are no text": {"a\n---\nb\n---\nc", "a\n---\nb\n---\nc"},
	} {
		if got := Once(c[0]); got != c[1] {
			t.Errorf("%s: got %q, want %q", name, got, c[1])
		}
	}
}

// termsOf are the terms of each line, and whether they are telling.
func termsOf(lines []string) (out []map[string]bool) {
	for _, line := range lines {
		x := &Index{ids: map[string]uint32{}}
		r := &reader{ids: x.id, words: words.Borrow()}
		has := map[string]bool{}
		for _, t := range r.terms(line) {
			has[x.names[t.id()]] = t.kind().telling()
		}
		r.words.Return()
		out = append(out, has)
	}
	return out
}

// FuzzOnce checks that nothing is lost: what a line tells that is gone, one that is left tells
// too, and code and what is left once are untouched.
func FuzzOnce(f *testing.F) {
	f.Add("- Tokens live 15 minutes.\n- Tokens live 15 min and are signed.\n\n\n```\na\na\n```\n")
	f.Add("a\n---\nb\n---\nc `d` never 5\nnever 5 d")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<10 {
			return
		}
		got := Once(text)
		if again := Once(got); again != got {
			t.Errorf("%q became %q, and then %q", text, got, again)
		}
		was, left := strings.Split(text, "\n"), strings.Split(got, "\n")
		leftTerms := termsOf(left)
		at := 0
		for i, terms := range termsOf(was) {
			if at < len(left) && left[at] == was[i] {
				at++
				continue
			}
			if strings.TrimSpace(was[i]) == "" {
				continue
			}
			if !slices.ContainsFunc(leftTerms, func(has map[string]bool) bool {
				for term, telling := range terms {
					if _, there := has[term]; telling && !there {
						return false
					}
				}
				return true
			}) {
				t.Errorf("line %d of %q is lost in %q", i+1, text, got)
			}
		}
		if at != len(left) {
			t.Errorf("%q became %q, of other lines", text, got)
		}
	})
}
