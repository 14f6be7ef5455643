//go:build !unix && !windows

package syntax

import "time"

// hasCPUTime reports whether cpuTime is processor time.
const hasCPUTime = false

var processStart = time.Now()

// cpuTime returns the time since the process began, since processor time is not available here.
func cpuTime() time.Duration { return time.Since(processStart) }
