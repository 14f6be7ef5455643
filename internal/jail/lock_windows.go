package jail

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset is far behind the content: Windows refuses to read what is locked.
const lockOffset = 1 << 30

func lockFile(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: lockOffset}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return ErrLocked
	}
	return err
}
