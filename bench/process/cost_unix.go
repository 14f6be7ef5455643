//go:build unix

package process

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// OwnCPU is the processor time that this process has used, without children.
func OwnCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakMemory is the most memory, in MiB, that a process held which has ended, without its children. Systems count it in KiB, but
// macOS in bytes.
func PeakMemory(of *os.ProcessState) float64 {
	u, ok := of.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return float64(u.Maxrss) / (1 << 20)
	}
	return float64(u.Maxrss) / (1 << 10)
}
