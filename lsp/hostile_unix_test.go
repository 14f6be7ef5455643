//go:build unix

package lsp_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// canary is the text of the files outside. It appears in no answer.
const canary = "canary-5d1f0c77-secret"

// snare makes a name in a folder into something that must not be read, or waited for.
type snare struct {
	name string
	make func(path, outside string) error
}

var snares = []snare{
	{"pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o644) }},
	{"socket", socket},
	{"device", func(path, _ string) error { return os.Symlink("/dev/zero", path) }},
	{"terminal", func(path, _ string) error { return os.Symlink("/dev/tty", path) }},
	{"folder", func(path, _ string) error { return os.Mkdir(path, 0o755) }},
	{"link to a file outside", func(path, outside string) error { return os.Symlink(filepath.Join(outside, "secret.md"), path) }},
	{"relative link outside", func(path, outside string) error {
		rel, err := filepath.Rel(filepath.Dir(path), filepath.Join(outside, "secret.md"))
		return errors.Join(err, os.Symlink(rel, path))
	}},
	{"link to a folder outside", func(path, outside string) error { return os.Symlink(outside, path) }},
	{"loop", func(path, _ string) error { return os.Symlink(filepath.Base(path), path) }},
	{"loop through a folder", func(path, _ string) error { return os.Symlink(".", path) }},
	{"link to the top", func(path, _ string) error { return os.Symlink("/", path) }},
	{"link into /proc", func(path, _ string) error { return os.Symlink("/proc/self/environ", path) }},
	{"unreadable file", func(path, _ string) error { return os.WriteFile(path, []byte("x"), 0) }},
}

// socket makes one; its own name may be short only.
func socket(path, _ string) error {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	short := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return errors.Join(l.Close(), os.Rename(short, path), os.Remove(dir))
}

// snared are the names that are put in such a state, one at a time.
var snared = []string{
	".brv", ".brv/context-tree", ".brv/context-tree/auth", ".brv/context-tree/auth/jwt/evil.md", ".brv/context-tree/evil.md",
	".brv/context-tree/_manifest.json", ".brv/context-tree/_index.md", ".brv/context-tree/_archived", ".brv/context-tree/auth/context.md",
	".brv/config.json", ".brv/.gitignore", ".brv/state", ".brv/state/usage",
	".git", ".git/HEAD", ".git/index.lock", ".git/info", ".gitignore", "evil.go", "evil.ts", "lib", "go.mod", "package.json",
	"tsconfig.json", "compile_commands.json",
	"inner/.brv", "inner/.brv/context-tree",
}

// snaredProject makes a folder with one name in a bad state.
func snaredProject(t *testing.T, s snare, name, outside string) string {
	t.Helper()
	root := project(t)
	writeFile(t, filepath.Join(root, "inner", "note.md"), "See @auth/jwt/other.md\n")
	writeFile(t, filepath.Join(root, tokens),
		"---\ntitle: Tokens\nrelated: [auth/jwt/evil.md, evil.md]\n---\nSee @auth/jwt/other.md and @auth/jwt/evil.md, `evil.go`, "+
			"[x](evil.md) and "+
			"[y](jwt/secret.md).\n\n**Files:**\n- evil.go\n- lib/secret.md\n- lib/evil.go\n")
	path := filepath.Join(root, name)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.make(path, outside); err != nil {
		t.Skip(err)
	}
	return root
}

// TestNothingOutsideIsRead puts pipes, devices and links out of the folder in each place
// that is read. No answer is late, and none holds what stands outside.
func TestNothingOutsideIsRead(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, filepath.Join(outside, "secret.md"), "---\ntitle: "+canary+"\n---\n"+canary+"\n")
	writeFile(t, filepath.Join(outside, "jwt/secret.md"), "---\ntitle: "+canary+"\n---\n"+canary+"\n")
	writeFile(t, filepath.Join(outside, "evil.go"), "package evil\n\nfunc Canary5d1f0c77() {} // "+canary+"\n")
	writeFile(t, filepath.Join(outside, "context-tree/auth/jwt/other.md"), "---\ntitle: "+canary+"\n---\n"+canary+"\n")
	writeFile(t, filepath.Join(outside, "HEAD"), "ref: refs/heads/"+canary+"\n")
	if err := os.Setenv("BRV_CANARY", canary); err != nil { // t.Setenv is not for what runs in parallel
		t.Fatal(err)
	}
	before := allNames(t, outside)
	t.Cleanup(func() {
		os.Unsetenv("BRV_CANARY")
		if after := allNames(t, outside); after != before {
			t.Errorf("outside was %s, is %s", before, after)
		}
	})
	// All pairs are 350 sessions. A diagonal has each snare in some places, and each place with some snare.
	every := 6
	if testing.Short() {
		every = len(snares)
	}
	from := int(sampletest.Seed(t) % uint64(every))
	for i, s := range snares {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			total := &probe{t: t}
			for j, name := range snared {
				if long || (i+j)%every == from {
					total.add(askSnared(t, snaredProject(t, s, name, outside), s.name+" at "+name))
				}
			}
			total.report()
		})
	}
}

// askSnared asks everything in such a folder.
func askSnared(t *testing.T, root, name string) *probe {
	t.Helper()
	e := begin(lsp.Options{Now: fixedNow})
	defer e.Close()
	p := newProbe(t, e, root)
	p.name, p.forbidden = name, canary
	if _, err := e.Initialize(t.Context(), lsptest.Session{Folders: []string{root}}); err != nil {
		t.Fatal(name, err)
	}
	for _, file := range []string{tokens, "auth.go", "inner/note.md", "evil.go", ".brv/context-tree/evil.md"} {
		path, text := filepath.Join(root, file), "See @auth/jwt/evil.md and @evil.md: `evil.go`\n"
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm() != 0 {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text = string(raw)
		}
		if file != "evil.go" { // asked about without being open too
			p.open(path, text)
		}
		p.whole(path)
		for _, part := range []string{"evil", "@auth"} {
			if at := strings.Index(text, part); at >= 0 {
				p.everywhere(path, text, at+1)
			}
		}
	}
	p.folder()
	p.received()
	return p
}

// allNames describes all that stands in a folder, without a file's last time of reading.
func allNames(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
