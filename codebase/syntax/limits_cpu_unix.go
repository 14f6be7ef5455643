//go:build unix

package syntax

import (
	"syscall"
	"time"
)

// hasCPUTime reports whether cpuTime is processor time.
const hasCPUTime = true

// cpuTime returns the processor time that this process has used, in user and
// system mode.
func cpuTime() time.Duration { return usage(syscall.RUSAGE_SELF) }

// usage returns the processor time of this process or of its ended children.
func usage(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
