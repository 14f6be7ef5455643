//go:build linux && (amd64 || arm64)

package git

import (
	"syscall"
	"unsafe"
)

const rlimitData = 2 // RLIMIT_DATA, Linux

// limitMemory bounds what a running process may write to (mapped packs do not
// count). A failure leaves the other limits.
func limitMemory(pid int, size uint64) {
	limit := syscall.Rlimit{Cur: size, Max: size}
	syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), rlimitData, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}
