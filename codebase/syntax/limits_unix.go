//go:build unix && !linux

package syntax

import "syscall"

// limitWorker forbids core files. Address space limits are not kept by these
// systems in a way a Go program survives; the parent's time limit remains.
func limitWorker() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
