package retrieval

import (
	"fmt"
	"strings"
	"testing"
)

func TestOtherWordsNeverBeatTheWord(t *testing.T) {
	for _, c := range []struct{ query, exact, other string }{
		{"delete directory", "How to delete a directory here.", "How to remove a folder here."},
		{"what she wrote", "This is what she wrote.", "This is what she writes."},
		{"settings", "The settings stand here.", "The config and options and the configuration stand here."},
	} {
		x := indexOf(t, snapshotOf("a/b/a.md", c.other, "a/b/b.md", c.exact, "a/b/c.md", "Nothing of it."))
		if got := paths(search(t, x, Query{Text: c.query})); strings.Join(got, " ") != "a/b/b.md a/b/a.md" {
			t.Errorf("%s: %v", c.query, got)
		}
	}
}

func TestWordsKnownByAnotherAreNotUnknown(t *testing.T) {
	x := indexOf(t, snapshotOf("a/b/a.md", "The film begins at nine in the evening."))
	if res := search(t, x, Query{Text: "which movie has a coupon"}); len(res.Unknown) != 1 || res.Unknown[0] != "coupon" ||
		len(res.Hits) != 1 {
		t.Errorf("unknown %v, hits %v", res.Unknown, paths(res))
	}
}

func TestCommonSynonymsAreNotLookedUp(t *testing.T) {
	for n, want := range map[int]bool{maxHolding: true, maxHolding + 1: false} {
		var files []string
		for i := range n {
			files = append(files, fmt.Sprintf("a/b/%d.md", i), "A film.")
		}
		found := len(search(t, indexOf(t, snapshotOf(files...)), Query{Text: "movie"}).Hits) > 0
		if found != want {
			t.Errorf("%d entries with film: movie finds them: %v", n, found)
		}
	}
}
func TestLanguagesAreQualifiersUnlessTheyAreSubjects(t *testing.T) {
	code := []string{
		"a/code/order.md", "Sorts a mapping by its keys.",
		"a/code/version.md", "Says which python runs, old ones sorted first.",
		"a/code/merge.md", "Merges two, by keys.",
	}
	for _, c := range []struct {
		files       []string
		query, want string
	}{
		{code, "python sort by keys", "a/code/order.md"},
		{code, "python", "a/code/version.md"},
		{[]string{
			"a/why/rust.md", "---\ntitle: Why Rust\n---\nWe took it for its safety.",
			"a/why/databases.md", "How we choose a database.",
			"a/why/other.md", "Nothing.",
		}, "why did we choose Rust", "a/why/rust.md"},
	} {
		if got := first(t, indexOf(t, snapshotOf(c.files...)), c.query); got != c.want {
			t.Errorf("%s: %s comes first", c.query, got)
		}
	}
}

func TestNamesAreUnknownAsTheyAreWritten(t *testing.T) {
	x := indexOf(t, snapshotOf("a/b/a.md", "The graph of a rate is drawn by grpc."))
	for query, want := range map[string]string{
		"does this use GraphQL": "GraphQL", "does this use gRPC": "", "the SQLite_files of MySQL": "SQLite_files MySQL",
		"a rate zebra": "zebra", "画图库": "画图库",
	} {
		if got := strings.Join(search(t, x, Query{Text: query}).Unknown, " "); got != want {
			t.Errorf("%s: unknown %q, not %q", query, got, want)
		}
	}
}
