package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The tests inside the package cannot import workspacetest, which imports it.

var now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// tokensText is the text of an entry of files.
const tokensText = `---
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

// Files are those of a small project.
var files = map[string]string{
	"go.mod":                               "module example.org/app\n\ngo 1.26\n",
	"src/sign.go":                          "package src\n\n// SignToken signs.\nfunc SignToken(user string) string { return user }\n",
	"src/use.go":                           "package src\n\nvar err = SignToken(\"x\")\n",
	".brv/context-tree/auth/jwt/tokens.md": tokensText,
	".brv/context-tree/auth/jwt/rotation.md": "---\ntitle: Refresh rotation\nsummary: Single use.\n---\n## " +
		"Rules\n@auth/jwt/tokens.md#Facts\n",
}

// open makes a folder of the files and opens it.
func open(t *testing.T, files map[string]string, o Options) *Workspace {
	t.Helper()
	o.Trusted = o.Untrusted == ""
	dir := t.TempDir()
	for p, text := range files {
		write(t, dir, p, text)
	}
	o.Now = func() time.Time { return now }
	w, err := Open(t.Context(), dir, o)
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
func write(t *testing.T, dir, p, text string) {
	t.Helper()
	p = filepath.Join(dir, p)
	if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// tokensPath is the workspace path of an entry of files, and tokensText its text.
const tokensPath = ".brv/context-tree/auth/jwt/tokens.md"
