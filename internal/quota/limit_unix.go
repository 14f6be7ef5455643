//go:build unix && !linux

package quota

import "syscall"

func limit(uint64) { _ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) }
