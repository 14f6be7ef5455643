package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sanitize/sanitizetest"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
)

// TestVerbsPrintNoCredential runs every verb on files in which credentials stand, for people and for
// machines, and looks for them in what is printed and in what is written: the generated files, the logs, the state.
// Beside them are files with names that no repository should have: each shows as one line in quotes, or not at all.
// A verb without a case fails it.
func TestVerbsPrintNoCredential(t *testing.T) {
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"} {
		t.Setenv(name, t.TempDir())
	}
	root := t.TempDir()
	files, planted := secretstest.Project()
	maps.Copy(files, sanitizetest.Files())
	if _, err := sanitizetest.Write(root, files); err != nil {
		t.Fatal(err)
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
		{"query", [][]string{{"tokens of the login"}, {"--explain", "which password signs tokens"}, {"names of tokens delete"}}},
		{"search", [][]string{{"sign password"}, {"--explain", "tokens of the login"}}},
		{"pack", [][]string{
			{"--task", "sign tokens, connect, fetch", "--budget", "50000"}, {"--task", "SignToken password", "--budget", "600",
				"--explain"},
			{"--task", "sign tokens", "--budget", "5000", "--file", "auth.go", "--line", "11"},
		}},
		{"expand", [][]string{{"use.go", "--budget", "20000"}}},
		{"map", [][]string{{"--budget", "20000"}, {"--task", "sign token", "--explain"}, {"--file", "web/connect.ts"}}},
		{"deps", [][]string{{"auth.go"}, {"auth.go", "--reverse"}}},
		{"symbols", [][]string{{"token"}, {"gh"}, {"sk"}, {"AK"}, {"hf"}, {"fetch"}, {"connect"}, {"Password"}}},
		{"graph", [][]string{{}, {"--svg"}}},
		{"check", [][]string{{"--code"}, {"--documents"}, {"--format", "sarif"}, {"--format", "markdown"}}},
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
		{"hook", [][]string{{"user-prompt", "--host", "codex", "--deadline", "600000"}}},
		{"export", [][]string{{}, {"--for", "claude-code,cursor,copilot", "--yes"}, {"--check"}, {"--remove"}}},
		{"install", [][]string{{"zed", "--yes"}, {"zed", "--remove", "--yes"}}},
		{"import", [][]string{{root}, {root, "--write"}}},
		{"doctor", [][]string{{}}}, {"cache", [][]string{{}, {"--clear"}}}, {"completion", [][]string{{"bash"}, {"words"}}},
		{"trust", [][]string{none}}, {"tree", [][]string{{"list"}}}, {"model", [][]string{none}}, {"version", [][]string{none}},
		{"help", [][]string{none}},
		{"uninstall", [][]string{{}, {"--yes"}}},
		{"index", [][]string{{"push", "--dry-run", "--to", "http://127.0.0.1:1", "--repository", "acme/api", "--commit", "0123abcd", "--number", "1"}}},
	}
	shown := map[string]bool{}
	reported := func(where string, found []string) {
		for _, f := range found {
			if !shown[where+f] {
				shown[where+f] = true
				t.Errorf("%s: %s", where, f)
			}
		}
	}
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
				case "version", "help", "model", "completion":
				case "trust":
					args = append(args, root)
				default:
					args = append(args, "--root", root)
				}
				var out, errs strings.Builder
				code := run(args, env{strings.NewReader(event), &out, &errs})
				worked = worked || out.Len() > 0 && (code == exitOK || c.verb == "check" || c.verb == "doctor") // which find errors
				where := strings.Join(args[:len(args)-1], " ")
				look(where, out.String()+errs.String())
				if reported(where, sanitizetest.In(errs.String())); len(more) > 0 {
					reported(where, sanitizetest.InMachine(out.String()))
				} else {
					reported(where, sanitizetest.In(out.String()))
				}
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
		verb, _, _ = strings.Cut(verb, " ")
		if !speaks[verb] && !strings.HasPrefix(verb, "-") && !slices.ContainsFunc(cases, func(c struct {
			verb string
			args [][]string
		}) bool {
			return c.verb == verb
		}) {
			t.Errorf("%s has no case", verb)
		}
	}
	named := [][]string{{"deps", "%"}, {"deps", "%.go"}, {"expand", "%.go"}, {"check", "--base", "%"}, {"query", "--scope", "%", "x"},
		{"curate", "--op", "ADD", "--path", "%/a", "--title", "%", "--reason", "%"}, {"propose", "%.go"}, {"review", "show", "1:%"},
		{"export", "--for", "%"}, {"graph", "--around", "%"}, {"trust", "%"}, {"import", "%"}, {"undo", "1:%"}, {"archive", "%"},
		{"%"}, {"status", "--%"}, {"pack", "--file", "%.go", "x"}, {"map", "--file", "%"}, {"symbols", "%"}}
	for i, name := range sanitizetest.Names() {
		for j, args := range named {
			if (i+j)%4 != 0 {
				continue
			}
			if args = slices.Clone(args); args[0] != "trust" {
				args = append(args, "--root", root)
			}
			for k, a := range args {
				args[k] = strings.ReplaceAll(a, "%", name)
			}
			var out, errs strings.Builder
			run(args, env{strings.NewReader(event), &out, &errs})
			reported(named[j][0]+" of a name", sanitizetest.In(out.String()+errs.String()))
		}
	}
	written := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
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
		if !strings.HasPrefix(name, ".brv/state/") { // whose files are for this program alone
			reported(name, sanitizetest.InMarkdown(string(text)))
		}
		return err
	})
	if err != nil || written < 5 {
		t.Errorf("%d files written, %v", written, err)
	}
	t.Logf("%d planted, %d verbs, %d files written", len(planted), len(cases), written)
}
