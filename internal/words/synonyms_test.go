package words

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryGroupHasTwoTerms(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(synonymList) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '[' {
			continue
		}
		if len(groupOf(line)) < 2 {
			t.Errorf("%q: its words have one term: %v", line, groupOf(line))
		}
		if seen[line] {
			t.Errorf("%q stands twice", line)
		}
		seen[line] = true
	}
}

func TestOtherWords(t *testing.T) {
	for _, c := range []struct {
		word, other string
		form        bool
	}{
		{"wrote", "writes", true}, {"children", "child", true}, {"indices", "index", true}, {"colour", "color", true},
		{"directory", "folders", false}, {"str", "strings", false}, {"config", "settings", false}, {"movies", "film", false},
	} {
		got := Synonyms(Stem(c.word))
		if c.form {
			got = Forms(Stem(c.word))
		}
		if !slices.Contains(got, Stem(c.other)) {
			t.Errorf("%s: %s is not among %v", c.word, c.other, got)
		}
	}
}
