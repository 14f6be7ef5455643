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
	return s.Ino, time.Unix(s.Ctimespec.Sec, s.Ctimespec.Nsec)
}
