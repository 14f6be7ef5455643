package jail

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// identity returns the system's data about a file besides size and time.
func identity(info fs.FileInfo) (inode uint64, changed time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, time.Time{}
	}
	return s.Ino, time.Unix(s.Ctimespec.Sec, s.Ctimespec.Nsec)
}

// born returns when a file was made, in nanoseconds; 0 where that is unknown.
func born(info fs.FileInfo, _ *os.File, _ string) int64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return time.Unix(s.Birthtimespec.Sec, s.Birthtimespec.Nsec).UnixNano()
}
