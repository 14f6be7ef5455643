package glob

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// TestMatchIsDoublestars: what a path ends in is looked at first, and decides nothing else.
func TestMatchIsDoublestars(t *testing.T) {
	pieces := []string{"", "a", "b", "*", "**", "?", "{a,b}", "[ab]", "/", ".md", `\\`}
	var texts []string
	for _, x := range pieces {
		for _, y := range pieces {
			for _, z := range pieces {
				texts = append(texts, x+y+z)
			}
		}
	}
	for _, pattern := range texts {
		for _, p := range texts {
			if want := doublestar.MatchUnvalidated(pattern, p); Match([]string{pattern}, p) != want {
				t.Fatalf("%q, %q: want %v", pattern, p, want)
			}
		}
	}
}

// TestAlternativesHaveABound: of a pattern of settings or a rule, matching may try each combination.
func TestAlternativesHaveABound(t *testing.T) {
	for p, ok := range map[string]bool{
		"{src,lib,test}/**/*.{ts,tsx,js,jsx,mjs,cjs}": true,
		"**/*.{" + strings.Repeat("a,", 200) + "b}":   true,
		"{a,{b,c},d}": true,
		strings.Repeat("{"+strings.Repeat("*,", 28)+"a}", 4) + "!":      false,
		strings.Repeat("{*,*}", 9):                                      false,
		"{" + strings.Repeat("{a,*}{b,*}{c,*}{d,*}{e,*},", 8) + "x}":    false,
		"[{]{a,b},{" + strings.Repeat("*,", 28) + "a}{a,b,c,d,e,f,g,h}": false,
		strings.Repeat("{"+strings.Repeat("{a,b},", 3)+"c}", 3):         false,
		"{" + strings.Repeat("a,", maxCombinations) + "b}":              false,
	} {
		if err := Check(p); (err == nil) != ok {
			t.Errorf("%s: %v", p, err)
		}
	}
}
