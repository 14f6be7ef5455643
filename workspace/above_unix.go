//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedLike reports whether a file is the user's, or for root of the owner of the folder here.
func ownedLike(info, here fs.FileInfo) bool {
	a, ok := info.Sys().(*syscall.Stat_t)
	b, both := here.Sys().(*syscall.Stat_t)
	me := os.Geteuid()
	return ok && both && (int(a.Uid) == me || me == 0 && a.Uid == b.Uid)
}

// belongs reports whether a file in a folder belongs to the user, or to the folder's owner.
func belongs(info, folder fs.FileInfo) bool {
	a, ok := info.Sys().(*syscall.Stat_t)
	b, both := folder.Sys().(*syscall.Stat_t)
	return ok && both && (int(a.Uid) == os.Geteuid() || a.Uid == b.Uid)
}

func onDeviceOf(info, other fs.FileInfo) bool {
	a, ok := info.Sys().(*syscall.Stat_t)
	b, both := other.Sys().(*syscall.Stat_t)
	return ok && both && a.Dev == b.Dev
}
