//go:build unix

package jail

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// readFlags open without waiting for a pipe's other end and without taking a
// terminal over; writeFlags do so for reading and writing, which on a pipe does
// not wait either. A file that may not be written can be synced.
const (
	readFlags  = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
	writeFlags = os.O_RDWR | syscall.O_NONBLOCK | syscall.O_NOCTTY
	syncFlags  = readFlags
	syncsDirs  = true
	keepsModes = true
)

// cannotOpen reports errors that only sockets and devices without a driver give.
func cannotOpen(err error) bool {
	return errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENODEV)
}

func crossesDevices(err error) bool { return errors.Is(err, syscall.EXDEV) }

// isInvalid reports the errors of a file system that does not support a call at all.
func isInvalid(err error) bool { return errors.Is(err, syscall.EINVAL) }

// removeDir removes a folder in one step; Remove of os tries a file first.
func removeDir(dir *os.File, name string) error {
	return unix.Unlinkat(int(dir.Fd()), name, unix.AT_REMOVEDIR)
}

// ownedByUser reports whether a file is this user's, and whether its rights are told.
func ownedByUser(info fs.FileInfo) (owned, told bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid(), true
}
