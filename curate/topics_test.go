package curate

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
)

// TestPlaceByWords: a change lands in the topic that its words speak of, also where they are
// written as one, and whatever its settings are called.
func TestPlaceByWords(t *testing.T) {
	snap := tree.NewSnapshot([]*tree.Entry{
		tree.Parse("project/wincmd/notes.md", "---\ntitle: Windows Console Notes\n---\nThe console of Windows has its own encoding.\n"),
		tree.Parse("project/shell_completion/bash.md", "---\ntitle: Completion in Bash\n---\nChoices are completed.\n"),
		tree.Parse("project/contributing/how.md", "---\ntitle: How to Contribute\n---\nRun the tests and the linter; build the docs.\n"),
		tree.Parse("project/prompts/ask.md", "---\ntitle: User Input Prompts\n---\nA prompt asks.\n"),
	}, nil)
	for _, c := range []struct{ message, file, want string }{
		{"Tolerate unsupported operations", "src/click/_winconsole.py", "project/wincmd"},
		{"Add choices", "src/click/_bashcomplete.py", "project/shell_completion"},
		{"Make pins stricter everywhere it matters", "tox.ini", "project/contributing"},
		{"Ask twice for passwords, because a typo locks users out", "src/click/prompting.py", "project/prompts"},
		{"Sandbox plugins", "src/click/sandbox.py", "click/sandbox"},
	} {
		d := &drafting{Project: Project{Tree: snap}, known: read(snap), placed: map[string]string{}}
		i := d.ideaOf(Changes{Message: c.message, Files: []FileChange{{Path: c.file, Status: 'M', Added: []Hunk{{1, "x = 1"}}}}})
		if got, _ := d.place(i, found{}); got != c.want {
			t.Errorf("%s (%s): %s, want %s", c.message, c.file, got, c.want)
		}
	}
}
