package history

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{"fix: close connections (#1234)", "fix: close connections "},
		{"Fixes #12, gh-34 and GH-56.", "Fixes and "},
		{"a\n\nSigned-off-by: A <a@b>\nCo-authored-by: B <b@c>\nPR-URL: https://x.org/y\nbody", "a body"},
		{"Signed-off-by: kept in the subject", "Signed-off-by: kept in the subject"},
		{"\n\nRe-export: kept\n\nChange-Id: gone", "Re-export: kept"},
		{"a\nnote: kept\nwell-known: kept", "a note: kept well-known: kept"},
		{"see (https://example.org/docs/cache) now", "see ( docs/cache) now"},
		{"This reverts commit " + strings.Repeat("0a", 20) + ".", "This reverts commit "},
		{"C# and #define and v2.1", "C# and #define and v2.1"},
		{"", ""},
	} {
		got := strings.Join(strings.Fields(clean(c.message)), " ")
		if want := strings.Join(strings.Fields(c.want), " "); got != want {
			t.Errorf("clean(%q) = %q, want %q", c.message, got, want)
		}
	}
}

func TestSubject(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, c := range []struct{ message, want string }{
		{"subject\n\nbody", "subject"},
		{"\n  late\n", "late"},
		{"a\tb\x1b[31m\xffc ", "a b [31m c"},
		{long, long[:maxSubject]},
		{"", ""},
	} {
		if got := string(appendSubject([]byte("x"), c.message)); got != "x"+c.want {
			t.Errorf("%q: %q, want %q", c.message, got, c.want)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add("fix: a (#1)\n\nSee https://x.org/a\nSigned-off-by: b")
	f.Add("://\n\n-: \nA-: x\n\xff")
	f.Fuzz(func(t *testing.T, message string) {
		subject := appendSubject(nil, message)
		if len(subject) > maxSubject || !utf8.Valid(subject) || strings.ContainsAny(string(subject), "\n\x00\x1b") {
			t.Errorf("subject %q", subject)
		}
		if got := clean(message); len(got) > 2*len(message)+1 {
			t.Errorf("clean(%q) = %q", message, got)
		}
	})
}
