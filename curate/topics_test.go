package curate

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestPlaceByWords: a change lands in the topic that its words speak of, also where they are
// written as one, and whatever its settings are called.
func TestPlaceByWords(t *testing.T) {
	snap := tree.NewSnapshot([]*format.Entry{
		format.Parse("project/wincmd/notes.md", "---\ntitle: Windows Console Notes\n---\nThe console of Windows has its own encoding.\n"),
		format.Parse("project/shell_completion/bash.md", "---\ntitle: Completion in Bash\n---\nChoices are completed.\n"),
		format.Parse("project/contributing/how.md", "---\ntitle: How to Contribute\n---\nRun the tests and the linter; build the docs.\n"),
		format.Parse("project/prompts/ask.md", "---\ntitle: User Input Prompts\n---\nA prompt asks.\n"),
	}, nil)
	for _, c := range []struct{ message, file, want string }{
		{"Tolerate unsupported operations", "src/click/_winconsole.py", "project/wincmd"},
		{"Add choices", "src/click/_bashcomplete.py", "project/shell_completion"},
		{"Make pins stricter everywhere it matters", "tox.ini", "project/contributing"},
		{"Ask twice for passwords, because a typo locks users out", "src/click/prompting.py", "project/prompts"},
		{"Sandbox plugins", "src/click/sandbox.py", "click/sandbox"},
	} {
		d := &drafting{Project: Project{Tree: snap}, anyTopic: true, known: read(snap), placed: map[string]string{}}
		i := d.ideaOf(Changes{Message: c.message, Files: []FileChange{{Path: c.file, Status: 'M', Added: []Hunk{{1, "x = 1"}}}}})
		if got, _ := d.place(i, found{}); got != c.want {
			t.Errorf("%s (%s): %s, want %s", c.message, c.file, got, c.want)
		}
	}
}

// A new topic is named after what says most of a file: its folder, its name, its title.
func TestOwnTopic(t *testing.T) {
	for _, c := range []struct{ file, title, want string }{
		{"src/auth/jwt.ts", "", "auth/jwt"},
		{"src/history.ts", "", "project/history"},
		{"src/index.ts", "", "project/overview"},
		{"db/migrations/0007_add_users.sql", "", "db/migrations"},
		{"migrations/0007_add_users.sql", "", "project/migrations"},
		{"7.go", "", "project/7"},
		{"src/rfc7231.go", "", "project/rfc7231"},
		{"src/404.tsx", "", "project/404"},
		{"src/auth/userProfile.go", "", "auth/user_profile"},
		{"src/README.go", "", "project/overview"},
		{"docs/UploadDesign.md", "Uploads", "project/upload_design"},
		{"docs/limits.md", "What is limited", "project/limits"},
		{"docs/adr/7.md", "Use Redis", "project/adr"},
		{"docs/adr/0007-use-redis.md", "Use Redis", "project/adr"},
		{"docs/posts/2026-11-22-uploads.md", "Uploads", "project/posts"},
		{"docs/adr-7.md", "ADR 7: The state of logins is in Redis", "project/the_state_of_logins_is_in_redis"},
		{"docs/0007-use-redis.md", "ADR 7", "project/use_redis"},
		{"7.md", "7", "project/overview"},
		{"docs/7.md", "設計", "project/設計"},
		{"docs/http2.md", "HTTP/2", "project/http2"},
		{"docs/3d-models.md", "Models", "project/3d_models"},
		{"README.md", "Click", "project/overview"},
		{"auth/README.md", "Logins", "auth/overview"},
		{"docs/index.md", "Docs", "project/overview"},
		{"NOTES.md", "Dates of invoices", "project/dates_of_invoices"},
		{"NOTES.md", "Notes", "project/overview"},
		{"auth/notes.md", "Dates of invoices", "auth/overview"},
		{"CHANGELOG.md", "Changelog", "project/releases"},
		{"auth/CHANGES.md", "Version 8.5.0", "auth/releases"},
		{"changes/1234.md", "Fixed", "project/releases"},
	} {
		if got := ownTopic(c.file, c.title); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.file, c.title, got, c.want)
		}
	}
}
