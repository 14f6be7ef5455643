package syntax

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// workerMemory is how much a worker may map beyond what it has at its start.
// The largest allowed file needs about 150 MB.
const workerMemory = 1 << 30

// limitWorker keeps a runaway parse from taking the machine's memory, and from
// leaving a core file. The limit is relative because a Go program reserves
// address space it never uses, more so under the race detector.
func limitWorker() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	pages, err := strconv.ParseUint(strings.SplitN(string(b), " ", 2)[0], 10, 64)
	if err != nil {
		return
	}
	limit := pages*uint64(os.Getpagesize()) + workerMemory
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}
