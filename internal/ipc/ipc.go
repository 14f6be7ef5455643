// Package ipc lets a process ask another one of the same user that has a folder open already. Each that answers has a
// Unix socket in a folder which only the user can enter; a connection carries one question and one answer.
//
// Nobody has to be there: who is told nothing does the work itself. A socket whose process is gone is removed by the
// next that asks. Where paths of sockets are too long for the system, or others can enter the folder, nobody answers.
package ipc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
)

// The bounds of a question and its answer.
const (
	maxMessage = 16 << 20 // bytes
	within     = 10 * time.Second
	maxPath    = 100 // bytes; Unix systems take 104 or 108
)

// base is how the sockets of the processes that have a folder open begin.
func base(dir, root string) string {
	path := cachefile.Of(dir, "ask", root).Path()
	return strings.TrimSuffix(path, filepath.Ext(path))
}

// Listen answers what is asked about the folder root until ctx ends. Sockets are in dir, which is made where it is
// missing.
func Listen(ctx context.Context, dir, root string, answer func(context.Context, []byte) []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return errors.Join(err, fmt.Errorf("%s: others can enter it; chmod 700 it", dir))
	}
	path := fmt.Sprintf("%s-%d.sock", base(dir, root), os.Getpid())
	if len(path) > maxPath {
		return fmt.Errorf("%s: is too long for a socket", path)
	}
	_ = os.Remove(path) // of an earlier process of this number
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.Close() })() // which removes the socket
	for {
		c, err := l.Accept()
		if err != nil {
			return ctx.Err()
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

// Ask asks a process that has the folder open; ok is false where none answers.
func Ask(ctx context.Context, dir, root string, question []byte) (answer []byte, ok bool) {
	paths, _ := filepath.Glob(base(dir, root) + "-*.sock")
	for _, path := range paths {
		var d net.Dialer
		c, err := d.DialContext(ctx, "unix", path)
		if errors.Is(err, syscall.ECONNREFUSED) {
			os.Remove(path) // its process is gone
		}
		if err != nil {
			continue
		}
		defer c.Close()
		if end, bounded := ctx.Deadline(); bounded {
			_ = c.SetDeadline(end)
		}
		_, err = c.Write(question)
		if half, can := c.(*net.UnixConn); can && err == nil {
			err = half.CloseWrite()
		}
		if err == nil {
			answer, err = io.ReadAll(io.LimitReader(c, maxMessage))
		}
		if err == nil && len(answer) > 0 {
			return answer, true
		}
	}
	return nil, false
}
