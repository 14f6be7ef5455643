package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// open makes a folder with a secret beside it, fills it and opens it.
func open(t *testing.T, files map[string]string) *Root {
	t.Helper()
	top := t.TempDir()
	write(t, filepath.Join(top, "secret.md"), "secret")
	dir := filepath.Join(top, "root")
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, r *Root, name, target string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(r.Dir(), filepath.FromSlash(name))); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

func TestPathsThatLeaveAreRefused(t *testing.T) {
	r := open(t, map[string]string{"a.md": "a", "d/b.md": "b"})
	link(t, r, "out.md", "../secret.md")
	link(t, r, "outdir", "..")
	link(t, r, "abs.md", filepath.Join(filepath.Dir(r.Dir()), "secret.md"))
	link(t, r, "absinside.md", filepath.Join(r.Dir(), "a.md"))
	for _, path := range []string{
		"../secret.md", "d/../../secret.md", "d/../a.md", "..", "/etc/passwd", "/", "a\x00.md", "a.md\x00",
		"out.md", "outdir/secret.md", "abs.md", "absinside.md",
	} {
		if data, err := r.ReadFile(path, 100); !errors.Is(err, ErrEscapes) {
			t.Errorf("ReadFile(%q) = %q, %v; want ErrEscapes", path, data, err)
		}
		if _, err := r.Stat(path); !errors.Is(err, ErrEscapes) {
			t.Errorf("Stat(%q): %v; want ErrEscapes", path, err)
		}
	}
	for _, path := range []string{"../new.md", "/new.md", "outdir/new.md", "a\x00b", "d/../new.md"} {
		if err := r.WriteFile(path, nil); !errors.Is(err, ErrEscapes) {
			t.Errorf("WriteFile(%q): %v; want ErrEscapes", path, err)
		}
	}
	if _, err := r.ReadDir("outdir"); !errors.Is(err, ErrEscapes) {
		t.Errorf("ReadDir(outdir): %v", err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(r.Dir()), "new.md")); err == nil {
		t.Error("a file was written outside")
	}
}

func TestIllFormedPathsAreInvalid(t *testing.T) {
	r := open(t, map[string]string{"a.md": "a", "d/b.md": "b"})
	for _, path := range []string{"", "a.md/", "./a.md", "d//b.md", "d/", "d/./b.md"} {
		if _, err := r.ReadFile(path, 100); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("ReadFile(%q): %v; want ErrInvalid", path, err)
		}
		if err := r.WriteFile(path, nil); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("WriteFile(%q): %v; want ErrInvalid", path, err)
		}
	}
	if _, err := r.ReadFile("a.md/x", 100); err == nil {
		t.Error("read below a file")
	}
}

func TestLinksInsideAreFollowed(t *testing.T) {
	r := open(t, map[string]string{"d/b.md": "b"})
	link(t, r, "in.md", "d/b.md")
	link(t, r, "indir", "d")
	for _, path := range []string{"in.md", "indir/b.md"} {
		if data, err := r.ReadFile(path, 100); err != nil || string(data) != "b" {
			t.Errorf("ReadFile(%q) = %q, %v", path, data, err)
		}
	}
	if err := r.WriteFile("in.md", nil); !errors.Is(err, ErrNotRegular) {
		t.Errorf("write onto a link: %v; want ErrNotRegular", err)
	}
	if err := r.WriteFile("indir/c.md", []byte("c")); err != nil {
		t.Error(err)
	}
}

func TestLinkLoopIsAnError(t *testing.T) {
	r := open(t, nil)
	link(t, r, "x", "y")
	link(t, r, "y", "x")
	link(t, r, "self", ".")
	if _, err := r.ReadFile("x", 10); err == nil {
		t.Error("read through a loop")
	}
	if _, err := r.Stat("x"); err == nil {
		t.Error("stat through a loop")
	}
}

func TestErrorsNameThePathOnce(t *testing.T) {
	r := open(t, map[string]string{"d/b.md": "bb"})
	for _, path := range []string{"missing.md", "d", "d/b.md"} {
		_, err := r.ReadFile(path, 1)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || strings.Count(err.Error(), path) != 1 {
			t.Errorf("ReadFile(%q): error %q", path, err)
		}
	}
	if _, err := r.ReadFile("missing.md", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := r.ReadFile("d", 1); !errors.Is(err, ErrNotRegular) {
		t.Errorf("directory: %v", err)
	}
}

func TestSizeLimit(t *testing.T) {
	r := open(t, map[string]string{"a.md": "12345"})
	if _, err := r.ReadFile("a.md", 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	if data, err := r.ReadFile("a.md", 5); err != nil || string(data) != "12345" {
		t.Errorf("at the limit: %q, %v", data, err)
	}
	sparse := filepath.Join(r.Dir(), "sparse.md")
	write(t, sparse, "")
	if err := os.Truncate(sparse, 100<<20); err != nil {
		t.Skip(err)
	}
	allocated := testing.AllocsPerRun(1, func() {
		if _, err := r.ReadFile("sparse.md", 1<<20); !errors.Is(err, ErrTooLarge) {
			t.Errorf("sparse file: %v", err)
		}
	})
	if allocated > 100 {
		t.Errorf("%v allocations to refuse a large file", allocated)
	}
}

func TestFileThatGrowsWhileReadKeepsTheLimit(t *testing.T) {
	_, err := readAtMost(strings.NewReader(strings.Repeat("x", 1000)), "a.md", 3, 999)
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("grown file: %v; want ErrTooLarge", err)
	}
	data, err := readAtMost(strings.NewReader(strings.Repeat("x", 1000)), "a.md", 3, 1000)
	if err != nil || len(data) != 1000 {
		t.Errorf("grown file at the limit: %d bytes, %v", len(data), err)
	}
}

func TestWriteFileReplacesInOneStep(t *testing.T) {
	r := open(t, map[string]string{"a.md": "old"})
	target := filepath.Join(r.Dir(), "a.md")
	if err := os.Chmod(target, 0o600); err != nil {
		t.Fatal(err)
	}
	old, err := os.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := r.WriteFile("a.md", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, _ := r.ReadFile("a.md", 10); string(data) != "new" {
		t.Errorf("content %q", data)
	}
	buf := make([]byte, 10)
	if n, _ := old.Read(buf); string(buf[:n]) != "old" {
		t.Errorf("a reader of the old file sees %q", buf[:n])
	}
	info, err := r.Stat("a.md")
	if err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWriteFileMakesFoldersAndLeavesNothingBehind(t *testing.T) {
	r := open(t, map[string]string{"a.md": "a"})
	if err := r.WriteFile("x/y/設計.md", []byte("z")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"x", "a.md/b.md"} {
		if err := r.WriteFile(path, nil); err == nil {
			t.Errorf("WriteFile(%q) succeeded", path)
		}
	}
	var seen []string
	err := fs.WalkDir(os.DirFS(r.Dir()), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			seen = append(seen, path)
		}
		return err
	})
	if got := strings.Join(seen, " "); err != nil || got != "a.md x/y/設計.md" {
		t.Errorf("files %q, %v", got, err)
	}
}

func TestOpenOfMissingFolder(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
