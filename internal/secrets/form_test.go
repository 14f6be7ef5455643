package secrets

import (
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"

	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestFormsMatchAsExpressionsDo compares each rule's form with package regexp, on secrets that
// are whole, cut, too long and changed in one place.
func TestFormsMatchAsExpressionsDo(t *testing.T) {
	m := secretstest.Maker{Rand: rand.New(rand.NewPCG(3, 4))}
	var texts []string
	for _, f := range secretstest.Formats() {
		for range 3 {
			whole := strings.ReplaceAll(f.Around, "%s", f.Secret(m))
			b := []byte(whole)
			b[m.IntN(len(b))] = secretstest.URLSafe[m.IntN(len(secretstest.URLSafe))]
			texts = append(texts, whole, whole[:m.IntN(len(whole))], whole+m.Of(secretstest.Alnum, 40), string(b))
		}
	}
	expressions := map[string]string{"identifier": `[A-Za-z_]+\d{1,4}[A-Za-z_]+`}
	for _, r := range vendors {
		expressions[r.name] = r.expr
	}
	matches := 0
	for name, expr := range expressions {
		form, want := newForm(expr), regexp.MustCompile(`^(?:`+expr+`)`)
		for _, text := range texts {
			for at := range text {
				in := text[at:]
				if _, _, _, ok := form.match(in); !ok && m.IntN(16) > 0 { // expressions take their time
					continue
				}
				from, to, end, ok := form.match(in)
				found := want.FindStringSubmatchIndex(in)
				if ok != (found != nil) {
					t.Fatalf("%s: %v in %q, an expression %v", name, ok, in, found)
				}
				if !ok {
					continue
				}
				matches++
				if len(found) == 2 {
					found = append(found, found...)
				}
				if end != found[1] || from != found[2] || to != found[3] {
					t.Fatalf("%s: %d %d %d in %q, an expression %v", name, from, to, end, in, found)
				}
			}
		}
	}
	if matches < 200 {
		t.Errorf("only %d matches", matches)
	}
}

// TestNamesAreWhatTheExpressionSays compares the loops over names with the expression that they
// stand for.
func TestNamesAreWhatTheExpressionSays(t *testing.T) {
	want := regexp.MustCompile(
		`^(?:[\w.-]*/[\w./-]*|[A-Za-z]*[-_.:]?\d{1,4}(?:[-_.:/T]\d{1,4})+Z?|[A-Za-z_]+\d{0,2}(?:[.:][A-Za-z_]+\d{0,3})+|[A-Za-z]+\d{1,3}|(?:[A-Za-z]+\d{0,3}[-_])+[A-Za-z]*\d{0,4}|https?:.*)$`)
	m := secretstest.Maker{Rand: rand.New(rand.NewPCG(5, 6))}
	names := 0
	for range 200_000 {
		v := ""
		for range 1 + m.IntN(7) {
			v += []string{"a", "Zb", "_", "-", ".", ":", "/", "T", "Z", "1", "22", "333", "4444", "https:", "é", " "}[m.IntN(16)]
		}
		if isName(v) != want.MatchString(v) {
			t.Fatalf("%q: %v", v, isName(v))
		}
		if isName(v) {
			names++
		}
	}
	if names < 1000 {
		t.Errorf("only %d names", names)
	}
}
