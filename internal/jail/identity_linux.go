package jail

import (
	"io/fs"
	"syscall"
	"time"
)

// identity returns what the system knows of a file besides size and time.
func identity(info fs.FileInfo) (inode uint64, changed time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, time.Time{}
	}
	return s.Ino, time.Unix(int64(s.Ctim.Sec), int64(s.Ctim.Nsec))
}
