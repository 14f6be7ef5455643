//go:build unix && !linux

package syntax

import (
	"syscall"
	"time"
)

// limitWorker forbids core files. Address space limits are not kept by these
// systems in a way a Go program survives; the parent's time limit remains.
func limitWorker() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

// processCPU would return the processor time of another process; it is not told
// here.
func processCPU(int) (time.Duration, bool) { return 0, false }
