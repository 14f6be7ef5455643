package jail

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func renameNew(dirA *os.File, a string, dirB *os.File, b string) error {
	return renameAt(dirA, a, dirB, b, unix.RENAME_EXCL)
}

func exchange(dirA *os.File, a string, dirB *os.File, b string) error {
	return renameAt(dirA, a, dirB, b, unix.RENAME_SWAP)
}

func renameAt(dirA *os.File, a string, dirB *os.File, b string, flags uint32) error {
	err := retried(func() error { return unix.RenameatxNp(int(dirA.Fd()), a, int(dirB.Fd()), b, flags) })
	if err == unix.EINVAL || err == unix.ENOTSUP || err == unix.ENOSYS {
		return errors.ErrUnsupported // by the file system: HFS+, exFAT, network folders
	}
	return err
}
