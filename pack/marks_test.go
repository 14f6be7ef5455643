package pack

import (
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/link"
)

func itemOf(p Pack, path string) (Item, int) {
	for i, item := range p.Items {
		if item.Path == path {
			return item, i
		}
	}
	return Item{}, -1
}

// A pack warns of what is stale, archived or contradicted, in its text and its items.
func TestWarningsStandInTheText(t *testing.T) {
	entry := func(head, facts string) string {
		return "---\ntitle: Token lifetime\n" + head +
			"---\n## Narrative\nHow long a refresh token of the session lives.\n\n## Facts\n" + facts
	}
	in := inputs(t, t.TempDir(), map[string]string{
		"auth/tokens/old.md":   entry("updatedAt: 2025-12-20T00:00:00Z\n", "- **refresh token lifetime**: 15 minutes\n"),
		"auth/tokens/new.md":   entry("updatedAt: 2026-01-01T00:00:00Z\n", "- **refresh token lifetime**: 30 minutes\n"),
		"auth/tokens/alike.md": entry("updatedAt: 2026-01-01T00:00:00Z\n", "- **refresh token rotation**: on every use\n"),
		"auth/tokens/past.md":  entry("updatedAt: 2026-01-01T00:00:00Z\n", "- **token store**: memory\n"),
		"auth/tokens/instead.md": entry("updatedAt: 2026-01-01T00:00:00Z\n", "- **place of tokens**: disk\n") +
			"\n## Notes\nThis supersedes @auth/tokens/past.md.\n",
	})
	in.Now = time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	in.Drift = func(path string) []link.Drift {
		if path != "auth/tokens/alike.md" {
			return nil
		}
		return []link.Drift{{Entry: path, Kind: link.Changed, Path: "src/a.go", Symbol: "Rotate", Grade: 0.9}}
	}
	p := keeps(t, in, Task{Text: "lifetime of a refresh token of the session", Budget: 3000, Offset: -1})
	for path, want := range map[string]string{
		"auth/tokens/old.md":     "contradicted by .brv/context-tree/auth/tokens/new.md, which is newer: refresh token lifetime",
		"auth/tokens/new.md":     "contradicted by .brv/context-tree/auth/tokens/old.md, which ranks lower: refresh token lifetime",
		"auth/tokens/alike.md":   "stale: Rotate in src/a.go changed since 2026-01-01",
		"auth/tokens/past.md":    "contradicted by .brv/context-tree/auth/tokens/instead.md, which supersedes it",
		"auth/tokens/instead.md": "contradicted by .brv/context-tree/auth/tokens/past.md, which ranks lower",
	} {
		item, _ := itemOf(p, path)
		if len(item.Marks) != 1 || item.Marks[0] != want || !strings.Contains(p.Text, want) {
			t.Errorf("%s is marked %q, not %q", path, item.Marks, want)
		}
	}
	_, newer := itemOf(p, "auth/tokens/new.md")
	if _, older := itemOf(p, "auth/tokens/old.md"); newer > older {
		t.Error("the newer of two stands behind")
	}
}

// A subject of one word means different things in different places.
func TestCommonSubjectsDoNotContradict(t *testing.T) {
	in := Inputs{Tree: parsed(map[string]string{
		"a/x/one.md": "# One\n## Facts\n- **timeout**: 3 seconds\n- **retry budget**: 5\n",
		"b/x/two.md": "# Two\n## Facts\n- **timeout**: 5 seconds\n- **retry budget**: 5\n",
	}), Code: inputs(t, t.TempDir(), nil).Code}
	m := newMaker(t.Context(), in, Task{})
	for _, e := range in.Tree.Entries() {
		if found := m.against(e); len(found) > 0 {
			t.Errorf("%s is contradicted: %v", e.Path, found)
		}
	}
}
