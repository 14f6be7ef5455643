package retrieval

import (
	"cmp"
	"fmt"
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

// An entry is the answer to a question that it states, though its text uses other words.
func TestStatedQuestion(t *testing.T) {
	text := "---\ntitle: Journal\n%s---\n\n# Journal\n\nA record on disk is replayed at the next start, or rolled back.\n"
	asked := "what happens when a save is interrupted by a crash"
	for _, c := range []struct {
		field  string
		direct bool
	}{
		{"", false},
		{"questions: [What happens when a save is interrupted by a crash?]\n", true},
	} {
		x := indexOf(t, snapshotOf("storage/journal.md", fmt.Sprintf(text, c.field),
			"storage/disk.md", "# Disk layout\n\nEach crash leaves a dump; dumps are removed after a week.\n",
			"ui/forms.md", "# Forms\n\nA form asks before it is closed with changes.\n"))
		res := search(t, x, Query{Text: asked})
		if direct, why := isDirect(res); direct != c.direct || direct && res.Hits[0].Path != "storage/journal.md" {
			t.Errorf("%q: direct %v (%s), first %v", c.field, direct, why, paths(res))
		}
	}
}
