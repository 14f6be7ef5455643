//go:build !unix

package process

import (
	"os"
	"time"
)

// OwnCPU is not known here: figures of processor time are 0.
func OwnCPU() time.Duration { return 0 }

// PeakMemory is not known here: 0.
func PeakMemory(*os.ProcessState) float64 { return 0 }
