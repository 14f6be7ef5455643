package jail

import (
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// identity returns the system's data about a file besides size and time.
func identity(info fs.FileInfo) (inode uint64, changed time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, time.Time{}
	}
	return s.Ino, time.Unix(int64(s.Ctim.Sec), int64(s.Ctim.Nsec))
}

// born returns when a file or folder was made, in nanoseconds; 0 if that is unknown.
func born(_ fs.FileInfo, dir *os.File, name string) int64 {
	var x unix.Statx_t
	err := retried(func() error {
		return unix.Statx(int(dir.Fd()), name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &x)
	})
	runtime.KeepAlive(dir)
	if err != nil || x.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return time.Unix(x.Btime.Sec, int64(x.Btime.Nsec)).UnixNano()
}
