package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestRenewFollowsAFolderMadeAnew(t *testing.T) {
	r := open(t, map[string]string{"a.md": "old"})
	if r.Renew() {
		t.Error("renewed without need")
	}
	if err := os.RemoveAll(r.Dir()); err != nil {
		t.Skip("the system holds open folders:", err)
	}
	if r.Renew() {
		t.Error("renewed while nothing stands there")
	}
	if _, err := r.ReadFile("a.md", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
	write(t, filepath.Join(r.Dir(), "a.md"), "new")
	if _, err := r.ReadFile("a.md", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before renewing: %v", err)
	}
	if !r.Renew() || r.Renew() {
		t.Error("not renewed once")
	}
	if b, err := r.ReadFile("a.md", 100); string(b) != "new" || err != nil {
		t.Errorf("renewed: %q, %v", b, err)
	}
}

func TestRenewFollowsAReplacedFolder(t *testing.T) {
	r := open(t, map[string]string{"a.md": "old"})
	if err := os.Rename(r.Dir(), r.Dir()+"-before"); err != nil {
		t.Skip("the system holds open folders:", err)
	}
	write(t, r.Dir(), "a file in its place")
	if r.Renew() {
		t.Error("a file is no folder")
	}
	if b, err := r.ReadFile("a.md", 100); string(b) != "old" || err != nil {
		t.Errorf("renamed: %q, %v", b, err)
	}
	if err := os.Remove(r.Dir()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(r.Dir(), "a.md"), "new")
	if !r.Renew() {
		t.Error("not renewed")
	}
	if b, err := r.ReadFile("a.md", 100); string(b) != "new" || err != nil {
		t.Errorf("replaced: %q, %v", b, err)
	}
	if r.Close(); r.Renew() {
		t.Error("renewed after Close")
	}
}

func TestSubStaysInside(t *testing.T) {
	r := open(t, map[string]string{"d/a.md": "a", "f": ""})
	link(t, r, "out", "..")
	link(t, r, "in", "d")
	for _, path := range []string{"out", "..", "f", "none", "/"} {
		if sub, err := r.Sub(path); err == nil {
			sub.Close()
			t.Errorf("%s was opened", path)
		}
	}
	sub, err := r.Sub("in")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if b, err := sub.ReadFile("a.md", 100); string(b) != "a" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := sub.ReadFile("../f", 100); !errors.Is(err, ErrEscapes) {
		t.Errorf("above: %v", err)
	}
	if !r.Holds("d", sub) || !r.Holds("in", sub) || r.Holds(".", sub) || r.Holds("none", sub) {
		t.Error("what r holds")
	}
	if err := os.Rename(filepath.Join(r.Dir(), "d"), filepath.Join(r.Dir(), "e")); err != nil {
		t.Skip("the system holds open folders:", err)
	}
	write(t, filepath.Join(r.Dir(), "d", "a.md"), "another")
	if r.Holds("d", sub) || !r.Holds("e", sub) {
		t.Error("what r holds after the folder was replaced")
	}
}
