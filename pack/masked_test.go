package pack

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
)

// A heading names the lines that stand below it word for word: none that holds a credential.
func TestMaskedLinesAreNotHeadedAsShown(t *testing.T) {
	many := 0
	for _, c := range secretstest.Canaries() {
		text := c.Text + "end\n"
		veiled := secrets.Veil(text)
		lines, shown := strings.Split(text, "\n"), strings.Split(veiled.Masked(), "\n")
		headed := map[int]bool{}
		for _, at := range wordForWord(text, veiled, 0, len(text)) {
			for n := at[0]; n <= at[1]; n++ {
				headed[n] = true
			}
		}
		for i := range len(lines) - 1 {
			same := lines[i] == shown[i]
			if headed[i+1] && !same || !headed[i+1] && same && !veiled.Clean() && i == 0 {
				t.Errorf("%s: line %d headed %v, shown as it is %v", c.Rule, i+1, headed[i+1], same)
			}
			if !same {
				many++
			}
		}
	}
	if many < 100 {
		t.Errorf("%d masked lines: too few to tell", many)
	}
}
