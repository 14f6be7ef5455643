package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/settings"
)

var day = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func grant(t *testing.T, s Store, folder string) {
	t.Helper()
	if _, aside, err := s.Grant(folder, day); err != nil || aside != "" {
		t.Fatalf("aside %q, %v", aside, err)
	}
}

// expect checks whether a folder is trusted; why is a part of the reason if not.
func expect(t *testing.T, s Store, folder string, want bool, why string) {
	t.Helper()
	if ok, reason := s.Trusts(folder); ok != want || !strings.Contains(reason, why) || ok != (reason == "") {
		t.Errorf("%s: %v (%s), want %v (%s)", folder, ok, reason, want, why)
	}
}

func TestTrustIsForOnePathAndOneConfiguration(t *testing.T) {
	s, folder := In(filepath.Join(t.TempDir(), "config", "brv-lsp")), t.TempDir()
	other, config := t.TempDir(), filepath.Join(folder, settings.ProjectFile)
	expect(t, s, folder, false, notGranted)
	grant(t, s, folder)
	expect(t, s, folder, true, "")
	expect(t, s, other, false, notGranted)
	write(t, filepath.Join(folder, "sub", "main.go"), "package main\n")
	expect(t, s, filepath.Join(folder, "sub"), false, notGranted)
	expect(t, s, filepath.Dir(folder), false, notGranted)

	write(t, config, `{"codeLens": {"code": true}}`)
	expect(t, s, folder, false, changed)
	grant(t, s, folder)
	expect(t, s, folder, true, "")
	write(t, config, `{"codeLens": {"code": false}}`)
	expect(t, s, folder, false, changed)
	write(t, config, `{"codeLens": {"code": true}}`)
	expect(t, s, folder, true, "")

	if real, was, err := s.Revoke(folder); err != nil || !was || real == "" {
		t.Errorf("revoke: %v, %v", was, err)
	}
	expect(t, s, folder, false, notGranted)
	if _, was, err := s.Revoke(folder); err != nil || was {
		t.Errorf("revoked twice: %v, %v", was, err)
	}
}

// Trust ends with the folder or the repository, whatever else is put in its place: the same files, or the same name.
func TestTrustIsForOneFolder(t *testing.T) {
	s := In(t.TempDir())
	for name, change := range map[string]func(folder string) error{
		"another folder": func(folder string) error {
			return errors.Join(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(folder+".copy")))
		},
		"moved away, another in its place": func(folder string) error {
			return errors.Join(os.Rename(folder, folder+".old"), os.Rename(folder+".copy", folder))
		},
		"another repository": func(folder string) error {
			git := filepath.Join(folder, ".git")
			return errors.Join(os.RemoveAll(git), os.CopyFS(git, os.DirFS(filepath.Join(folder+".copy", ".git"))))
		},
		"a repository file": func(folder string) error {
			git := filepath.Join(folder, ".git")
			return errors.Join(os.RemoveAll(git), os.WriteFile(git, []byte("gitdir: ../x\n"), 0o644))
		},
		"no repository": func(folder string) error { return os.RemoveAll(filepath.Join(folder, ".git")) },
	} {
		folder := filepath.Join(t.TempDir(), "r")
		write(t, filepath.Join(folder, ".git", "HEAD"), "ref: refs/heads/main\n")
		write(t, filepath.Join(folder, "a.txt"), "a")
		if err := os.CopyFS(folder+".copy", os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
		grant(t, s, folder)
		write(t, filepath.Join(folder, ".git", "HEAD"), "ref: refs/heads/other\n") // a checkout
		write(t, filepath.Join(folder, ".brv", "state", "x"), "")
		if err := os.RemoveAll(filepath.Join(folder, ".brv")); err != nil {
			t.Fatal(err)
		}
		expect(t, s, folder, true, "")
		if err := change(folder); err != nil {
			t.Fatal(err)
		}
		if ok, why := s.Trusts(folder); ok || why != replaced {
			t.Errorf("%s: %v, %s", name, ok, why)
		}
		grant(t, s, folder)
		expect(t, s, folder, true, "")
	}
}

// A grant of an earlier version names no folder: it is asked for once more, and the others stay.
func TestGrantsByPathAloneAreAskedForAgain(t *testing.T) {
	s, folder := In(t.TempDir()), t.TempDir()
	real, is, err := identity(folder)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.Path(), fmt.Sprintf(`{"version": 1, "folders": {%q: {"config": %q, "granted": "2026-01-31T12:00:00Z"}}}`, real, is.Config))
	expect(t, s, folder, false, replaced)
	if list, err := s.List(); err != nil || len(list) != 1 || list[0].Holds {
		t.Errorf("%v, %v", list, err)
	}
	grant(t, s, folder)
	expect(t, s, folder, true, "")
}

func TestTrustFollowsLinksToTheRealFolder(t *testing.T) {
	s, base := In(t.TempDir()), t.TempDir()
	write(t, filepath.Join(base, "real", "a.txt"), "")
	write(t, filepath.Join(base, "evil", "a.txt"), "")
	link := filepath.Join(base, "link")
	if err := os.Symlink(filepath.Join(base, "real"), link); err != nil {
		t.Skip(err)
	}
	grant(t, s, link)
	expect(t, s, filepath.Join(base, "real"), true, "")
	if err := errors.Join(os.Remove(link), os.Symlink(filepath.Join(base, "evil"), link)); err != nil {
		t.Fatal(err)
	}
	expect(t, s, link, false, notGranted)
}

func TestConfigurationThatCannotBeReadIsNotTrusted(t *testing.T) {
	s, folder := In(t.TempDir()), t.TempDir()
	grant(t, s, folder)
	if err := os.MkdirAll(filepath.Join(folder, settings.ProjectFile), 0o755); err != nil {
		t.Fatal(err)
	}
	expect(t, s, folder, false, "configuration cannot be read")
	if _, _, err := s.Grant(folder, day); err == nil {
		t.Error("granted")
	}
	expect(t, s, filepath.Join(folder, "missing"), false, "missing")
}

func TestDamagedFileTrustsNothingAndIsKept(t *testing.T) {
	folder := t.TempDir()
	for _, text := range []string{
		"", "{", "[]", "null", `{"version": 2, "folders": {}}`, `{"version": 1}`, `{"version": 1, "folders": {}} {}`,
		`{"version": 1, "folders": {}, "all": true}`, strings.Repeat(" ", maxFile) + `{"version": 1, "folders": {}}`,
	} {
		s := In(t.TempDir())
		write(t, s.Path(), text)
		expect(t, s, folder, false, "damaged")
		if _, err := s.List(); err == nil {
			t.Errorf("%.40q: listed", text)
		}
		if _, _, err := s.Revoke(folder); err == nil {
			t.Errorf("%.40q: revoked", text)
		}
		_, aside, err := s.Grant(folder, day)
		if err != nil || aside == "" {
			t.Fatalf("%.40q: aside %q, %v", text, aside, err)
		}
		if kept, err := os.ReadFile(aside); err != nil || string(kept) != text {
			t.Errorf("%.40q: not kept: %v", text, err)
		}
		expect(t, s, folder, true, "")
		write(t, s.Path(), text)
		if _, second, err := s.Grant(folder, day); err != nil || second == aside {
			t.Errorf("the second damaged file: %q, %v", second, err)
		}
	}
}

func TestFileIsForTheUserAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	s := In(filepath.Join(t.TempDir(), "config", "brv-lsp"))
	grant(t, s, t.TempDir())
	for path, want := range map[string]os.FileMode{s.Path(): 0o600, filepath.Dir(s.Path()): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(s.Path()), "trust.json*"))
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestList(t *testing.T) {
	s, a, b := In(t.TempDir()), t.TempDir(), t.TempDir()
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	grant(t, s, b)
	grant(t, s, a)
	write(t, filepath.Join(b, settings.ProjectFile), "{}")
	list, err := s.List()
	if err != nil || len(list) != 2 || list[0].Folder > list[1].Folder || !list[0].Granted.Equal(day) {
		t.Fatalf("%v, %v", list, err)
	}
	for _, g := range list {
		if real, _ := filepath.EvalSymlinks(a); g.Holds != (g.Folder == real) {
			t.Errorf("%+v", g)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version": 1, "folders": {"/a": {"config": "00", "granted": "2026-01-31T12:00:00Z"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var x file
		if decode(data, &x) == nil && (x.Version != version || x.Folders == nil) {
			t.Errorf("%q: %+v", data, x)
		}
	})
}

// TestFileThatOthersWriteTrustsNothing: what it says may be anybody's.
func TestFileThatOthersWriteTrustsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such rights are told")
	}
	s, folder := In(t.TempDir()), t.TempDir()
	grant(t, s, folder)
	if err := os.Chmod(s.Path(), 0o666); err != nil {
		t.Fatal(err)
	}
	expect(t, s, folder, false, "accessible to others")
	if _, _, err := s.Grant(folder, time.Now()); !errors.Is(err, jail.ErrShared) {
		t.Errorf("granted beside what may be others': %v", err)
	}
	if err := os.Chmod(s.Path(), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, s, folder, true, "")
	if os.Chown(s.Path(), 12345, 12345) == nil { // root only
		expect(t, s, folder, false, "another user owns it")
	}
}

// TestGrantsThatCouldNotBeReadAreRefused: the file does not grow beyond what is read of it.
func TestGrantsThatCouldNotBeReadAreRefused(t *testing.T) {
	s, first := In(t.TempDir()), t.TempDir()
	grant(t, s, first)
	f, err := s.read()
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxFile / 100 {
		f.Folders[fmt.Sprint("/", i)] = f.Folders[first]
	}
	if err := s.write(f); err == nil {
		t.Error("written")
	}
	expect(t, s, first, true, "")
}
