package alike

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// same reports whether two texts say the same.
func same(a, b string) bool { return Read(a).Says(Read(b)) > 0 }

// questionPairs reads a file of pairs, one a line, a | b.
func questionPairs(t testing.TB, file string) (out [][2]string) {
	t.Helper()
	raw, err := os.ReadFile(file)
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

func TestNearMissesAreNoHits(t *testing.T) {
	pairs := questionPairs(t, "testdata/nearmiss.txt")
	if len(pairs) < 240 {
		t.Errorf("%d pairs", len(pairs))
	}
	for _, p := range pairs {
		if same(p[0], p[1]) || same(p[1], p[0]) {
			t.Errorf("one answer for %q and %q", p[0], p[1])
		}
	}
}

func TestParaphrasesAreHits(t *testing.T) {
	pairs := questionPairs(t, "testdata/paraphrase.txt")
	if len(pairs) < 240 {
		t.Errorf("%d pairs", len(pairs))
	}
	hits := 0
	for _, p := range pairs {
		if same(p[0], p[1]) {
			hits++
		} else {
			t.Logf("missed: %q and %q", p[0], p[1])
		}
		if same(p[0], p[1]) != same(p[1], p[0]) {
			t.Errorf("%q and %q: not symmetric", p[0], p[1])
		}
	}
	t.Logf("%d of %d", hits, len(pairs))
	if hits*100 < 95*len(pairs) {
		t.Errorf("%d of %d paraphrases hit", hits, len(pairs))
	}
}

// TestWordsAreNotLost takes each word out of each question of the sets: only words
// that ask for nothing may go.
func TestWordsAreNotLost(t *testing.T) {
	harmless := wordList(`what what's which how how's is are be do does i we you it its a an the my our any this these that there for of
		in on at with about and please actually exactly just so hi ok thanks one can idea`)
	for _, file := range []string{"testdata/nearmiss.txt", "testdata/paraphrase.txt"} {
		for _, p := range questionPairs(t, file) {
			words := strings.Fields(p[0])
			for i, w := range words {
				w = strings.Trim(strings.ToLower(w), ",:.?!")
				if harmless[w] || leadWords[w] || w == "should" && strings.HasPrefix(p[0], "how should") {
					continue
				}
				if less := strings.Join(slices.Delete(slices.Clone(words), i, i+1), " "); w != "-" && same(p[0], less) {
					t.Errorf("%q without %q", p[0], w)
				}
			}
		}
	}
}

// TestAgreementIsSymmetric compares each question of the sets with others made of
// its words.
func TestAgreementIsSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shuffled := func(text string) string {
		list := strings.Fields(text)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return strings.Join(list, " ")
	}
	for _, file := range []string{"testdata/nearmiss.txt", "testdata/paraphrase.txt"} {
		for _, p := range questionPairs(t, file) {
			for _, q := range p {
				for range 5 {
					a, b := shuffled(q), shuffled(q)
					if ab, ba := Read(a).Says(Read(b)), Read(b).Says(Read(a)); ab != ba {
						t.Errorf("%q and %q: %v and %v", a, b, ab, ba)
					}
				}
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range []string{"testdata/nearmiss.txt", "testdata/paraphrase.txt"} {
		for _, p := range questionPairs(f, file) {
			f.Add(p[0], p[1])
		}
	}
	f.Add("", "\xff\xfe \" ' ` n't 's ’ - -- ( ) [] how to of of of")
	f.Fuzz(func(t *testing.T, a, b string) {
		q, o := Read(a), Read(b)
		if q.Says(o) != o.Says(q) {
			t.Fatalf("%q and %q: %v and %v", a, b, q.Says(o), o.Says(q))
		}
		if q != nil && q.Says(Read(a)) != 1 {
			t.Fatalf("%q does not say what it says", a)
		}
	})
}
