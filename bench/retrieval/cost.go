package main

// Processor time is the time that the whole process used for a piece of work, on all processors (getrusage,
// RUSAGE_SELF). Nothing else runs here during a measurement, so the time includes the engine's own goroutines
// and the garbage collector. The garbage may be that of earlier questions; over many questions each
// collection is counted once. Peers are measured in the same way in a process of their own. On a busy machine
// wall time means little: compare processor times, and only within one run.

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// spent is the time of one piece of work.
type spent = process.Spent

// heap is the memory in use after a collection, in megabytes. It collects until that
// frees nothing more: finalizers and pools hold on to something each time.
func heap() float64 {
	var m runtime.MemStats
	for last := uint64(0); ; last = m.HeapAlloc {
		runtime.GC()
		runtime.ReadMemStats(&m)
		if last > 0 && m.HeapAlloc >= last-last/1000 {
			return float64(m.HeapAlloc) / 1e6
		}
	}
}

// resetPeak makes the peak of resident memory count from now, where there is /proc.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // else it counts from the start of the process
}

// peak is the most memory that was resident, in megabytes; 0 where there is no /proc.
func peak() float64 { return float64(process.OwnPeak()) / 1e6 }
