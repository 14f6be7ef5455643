//go:build !unix

package retrieval

import "time"

func cpuTime() time.Duration { return 0 }
