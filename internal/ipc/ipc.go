// Package ipc lets a process ask another process of the same user that already has a folder open. Each
// process that answers has a Unix socket in a folder which only the user can enter; a connection carries one
// question and one answer.
//
// It is optional: without an answer the caller does the work itself. A socket whose process is gone is
// removed by the next caller. If paths of sockets are too long for the system, or others own the folder or
// can enter it, it is not used.
package ipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// The bounds of a question and its answer.
const (
	maxMessage = 16 << 20 // bytes
	within     = 10 * time.Second
	maxPath    = 100 // bytes; Unix systems take 104 or 108

	ending = ".sock"
)

// base is the common beginning of the socket names of processes that have a folder open.
func base(dir, root string) string {
	path := cachefile.Of(dir, "ask", root).Path()
	return strings.TrimSuffix(path, filepath.Ext(path)) + "-"
}

// private refuses a folder in which others could have put a socket.
func private(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !filepath.IsAbs(dir) || !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	}
	if err := jail.Private(info, jail.Entered); err != nil {
		return fmt.Errorf("%s %w", dir, err)
	}
	return nil
}

// Listen answers questions about the folder root until ctx ends. Sockets are in dir, which is made if it is
// missing.
func Listen(ctx context.Context, dir, root string, answer func(context.Context, []byte) []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := private(dir); err != nil {
		return err
	}
	bound := fmt.Sprintf("%s%d-%08x", base(dir, root), os.Getpid(), rand.Uint32())
	path := bound + ending
	if len(path) > maxPath {
		return fmt.Errorf("%s is too long for a socket", path)
	}
	l, err := net.Listen("unix", bound)
	if err != nil {
		return err
	}
	defer l.Close()
	// A socket that is bound but does not listen yet refuses connections like one whose process is gone, and
	// a caller would remove it: so it is renamed to its final name only when it listens.
	if err := os.Rename(bound, path); err != nil {
		return err
	}
	defer os.Remove(path)
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		c, err := l.Accept()
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		go func() { // ends with its time
			defer c.Close()
			end := time.Now().Add(within)
			_ = c.SetDeadline(end) // no other way of reading would come sooner
			ctx, cancel := context.WithDeadline(ctx, end)
			defer cancel()
			if question, err := io.ReadAll(io.LimitReader(c, maxMessage)); err == nil {
				_, _ = c.Write(answer(ctx, question)) // who asked may be gone
			}
		}()
	}
}

// Ask asks the processes that have the folder open, the youngest first, each for its share of the remaining
// time; ok is false if none answers.
func Ask(ctx context.Context, dir, root string, question []byte) (answer []byte, ok bool) {
	if private(dir) != nil {
		return nil, false
	}
	all := sockets(dir, root)
	for i, path := range all {
		each, done := ctx, func() {}
		if end, bounded := ctx.Deadline(); bounded { // a suspended process is waited for as long as allowed
			each, done = context.WithTimeout(ctx, time.Until(end)/time.Duration(len(all)-i))
		}
		answer, err := exchange(each, path, question)
		done()
		if gone(err) {
			os.Remove(path)
		}
		if err == nil && len(answer) > 0 {
			return answer, true
		}
	}
	return nil, false
}

// sockets lists the sockets of a folder's processes, the youngest first.
func sockets(dir, root string) []string {
	named := filepath.Base(base(dir, root))
	made := map[string]time.Time{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), named) || !strings.HasSuffix(e.Name(), ending) {
			continue
		}
		// A socket of Windows is a reparse point, which Go may call irregular.
		if info, err := e.Info(); err == nil && (runtime.GOOS == "windows" || info.Mode().Type() == os.ModeSocket) {
			made[filepath.Join(dir, e.Name())] = info.ModTime()
		}
	}
	return slices.SortedFunc(maps.Keys(made), func(a, b string) int { return made[b].Compare(made[a]) })
}

// gone reports whether nobody listens behind a socket.
func gone(err error) bool {
	const windowsRefused = syscall.Errno(10061) // WSAECONNREFUSED, which no Unix has
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windowsRefused)
}

// exchange carries one question and its answer.
func exchange(ctx context.Context, path string, question []byte) ([]byte, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if end, bounded := ctx.Deadline(); bounded {
		_ = c.SetDeadline(end)
	}
	if _, err = c.Write(question); err != nil {
		return nil, err
	}
	if half, can := c.(*net.UnixConn); can {
		if err := half.CloseWrite(); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(c, maxMessage))
}
