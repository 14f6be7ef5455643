package git

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIgnoredFiles(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	w := newRepo(t)
	paths := []string{".cursor/rules/a.mdc", "AGENTS.md", "CLAUDE.md", ".claude/rules/b.md", "mine.md", "free.md", "../out", ""}
	for _, c := range []struct {
		folder string
		want   []string
	}{{"", nil}, {"sub", nil}} {
		if got, err := open(t, filepath.Join(w.dir, c.folder)).Ignored(t.Context(), paths); err != nil || len(got) > 0 {
			t.Errorf("an empty repository ignores %q, %v", got, err)
		}
		w.write("sub/x", "")
	}
	w.write("sub/AGENTS.md", "tracked")
	w.git("add", "sub/AGENTS.md")
	w.write(".gitignore", ".cursor/\nAGENTS.md\n")
	w.write("sub/.gitignore", "CLAUDE.md\n")
	w.write(".git/info/exclude", "b.md\n")
	for folder, want := range map[string][]string{
		"":    {".cursor/rules/a.mdc", "AGENTS.md", ".claude/rules/b.md"},
		"sub": {".cursor/rules/a.mdc", "CLAUDE.md", ".claude/rules/b.md"},
	} {
		got, err := open(t, filepath.Join(w.dir, folder)).Ignored(t.Context(), paths)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", folder, err, diff)
		}
	}
}
