package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
)

// TestVerbsPrintNoCredential runs every verb on files in which credentials stand, for people and for
// machines, and looks for them in what is printed and in what is written: the generated files, the logs, the state.
// A verb without a case fails it.
func TestVerbsPrintNoCredential(t *testing.T) {
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"} {
		t.Setenv(name, t.TempDir())
	}
	root := t.TempDir()
	files, planted := secretstest.Project()
	for p, text := range files {
		file := filepath.Join(root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const entry = "auth/jwt/tokens.md"
	update := []string{"--op", "UPDATE", "--path", entry, "--replace", "task", "--task", "new", "--reason", "a test"}
	const event = `{"prompt": "tokens of the login: which password signs tokens in auth.go"}` // of a hook
	none := []string{}                                                                        // a verb without a folder
	cases := []struct {
		verb string
		args [][]string
	}{
		{"init", [][]string{{}}},
		{"query", [][]string{{"tokens of the login"}, {"--explain", "which password signs tokens"}}},
		{"search", [][]string{{"sign password"}, {"--explain", "tokens of the login"}}},
		{"pack", [][]string{
			{"--task", "sign tokens, connect, fetch", "--budget", "50000"}, {"--task", "SignToken password", "--budget", "600",
				"--explain"},
			{"--task", "sign tokens", "--budget", "5000", "--format", "xml", "--file", "auth.go", "--line", "11"},
			{"--task", "sign tokens", "--budget", "5000", "--format", "json"},
		}},
		{"expand", [][]string{{"use.go", "--budget", "20000"}}},
		{"map", [][]string{{"--budget", "20000"}, {"--task", "sign token", "--explain"}, {"--file", "web/connect.ts"}}},
		{"deps", [][]string{{"auth.go"}, {"auth.go", "--reverse"}}},
		{"symbols", [][]string{{"token"}, {"gh"}, {"sk"}, {"AK"}, {"hf"}, {"fetch"}, {"connect"}, {"Password"}}},
		{"graph", [][]string{{}, {"--svg"}, {"--svg", "--map"}}},
		{"check", [][]string{{"--code"}}},
		{"status", [][]string{{}}},
		{"propose", [][]string{{"notes.md", "auth.go", "web/connect.ts", "--dry-run"}, {"--selection", "auth.go:12-14", "--dry-run"},
			{"--folder", ".", "--dry-run"}, {"job/fetch.py"}}},
		{"curate", [][]string{
			append([]string{"--dry-run"}, update...), update, {"--op", "ADD", "--path", "auth/jwt", "--title", "Tokens of the login",
				"--reason", "r"},
			{"--op", "DELETE", "--path", entry, "--reason", "a test"}, {"--op", "MERGE", "--path", "auth/jwt/alike.md",
				"--merge-target", entry, "--reason", "a test"},
		}},
		{"review", [][]string{{}, {"show", "2"}, {"show", "3"}, {"show", "4"}, {"approve", "4"}, {"reject", "3", "--reason", "a test"}}},
		{"archive", [][]string{{}, {"--dry-run", "auth/jwt/other.md"}, {"auth/jwt/other.md"}, {"--show", "auth/jwt/other.md"},
			{"--restore", "auth/jwt/other.md"}}},
		{"dream", [][]string{{"--dry-run", "--force", "--no-model"}, {"--force", "--no-model"}, {"--list"}, {"--undo"}}},
		{"log", [][]string{{}}},
		{"undo", [][]string{{}}},
		{"saved", [][]string{{}}},
		{"hook", [][]string{{"user-prompt", "--host", "codex", "--deadline", "600000"}}},
		{"export", [][]string{{}, {"--check"}}}, {"install", [][]string{{"zed", "--yes"}, {"zed", "--remove", "--yes"}}},
		{"import", [][]string{{root}, {root, "--write"}}},
		{"trust", [][]string{none}}, {"model", [][]string{none}}, {"version", [][]string{none}}, {"help", [][]string{none}},
	}
	shown := map[string]bool{}
	look := func(where, text string) {
		for _, found := range planted.In(text) {
			if key := where + ": " + strings.SplitN(found, ": ", 2)[0]; !shown[key] {
				shown[key] = true
				t.Errorf("%s: %s", where, found)
			}
		}
	}
	for _, c := range cases {
		worked := false
		for _, own := range c.args {
			for _, more := range [][]string{{}, {"--json"}} {
				args := append(append([]string{c.verb}, own...), more...)
				switch c.verb {
				case "version", "help", "model":
				case "trust":
					args = append(args, root)
				default:
					args = append(args, "--root", root)
				}
				var out, errs strings.Builder
				code := run(args, env{strings.NewReader(event), &out, &errs})
				worked = worked || out.Len() > 0 && (code == exitOK || c.verb == "check") // which finds errors
				look(strings.Join(args[:len(args)-1], " "), out.String()+errs.String())
				if code == exitUsage {
					t.Errorf("%v: %s", args, errs.String())
				}
			}
		}
		if !worked {
			t.Errorf("%s never did its work", c.verb)
		}
	}
	for verb := range verbs() {
		if !speaks[verb] && !strings.HasPrefix(verb, "-") && !slices.ContainsFunc(cases, func(c struct {
			verb string
			args [][]string
		}) bool {
			return c.verb == verb
		}) {
			t.Errorf("%s has no case", verb)
		}
	}
	written := 0
	err := filepath.WalkDir(filepath.Join(root, ".brv"), func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, p)
		name := filepath.ToSlash(rel)
		if _, byHand := files[name]; err != nil || byHand || !d.Type().IsRegular() ||
			strings.HasPrefix(name, ".brv/state/journal/") || strings.HasPrefix(name, ".brv/state/saved/") ||
			strings.HasSuffix(name, ".full.md") {
			return err // the journal and what it took out of its place have the bytes of such files, and the archive their text
		}
		text, err := os.ReadFile(p)
		written++
		look(name, string(text))
		return err
	})
	if err != nil || written < 5 {
		t.Errorf("%d files written, %v", written, err)
	}
	t.Logf("%d planted, %d verbs, %d files written", len(planted), len(cases), written)
}
