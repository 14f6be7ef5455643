package corpus

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestPathsFollowTheTreesDepth(t *testing.T) {
	for from, want := range map[string]string{
		"react/learn/state.md":                    "react/learn/state.md",
		"react/learn/hooks/state.md":              "react/learn/hooks/state.md",
		"react/reference/dom/server/apis.md":      "react/reference/dom/server__apis.md",
		"book/a/b/c/d/e.md":                       "book/a/b/c__d__e.md",
		"vue/intro.md":                            "vue/general/intro.md",
		"intro.md":                                "general/general/intro.md",
		"cosqa/0001_paste.py":                     "cosqa/general/0001_paste.py.md",
		"docs/setup/_index.md":                    "docs/setup/_index_page.md",
		"docs/setup/context.md":                   "docs/setup/context_page.md",
		"docs/a b/c:d%20#e.md":                    "docs/a_b/c_d_20_e.md",
		"../../etc/passwd":                        "etc/general/passwd.md",
		"_archived/x/" + strings.Repeat("n", 300): "__archived/x/" + strings.Repeat("n", maxName) + ".md",
	} {
		if got := EntryPath(from); got != want {
			t.Errorf("EntryPath(%q) = %q, want %q", from, got, want)
		}
	}
}

func TestEntriesOfOnePathAreNumbered(t *testing.T) {
	got := Convert([]Document{{Path: "a/b/c.md"}, {Path: "a/b/C.md"}, {Path: "a/b/c.md"}})
	for i, want := range []string{"a/b/c.md", "a/b/C_2.md", "a/b/c_3.md"} {
		if got[i].Path != want {
			t.Errorf("entry %d is at %s, want %s", i, got[i].Path, want)
		}
	}
}

func TestRelationsResolveAndTextsStayWhole(t *testing.T) {
	entries := Convert([]Document{
		{ID: "1", Title: "What's new: a title", Path: "a/b/one.md", Text: "# One\n\ntext"},
		{ID: "2", Title: "Two", Path: "a/b/two.md", Text: "text\n"},
		{ID: "3", Title: "Three", Path: "a/b/three.md"},
		{ID: "4", Title: "Alone", Path: "a/c/alone.md"},
	})
	Relate(entries, 2)
	var parsed []*format.Entry
	for _, e := range entries {
		p := format.Parse(e.Path, e.Text())
		if len(p.Problems) > 0 || p.Title != e.Title || strings.TrimRight(p.Body.Of(p.Text), "\n") != strings.TrimRight(e.Body, "\n") {
			t.Errorf("%s: problems %v, title %q, body %q", e.Path, p.Problems, p.Title, p.Body.Of(p.Text))
		}
		parsed = append(parsed, p)
	}
	s := tree.NewSnapshot(parsed, nil)
	for i, want := range []int{2, 2, 2, 0} {
		if got := len(s.Backlinks(entries[i].Path)); got != want {
			t.Errorf("%s has %d backlinks, want %d", entries[i].Path, got, want)
		}
	}
}
