//go:build !unix

package main

import (
	"os"
	"time"
)

// cpuTime is not known here: figures of processor time are 0.
func cpuTime() time.Duration { return 0 }

// peakOf is not known here either.
func peakOf(*os.ProcessState) float64 { return 0 }
