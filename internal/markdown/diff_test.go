package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
)

// A difference shows no credential, wherever it cuts the text; without any it is the plain one.
func TestDiffsTellNoCredentials(t *testing.T) {
	for i, c := range secretstest.Canaries() {
		if len(secrets.Scan(c.Text)) == 0 {
			continue
		}
		head := strings.Repeat("line\n", 5)
		for _, texts := range [][2]string{{head + c.Text, ""}, {"", c.Text + head}, {head + c.Text + head, head + "x\n" + c.Text},
			{head + c.Text, head + c.Text + "more\n"}, {c.Text, "new\n"}} {
			got := Diff("a/x", texts[0], "b/x", texts[1])
			if strings.Contains(got, c.Secret) || got == "" {
				t.Fatalf("%d: %q in\n%s", i, c.Secret, got)
			}
			for line := range strings.Lines(c.Secret) { // a piece of it
				if len(line) > 20 && strings.Contains(got, strings.TrimSpace(line)) {
					t.Fatalf("%d: %q in\n%s", i, line, got)
				}
			}
			if want := string(diff.Diff("a/x", []byte(texts[0]), "b/x", []byte(texts[1]))); strings.Count(got,
				"\n") != strings.Count(want, "\n") {
				t.Fatalf("%d: got\n%s\nof\n%s", i, got, want)
			}
		}
	}
	const hand = "# A\npassword: hunter2hunter2\nsame\n"
	want := "diff a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n # A\n password: [REDACTED:%s]\n+new\n same\n"
	want = fmt.Sprintf(want, secrets.Scan(hand)[0].Rule)
	if got := Diff("a/x", hand, "b/x", strings.Replace(hand, "same", "new\nsame", 1)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
