package glob

import (
	"strings"
	"testing"
)

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
