package curate

import (
	"strings"
	"testing"
)

// TestUpkeepIsToldFromKnowledge: by the message, and by all lines that change.
func TestUpkeepIsToldFromKnowledge(t *testing.T) {
	code := func(removed, added string) []FileChange {
		return []FileChange{{Path: "src/a.py", Status: 'M', Removed: []Hunk{{1, removed}}, Added: []Hunk{{1, added}}}}
	}
	text := strings.Repeat("one two three four five ", 40)
	some := code("x = 1", "x = 2")
	for _, c := range []struct {
		message string
		files   []FileChange
		want    bool
	}{
		{"Remove one unused import and one redundant import", some, true},
		{"Drop unused methods from BaseEvent (#626)", some, true},
		{"Remove unused type: ignore", some, true},
		{"This is 6.5-dev", some, true},
		{"Pin the parser==1.*", some, true},
		{"Use pip-compile to pin dev requirements", some, true},
		{"Upgrade Python formatter ruff (#3651)", some, true},
		{"Docs restructuring.", some, true},
		{"Rework docs structure", some, true},
		{"Fix sections references", some, true},
		{"Few typos fixed", some, true},
		{"Fix typo in the name of an option", some, true},
		{"Correct all complaints from golint", some, true},
		{"Replace for loops with comprehensions", some, true},
		{"Move utility functions from _utils.py to _client.py", some, true},
		{"refactor: replace several vars with consts", some, true},
		{"Reconcile #2811 and #2840", some, true},
		{"Reduce unnecessary changes", some, true},
		{"Update package metadata", some, true},
		{"Exclude the flush from coverage", some, true},
		{"Clients", code("import a", "import b"), true},
		{"Dirty", code("__version__ = '1.0'", "__version__ = '1.1'"), true},
		{"Where it belongs", []FileChange{{Path: "docs/a.md", Status: 'M', Removed: []Hunk{{1, text}}}, {Path: "docs/b.md", Status: 'A', Added: []Hunk{{1, text + " six"}}}}, true},

		{"Remove unused imports, because they start threads", some, false},
		{"Remove the unused pool of connections", some, false},
		{"Fixes issue #514", some, false},
		{"Drop support for Python 3.7", some, false},
		{"Recommend pinning versions", some, false},
		{"Alpha note, and recommendations on pinning versions", some, false},
		{"Fix a link between the client and its pool", some, false},
		{"Document the format of files", some, false},
		{"Move retries to the client", some, false},
		{"Split the documents of a session by hour", some, false},
		{"Refuse versions before 2.0", some, false},
		{"Clients", code("import a\nx = 1", "import b\nx = 2"), false},
		{"Where it belongs", []FileChange{{Path: "src/a.py", Status: 'M', Removed: []Hunk{{1, text}}}, {Path: "src/b.py", Status: 'A', Added: []Hunk{{1, text}}}}, false},
		{"Drop unused imports\n\nThey must never come back.", some, false},
	} {
		if got := looksLikeUpkeep(Changes{Message: c.message, Files: c.files}); (got != "") != c.want {
			t.Errorf("%q: %q, want upkeep %v", c.message, got, c.want)
		}
	}
}

// TestTopicsHaveTheirForm of a domain and a topic.
func TestTopicsHaveTheirForm(t *testing.T) {
	for topic, ok := range map[string]bool{
		"auth/jwt": true, "auth/jwt/keys": true, "auth": false, "": false, "a/b/c/d": false, "../x": false, "a//b": false, "auth/.x": false, "auth/jwt/": false, "Überblick/größe": true,
	} {
		if err := CheckTopic(topic); (err == nil) != ok {
			t.Errorf("%q: %v", topic, err)
		}
	}
}
