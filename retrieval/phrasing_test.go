package retrieval

import (
	"cmp"
	"slices"
	"testing"
)

// Phrasings find what the question's own words do not, and one of them alone does not make an answer.
func TestPhrasings(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"storage/retention.md", "# Retention of temporary directories\n\nThree base directories are retained; older ones are pruned at start.\n",
		"storage/backups.md", "# Nightly backups\n\nThe database is dumped at two in the night.\n",
		"auth/tokens.md", "# Access tokens\n\nAn access token expires after fifteen minutes; the refresh token renews it.\n",
		"build/images.md", "# Container images\n\nImages are built from a scratch base and signed.\n"))
	for _, c := range []struct {
		text  string
		also  []string
		first string // "" where the answer is not sure
	}{
		{"who tidies up leftover files?", []string{"retention of temporary directories", "base directories are pruned"}, "storage/retention.md"},
		{"who tidies up leftover files?", []string{"nightly backups", "leftover files cleaner"}, ""},
		{"wann läuft mein Zugang ab?", []string{"access token expires", "expiry of access tokens"}, "auth/tokens.md"},
	} {
		res, err := Phrased(x.Search)(t.Context(), Query{Text: c.text, Also: c.also})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if !res.OutOfDomain && res.Evidence.Sure {
			got = res.Hits[0].Path
		}
		if got != c.first {
			t.Errorf("%q also %q: %q, want %q; %s", c.text, c.also, got, c.first, res.Evidence)
		}
		if !slices.IsSortedFunc(res.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) }) {
			t.Errorf("%q: scores are not in order", c.text)
		}
	}
}
