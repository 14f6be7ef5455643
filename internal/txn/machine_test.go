//go:build linux

package txn_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
)

// linkOut makes a link to a folder outside, and returns what lists that.
func linkOut(t *testing.T, root *jail.Root, p string) func() ([]os.DirEntry, error) {
	t.Helper()
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root.Dir(), filepath.FromSlash(p))); err != nil {
		t.Skip(err)
	}
	return func() ([]os.DirEntry, error) { return os.ReadDir(outside) }
}

// A disk that is really full: a small file system in memory, mounted where only
// the child sees it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	c := child(t, "full disk", t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Fatal(err)
	case err != nil || strings.HasPrefix(string(out), "skip"):
		t.Skipf("no namespaces here: %s %v", out, err)
	}
}

func fullDiskChild(root *jail.Root, _ []string) error {
	if err := syscall.Mount("tmpfs", root.Dir(), "tmpfs", 0, "size=1m"); err != nil {
		fmt.Println("skip:", err)
		return nil
	}
	small, err := jail.Open(root.Dir())
	if err != nil {
		return err
	}
	return failing(shortage{small, func() error { return eatSpace(small) },
		func() error { return small.Remove("context-tree/filler") }, syscall.ENOSPC})
}

// eatSpace leaves some pages.
func eatSpace(root *jail.Root) error {
	if err := root.Create("context-tree/filler", make([]byte, 512<<10), 0, time.Time{}); err != nil {
		return err
	}
	page := make([]byte, 4096)
	n := 0
	for root.Append("context-tree/filler", page) == nil {
		n++
	}
	return os.Truncate(filepath.Join(root.Dir(), "context-tree", "filler"), int64(512<<10+(n-3)*4096))
}

// The same where file systems cannot be mounted: no file may grow beyond a limit.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	if out, err := child(t, "size", t.TempDir()).Output(); err != nil {
		t.Fatalf("%s, %v", out, err)
	}
}

func sizeChild(root *jail.Root, _ []string) error {
	set := func(limit uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: 1 << 30})
	}
	return failing(shortage{root, func() error { return set(1000) }, func() error { return set(1 << 30) }, syscall.EFBIG})
}

// shortage is a folder in which something can be made to run out and be restored.
type shortage struct {
	root    *jail.Root
	exhaust func() error
	restore func() error
	reason  error
}

// failing makes changes that need more than there is.
func failing(r shortage) error {
	fill(r.root)
	if err := playTo(r.root, 2); err != nil {
		return err
	}
	if err := r.exhaust(); err != nil {
		return err
	}
	j := Open(r.root, "state", options())
	big := strings.Repeat("x", 20_000)
	_, _, err := j.Commit(ctx, func(int) (any, []Change, error) {
		return nil, []Change{
			{"context-tree/a/one.md", imageOf(states[2], "context-tree/a/one.md"), &Image{Data: []byte("small")}},
			{"context-tree/a/two.md", imageOf(states[2], "context-tree/a/two.md"), &Image{Data: []byte(big)}},
		}, nil
	})
	if !errors.Is(err, r.reason) || strings.Contains(err.Error(), "\n") {
		return fmt.Errorf("commit: %w; want one line of %v", err, r.reason)
	}
	if err := reads(j, 2); err != nil {
		return err
	}
	if err := r.restore(); err != nil {
		return err
	}
	if _, err := stateOf(r.root, 2, 2); err != nil {
		return err
	}
	if _, err := commit(j, 3); err != nil {
		return err
	}
	_, err = verify(r.root, 3, 3)
	return err
}

// A folder that really may not be written.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	switch out, err := child(t, "read only", dir).Output(); {
	case err != nil:
		t.Errorf("%s, %v", out, err)
	case strings.HasPrefix(string(out), "skip"):
		t.Skipf("root of a namespace without other users: %s", out)
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(name, 0o755)
		}
		return nil
	})
}

func readOnlyChild(root *jail.Root, _ []string) error {
	fill(root)
	if err := playTo(root, 2); err != nil {
		return err
	}
	err := filepath.WalkDir(root.Dir(), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(name, 0o555)
		}
		return os.Chmod(name, 0o444)
	})
	if err != nil {
		return err
	}
	if os.Getuid() == 0 { // who may write everywhere
		const nobody = 65534
		switch err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); {
		case errors.Is(err, syscall.EINVAL):
			fmt.Println("skip:", err)
			return nil
		case err != nil:
			return err
		}
	}
	j := Open(root, "state", options())
	return errors.Join(reads(j, 2), refuses(j, fs.ErrPermission))
}
