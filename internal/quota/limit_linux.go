package quota

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// reserved is the address space for memory that is only reserved, in bytes: Go takes it in pieces of 64 MiB,
// and malloc as many for each thread.
const reserved = 512 << 20

func limit(memory uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	fields := strings.Fields(string(b)) // proc(5): size, resident, shared, text, lib, data, dirty; in pages
	if len(fields) < 6 {
		return
	}
	bound := func(resource int, field string, more uint64) {
		if pages, err := strconv.ParseUint(field, 10, 64); err == nil {
			most := pages*uint64(os.Getpagesize()) + more
			_ = syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most})
		}
	}
	bound(syscall.RLIMIT_DATA, fields[5], memory)
	bound(syscall.RLIMIT_AS, fields[0], memory+reserved)
}
