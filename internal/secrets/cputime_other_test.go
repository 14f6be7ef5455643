//go:build !unix

package secrets

import "time"

var started = time.Now()

// processorTime is the time that passed: more than was used.
func processorTime() time.Duration { return time.Since(started) }
