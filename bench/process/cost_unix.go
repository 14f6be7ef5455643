//go:build unix

package process

import (
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
