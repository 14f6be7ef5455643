package pdftext

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// workerMemory is how much a worker may map beyond what it has at its start, in bytes.
const workerMemory = 1 << 30

// limitWorker keeps a runaway file from taking the machine's memory, and from leaving
// a core file. The limit is relative because a Go program reserves address space that
// it never uses.
func limitWorker() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	first, _, _ := bytes.Cut(b, []byte(" "))
	pages, err := strconv.ParseUint(string(first), 10, 64)
	if err != nil {
		return
	}
	limit := pages*uint64(os.Getpagesize()) + workerMemory
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}
