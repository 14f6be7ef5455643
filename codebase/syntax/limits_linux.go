package syntax

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
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

// clockTick is the unit of times in /proc: 1/100 s on every architecture
// (proc(5), USER_HZ).
const clockTick = 10 * time.Millisecond

// processCPU returns the processor time that another process has used, or false
// if the system does not tell.
func processCPU(pid int) (time.Duration, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The second field is the program's name in parentheses and may hold anything.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * clockTick, err1 == nil && err2 == nil
}
