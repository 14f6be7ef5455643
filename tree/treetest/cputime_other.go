//go:build !unix

package treetest

import "time"

var started = time.Now()

// ProcessorTime is the time that passed: more than was used.
func ProcessorTime() time.Duration { return time.Since(started) }
