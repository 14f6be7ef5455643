package syntax

import (
	"syscall"
	"time"
)

// hasCPUTime reports whether cpuTime is processor time.
const hasCPUTime = true

// cpuTime returns the processor time that this process has used, in user and
// kernel mode.
func cpuTime() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(self, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return fileTime(kernel) + fileTime(user)
}

// fileTime converts a span of time, which Windows counts in 100 ns.
func fileTime(t syscall.Filetime) time.Duration {
	return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
}
