// Package workspacetest opens folders for the tests of the features of a workspace, and makes the repository
// in which code changed after an entry was written.
package workspacetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Main runs the tests of a package that opens folders: the test binary is the syntax worker too,
// and git is one that counts its runs. It returns the exit code.
func Main(m *testing.M) int {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		return syntax.WorkerMain(os.Stdin, os.Stdout)
	}
	dir, err := os.MkdirTemp("", "brv-workspace")
	if err == nil {
		err = noteGit(dir)
	}
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// Now is the time of the folders that open makes.
var Now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// TokensText is the text of an entry of files.
const TokensText = `---
title: Access tokens
related: [auth/jwt/rotation.md, auth/jwt/gone.md]
importance: 62
maturity: validated
updatedAt: 2026-10-31T00:00:00Z
---
## Raw Concept
**Files:**
- src/sign.go

## Facts
- Access tokens are signed with RS256 by ` + "`SignToken`" + ` [convention]
`

// Files are the files of a small project.
var Files = map[string]string{
	"go.mod":                               "module example.org/app\n\ngo 1.26\n",
	"src/sign.go":                          "package src\n\n// SignToken signs.\nfunc SignToken(user string) string { return user }\n",
	"src/use.go":                           "package src\n\nvar err = SignToken(\"x\")\n",
	".brv/context-tree/auth/jwt/tokens.md": TokensText,
	".brv/context-tree/auth/jwt/rotation.md": "---\ntitle: Refresh rotation\nsummary: Single use.\n---\n## " +
		"Rules\n@auth/jwt/tokens.md#Facts\n",
}

// Open makes a folder of the files and opens it.
func Open(t *testing.T, files map[string]string, o workspace.Options) *workspace.Workspace {
	t.Helper()
	o.Trusted = o.Untrusted == ""
	dir := t.TempDir()
	for p, text := range files {
		Write(t, dir, p, text)
	}
	o.Now = func() time.Time { return Now }
	w, err := workspace.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Write writes a file, and the folders above it.
func Write(t *testing.T, dir, p, text string) {
	t.Helper()
	p = filepath.Join(dir, p)
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TokensPath is the workspace path of an entry of files, and tokensText its text.
const TokensPath = ".brv/context-tree/auth/jwt/tokens.md"

// gitLog is where the program that TestMain puts before git notes that it ran.
var gitLog string

// noteGit puts a program called git before all others that notes each run and then is
// git: the program is looked up once in a process.
func noteGit(dir string) error {
	real, err := exec.LookPath("git")
	if err != nil || runtime.GOOS == "windows" {
		return nil
	}
	gitLog = filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho run >> '%s'\nwhile [ -e '%s' ]; do sleep 0.01; done\nexec '%s' \"$@\"\n", gitLog,
		gitHold(), real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// gitHold is the file that holds git up as long as it is there.
func gitHold() string { return gitLog + "-hold" }

// HoldGit has git say nothing until goOn is called, or the test ends.
func HoldGit(t *testing.T) (goOn func()) {
	t.Helper()
	if gitLog == "" {
		t.Skip("needs git and a shell")
	}
	if err := os.WriteFile(gitHold(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	goOn = func() { os.Remove(gitHold()) }
	t.Cleanup(goOn)
	return goOn
}

// GitRuns is how often git ran so far.
func GitRuns(t *testing.T) int {
	t.Helper()
	if gitLog == "" {
		t.Skip("needs git and a shell")
	}
	text, err := os.ReadFile(gitLog)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// TokensEntry is the tree path of the entry that most tests are about.
const TokensEntry = "auth/jwt/tokens.md"

// DriftText is the text of the entry in the repository that drifted makes.
const DriftText = `---
title: Access tokens
updatedAt: 2026-03-01T00:00:00Z
---
## Raw Concept
**Files:**
- src/sign.go
- src/gone.go
- src/same.go
`

// signing is a body long enough to tell what became of it.
func signing(hash string) string {
	var b strings.Builder
	b.WriteString("package src\n\n// SignToken signs.\nfunc SignToken(user string) string {\n")
	for _, step := range []string{"header", "claims", "subject", "audience", "issuer", "expiry", "nonce", "scope"} {
		b.WriteString("\t" + step + " := " + hash + "(user, \"" + step + "\")\n\tif " + step + " == \"\" {\n\t\treturn " + hash +
			"Failed(" + step + ")\n\t}\n")
	}
	return b.String() + "\treturn user\n}\n"
}

// Drifted is a repository in which one file of an entry changed and one was removed
// after the entry was written.
func Drifted(t *testing.T, o workspace.Options) *workspace.Workspace {
	t.Helper()
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	dir := t.TempDir()
	git := func(date string, args ...string) { t.Helper(); GitAt(t, dir, date, args...) }
	git("2026-01-01T00:00:00Z", "init", "-q", "-b", "main")
	Write(t, dir, "go.mod", "module example.org/app\n\ngo 1.26\n")
	Write(t, dir, "src/sign.go", signing("sha1"))
	Write(t, dir, "src/gone.go", "package src\n\nfunc Gone() string { return \"gone without a trace\" }\n")
	Write(t, dir, "src/same.go", "package src\n\nfunc Same() {}\n")
	Write(t, dir, ".brv/context-tree/"+TokensEntry, DriftText)
	git("2026-02-01T00:00:00Z", "add", "-A")
	git("2026-02-01T00:00:00Z", "commit", "-q", "-m", "tokens")
	Write(
		t, dir, "src/sign.go",
		"package src\n\nimport \"crypto/ed25519\"\n\n// SignToken signs.\nfunc SignToken(key ed25519.PrivateKey, claims []byte) "+
			"[]byte {\n\treturn ed25519.Sign(key, claims)\n}\n")
	if err := os.Remove(filepath.Join(dir, "src/gone.go")); err != nil {
		t.Fatal(err)
	}
	git("2026-04-01T00:00:00Z", "add", "-A")
	git("2026-04-01T00:00:00Z", "commit", "-q", "-m", "sign otherwise")
	o.Trusted = o.Untrusted == ""
	w, err := workspace.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// GitAt runs git in a folder, as of a date.
func GitAt(t *testing.T, dir, date string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// Tree writes entries into a folder of its own and opens it.
func Tree(t testing.TB, entries map[string]string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	for p, text := range entries {
		file := filepath.Join(root, workspace.TreeDir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now := func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }
	w, err := workspace.Open(t.Context(), root, workspace.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// Spelled lists the problems, each on a line.
func Spelled(problems []format.Problem) string {
	var out []string
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%s:%s", p.Code, p.Severity))
	}
	return strings.Join(out, " ")
}

// ReadFiles are files of all sorts: long, empty, binary, hidden, of odd names.
func ReadFiles() map[string]string {
	all := map[string]string{
		"src/long.go":   "package src\n\n" + strings.Repeat("// A line of a long file, as long as others.\nvar x = 1\n", 400),
		"src/odd:10.go": "package odd\n",
		"src/crlf.txt":  "a\r\nb\r\nc\r\n",
		"src/empty.txt": "",
		"src/bin.dat":   "\x00\x01\xff\xfe",
		"src/latin.txt": "caf\xe9\nline\n",
		".env":          "SECRET=1\n",
		".git/config":   "[remote]\n",
		".brv/context-tree/other/place/tokens.md": "---\ntitle: Other tokens\n---\nx\n",
	}
	for p, text := range Files {
		all[p] = text
	}
	return all
}
