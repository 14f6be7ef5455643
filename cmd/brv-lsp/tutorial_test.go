package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// volatile are hashes, and how long something took.
var volatile = regexp.MustCompile(`\b[0-9a-f]{10,40}\b|\b[0-9.]+ m?s\b`)

// TestTutorial runs the commands of docs/tutorial.md and compares what they print. UPDATE_SCRIPTS writes that into the page.
func TestTutorial(t *testing.T) {
	page, err := filepath.Abs("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "tutorial.txt")
	if err := os.WriteFile(script, []byte("tutorial "+page+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: []string{script},
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/.cache")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/.config")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"tutorial": tutorial},
	})
}

// tutorial runs the blocks of a page that are marked as a console: a command stands behind "$ ", its further lines behind ">".
func tutorial(ts *testscript.TestScript, _ bool, args []string) {
	var page, out strings.Builder
	page.WriteString(ts.ReadFile(args[0]))
	parts := strings.Split(page.String(), "~~~console\n")
	out.WriteString(parts[0])
	for _, part := range parts[1:] {
		block, rest, _ := strings.Cut(part, "~~~")
		out.WriteString("~~~console\n")
		for _, step := range strings.Split("\n"+strings.TrimSuffix(block, "\n"), "\n$ ")[1:] {
			command, _, _ := strings.Cut(step, "\n")
			shown := "$ " + command + "\n"
			for _, line := range strings.Split(step, "\n")[1:] {
				if !strings.HasPrefix(line, ">") {
					break
				}
				command += "\n" + strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
				shown += line + "\n"
			}
			out.WriteString(shown)
			if dir, ok := strings.CutPrefix(command, "cd "); ok {
				ts.Check(ts.Chdir(dir))
				continue
			}
			_ = ts.Exec("sh", "-c", "{ "+command+"\n} 2>&1") // a check that finds something fails
			if printed := strings.TrimRight(ts.ReadFile("stdout"), "\n"); printed != "" {
				out.WriteString(strings.ReplaceAll(printed, ts.Getenv("WORK"), "/home/ada") + "\n")
			}
		}
		out.WriteString("~~~" + rest)
	}
	if got, want := out.String(), page.String(); volatile.ReplaceAllString(got, "…") != volatile.ReplaceAllString(want, "…") {
		if os.Getenv("UPDATE_SCRIPTS") == "" {
			ts.Fatalf("docs/tutorial.md prints something else:\n%s", got)
		}
		ts.Check(os.WriteFile(args[0], []byte(got), 0o600))
	}
}
