package jail

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func renameNew(dirA *os.File, a string, dirB *os.File, b string) error {
	return renameAt(dirA, a, dirB, b, unix.RENAME_NOREPLACE)
}

func exchange(dirA *os.File, a string, dirB *os.File, b string) error {
	return renameAt(dirA, a, dirB, b, unix.RENAME_EXCHANGE)
}

func renameAt(dirA *os.File, a string, dirB *os.File, b string, flags uint) error {
	err := retried(func() error { return unix.Renameat2(int(dirA.Fd()), a, int(dirB.Fd()), b, flags) })
	if err == unix.EINVAL || err == unix.ENOSYS || err == unix.EOPNOTSUPP {
		return errors.ErrUnsupported // by an old kernel, or by the file system: NFS, 9p
	}
	return err
}
