package history

import (
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// Words that are expected are found where git finds them.
func TestExpectedWordsAreFoundAsByGit(t *testing.T) {
	p := &project{t: t, dir: t.TempDir()}
	p.git("init", "-q")
	for name, text := range map[string]string{
		"a": "word", "b": "words word_ 1word", "c": "x.word()\n", "d": "naïve naïves", "e": "a\x00 word", "f": "valid? word\xff",
		"sub/g": "naïves", "sub/h": "wor\nd $word", "sub/i": "word", "z": "",
	} {
		p.put(name, text)
	}
	p.git("add", "-A")
	p.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first")
	repo, err := git.Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	head, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"word", "naïve", "valid?", "wor", "d", "a"}
	e := newExpected(all)
	for _, limit := range []int{1, 3, 100} {
		for i := range all {
			words := all[i:min(len(all), i+2)]
			want, err := repo.Grep(t.Context(), head, words, limit)
			got, ok, err2 := e.naming(t.Context(), repo, head, words, limit)
			if err != nil || err2 != nil || !ok || !slices.Equal(got, want) {
				t.Errorf("%q, at most %d: got %q, want %q; %v, %v, %v", words, limit, got, want, ok, err, err2)
			}
		}
	}
	if _, ok, err := e.naming(t.Context(), repo, head, []string{"other"}, 9); ok || err != nil {
		t.Errorf("a word that is not expected: %v, %v", ok, err)
	}
}
