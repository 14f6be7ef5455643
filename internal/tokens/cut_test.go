package tokens

import (
	"strings"
	"testing"
)

func TestPrefixIsWholeLinesWithinTheTokens(t *testing.T) {
	e, err := Named("")
	if err != nil {
		t.Fatal(err)
	}
	texts := append([]string{"", "one line", "one\ntwo\n\n\nthree  \n\t}\n\t}\n}\n", strings.Repeat("func f() {}\n", 50)}, hostile...)
	for _, text := range texts {
		all := e.Count(text)
		for most := 0; most <= min(all+1, 60); most++ {
			got, whole := e.Prefix(text, most)
			if n := e.Count(got); n > most || !strings.HasPrefix(text, got) || whole != (got == text && n <= most) {
				t.Errorf("%q within %d: %q of %d tokens, whole %v", text, most, got, n, whole)
			}
			if got != text && got != "" && !strings.HasSuffix(got, "\n") {
				t.Errorf("%q within %d: %q ends inside a line", text, most, got)
			}
		}
	}
}

func TestPrefixUsesItsTokens(t *testing.T) {
	e, err := Named("")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("// A comment.\n\nfunc f() {\n\treturn\n}\n\n", 200)
	for most := 50; most < 1500; most += 50 {
		prefix, _ := e.Prefix(text, most)
		if n := e.Count(prefix); n < most*4/5 {
			t.Errorf("%d of %d tokens are used", n, most)
		}
	}
}
