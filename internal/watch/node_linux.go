package watch

import "syscall"

// node identifies a folder, whatever its path; the zero node identifies nothing.
type node struct{ device, inode uint64 }

func nodeOf(folder string) node {
	var s syscall.Stat_t
	if syscall.Stat(folder, &s) != nil {
		return node{}
	}
	return node{uint64(s.Dev), s.Ino}
}
