package process

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spent is the time that a piece of work took, in milliseconds.
type Spent struct {
	Wall float64 `json:"ms"`
	CPU  float64 `json:"cpu_ms"`
}

// Timed measures a piece of work. The processor time covers the whole process in the meantime (getrusage,
// RUSAGE_SELF), on all processors, so nothing else may run in the process.
func Timed(work func() error) (Spent, error) { return timed(work, OwnCPU) }

// TimedWithChildren counts the processor time of running children too, which the
// system tells in hundredths of a second (where there is a /proc).
func TimedWithChildren(work func() error) (Spent, error) {
	return timed(work, func() time.Duration { return OwnCPU() + childrenCPU() })
}

func timed(work func() error, cpu func() time.Duration) (Spent, error) {
	used, start := cpu(), time.Now()
	err := work()
	wall := time.Since(start)
	return Spent{Milliseconds(wall), Milliseconds(max(0, cpu()-used))}, err
}

// Milliseconds is a duration as a number of milliseconds.
func Milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// childrenCPU is the processor time of the running children of this process. What a
// child used that ended meanwhile is lost.
func childrenCPU() time.Duration {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	sum := time.Duration(0)
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		for pid := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(pid); err == nil {
				used, _ := cpuOf(n)
				sum += used
			}
		}
	}
	return sum
}

// Percentile is the smallest value that at least the share p of all are not above
// (nearest rank); 0 of none.
func Percentile(all []float64, p float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, int(math.Ceil(p*float64(len(all))))-1)]
}
