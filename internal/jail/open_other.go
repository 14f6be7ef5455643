//go:build !unix

package jail

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Flags need no addition where the file system holds no pipes or devices.
// Windows syncs only what may be written, and folders not at all; of a file's
// mode it knows the read-only bit, which would keep us from replacing it.
const (
	readFlags  = os.O_RDONLY
	writeFlags = os.O_RDWR
	syncFlags  = os.O_RDWR
	syncsDirs  = false
	keepsModes = false
)

func cannotOpen(error) bool { return false }

// notSameDevice is Windows' ERROR_NOT_SAME_DEVICE.
const notSameDevice = 17

func crossesDevices(err error) bool {
	errno, ok := err.(syscall.Errno)
	return ok && runtime.GOOS == "windows" && errno == notSameDevice
}

func isInvalid(error) bool { return false }

func removeDir(*os.File, string) error { return errors.ErrUnsupported }

// ownedByUser reports whether a file is this user's, and whether its rights are told.
func ownedByUser(fs.FileInfo) (owned, told bool) { return true, false }
