//go:build unix

package main

import (
	"os"
	"syscall"
)

// peakOf is the most memory that was resident in a process that has ended, in
// megabytes. The system counts it in KiB on Linux.
func peakOf(p *os.ProcessState) float64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(u.Maxrss) * 1024 / 1e6
}
