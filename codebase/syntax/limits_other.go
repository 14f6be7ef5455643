//go:build !linux

package syntax

import "time"

// processCPU returns false, since the processor time of another process is not available here.
func processCPU(int) (time.Duration, bool) { return 0, false }
