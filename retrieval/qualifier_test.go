package retrieval

import "testing"

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
