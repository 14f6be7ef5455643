//go:build unix

package jail

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser reports whether a file is this user's, and whether its rights are told.
func ownedByUser(info fs.FileInfo) (owned, told bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid(), true
}
