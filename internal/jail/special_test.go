//go:build unix

package jail

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A test that hangs here has failed: nothing writes into the pipe.
func TestPipesSocketsAndDevicesAreRefusedWithoutWaiting(t *testing.T) {
	r := open(t, nil)
	if err := syscall.Mkfifo(filepath.Join(r.Dir(), "pipe.md"), 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	paths := []string{"pipe.md"}
	if l, err := net.Listen("unix", filepath.Join(r.Dir(), "s.md")); err == nil { // fails where paths are long
		defer l.Close()
		paths = append(paths, "s.md")
	}
	if err := syscall.Mknod(filepath.Join(r.Dir(), "null.md"), syscall.S_IFCHR|0o644, 1<<8|3); err == nil { // needs root
		paths = append(paths, "null.md")
	}
	for _, path := range paths {
		if _, err := r.ReadFile(path, 10); !errors.Is(err, ErrNotRegular) {
			t.Errorf("ReadFile(%s): %v; want ErrNotRegular", path, err)
		}
		if _, _, err := r.OpenFile(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("OpenFile(%s): %v; want ErrNotRegular", path, err)
		}
		if err := r.WriteFile(path, nil); !errors.Is(err, ErrNotRegular) {
			t.Errorf("WriteFile(%s): %v; want ErrNotRegular", path, err)
		}
		if _, err := r.ReadDir(path); err == nil {
			t.Errorf("ReadDir(%s) succeeded", path)
		}
		if info, err := r.Stat(path); err != nil || info.Mode().IsRegular() {
			t.Errorf("Stat(%s) = %v, %v", path, info, err)
		}
	}
}

// A file under /proc says that it has no bytes: the limit holds while reading.
func TestFileThatUnderstatesItsSizeKeepsTheLimit(t *testing.T) {
	if _, err := os.Stat("/proc/self/maps"); err != nil {
		t.Skip(err)
	}
	r, err := Open("/proc/self")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.ReadFile("maps", 16); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v; want ErrTooLarge", err)
	}
}

func TestUnreadableFileSaysSo(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	r := open(t, map[string]string{"a.md": "a"})
	if err := os.Chmod(filepath.Join(r.Dir(), "a.md"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadFile("a.md", 10); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
