package alike

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

func alike(a, b string) bool { return Read(a, "").Alike(Read(b, "")) }

func ExampleQuestion_Alike() {
	was := Read("expiry of refresh tokens", "")
	fmt.Println(Read("Expiry of the refresh token?", "").Alike(was), Read("expiry of access tokens", "").Alike(was))
	// Output: true false
}

// questionPairs reads a file of pairs, one a line, a | b.
func questionPairs(t testing.TB, file string) (out [][2]string) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		a, b, ok := strings.Cut(line, " | ")
		if !ok {
			t.Fatalf("%s: %q is no pair", file, line)
		}
		out = append(out, [2]string{a, b})
	}
	return out
}

// allQuestions are the questions of all pairs.
func allQuestions(t testing.TB) (out []string) {
	t.Helper()
	for _, file := range []string{"nearmiss.txt", "sameword.txt", "otherword.txt"} {
		for _, p := range questionPairs(t, file) {
			out = append(out, p[0], p[1])
		}
	}
	return out
}

func TestNearMissesAreNotAlike(t *testing.T) {
	pairs := questionPairs(t, "nearmiss.txt")
	for _, p := range pairs {
		if alike(p[0], p[1]) || alike(p[1], p[0]) {
			t.Errorf("one answer for %q and %q", p[0], p[1])
		}
	}
	t.Logf("%d pairs", len(pairs))
}

// TestParaphrases: those in the same words are alike; those in others are not, which is
// what the rule costs.
func TestParaphrases(t *testing.T) {
	for file, want := range map[string]bool{"sameword.txt": true, "otherword.txt": false} {
		pairs := questionPairs(t, file)
		for _, p := range pairs {
			if alike(p[0], p[1]) != want || alike(p[1], p[0]) != want {
				t.Errorf("%q and %q: alike is %t, want %t", p[0], p[1], !want, want)
			}
		}
		t.Logf("%s: %d pairs", file, len(pairs))
	}
}

// TestLaxerRulesMistake measures two rules that suggest themselves: without stop words, and
// by stems. Both take near-misses for one question.
func TestLaxerRulesMistake(t *testing.T) {
	lax := func(text string, stops, stems bool) string {
		_, like := normalise(text)
		var out []string
		for _, w := range strings.Fields(like) {
			if stems && words.IsLowerASCII(w) {
				w = words.Stem(w)
			}
			if stops || !words.IsStop(strings.ToLower(w)) {
				out = append(out, w)
			}
		}
		return strings.Join(out, " ")
	}
	noStops, stemmed := 0, 0
	for _, p := range questionPairs(t, "nearmiss.txt") {
		if lax(p[0], false, false) == lax(p[1], false, false) {
			noStops++
		}
		if lax(p[0], true, true) == lax(p[1], true, true) {
			stemmed++
		}
	}
	if noStops != 57 || stemmed != 17 { // docs/decisions.md
		t.Errorf("%d near-misses without stop words, %d by stems", noStops, stemmed)
	}
}

// TestNoWordIsLost takes each word out of each question, and sets it before the one in
// front of it: neither is alike.
func TestNoWordIsLost(t *testing.T) {
	for _, q := range allQuestions(t) {
		list := strings.Fields(q)
		for i, w := range list {
			less := strings.Join(slices.Delete(slices.Clone(list), i, i+1), " ")
			if w != "the" && strings.Trim(w, ".?!") != "" && alike(q, less) {
				t.Errorf("%q without %q", q, w)
			}
			if i == 0 || w == "the" || list[i-1] == "the" || strings.EqualFold(w, list[i-1]) {
				continue
			}
			other := slices.Clone(list)
			other[i-1], other[i] = w, list[i-1]
			if alike(q, strings.Join(other, " ")) {
				t.Errorf("%q in another order", q)
			}
		}
	}
}

func TestWhatTellsQuestionsApart(t *testing.T) {
	for _, p := range [][2]string{
		{"expiry of refresh tokens", "refresh token expiry"},
		{"who is the lead of team a", "who is the lead of team"},
		{"is there a little memory left", "is there little memory left"},
		{"do a few tests fail", "do few tests fail"},
		{"where is Windows used", "where is window used"},
		{"how does save! work", "how does save work"},
		{"how do I save 'the file'", "how do I save the file"},
		{"print «the end» in bash", "print «end» in bash"},
		{"what is the cache-key", "what is the cache key"},
		{"what is std:: for", "what is std for"},
		{"tokens expiry", "token expiry"}, // tokens may be a folder
		{"the auth/jwt token", "auth/jwt token"},
		{"the IT team", "the it team"},
		{"what is the", "what is"},
		{strings.Repeat("x ", maxNormal) + "tokens", strings.Repeat("x ", maxNormal) + "token"},
	} {
		if alike(p[0], p[1]) {
			t.Errorf("one answer for %.60q and %.60q", p[0], p[1])
		}
	}
}

func TestOtherBoundsAreAnotherQuestion(t *testing.T) {
	if Read("a", "b").Alike(Read("a", "")) || Read("bc", "a").Alike(Read("c", "ab")) {
		t.Error("bounds run into the text")
	}
	a, b := Read("where are the tokens", "auth"), Read("where are tokens", "auth")
	if a.Exact == b.Exact || !a.Alike(b) || a.Alike(Read("where are tokens", "")) {
		t.Error("the questions are alike in the same bounds only")
	}
}

// signs are the digits and signs of a text, without the punctuation of sentences.
func signs(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSpace(r) || strings.ContainsRune(",;:.?!…。？！", r) {
			return -1
		}
		return r
	}, words.Fold(words.NFKC(text)))
}

func FuzzRead(f *testing.F) {
	list := allQuestions(f)
	for i := 0; i < len(list); i += 2 {
		f.Add(list[i], list[i+1])
	}
	f.Add("", "\xff\xfe \" ' ` n't 's ’ - -- ( ) [] how to of of of")
	f.Fuzz(func(t *testing.T, a, b string) {
		q, o := Read(a, ""), Read(b, "")
		if q.Alike(o) != o.Alike(q) {
			t.Fatalf("%q and %q: alike is not symmetric", a, b)
		}
		if !q.Alike(Read(a, "")) || q.Text != a {
			t.Fatalf("%q is not alike itself", a)
		}
		if q.Alike(o) && signs(a) != signs(b) {
			t.Fatalf("%q and %q have other numbers or signs", a, b)
		}
	})
}
