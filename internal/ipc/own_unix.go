//go:build unix

package ipc

import (
	"io/fs"
	"os"
	"syscall"
)

func ownedByUser(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
