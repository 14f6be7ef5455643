package jail

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openBeneath opens a file with one call in which the kernel itself stays inside the folder, and, for plain,
// refuses links; nil if that fails. The caller then opens it step by step to find the reason, which older
// kernels and sandboxes need too.
func openBeneath(dir *os.File, name string, plain bool) *os.File {
	raw, err := dir.SyscallConn()
	if err != nil {
		return nil
	}
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	if plain {
		how.Resolve |= unix.RESOLVE_NO_SYMLINKS
	}
	fd := -1
	if raw.Control(func(at uintptr) { fd, err = unix.Openat2(int(at), name, &how) }) != nil || err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), filepath.Join(dir.Name(), name)) // as os.Root calls it
}
