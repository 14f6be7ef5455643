package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// read returns a file's bytes, or the error.
func read(r *Root, path string) string {
	data, err := r.ReadFile(path, 1000)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func TestSingleSteps(t *testing.T) {
	r := open(t, map[string]string{"a.md": "a", "d/b.md": "b"})
	for _, step := range []struct {
		name string
		do   func() error
		want error
		a, b string // a.md and d/b.md after it
	}{
		{"rename to what exists", func() error { return r.RenameNew("a.md", "d/b.md") }, fs.ErrExist, "a", "b"},
		{"rename what is missing", func() error { return r.RenameNew("none.md", "x.md") }, fs.ErrNotExist, "a", "b"},
		{"rename to a new name", func() error { return r.RenameNew("a.md", "d/c.md") }, nil, "a.md: no such file or directory", "b"},
		{"and back", func() error { return r.RenameNew("d/c.md", "a.md") }, nil, "a", "b"},
		{"link to what exists", func() error { return r.Link("a.md", "d/b.md") }, fs.ErrExist, "a", "b"},
		{"link", func() error { return r.Link("a.md", "d/c.md") }, nil, "a", "b"},
		{"rename over", func() error { return r.Rename("d/c.md", "d/b.md") }, nil, "a", "a"},
		{"make what exists", func() error { return r.Create("a.md", nil, 0, time.Time{}) }, fs.ErrExist, "a", "a"},
		{"make a folder that exists", func() error { return r.Mkdir("d") }, fs.ErrExist, "a", "a"},
		{"make a folder in none", func() error { return r.Mkdir("x/y") }, fs.ErrNotExist, "a", "a"},
		{"remove a full folder", func() error { return r.RemoveDir("d") }, errAny, "a", "a"},
		{"remove a file as a folder", func() error { return r.RemoveDir("a.md") }, errAny, "a", "a"},
		{"remove", func() error { return r.Remove("d/b.md") }, nil, "a", "d/b.md: no such file or directory"},
		{"remove an empty folder", func() error { return r.RemoveDir("d") }, nil, "a", "d/b.md: no such file or directory"},
		{"append", func() error { return r.Append("a.md", []byte("+")) }, nil, "a+", "d/b.md: no such file or directory"},
		{"sync", func() error { return errors.Join(r.Sync("a.md"), r.SyncDir(".")) }, nil, "a+", "d/b.md: no such file or directory"},
		{"sync what is missing", func() error { return r.Sync("none.md") }, fs.ErrNotExist, "a+", "d/b.md: no such file or directory"},
	} {
		err := step.do()
		if step.want == errAny && err == nil || step.want != errAny && !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.name, err, step.want)
		}
		if runtime.GOOS == "windows" {
			continue // says it in other words
		}
		if a, b := read(r, "a.md"), read(r, "d/b.md"); a != step.a || b != step.b {
			t.Fatalf("%s: %q and %q, want %q and %q", step.name, a, b, step.a, step.b)
		}
	}
}

var errAny = errors.New("any error")

func TestExchange(t *testing.T) {
	r := open(t, map[string]string{"a.md": "a", "d/b.md": "b"})
	err := r.Exchange("a.md", "d/b.md")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil || read(r, "a.md") != "b" || read(r, "d/b.md") != "a" {
		t.Error(err, read(r, "a.md"), read(r, "d/b.md"))
	}
	if err := r.Exchange("a.md", "none.md"); !errors.Is(err, fs.ErrNotExist) || read(r, "a.md") != "b" {
		t.Error(err)
	}
	if err := r.Exchange("a.md", "."); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}

// Without the operating system's call, a hard link does the same.
func TestRenameNewByLink(t *testing.T) {
	r := open(t, map[string]string{"a.md": "a", "b.md": "b"})
	if err := r.names("a.md", "b.md", r.linkNew); !errors.Is(err, fs.ErrExist) || read(r, "b.md") != "b" {
		t.Error(err)
	}
	if err := r.names("a.md", "c.md", r.linkNew); err != nil || read(r, "c.md") != "a" {
		t.Error(err)
	}
	if _, err := r.Lstat("a.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestCreateSetsModeAndTime(t *testing.T) {
	r := open(t, nil)
	then := time.Date(2021, 2, 3, 4, 5, 6, 7000, time.UTC)
	if err := r.Create("a.md", []byte("a"), 0o642, then); err != nil {
		t.Fatal(err)
	}
	info, err := r.Lstat("a.md")
	if err != nil || !info.ModTime().Equal(then) || runtime.GOOS != "windows" && info.Mode() != 0o642 {
		t.Error(info.Mode(), info.ModTime(), err)
	}
	if err := r.Create("b.md", nil, 0, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if info, err := r.Lstat("b.md"); err != nil || info.ModTime().Equal(then) || runtime.GOOS != "windows" && info.Mode()&^fileMode != 0 {
		t.Error(info.Mode(), info.ModTime(), err)
	}
}

// No single step follows a link out, or leaves the folder by its path.
func TestSingleStepsDoNotLeave(t *testing.T) {
	r := open(t, map[string]string{"a.md": "a"})
	link(t, r, "outdir", "..")
	link(t, r, "out.md", "../secret.md")
	for _, path := range []string{"../secret.md", "outdir/secret.md", "/etc/passwd", "a\x00", "d/../a.md"} {
		for name, err := range map[string]error{
			"Lstat":          second(r.Lstat(path)),
			"Mkdir":          r.Mkdir(path),
			"Create":         r.Create(path, nil, 0, time.Time{}),
			"Append":         r.Append(path, []byte("x")),
			"Sync":           r.Sync(path),
			"SyncDir":        r.SyncDir(path),
			"Rename":         r.Rename(path, "b.md"),
			"Rename to":      r.Rename("a.md", path),
			"RenameNew":      r.RenameNew(path, "b.md"),
			"RenameNew to":   r.RenameNew("a.md", path),
			"Link":           r.Link(path, "b.md"),
			"Link to":        r.Link("a.md", path),
			"Exchange":       r.Exchange("a.md", path),
			"Exchange, back": r.Exchange(path, "a.md"),
			"Remove":         r.Remove(path),
			"RemoveDir":      r.RemoveDir(path),
			"Lock":           second(r.Lock(path)),
		} {
			if !errors.Is(err, ErrEscapes) && !(name == "SyncDir" && !syncsDirs) {
				t.Errorf("%s(%q): %v, want ErrEscapes", name, path, err)
			}
		}
	}
	if err := r.Append("out.md", []byte("x")); !errors.Is(err, ErrEscapes) {
		t.Error(err)
	}
	if _, err := r.Lock("out.md"); !errors.Is(err, ErrEscapes) {
		t.Error(err)
	}
	if err := r.Create("out.md", nil, 0, time.Time{}); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := r.Rename("a.md", "out.md"); err != nil || read(r, "out.md") != "a" { // the link itself is replaced
		t.Error(err)
	}
	if err := r.RemoveDir("outdir"); err == nil {
		t.Error("a link was removed as a folder")
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(r.Dir()), "secret.md")); err != nil || string(text) != "secret" {
		t.Error(string(text), err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestAppendRefusesWhatIsNoFile(t *testing.T) {
	r := open(t, map[string]string{"d/a.md": ""})
	if err := r.Append("d", []byte("x")); err == nil || !strings.HasPrefix(err.Error(), "d: ") {
		t.Error(err)
	}
}
