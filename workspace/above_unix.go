//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedLike reports whether a file is the user's, or of the owner of another one.
func ownedLike(info, other fs.FileInfo) bool {
	a, ok := info.Sys().(*syscall.Stat_t)
	b, both := other.Sys().(*syscall.Stat_t)
	return ok && both && (int(a.Uid) == os.Geteuid() || a.Uid == b.Uid)
}

func onDeviceOf(info, other fs.FileInfo) bool {
	a, ok := info.Sys().(*syscall.Stat_t)
	b, both := other.Sys().(*syscall.Stat_t)
	return ok && both && a.Dev == b.Dev
}
