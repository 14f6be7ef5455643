package secrets

import (
	"strings"
	"testing"
)

func TestPartsHoldNoSecrets(t *testing.T) {
	const password = "hunter2hunter2X9"
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat(
		"MIIEowIBAAKCAQEAabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL\n", 4) + "-----END RSA PRIVATE " + "KEY-----\n"
	text := "- password: `" + password + "`\n\nwords\n" + key + "more words\n"
	v := Veil(text)
	if v.Clean() || !Veil("words\n").Clean() || Veil("words\n").Part(1, 3) != "or" {
		t.Error("clean")
	}
	for start := range len(text) {
		for end := start; end <= len(text); end++ {
			part := v.Part(start, end)
			if strings.Count(part, "\n") != strings.Count(text[start:end], "\n") {
				t.Fatalf("%d–%d: lines of %q", start, end, part)
			}
			for _, f := range Scan(text) {
				if from, to := max(start, f.At.Start), min(end, f.At.End); to-from >= 8 && strings.Contains(part, text[from:to]) {
					t.Fatalf("%d–%d: %q", start, end, part)
				}
			}
		}
	}
	at := strings.Index(text, password)
	for _, c := range []struct {
		start, end int
		want       string
	}{
		{0, at, "- password: `"},
		{at + 3, at + 5, "[REDACTED:assigned-secret]"},
		{at, at, ""},
		{0, at + len(password) + 1, "- password: `[REDACTED:assigned-secret]`"},
	} {
		if got := v.Part(c.start, c.end); got != c.want {
			t.Errorf("%d–%d: %q", c.start, c.end, got)
		}
	}
	if whole := v.Part(0, len(text)); len(Scan(whole)) != 0 || !strings.HasSuffix(whole, "\nmore words\n") {
		t.Errorf("%q", whole)
	}
}

// TestTwinsAreSecretsToo: what is a secret at one place is one wherever it stands in the text, and in what
// was made of the text.
func TestTwinsAreSecretsToo(t *testing.T) {
	const password, word = "hunter2hunter2X9", "letmein"
	text := "password: `" + password + "`\n\nWho signs in uses " + password + " too, not my" + password + " or " + password + "y.\n" +
		"sshpass -p " + word + " ssh db, and " + word + " is a word.\n"
	v := Veil(text)
	if got := v.Masked(); strings.Count(got, "[REDACTED:assigned-secret]") != 2 || !strings.Contains(got, "my"+password) ||
		!strings.Contains(got, "and "+word) || len(v.Found()) != 3 {
		t.Errorf("%s\n%v", got, v.Found())
	}
	if got := Redact(text); got != v.Masked() {
		t.Errorf("redacted otherwise: %s", got)
	}
	for made, want := range map[string]string{
		"":                                   "",
		"connect(pw = \"" + password + "\")": "connect(pw = \"[REDACTED:assigned-secret]\")",
		"A title with " + password[:9] + "…": "A title with [REDACTED:assigned-secret]…",
		"A title with " + password[:9]:       "A title with " + password[:9],
		"with " + password[:3] + "…":         "with " + password[:3] + "…",
		"my" + password:                      "my" + password,
	} {
		if got := v.Without(made); got != want {
			t.Errorf("%s: %s, want %s", made, got, want)
		}
	}
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat(
		"MIIEowIBAAKCAQEAabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL\n", 2) + "-----END RSA PRIVATE " + "KEY-----\n"
	if got := Veil(key).Without(strings.Join(strings.Fields("const key = "+key), " ")); strings.Contains(got, "MIIE") {
		t.Errorf("a key on one line: %s", got)
	}
}
