//go:build linux && (amd64 || arm64)

package git

import (
	"syscall"
	"unsafe"
)

const rlimitData = 2 // RLIMIT_DATA, Linux

// limitMemory bounds the writable memory of a running process (mapped packs do not count). If it fails, the
// other limits remain.
func limitMemory(pid int, size uint64) {
	limit := syscall.Rlimit{Cur: size, Max: size}
	syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), rlimitData, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}
