//go:build !unix

package process

import "time"

// OwnCPU is not known here: figures of processor time are 0.
func OwnCPU() time.Duration { return 0 }
