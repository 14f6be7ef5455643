package jail

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// holderSize is the length of a holder's text in the lock file, padded so that one write replaces the last
// holder's text.
const holderSize = 128

// Lock takes the exclusive lock of a file, which is made if missing, or returns
// [ErrLocked] at once. The lock is the kernel's: it ends with the process, however
// that ends, so there are no stale locks and the file may stay for ever. It is
// advisory, counts between any two calls of Lock, also of one process, and on
// network file systems may count on this machine only.
//
// While it is held, the file's content names the holder, as Holder reads it:
// process id, host, and a token that is new each time.
//
// The lock is not that of a ready-made package such as gofrs/flock: those open
// the file by its path, and what is locked here must have been opened inside the
// root.
func (r *Root) Lock(path string) (unlock func(), err error) {
	for range 10 { // each time, someone removed the file between our opening and locking it
		f, err := r.openWrite(path, os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if !r.isAt(path, f) {
			f.Close()
			continue
		}
		_, _ = f.WriteAt(holder(), 0) // a lock without a name is a lock all the same
		return func() { f.Close() }, nil
	}
	return nil, fmt.Errorf("%s: %w", path, ErrLocked)
}

// isAt reports whether f is still the file at path. A lock on a file that was removed would exclude nobody.
func (r *Root) isAt(path string, f *os.File) bool {
	here, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := r.Stat(path)
	return err == nil && os.SameFile(here, there)
}

func holder() []byte {
	return fmt.Appendf(nil, "%-*s\n", holderSize-1, fmt.Sprintf("%d %s %s", os.Getpid(), hostName(), rand.Text()))
}

// hostName is this machine's name as lock files have it.
func hostName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}
	return fmt.Sprintf("%.64s", strings.Join(strings.Fields(host), "-"))
}

// Interrupt interrupts the process that holds a lock file, if it runs on this machine. It kills a process
// that cannot be interrupted, as on Windows.
func Interrupt(content []byte) error {
	pid, host, _, _ := Holder(content)
	if n, err := strconv.Atoi(pid); err == nil && n > 0 && host == hostName() {
		p, err := os.FindProcess(n)
		if err != nil {
			return err
		}
		if p.Signal(os.Interrupt) == nil {
			return nil
		}
		return p.Kill()
	}
	return errors.New("no known process on this machine holds the lock")
}

// Holder reads the content of a lock file; ok is false if it is not one. The token is different each time the
// lock is taken.
func Holder(content []byte) (pid, host, token string, ok bool) {
	parts := strings.Fields(string(content))
	if len(parts) != 3 {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}
